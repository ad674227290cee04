//! What can go wrong, as one type.
use gridsort_kernels::simt::ParamKind;
use gridsort_kernels::simt::emulator::Fault;

/// The result of every fallible call of this crate.
pub type Result<T, E = Error> = core::result::Result<T, E>;

/// Why a call failed. No call of this crate panics on what a caller passes in.
///
/// ```
/// use gridsort::{Device, Error, SortOptions};
///
/// let mut keys = [3u32, 1, 2];
/// let mut payloads = [0u32; 2];
/// match Device::cpu().sort_pairs(&mut keys, &mut payloads, SortOptions::new()) {
///     Err(Error::LengthMismatch { expected, found, .. }) => assert_eq!((expected, found), (3, 2)),
///     other => panic!("{other:?}"),
/// }
/// assert_eq!(keys, [3, 1, 2]); // as it was
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The device asked for is not there, or cannot run the kernels.
    #[error("no such device: {reason}")]
    NoDevice {
        /// What was looked for and what was found.
        reason: String,
    },
    /// The device has not enough memory for the operation. Nothing was changed.
    #[error("out of memory on {device}: {needed} bytes needed{}", free_note(.free))]
    OutOfMemory {
        /// The device's name.
        device: String,
        /// Bytes that the whole operation would have allocated.
        needed: u64,
        /// Bytes that were free, where the device can say.
        free: Option<u64>,
    },
    /// Two buffers or slices that belong together differ in length.
    #[error("{what}: {expected} elements expected, {found} found")]
    LengthMismatch {
        /// Which of the arguments is off.
        what: &'static str,
        /// The length it should have.
        expected: usize,
        /// The length it has.
        found: usize,
    },
    /// A buffer, workspace or event lives on another device than the rest.
    #[error("{what} belongs to another device")]
    DeviceMismatch {
        /// Which of the arguments is off.
        what: &'static str,
    },
    /// An output overlaps an input, or another output. Nothing was changed.
    #[error("{first} overlaps {second}")]
    Overlap {
        /// One of the two arguments.
        first: &'static str,
        /// The other.
        second: &'static str,
    },
    /// A workspace of fixed size, or one that may not grow while a graph is captured, is too small. Nothing was changed.
    #[error("{needed} bytes of scratch memory needed, the workspace has {found}")]
    ScratchTooSmall {
        /// Bytes that the operation needs.
        needed: u64,
        /// Bytes that the workspace has.
        found: u64,
    },
    /// A range that does not lie within its buffer.
    #[error("the range {start}..{end} is not within 0..{len}")]
    OutOfRange {
        /// Where the range starts.
        start: u64,
        /// Where it ends.
        end: u64,
        /// What it should lie within.
        len: u64,
    },
    /// A position, to fetch by, that is none of the elements. All others were fetched.
    #[error("position {position}, at {at}, is not within 0..{len}")]
    PositionOutOfRange {
        /// Where among the positions it stands: the first such one.
        at: u64,
        /// The position.
        position: u64,
        /// Elements to fetch from.
        len: u64,
    },
    /// Rows of a matrix that overlap.
    #[error("a stride of {stride} elements is too small for rows of {columns}")]
    StrideTooSmall {
        /// Elements from the start of a row to the start of the next one.
        stride: usize,
        /// Elements of a row.
        columns: usize,
    },
    /// A segment that ends before it begins, or behind the array, or behind the beginning of the next one.
    #[error("segment {segment} does not ascend, overlaps the next one or is not within {len} elements")]
    Segment {
        /// Its number.
        segment: usize,
        /// Elements of the array.
        len: u64,
    },
    /// An address of someone else's memory that the kernels cannot access elements at.
    #[error("the address {address:#x} is not a multiple of {alignment}")]
    Misaligned {
        /// The address.
        address: u64,
        /// What it should be a multiple of.
        alignment: u64,
    },
    /// A payload of a size that does not travel with keys.
    #[error("payloads of {bytes} bytes: 1 to {limit} are possible; sort positions along, and fetch by them")]
    PayloadSize {
        /// The payload's size.
        bytes: usize,
        /// The largest possible.
        limit: usize,
    },
    /// More elements than the operation can take.
    #[error("{what}: {n} elements are more than the {limit} possible")]
    TooLarge {
        /// What was to be done.
        what: &'static str,
        /// Elements given.
        n: u64,
        /// The most that is possible.
        limit: u64,
    },
    /// More elements asked for than there are to choose from.
    #[error("{wanted} elements asked for, of {found}")]
    TooFewElements {
        /// How many were asked for; for a rank, one more than it.
        wanted: usize,
        /// How many there are.
        found: usize,
    },
    /// An input that must be sorted is not.
    #[error("{input} is not sorted: the element at position {position} comes before the one ahead of it")]
    NotSorted {
        /// Which of the arguments is off.
        input: &'static str,
        /// The first position that is out of order.
        position: usize,
    },
    /// An emulated kernel broke a rule of the machine; the fault names the kernel, block, thread and line.
    #[error("{0}")]
    Kernel(Box<Fault>),
    /// A launch does not fit its kernel: an argument of another kind, too few of them, or an impossible grid.
    #[error("kernel {kernel}: {problem}")]
    Launch {
        /// The kernel's name.
        kernel: &'static str,
        /// What does not fit.
        problem: LaunchProblem,
    },
    /// A call of the CUDA driver failed.
    #[error("{call} failed: {name} ({code}){}", detail_note(.detail))]
    Cuda {
        /// The driver's function.
        call: &'static str,
        /// Its error code.
        code: u32,
        /// The code's name, such as `CUDA_ERROR_ILLEGAL_ADDRESS`.
        name: String,
        /// More about it, where the driver says more; else empty.
        detail: String,
    },
    /// The device cannot do this.
    #[error("{device} cannot {what}")]
    NotSupported {
        /// The device's name.
        device: String,
        /// What was asked of it.
        what: &'static str,
    },
    /// This build of the crate has no kernels for it.
    #[error("{what} needs kernels that this build of gridsort was made without: turn on its feature `{feature}`")]
    FeatureOff {
        /// What was asked for.
        what: &'static str,
        /// The cargo feature that is off.
        feature: &'static str,
    },
    /// An engine has no kernels for keys or payloads of these sizes.
    #[error("the engine {engine} has no kernels for keys of {key_bits} bits{}", payload_note(.payload_bits))]
    EngineWidths {
        /// The engine's name.
        engine: &'static str,
        /// Bits of a key.
        key_bits: u64,
        /// Bits of what each key would have carried along: its payload or its position; 0 for keys alone.
        payload_bits: u64,
    },
    /// The sample sort has no kernels for keys or payloads of these sizes.
    #[error("the sample sort has no kernels for keys of {key_bits} bits{}", payload_note(.payload_bits))]
    NoSampleSort {
        /// Bits of a key.
        key_bits: u64,
        /// Bits of what each key would have carried along: its payload or its position; 0 for keys alone.
        payload_bits: u64,
    },
    /// A text that names none of the choices.
    #[error("unknown {what} {found:?}: expected {expected}")]
    UnknownName {
        /// What was to be named.
        what: &'static str,
        /// The text.
        found: String,
        /// The choices.
        expected: &'static str,
    },
}

/// How a launch fails to fit its kernel.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LaunchProblem {
    /// The number of arguments is not the number of parameters.
    #[error("takes {expected} arguments, {found} given")]
    Count {
        /// Parameters of the kernel.
        expected: usize,
        /// Arguments given.
        found: usize,
    },
    /// An argument is of another kind than its parameter.
    #[error("argument {position} must be {expected:?}, {found:?} given")]
    Kind {
        /// Position of the argument, from 0.
        position: usize,
        /// The parameter's kind.
        expected: ParamKind,
        /// The argument's kind.
        found: ParamKind,
    },
    /// A grid of no blocks, or of more than a launch can have.
    #[error("a grid of {grid} blocks is not within 1..={limit}")]
    Grid {
        /// Blocks asked for.
        grid: u32,
        /// The most that a launch can have.
        limit: u32,
    },
    /// A block or its shared memory is not as the device can have it.
    #[error("{reason}")]
    Shape {
        /// What does not fit.
        reason: String,
    },
    /// The PTX embedded in this crate has no such kernel.
    #[error("not in the embedded PTX")]
    Missing,
}

impl Error {
    /// An [`Error::OutOfMemory`] that names what a whole operation needed and what is free now that none of it is
    /// held; other errors pass through.
    pub(crate) fn of_operation(mut self, total: u64, free_now: impl FnOnce() -> Option<u64>) -> Self {
        if let Error::OutOfMemory { needed, free, .. } = &mut self {
            (*needed, *free) = (total, free_now());
        }
        self
    }
}

fn free_note(free: &Option<u64>) -> String {
    free.map(|bytes| format!(", {bytes} free")).unwrap_or_default()
}

fn payload_note(bits: &u64) -> String {
    if *bits == 0 { String::new() } else { format!(" with payloads or positions of {bits} bits") }
}

fn detail_note(detail: &str) -> String {
    if detail.is_empty() { String::new() } else { format!(": {detail}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn out_of_memory(free: Option<u64>) -> Error {
        Error::OutOfMemory { device: "test".into(), needed: 8, free }
    }

    #[test]
    fn out_of_memory_names_needed_and_free() {
        assert_eq!(out_of_memory(Some(3)).to_string(), "out of memory on test: 8 bytes needed, 3 free");
        assert_eq!(out_of_memory(None).to_string(), "out of memory on test: 8 bytes needed");
    }

    #[test]
    fn the_operations_total_replaces_the_single_allocation() {
        let error = out_of_memory(Some(1)).of_operation(20, || Some(9));
        assert!(matches!(error, Error::OutOfMemory { needed: 20, free: Some(9), .. }));
        let error = Error::DeviceMismatch { what: "x" }.of_operation(20, || None);
        assert!(matches!(error, Error::DeviceMismatch { .. }));
    }

    #[test]
    fn errors_cross_threads() {
        fn check<T: std::error::Error + Send + Sync + 'static>() {}
        check::<Error>();
    }
}
