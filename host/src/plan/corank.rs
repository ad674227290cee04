//! The chapter's merge sort: one thread for each output position, runs of one element to begin with.
use super::{Area, area_bytes, grid};
use crate::error::Result;

const WHAT: &str = "co-rank sort";

/// One pass: neighbouring runs of `width` keys in `from` become runs of twice that in the other area.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CorankPass {
    /// Keys of a run before the pass.
    pub width: u64,
    /// Where the runs are.
    pub from: Area,
}

/// The launches of the chapter's merge sort.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CorankPlan {
    /// Blocks of each pass.
    pub grid: u32,
    /// Where the first pass reads: where that is [`Area::Scratch`], the keys are copied there before it, so that the
    /// last pass ends in [`Area::Data`].
    pub start: Area,
    /// The passes, in order.
    pub passes: Vec<CorankPass>,
    /// Scratch memory, bytes.
    pub scratch_bytes: u64,
}

/// Plans the chapter's merge sort of `n` keys of `key_bytes` bytes, by blocks of `threads` threads.
///
/// ```
/// use gridsort::plan::corank_sort;
///
/// let plan = corank_sort(8, 4, 256)?;
/// assert_eq!(plan.passes.iter().map(|pass| pass.width).collect::<Vec<_>>(), [1, 2, 4]);
/// # Ok::<(), gridsort::Error>(())
/// ```
pub fn corank_sort(n: u64, key_bytes: u64, threads: u32) -> Result<CorankPlan> {
    let grid = grid(WHAT, n, threads)?;
    // The grid's limit keeps n, and so the width, below 2^63.
    let count = n.max(1).next_power_of_two().trailing_zeros();
    let start = if count.is_multiple_of(2) { Area::Data } else { Area::Scratch };
    let mut from = start;
    let passes = (0..count).map(|pass| {
        let pass = CorankPass { width: 1 << pass, from };
        from = from.other();
        pass
    });
    let passes = passes.collect();
    let scratch_bytes = if count == 0 { 0 } else { area_bytes(WHAT, n, key_bytes)? };
    Ok(CorankPlan { grid, start, passes, scratch_bytes })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passes_double_and_end_in_the_data() {
        for n in 0..300u64 {
            let plan = corank_sort(n, 4, 256).unwrap();
            let mut area = plan.start;
            let mut width = 1;
            for pass in &plan.passes {
                assert!(width < n);
                assert_eq!((pass.width, pass.from), (width, area));
                (width, area) = (width * 2, area.other());
            }
            assert!(width >= n);
            assert_eq!(area, Area::Data);
        }
    }

    #[test]
    fn nothing_and_one_take_nothing() {
        for n in [0, 1] {
            let plan = corank_sort(n, 8, 256).unwrap();
            assert_eq!((plan.passes.len(), plan.scratch_bytes), (0, 0));
        }
    }

    #[test]
    fn limits() {
        assert_eq!(corank_sort(1 << 38, 8, 256).unwrap().passes.len(), 38);
        assert!(corank_sort(1 << 40, 8, 256).is_err());
        assert!(corank_sort(u64::MAX, 8, 256).is_err());
    }
}
