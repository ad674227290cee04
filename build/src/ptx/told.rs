//! What a device crate says of its kernels in its own PTX: a comment for each, which `export_order!` writes.
//!
//! The builder of such a crate knows nothing of it but its PTX. Launch bounds and barriers must come from the source all
//! the same, and so they are in the text.
use super::Known;

const BEGIN: &str = "// gridsort kernel ";

/// Takes the comments out of a text: the kernels that they tell of, and the text without them.
///
/// # Errors
/// Where a comment cannot be read: it is of another version of gridsort's.
pub fn take(text: &str) -> Result<(Vec<Known>, String), String> {
    let mut kernels = Vec::new();
    let mut rest = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        match line.trim().strip_prefix(BEGIN) {
            Some(told) => {
                kernels.push(known(told).ok_or_else(|| format!("this is not understood: {}", line.trim()))?);
            }
            None => rest.push_str(line),
        }
    }
    Ok((kernels, rest))
}

/// `NAME in MODULE: 128 threads, 0 blocks, 4 barriers`
fn known(told: &str) -> Option<Known> {
    let (names, numbers) = told.split_once(": ")?;
    let (name, module) = names.split_once(" in ")?;
    let mut numbers = numbers.split(", ").map(|number| number.split_once(' '));
    let mut next = |what: &str| {
        let (number, unit) = numbers.next()??;
        if unit == what { number.parse().ok() } else { None }
    };
    let (threads, min_blocks, barriers) = (next("threads")?, next("blocks")?, next("barriers")?);
    Some(Known { name: name.into(), module: module.into(), threads, min_blocks, barriers, params: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_taken_out() {
        let text = ".version 7.8\n// gridsort kernel a_sort in a: 256 threads, 2 blocks, 5 barriers\n// another\nrest";
        let (kernels, rest) = take(text).unwrap();
        let known =
            Known { name: "a_sort".into(), module: "a".into(), threads: 256, min_blocks: 2, barriers: 5, params: None };
        assert_eq!(kernels, [known]);
        assert_eq!(rest, ".version 7.8\n// another\nrest");
    }

    #[test]
    fn other_comments_of_the_kind_are_refused() {
        for wrong in ["a", "a in b", "a in b: 1 threads, 2 blocks", "a in b: x threads, 2 blocks, 1 barriers"] {
            assert!(take(&format!("// gridsort kernel {wrong}")).unwrap_err().contains(wrong));
        }
    }
}
