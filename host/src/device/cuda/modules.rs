//! The embedded PTX on one GPU, and that of users' own crates: modules loaded when a kernel of theirs is first launched.
use super::super::KernelModule;
use super::status::check;
use crate::embedded;
use crate::error::{Error, LaunchProblem, Result};
use cust::sys;
use gridsort_kernels::simt::Kernel;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ffi::{CString, c_int, c_void};
use std::ptr;

/// Dynamic shared memory that any kernel may have; more must be asked for.
const SHARED_WITHOUT_ASKING: u32 = 48 << 10;
/// Bytes of the driver's assembler log that an error carries.
const LOG_BYTES: usize = 4096;

/// Loaded modules, and the functions found in them. All calls need the modules' context current.
#[derive(Debug, Default)]
pub(super) struct Modules {
    modules: HashMap<Source, sys::CUmodule>,
    functions: HashMap<Id, sys::CUfunction>,
    /// Where kernels come from that are not in the embedded PTX.
    registered: HashMap<Id, &'static [KernelModule]>,
}

/// A kernel, by the address of its entry in a list of kernels: crates do not know of each other's names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Id(usize);

impl Id {
    fn of(kernel: &'static Kernel) -> Self {
        Id(ptr::from_ref(kernel).addr())
    }
}

/// A module: its name, and the address of the list that it is in, 0 for the embedded PTX.
type Source = (usize, &'static str);

// SAFETY: both are handles into a context, which the driver lets any thread use once the context is current there.
unsafe impl Send for Modules {}

impl Modules {
    /// The driver's function for a kernel, on a GPU that runs PTX up to `arch`.
    pub(super) fn function(&mut self, kernel: &'static Kernel, arch: u32) -> Result<sys::CUfunction> {
        let own = self.registered.get(&Id::of(kernel)).copied();
        let vacant = match self.functions.entry(Id::of(kernel)) {
            Entry::Occupied(found) => return Ok(*found.get()),
            Entry::Vacant(vacant) => vacant,
        };
        let source = (own.map_or(0, |modules| modules.as_ptr().addr()), kernel.module);
        let module = match self.modules.entry(source) {
            Entry::Occupied(found) => *found.get(),
            Entry::Vacant(vacant) => *vacant.insert(match own {
                Some(modules) => load_registered(kernel, modules, arch)?,
                None => load(kernel, arch)?,
            }),
        };
        Ok(*vacant.insert(find(module, kernel)?))
    }

    /// Tells where to find kernels that are not in the embedded PTX. All kernels of a list are told at once.
    pub(super) fn register(
        &mut self,
        kernels: &mut dyn Iterator<Item = &'static Kernel>,
        modules: &'static [KernelModule],
    ) {
        let mut kernels = kernels.peekable();
        if kernels.peek().is_some_and(|first| !self.registered.contains_key(&Id::of(first))) {
            self.registered.extend(kernels.map(|kernel| (Id::of(kernel), modules)));
        }
    }

    /// Unloads all modules. Nothing of them may be running.
    pub(super) fn unload(&mut self) {
        self.functions.clear();
        for (_, module) in self.modules.drain() {
            // SAFETY: loaded by `load` and unloaded once. A failure would leave nothing to do.
            let _ = unsafe { sys::cuModuleUnload(module) };
        }
    }
}

fn missing(kernel: &'static Kernel) -> Error {
    Error::Launch { kernel: kernel.name, problem: LaunchProblem::Missing }
}

/// Loads a kernel's module: assembled for just this architecture where it is embedded, else from the newest PTX up to it.
fn load(kernel: &'static Kernel, arch: u32) -> Result<sys::CUmodule> {
    let module = embedded::module(kernel.module, arch).ok_or_else(|| missing(kernel))?;
    if let Some(cubin) = module.cubin().filter(|_| module.arch == arch)
        && let Ok(module) = load_cubin(&cubin)
    {
        return Ok(module);
    }
    load_ptx(kernel, &module.ptx().ok_or_else(|| missing(kernel))?)
}

/// Loads the module of a kernel of a user's crate, from the newest PTX up to this architecture.
fn load_registered(kernel: &'static Kernel, modules: &[KernelModule], arch: u32) -> Result<sys::CUmodule> {
    let of_kernel = modules.iter().filter(|module| module.name() == kernel.module && module.arch() <= arch);
    let newest = of_kernel.max_by_key(|module| module.arch()).ok_or_else(|| missing(kernel))?;
    load_ptx(kernel, newest.ptx())
}

/// Loads assembled code, which takes no compiling.
fn load_cubin(cubin: &[u8]) -> Result<sys::CUmodule> {
    let mut module = ptr::null_mut();
    // SAFETY: an assembled module as the assembler wrote it, which the driver copies.
    check("cuModuleLoadData", unsafe { sys::cuModuleLoadData(&mut module, cubin.as_ptr().cast()) })?;
    Ok(module)
}

/// Lets the driver compile PTX; an error carries its log.
fn load_ptx(kernel: &'static Kernel, text: &str) -> Result<sys::CUmodule> {
    let text = CString::new(text).map_err(|_| missing(kernel))?;

    let mut log = vec![0u8; LOG_BYTES];
    let mut options =
        [sys::CUjit_option::CU_JIT_ERROR_LOG_BUFFER, sys::CUjit_option::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES];
    // The driver takes a number itself where it takes a pointer to any other value.
    let mut values = [log.as_mut_ptr().cast::<c_void>(), ptr::without_provenance_mut(LOG_BYTES)];
    let mut module = ptr::null_mut();
    // SAFETY: terminated PTX; two options with their values, of which the first is a buffer of the second's size, alive
    // during the call.
    let result = unsafe {
        sys::cuModuleLoadDataEx(
            &mut module,
            text.as_ptr().cast(),
            options.len() as u32,
            options.as_mut_ptr(),
            values.as_mut_ptr(),
        )
    };
    check("cuModuleLoadDataEx", result).map_err(|mut error| {
        if let Error::Cuda { detail, .. } = &mut error {
            let length = log.iter().position(|&byte| byte == 0).unwrap_or(LOG_BYTES);
            *detail = String::from_utf8_lossy(&log[..length]).trim().to_owned();
        }
        error
    })?;
    Ok(module)
}

/// Finds a kernel in its loaded module and allows it its shared memory.
fn find(module: sys::CUmodule, kernel: &'static Kernel) -> Result<sys::CUfunction> {
    let name = CString::new(kernel.name).map_err(|_| missing(kernel))?;
    let mut function = ptr::null_mut();
    // SAFETY: the module is loaded in the current context; the name is terminated.
    match unsafe { sys::cuModuleGetFunction(&mut function, module, name.as_ptr()) } {
        sys::CUresult::CUDA_ERROR_NOT_FOUND => return Err(missing(kernel)),
        result => check("cuModuleGetFunction", result)?,
    }
    if kernel.shared_bytes > SHARED_WITHOUT_ASKING {
        let attribute = sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        let bytes = c_int::try_from(kernel.shared_bytes).map_err(|_| Error::Launch {
            kernel: kernel.name,
            problem: LaunchProblem::Shape { reason: format!("{} bytes of shared memory", kernel.shared_bytes) },
        })?;
        // SAFETY: the function is the one just found.
        check("cuFuncSetAttribute", unsafe { sys::cuFuncSetAttribute(function, attribute, bytes) })?;
    }
    Ok(function)
}
