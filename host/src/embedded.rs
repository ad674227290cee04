//! The kernels that the crate carries: PTX for each architecture and module and, where `cargo xtask build-ptx --cubin`
//! left it, assembled code; compressed, for PTX is text that shrinks to a tenth.
use flate2::read::DeflateDecoder;
use std::io::Read;
use std::sync::OnceLock;

include!(concat!(env!("OUT_DIR"), "/modules.rs"));

/// One module for one architecture.
pub(crate) struct Module {
    /// 90 for `sm_90`.
    pub(crate) arch: u32,
    name: &'static str,
    ptx: Compressed,
    cubin: Option<Compressed>,
}

/// Bytes as DEFLATE leaves them, and how many they were.
struct Compressed {
    bytes: &'static [u8],
    len: usize,
}

impl Compressed {
    /// The bytes as they were; `None` where they are damaged, which the build rules out.
    fn inflate(&self) -> Option<Vec<u8>> {
        let mut bytes = Vec::with_capacity(self.len);
        DeflateDecoder::new(self.bytes).read_to_end(&mut bytes).ok()?;
        (bytes.len() == self.len).then_some(bytes)
    }
}

impl Module {
    /// Its PTX.
    pub(crate) fn ptx(&self) -> Option<String> {
        String::from_utf8(self.ptx.inflate()?).ok()
    }

    /// Its assembled code, for exactly [`Module::arch`].
    pub(crate) fn cubin(&self) -> Option<Vec<u8>> {
        self.cubin.as_ref()?.inflate()
    }
}

/// The module of this name for the newest architecture up to `arch`.
pub(crate) fn module(name: &str, arch: u32) -> Option<&'static Module> {
    MODULES.iter().filter(|module| module.name == name && module.arch <= arch).max_by_key(|module| module.arch)
}

/// The oldest architecture that there are kernels for.
pub(crate) fn lowest_arch() -> Option<u32> {
    MODULES.iter().map(|module| module.arch).min()
}

/// All PTX: architecture, module, text. Inflated once and kept.
pub(crate) fn all_ptx() -> &'static [(u32, &'static str, &'static str)] {
    static ALL: OnceLock<Vec<(u32, &str, String)>> = OnceLock::new();
    static VIEW: OnceLock<Vec<(u32, &str, &str)>> = OnceLock::new();
    let text = |module: &'static Module| (module.arch, module.name, module.ptx().unwrap_or_default());
    let all = ALL.get_or_init(|| MODULES.iter().map(text).collect());
    VIEW.get_or_init(|| all.iter().map(|(arch, name, text)| (*arch, *name, text.as_str())).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_inflate_to_what_they_were() {
        assert!(!MODULES.is_empty());
        for module in MODULES {
            let ptx = module.ptx().unwrap();
            assert!(
                ptx.contains(".version ") && ptx.contains(&format!(".target sm_{}", module.arch)),
                "{}",
                module.name
            );
            assert_eq!(module.cubin.is_some(), module.cubin().is_some(), "{}", module.name);
        }
        assert_eq!(all_ptx().len(), MODULES.len());
    }

    #[test]
    fn the_newest_that_fits_is_taken() {
        let lowest = lowest_arch().unwrap();
        let name = MODULES[0].name;
        assert_eq!(module(name, lowest).unwrap().arch, lowest);
        assert!(module(name, lowest - 1).is_none() && module("no such module", 90).is_none());
        let newest = MODULES.iter().filter(|module| module.name == name).map(|module| module.arch).max().unwrap();
        assert_eq!(module(name, 999).unwrap().arch, newest);
    }
}
