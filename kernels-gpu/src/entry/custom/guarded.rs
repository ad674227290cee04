//! The kernels' bodies: what gridsort's own do, under a guard.
use crate::batch::Batch;
use crate::guard::Guard;
use crate::kway::inputs::Inputs;
use crate::kway::partition::Groups;
use crate::order::Key;
use crate::simt::Global;
use crate::tile::payload::Payload;

/// [`tile_sort`](crate::merge::tile_sort::tile_sort), and lowers the flag for the passes that follow.
///
/// # Safety
/// As there, with the shared memory of a [`Check`](crate::guard::Check) more; `flag` is one word, or null where no pass
/// follows.
#[doc(hidden)]
#[inline(always)]
pub unsafe fn tile_sort<K: Key<Codec = ()>, P: Payload<K>, const THREADS: u32, const ITEMS: usize>(
    src: Global<K>,
    dst: Global<K>,
    payload_src: Global<P::Item>,
    payload_dst: Global<P::Item>,
    n: u64,
    _codecs: u32,
    flag: Global<u32>,
) {
    Guard::new(flag, 0).lower();
    crate::merge::tile_sort::tile_sort::<K, P, THREADS, ITEMS>(
        src,
        dst,
        payload_src,
        payload_dst,
        n,
        Batch::one(),
        (),
        (),
    );
}

/// [`merge_pass`](crate::merge::pass::merge_pass), unless a pass before has raised the flag.
///
/// # Safety
/// As there, with the shared memory of a [`Check`](crate::guard::Check) more.
#[doc(hidden)]
#[allow(clippy::too_many_arguments)]
#[inline(always)]
pub unsafe fn merge_pass<K: Key<Codec = ()>, P: Payload<K>, const THREADS: u32, const ITEMS: usize>(
    src: Global<K>,
    dst: Global<K>,
    payload_src: Global<P::Item>,
    payload_dst: Global<P::Item>,
    n: u64,
    run: u64,
    _store: u32,
    guard: Guard,
) {
    if guard.goes_on() {
        crate::merge::pass::merge_pass::<K, P, THREADS, ITEMS>(
            src,
            dst,
            payload_src,
            payload_dst,
            n,
            run,
            THREADS * ITEMS as u32,
            (),
            guard,
        );
    }
}

/// [`partition`](crate::kway::partition::partition), unless a pass before has raised the flag. `inputs` is a table of
/// inputs, or null for the runs of a sort.
///
/// # Safety
/// As there.
#[doc(hidden)]
#[allow(clippy::too_many_arguments)]
#[inline(always)]
pub unsafe fn partition<K: Key, const RUNS: u32>(
    src: Global<K>,
    cuts: Global<u64>,
    (n, run, tiles): (u64, u64, u32),
    boundaries: u64,
    tile: u32,
    stride: u32,
    level: u32,
    inputs: Global<u64>,
    guard: Guard,
) {
    if guard.goes_on() {
        let groups = Groups::of_one(n, run, tiles);
        crate::kway::partition::partition::<K, RUNS>(
            src,
            cuts,
            groups,
            boundaries,
            tile,
            stride,
            level,
            Inputs::plain(inputs),
        );
    }
}

/// [`kway_pass`](crate::kway::pass::kway_pass), unless a pass before has raised the flag. `inputs` is a table of inputs, or
/// null for the runs of a sort.
///
/// # Safety
/// As there, with the shared memory of a [`Check`](crate::guard::Check) more.
#[doc(hidden)]
#[allow(clippy::too_many_arguments)]
#[inline(always)]
pub unsafe fn kway_pass<K: Key<Codec = ()>, P: Payload<K>, const RUNS: u32, const THREADS: u32, const ITEMS: usize>(
    (src, dst): (Global<K>, Global<K>),
    (payload_src, payload_dst): (Global<P::Item>, Global<P::Item>),
    cuts: Global<u64>,
    (n, run, tiles): (u64, u64, u32),
    _store: u32,
    inputs: Global<u64>,
    guard: Guard,
) {
    if guard.goes_on() {
        let groups = Groups::of_one(n, run, tiles);
        crate::kway::pass::kway_pass::<K, P, RUNS, THREADS, ITEMS, false>(
            src,
            dst,
            payload_src,
            payload_dst,
            cuts,
            groups,
            Inputs::plain(inputs),
            crate::order::mode::UNSIGNED,
            guard,
        );
    }
}
