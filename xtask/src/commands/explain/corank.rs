//! Co-rank: the pair for each output position, what it stands for, and the merge that the pairs make.
use std::fmt::Write;

use gridsort::reference::co_rank;

use super::kernels::Textbook;
use super::{list, numbers};
use crate::Error;

pub(super) fn explain(input: &str) -> Result<String, Error> {
    let (a, b) = match input.split('/').collect::<Vec<_>>()[..] {
        [a, b] => (sorted("A", a)?, sorted("B", b)?),
        _ => {
            return Err(Error::msg("--input: two runs A/B are needed, such as 1,3,6,8/2,4,5,7"));
        }
    };
    let total = a.len() + b.len();
    if total == 0 {
        return Err(Error::msg("--input: there is nothing to merge"));
    }
    let merged = Textbook::new().merge(&a, &b)?;
    let pairs: Vec<(usize, usize)> = (0..total).map(|k| co_rank(k, &a, &b, i64::cmp)).collect();
    let row: Vec<String> = pairs.iter().map(|(i, j)| format!("({i},{j})")).collect();

    let mut out = String::new();
    writeln!(out, "A (sorted): {}", list(&a))?;
    writeln!(out, "B (sorted): {}\n", list(&b))?;
    writeln!(out, "co-rank(k) = (i,j): the first k merged elements are the first i of A and the first j of B.")?;
    writeln!(out, "co-rank(k) = (i,j) for k=0..{}: {}\n", total - 1, row.join(" "))?;
    for (k, &(i, j)) in pairs.iter().enumerate() {
        let from = if is_next_of_a(&a, &b, i, j) { format!("A[{i}]") } else { format!("B[{j}]") };
        let (taken_a, taken_b) = (list(&a[..i]), list(&b[..j]));
        writeln!(out, "k={k}: {} takes [{taken_a}] of A and [{taken_b}] of B; next is {from} = {}", row[k], merged[k])?;
    }
    writeln!(out, "\nmerged (via co-rank, {total} independent threads): {}", list(&merged))?;
    Ok(out)
}

/// Whether the element after the cut (i,j) is A's: on ties A's comes first.
fn is_next_of_a(a: &[i64], b: &[i64], i: usize, j: usize) -> bool {
    match (a.get(i), b.get(j)) {
        (Some(x), Some(y)) => x <= y,
        (x, _) => x.is_some(),
    }
}

fn sorted(name: &str, text: &str) -> Result<Vec<i64>, Error> {
    let run = numbers(text)?;
    match run.windows(2).find(|w| w[0] > w[1]) {
        Some(w) => Err(Error::msg(format!("--input: {name} is not sorted: {} comes after {}", w[1], w[0]))),
        None => Ok(run),
    }
}
