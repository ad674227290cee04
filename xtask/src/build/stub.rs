//! A `libcuda` to link with where there is no CUDA toolkit. It holds the driver's names and no code: what is linked with
//! it asks for `libcuda.so.1` when it is started, which the driver brings.
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::process::{capture, cargo, run, which};
use crate::Error;

/// The stub's place in a folder that is laid out as a toolkit's.
const PLACE: &str = "lib64/stubs/libcuda.so";

/// Makes the stub under the target folder, where it is not there yet, and gives the value for `CUDA_LIBRARY_PATH`.
///
/// # Errors
/// Where the bindings to the driver cannot be found or there is no C compiler, with which Rust programs are linked too.
pub fn make(target: &Path) -> Result<PathBuf, Error> {
    let root = target.join("cuda-stub");
    let bindings = bindings()?;
    let source = source(&functions(&std::fs::read_to_string(&bindings).map_err(Error::io("read", &bindings))?))
        .ok_or_else(|| Error::content(&bindings, "it declares no functions of the driver"))?;
    let library = root.join(PLACE);
    let c_file = root.join("cuda.c");
    if library.is_file() && std::fs::read_to_string(&c_file).is_ok_and(|old| old == source) {
        return Ok(root);
    }
    let folder = library.parent().unwrap_or(&root);
    std::fs::create_dir_all(folder).map_err(Error::io("create", folder))?;
    std::fs::write(&c_file, &source).map_err(Error::io("write", &c_file))?;
    let compiler = ["cc", "gcc", "clang"]
        .iter()
        .find_map(|c| which(c))
        .ok_or_else(|| Error::msg("there is no C compiler (cc) to make a stub of libcuda with"))?;
    // Beside the place, then renamed: another build may be linking with it.
    let new = folder.join(format!(".libcuda.so.{}", std::process::id()));
    run(Command::new(compiler)
        .args(["-shared", "-nostdlib", "-Wl,-soname,libcuda.so.1", "-o"])
        .arg(&new)
        .arg(&c_file))?;
    std::fs::rename(&new, &library).map_err(Error::io("write", &library))?;
    Ok(root)
}

/// The file with `cust_raw`'s declarations of the driver's functions.
fn bindings() -> Result<PathBuf, Error> {
    let mut command = cargo();
    command.args(["metadata", "--format-version", "1", "--all-features"]);
    let metadata: serde_json::Value = serde_json::from_str(&capture(&mut command)?)
        .map_err(|e| Error::msg(format!("cargo describes the workspace in a way that cannot be read: {e}")))?;
    let manifest = metadata["packages"]
        .as_array()
        .and_then(|all| all.iter().find(|p| p["name"] == "cust_raw"))
        .and_then(|p| p["manifest_path"].as_str())
        .ok_or_else(|| Error::msg("the package cust_raw is not among the workspace's dependencies"))?;
    Ok(Path::new(manifest).with_file_name("src").join("cuda.rs"))
}

/// The driver's functions that the bindings declare.
fn functions(bindings: &str) -> BTreeSet<&str> {
    let declared = bindings.split("pub fn ").skip(1).filter_map(|rest| rest.split('(').next());
    declared.filter(|n| n.starts_with("cu") && n.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')).collect()
}

/// C source that defines them all; none where there are none.
fn source(functions: &BTreeSet<&str>) -> Option<String> {
    if functions.is_empty() {
        return None;
    }
    let mut text = String::from("/* The names of the CUDA driver's functions, to link with. Never run. */\n");
    for name in functions {
        text.push_str(&format!("void {name}(void) {{}}\n"));
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_of_the_bindings() {
        let bindings = "pub type CUdevice = i32;\nextern \"C\" {\n    pub fn cuInit(Flags: u32) -> CUresult;\n}\n\
                        extern \"C\" {\n    pub fn cuMemAlloc_v2(\n        dptr: *mut u64,\n    ) -> CUresult;\n}\n\
                        impl X { pub fn new() -> X {} }\n";
        assert_eq!(functions(bindings).into_iter().collect::<Vec<_>>(), ["cuInit", "cuMemAlloc_v2"]);
        let text = source(&functions(bindings)).unwrap();
        assert!(text.contains("void cuInit(void) {}\nvoid cuMemAlloc_v2(void) {}\n"), "{text}");
        assert_eq!(source(&BTreeSet::new()), None);
    }
}
