//! Kernels that a user's own crate brings.
use std::fmt;

/// One module of compiled kernels, as PTX for one architecture. `gridsort-build` makes them, and
/// [`embed_kernels!`](crate::embed_kernels) lists them.
///
/// ```
/// use gridsort::KernelModule;
///
/// static MODULES: &[KernelModule] = &[KernelModule::new(80, "offers", "// the text of a file of PTX")];
/// assert_eq!(MODULES[0].name(), "offers");
/// ```
#[derive(Clone, Copy)]
pub struct KernelModule {
    arch: u32,
    name: &'static str,
    ptx: &'static str,
}

impl KernelModule {
    /// A module of this name as PTX for an architecture (90 for `sm_90`); newer GPUs run it too.
    ///
    /// ```
    /// assert_eq!(gridsort::KernelModule::new(90, "a", "").arch(), 90);
    /// ```
    pub const fn new(arch: u32, name: &'static str, ptx: &'static str) -> Self {
        Self { arch, name, ptx }
    }

    /// The architecture: 90 for `sm_90`.
    ///
    /// ```
    /// assert_eq!(gridsort::KernelModule::new(80, "a", "").arch(), 80);
    /// ```
    pub const fn arch(&self) -> u32 {
        self.arch
    }

    /// The module's name.
    ///
    /// ```
    /// assert_eq!(gridsort::KernelModule::new(80, "a", "").name(), "a");
    /// ```
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// The PTX.
    ///
    /// ```
    /// assert_eq!(gridsort::KernelModule::new(80, "a", "// b").ptx(), "// b");
    /// ```
    pub const fn ptx(&self) -> &'static str {
        self.ptx
    }
}

impl fmt::Debug for KernelModule {
    /// Without the text, which is long.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KernelModule").field("arch", &self.arch).field("name", &self.name).finish_non_exhaustive()
    }
}
