//! Holds PTX against the list of kernels: names, parameters, barriers.
use super::parse::{Param, Part, Ptx};
use super::{Known, ParamKind};

/// What is wrong, one line each; empty where all is well.
pub fn problems(ptx: &Ptx<'_>, kernels: &[Known]) -> Vec<String> {
    let mut problems = Vec::new();
    for kernel in kernels {
        if kernels.iter().filter(|k| k.name == kernel.name).count() > 1 {
            problems.push(format!("the list of kernels has {} twice", kernel.name));
        }
        match ptx.entries().find(|e| e.name == kernel.name) {
            Some(entry) => of_entry(ptx, entry, kernel, &mut problems),
            None => problems.push(format!("kernel {} is not in the PTX", kernel.name)),
        }
    }
    for entry in ptx.entries().filter(|e| !kernels.iter().any(|k| k.name == e.name)) {
        problems.push(format!("the PTX has an entry {} that is not in the list of kernels", entry.name));
    }
    problems
}

fn of_entry(ptx: &Ptx<'_>, entry: &Part<'_>, kernel: &Known, problems: &mut Vec<String>) {
    let params = entry.params();
    let known = kernel.params.as_deref();
    if let Some(known) = known.filter(|known| params.len() != known.len()) {
        problems.push(format!(
            "kernel {} has {} parameters in the PTX and {} in the list",
            kernel.name,
            params.len(),
            known.len()
        ));
    }
    for (i, (param, kind)) in params.iter().zip(known.unwrap_or_default()).enumerate() {
        if !fits(param, *kind) {
            let marks = if param.pointer { " .ptr" } else { "" };
            problems.push(format!(
                "kernel {}: parameter {i} is .{}{marks} in the PTX and {kind:?} in the list",
                kernel.name, param.ty
            ));
        }
    }
    let barriers = ptx.barriers(entry);
    if barriers != kernel.barriers as usize {
        let hint = if barriers > kernel.barriers as usize {
            "the compiler may have copied a barrier onto two paths, which hangs or races on a GPU"
        } else {
            "the compiler dropped or merged one, or the declaration is wrong"
        };
        problems.push(format!(
            "kernel {} declares {} barriers and its PTX has {barriers}: {hint}",
            kernel.name, kernel.barriers
        ));
    }
}

/// Whether a PTX parameter takes what the host passes for the kind. An address need not be marked as a pointer, but a
/// number must not be.
fn fits(param: &Param, kind: ParamKind) -> bool {
    let wide = matches!(param.ty.as_str(), "u64" | "b64" | "s64");
    let narrow = matches!(param.ty.as_str(), "u32" | "b32" | "s32");
    !param.array
        && match kind {
            ParamKind::Address => wide,
            ParamKind::U64 => wide && !param.pointer,
            ParamKind::U32 => narrow && !param.pointer,
        }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::parse::parse;
    use super::super::parse::tests::SAMPLE;
    use super::*;

    pub(crate) fn kernel(name: &str, params: &[ParamKind]) -> Known {
        let params = Some(params.to_vec());
        Known { name: name.into(), module: "m".into(), threads: 128, min_blocks: 0, barriers: 2, params }
    }

    fn sample() -> [Known; 2] {
        [kernel("first", &[ParamKind::Address, ParamKind::U32]), kernel("second", &[ParamKind::Address])]
    }

    fn found(kernels: &[Known]) -> Vec<String> {
        problems(&parse(SAMPLE).unwrap(), kernels)
    }

    #[test]
    fn a_list_that_fits() {
        assert_eq!(found(&sample()), Vec::<String>::new());
    }

    #[test]
    fn missing_extra_and_double_kernels() {
        let problems = found(&sample()[..1]);
        assert_eq!(problems, ["the PTX has an entry second that is not in the list of kernels"]);
        let [first, second] = sample();
        let problems = found(&[first.clone(), second.clone(), kernel("third", &[])]);
        assert_eq!(problems, ["kernel third is not in the PTX"]);
        let problems = found(&[first, second.clone(), second]);
        assert!(problems.iter().all(|p| p == "the list of kernels has second twice") && problems.len() == 2);
    }

    #[test]
    fn parameters_of_another_number_or_kind() {
        let [mut first, second] = sample();
        first.params = Some(vec![ParamKind::Address]);
        assert_eq!(
            found(&[first.clone(), second.clone()]),
            ["kernel first has 2 parameters in the PTX and 1 in the list"]
        );
        first.params = Some(vec![ParamKind::U64, ParamKind::U64]);
        assert_eq!(
            found(&[first, second]),
            [
                "kernel first: parameter 0 is .u64 .ptr in the PTX and U64 in the list",
                "kernel first: parameter 1 is .u32 in the PTX and U64 in the list",
            ]
        );
    }

    #[test]
    fn barriers_too_many_and_too_few() {
        let [mut first, mut second] = sample();
        first.barriers = 1;
        second.barriers = 3;
        let problems = found(&[first, second]);
        assert!(
            problems[0].starts_with("kernel first declares 1 barriers and its PTX has 2: the compiler may have copied")
        );
        assert!(problems[1].starts_with("kernel second declares 3 barriers and its PTX has 2"));
    }
}
