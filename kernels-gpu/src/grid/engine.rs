//! The engines by name. They are named whether or not their kernels are compiled (feature `grid`).
use crate::tuning;

/// An engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Engine {
    /// The minimum of 16 fronts, by shuffles.
    Naive16,
    /// The minimum of 32 fronts, by shuffles.
    Naive32,
    /// The minimum of 32 fronts, by the warp's reduction.
    Reduce32,
    /// A 32×32 grid with the triple invariant, 29 a round.
    Ti32,
    /// The same with two warps.
    Ti32Pair,
    /// A 32×32 Young tableau, 19 a round.
    Yt32,
    /// A 16×16 grid with the triple invariant, 16 a round, two grids a warp.
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
    /// All engines, in the order of the kernels' lists.
    pub const ALL: [Engine; 15] = [
        Engine::Naive16,
        Engine::Naive32,
        Engine::Reduce32,
        Engine::Ti32,
        Engine::Ti32Pair,
        Engine::Yt32,
        Engine::Ti16,
        Engine::Double16,
        Engine::Quad16,
        Engine::Incremental16,
        Engine::Incremental32,
        Engine::Gridless16,
        Engine::Gridless32,
        Engine::Plain16,
        Engine::Plain32,
    ];

    /// Its name, as options have it.
    pub const fn name(self) -> &'static str {
        match self {
            Engine::Naive16 => "naive16",
            Engine::Naive32 => "naive32",
            Engine::Reduce32 => "reduce32",
            Engine::Ti32 => "ti32",
            Engine::Ti32Pair => "ti32-pair",
            Engine::Yt32 => "yt32",
            Engine::Ti16 => "ti16",
            Engine::Double16 => "double16",
            Engine::Quad16 => "quad16",
            Engine::Incremental16 => "incremental16",
            Engine::Incremental32 => "incremental32",
            Engine::Gridless16 => "gridless16",
            Engine::Gridless32 => "gridless32",
            Engine::Plain16 => "plain16",
            Engine::Plain32 => "plain32",
        }
    }

    /// Whether it has kernels for keys with a payload.
    pub const fn carries_payloads(self) -> bool {
        matches!(
            self,
            Engine::Reduce32 | Engine::Ti32 | Engine::Ti16 | Engine::Double16 | Engine::Gridless16 | Engine::Gridless32
        )
    }

    /// Its shape: threads of a block and of a piece, most streams.
    pub const fn shape(self) -> tuning::GridShape {
        match self {
            Engine::Ti32Pair => tuning::GRID_PAIR,
            Engine::Naive16
            | Engine::Ti16
            | Engine::Double16
            | Engine::Quad16
            | Engine::Incremental16
            | Engine::Gridless16
            | Engine::Plain16 => tuning::GRID_16,
            _ => tuning::GRID_32,
        }
    }
}
