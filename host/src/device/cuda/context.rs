//! The context that a GPU's work runs in.
use super::status::check;
use crate::error::Result;
use cust::context::Context;
use cust::sys;

/// A context, for as long as something of it is used.
#[derive(Debug)]
pub(super) enum Held {
    /// The device's primary context, retained as long as this lives: the one that the CUDA runtime and most crates use.
    Primary(Context),
    /// Someone else's, who promised to keep it.
    Foreign(sys::CUcontext),
}

// SAFETY: a handle that the driver lets any thread make current; so does `cust` say of its own.
unsafe impl Send for Held {}
// SAFETY: as above, nothing is changed through a shared reference.
unsafe impl Sync for Held {}

impl Held {
    pub(super) fn raw(&self) -> sys::CUcontext {
        match self {
            Held::Primary(context) => context.as_raw(),
            Held::Foreign(context) => *context,
        }
    }

    /// Makes the context current on the calling thread, whatever was current there.
    pub(super) fn make_current(&self) -> Result<()> {
        // SAFETY: a context that exists as long as `self`.
        check("cuCtxSetCurrent", unsafe { sys::cuCtxSetCurrent(self.raw()) })
    }
}
