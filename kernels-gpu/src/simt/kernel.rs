//! A kernel as the host sees it: its name, its launch shape, and a function that runs one thread of it.
use super::{Global, Plain};

/// One argument of a launch, untyped: what both devices take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arg {
    /// Address in the device's memory; 0 is the null pointer.
    Address(u64),
    /// A 32-bit value.
    U32(u32),
    /// A 64-bit value.
    U64(u64),
}

/// The kind of a kernel's parameter, to hold a launch's arguments against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParamKind {
    /// A [`Global`] pointer.
    Address,
    /// A `u32`.
    U32,
    /// A `u64`.
    U64,
}

impl Arg {
    /// The kind of parameter that takes this argument.
    pub fn kind(&self) -> ParamKind {
        match self {
            Arg::Address(_) => ParamKind::Address,
            Arg::U32(_) => ParamKind::U32,
            Arg::U64(_) => ParamKind::U64,
        }
    }
}

/// A type that may be a kernel's parameter.
pub trait Param: Sized {
    /// What the host must pass.
    const KIND: ParamKind;
    /// The parameter's value in an emulated thread.
    ///
    /// # Panics
    /// Where the argument is of another kind; launches are checked against [`Kernel::params`] before a thread runs.
    fn from_arg(arg: Arg) -> Self;
}

macro_rules! number_param {
    ($t:ty, $kind:ident) => {
        impl Param for $t {
            const KIND: ParamKind = ParamKind::$kind;
            fn from_arg(arg: Arg) -> Self {
                match arg {
                    Arg::$kind(v) => v,
                    other => panic!("the kernel takes {:?}, the launch gave {other:?}", Self::KIND),
                }
            }
        }
    };
}
number_param!(u32, U32);
number_param!(u64, U64);

impl<T: Plain> Param for Global<T> {
    const KIND: ParamKind = ParamKind::Address;
    fn from_arg(arg: Arg) -> Self {
        match arg {
            Arg::Address(a) => Global::from_address(a),
            other => panic!("the kernel takes an address, the launch gave {other:?}"),
        }
    }
}

/// One exported kernel.
#[derive(Clone, Copy, Debug)]
pub struct Kernel {
    /// Its name, in the PTX and in every report.
    pub name: &'static str,
    /// The PTX module that carries it: one for each algorithm and key width, loaded when first used.
    pub module: &'static str,
    /// Threads of a block. A launch has exactly these: kernels derive their tiles from it.
    pub threads: u32,
    /// Blocks that should fit on one multiprocessor at once; 0 leaves it to the assembler.
    pub min_blocks: u32,
    /// Barriers in its source, hence in its PTX; see `docs/architecture.md` for why they are counted.
    pub barriers: u32,
    /// Dynamic shared memory of a block, bytes.
    pub shared_bytes: u32,
    /// Its parameters, in order.
    pub params: &'static [ParamKind],
    /// Runs the calling emulated thread.
    ///
    /// # Safety
    /// As the kernel function says.
    pub run: unsafe fn(&[Arg]),
}
