//! The launches that find the key of a rank digit by digit.
use crate::device::Device;
use crate::error::Result;
use crate::key::KeyCodec;
use crate::plan::{ALIGNMENT, RankPlan};
use gridsort_kernels::entry::select::SelectKernels;
use gridsort_kernels::simt::Arg;

/// State and bins.
fn tables(plan: &RankPlan, scratch: u64) -> [Arg; 2] {
    [scratch + plan.state, scratch + plan.state + ALIGNMENT].map(Arg::Address)
}

/// Launches what sets the state up, for the element of rank `rank`. `sure` says that the digits are looked for in any case.
///
/// # Safety
/// Scratch memory holds what the plan asks for, claimed for this work.
pub(super) unsafe fn launch_begin(
    device: &Device,
    kernels: &SelectKernels,
    plan: &RankPlan,
    scratch: u64,
    rank: u64,
    sure: bool,
) -> Result<()> {
    let [state, bins] = tables(plan, scratch);
    // SAFETY: one block, and the tables are the plan's.
    unsafe { device.run(kernels.begin, 1, &[state, bins, Arg::U64(rank), Arg::U32(sure.into())]) }
}

/// Launches the search for each digit.
///
/// # Safety
/// As [`launch_begin`], which came before; the keys are as many as planned for.
pub(super) unsafe fn launch_digits(
    device: &Device,
    kernels: &SelectKernels,
    plan: &RankPlan,
    keys: u64,
    scratch: u64,
    codec: KeyCodec,
) -> Result<()> {
    let [state, bins] = tables(plan, scratch);
    for digit in &plan.digits {
        let digit = [digit.shift, digit.bits, digit.of_index.into()].map(Arg::U32);
        let mut count = vec![Arg::Address(keys), Arg::U64(plan.n), Arg::U64(plan.slice), state, bins];
        count.extend(digit);
        count.push(codec.arg());
        // SAFETY: the plan's grids and tables, and the keys that the caller vouches for.
        unsafe {
            device.run(kernels.count, plan.grid, &count)?;
            device.run(kernels.choose_digit, 1, &[state, bins, digit[0], digit[1], digit[2]])?;
        }
    }
    Ok(())
}
