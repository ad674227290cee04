//! The kernels that look after merges by orders that may contradict themselves: see [`guard`](mod@crate::guard).
use crate::guard::{Guard, restore};
use crate::kway::restore::restore_inputs as lay_inputs;
use crate::simt::Global;
#[cfg(not(target_arch = "nvptx64"))]
use crate::tuning::GUARD_THREADS;

crate::kernels! {
    /// Kernels before and after guarded merges.
    GUARD:
    /// Lowers a flag.
    fn lower_flag(flag: Global<u32>)
        [module: "guard", threads: 32, min_blocks: 0, barriers: 0, shared_bytes: 0]
        = Guard::new(flag, 0).lower();
    /// [`restore`].
    fn restore_source(flag: Global<u32>, first: u32, scratch: Global<u8>, data: Global<u8>, bytes: u64, second_scratch: Global<u8>, second_data: Global<u8>, second_bytes: u64)
        [module: "guard", threads: GUARD_THREADS, min_blocks: 0, barriers: 0, shared_bytes: 0]
        = restore(flag, first, (scratch, data, bytes), (second_scratch, second_data, second_bytes));
    /// [`restore_inputs`](crate::kway::restore::restore_inputs).
    fn restore_inputs(flag: Global<u32>, inputs: Global<u64>, count: u32, n: u64, keys: Global<u8>, key_bytes: u32, payloads: Global<u8>, payload_bytes: u32)
        [module: "guard", threads: GUARD_THREADS, min_blocks: 0, barriers: 0, shared_bytes: 0]
        = lay_inputs(flag, inputs, count, n, (keys, key_bytes), (payloads, payload_bytes));
}
