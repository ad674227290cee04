//! The engines that merge the passes of a k-way merge sort.
use crate::error::Error;
use crate::key::{KeyWidth, PayloadWidth};
use gridsort_kernels::grid::engine::Engine as GridEngine;
use gridsort_kernels::tuning::GridShape;
use std::fmt;
use std::str::FromStr;

macro_rules! engines {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// What merges the runs of a sort by [`Algorithm::Grid`](crate::Algorithm::Grid): McGridsort's engines, and the
        /// tile merge to compare them with.
        ///
        /// All are stable. They sort keys of 32 and 64 bits, and [`Engine::carries_payloads`] says which of them take
        /// payloads or positions of 32 bits along. Their kernels are many and large: they are there where the crate's
        /// feature `grid` is on, and on a GPU where `cargo xtask build-ptx --grid` compiled them before. Only
        /// [`Engine::Tile`] needs neither.
        ///
        /// ```
        /// use gridsort::Engine;
        ///
        /// assert_eq!("ti32-pair".parse::<Engine>()?, Engine::Ti32Pair);
        /// assert_eq!("gridless".parse::<Engine>()?, Engine::Gridless16);
        /// # Ok::<(), gridsort::Error>(())
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Engine {
            /// No engine of McGridsort: the merge in shared memory of [`Algorithm::Merge`](crate::Algorithm::Merge), at
            /// every size.
            Tile,
            $($(#[$doc])* $name,)*
        }

        impl Engine {
            /// All of them.
            pub const ALL: [Engine; 16] = [Engine::Tile, $(Engine::$name,)*];

            /// The engine of McGridsort, if it is one.
            pub(crate) const fn grid(self) -> Option<GridEngine> {
                match self {
                    Engine::Tile => None,
                    $(Engine::$name => Some(GridEngine::$name),)*
                }
            }
        }
    };
}

engines! {
    /// The minimum of 16 fronts, by shuffles.
    Naive16,
    /// The minimum of 32 fronts, by shuffles.
    Naive32,
    /// The minimum of 32 fronts, by the warp's reduction.
    Reduce32,
    /// A 32×32 grid sorted along three axes, 29 a round.
    Ti32,
    /// The same with two warps.
    Ti32Pair,
    /// A 32×32 grid sorted along two axes, 19 a round.
    Yt32,
    /// A 16×16 grid sorted along three axes, 16 a round.
    Ti16,
    /// The same, restored every second round.
    Double16,
    /// The same, restored every fourth round.
    Quad16,
    /// A 16×16 grid, restored incrementally.
    Incremental16,
    /// A 32×32 grid, restored incrementally, 29 a round.
    Incremental32,
    /// A sorted list of 256.
    Gridless16,
    /// A sorted list of 1024.
    Gridless32,
    /// 256 elements, sorted each round.
    Plain16,
    /// 1024 elements, sorted each round.
    Plain32,
}

impl Engine {
    /// Its name.
    ///
    /// ```
    /// assert_eq!(gridsort::Engine::Ti16.name(), "ti16");
    /// ```
    pub const fn name(self) -> &'static str {
        match self.grid() {
            None => "tile",
            Some(grid) => grid.name(),
        }
    }

    /// Most runs that it merges at once.
    ///
    /// ```
    /// assert_eq!(gridsort::Engine::Ti32.streams(), 32);
    /// ```
    pub const fn streams(self) -> u32 {
        match self.shape() {
            None => 16,
            Some(shape) => shape.streams,
        }
    }

    /// Whether it takes payloads of 32 bits along, and so sorts pairs and argsorts.
    ///
    /// ```
    /// use gridsort::Engine;
    ///
    /// assert!(Engine::Ti16.carries_payloads() && !Engine::Plain16.carries_payloads());
    /// ```
    pub const fn carries_payloads(self) -> bool {
        match self.grid() {
            None => true,
            Some(grid) => grid.carries_payloads(),
        }
    }

    /// Whether it has kernels for keys and payloads, or positions, of these widths.
    ///
    /// ```
    /// use gridsort::{Engine, KeyWidth, PayloadWidth};
    ///
    /// assert!(Engine::Plain16.takes(KeyWidth::W64, PayloadWidth::None));
    /// assert!(!Engine::Plain16.takes(KeyWidth::W128, PayloadWidth::None));
    /// ```
    pub const fn takes(self, key: KeyWidth, payload: PayloadWidth) -> bool {
        match (self, key, payload) {
            (Engine::Tile, ..) => true,
            (_, KeyWidth::W32 | KeyWidth::W64, PayloadWidth::None) => true,
            (_, KeyWidth::W32 | KeyWidth::W64, PayloadWidth::W32) => self.carries_payloads(),
            _ => false,
        }
    }

    /// The shape of its kernels, if it is one of McGridsort.
    pub(crate) const fn shape(self) -> Option<GridShape> {
        match self.grid() {
            None => None,
            Some(grid) => Some(grid.shape()),
        }
    }
}

/// The fastest of McGridsort's.
impl Default for Engine {
    fn default() -> Self {
        Engine::Gridless16
    }
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

const NAMES: &str = "tile, naive16, naive32, reduce32, ti32, ti32-pair, yt32, ti16, double16, quad16, incremental16, \
                     incremental32, gridless16, gridless32, plain16 or plain32";

/// A name, or one without its number, which means 16 streams.
impl FromStr for Engine {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let named = |name: &str| Engine::ALL.into_iter().find(|engine| engine.name() == name);
        let unknown = || Error::UnknownName { what: "engine", found: text.into(), expected: NAMES };
        named(text).or_else(|| named(&format!("{text}16"))).ok_or_else(unknown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back_and_listed() {
        let listed: Vec<&str> = NAMES.split([',', ' ']).filter(|word| !word.is_empty() && *word != "or").collect();
        assert_eq!(listed, Engine::ALL.map(Engine::name));
        for engine in Engine::ALL {
            assert_eq!(engine.to_string().parse::<Engine>().unwrap(), engine);
        }
        assert_eq!("naive".parse::<Engine>().unwrap(), Engine::Naive16);
        assert_eq!("ti".parse::<Engine>().unwrap(), Engine::Ti16);
    }

    #[test]
    fn others_are_not() {
        for text in ["", "16", "reduce", "reduce16", "Ti16", "tile16"] {
            let error = text.parse::<Engine>().unwrap_err();
            assert!(error.to_string().contains("gridless16"), "{error}");
        }
    }
}
