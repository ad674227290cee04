//! The driver's results as this crate's.
use crate::error::{Error, Result};
use cust::error::{CudaError, CudaResult};
use cust::sys;
use std::ffi::{CStr, c_char};
use std::ptr;

/// The result of a raw call.
pub(super) fn check(call: &'static str, result: sys::CUresult) -> Result<()> {
    match result {
        sys::CUresult::CUDA_SUCCESS => Ok(()),
        code => Err(Error::Cuda { call, code: code as u32, name: error_name(code), detail: String::new() }),
    }
}

/// The result of a call through `cust`.
pub(super) fn checked<T>(call: &'static str, result: CudaResult<T>) -> Result<T> {
    result.map_err(|error: CudaError| Error::Cuda {
        call,
        code: error as u32,
        name: format!("{error:?}"),
        detail: String::new(),
    })
}

fn error_name(code: sys::CUresult) -> String {
    let mut name: *const c_char = ptr::null();
    // SAFETY: the driver writes a pointer to a static string, or leaves null for a code that it does not know.
    let _ = unsafe { sys::cuGetErrorName(code, &mut name) };
    if name.is_null() {
        return "unknown error".into();
    }
    // SAFETY: a static, terminated string of the driver's.
    unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned()
}
