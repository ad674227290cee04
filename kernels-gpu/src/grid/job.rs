//! What all engines are given.
use crate::order::Key;
use crate::simt::Global;
use crate::tile::payload::Payload;

/// Streams to merge, in pieces, each of which one engine merges by itself.
///
/// Piece `p` takes, of stream `j` < `streams`, the elements of `src` from `begins[p * streams + j]` to
/// `ends[p * streams + j]`, sorted, and writes their merge to `dst` from `outputs[p]` on. A stream may be empty, and its
/// `ends` may be below its `begins`, which says the same. Payloads lie as the keys do.
///
/// [`pieces`](super::pieces::pieces) makes these arrays from the cuts of [`partition`](crate::kway::partition).
#[derive(Clone, Copy)]
pub struct Job<K: Key, P: Payload<K>> {
    /// Keys of all streams.
    pub src: Global<K>,
    /// Where the merged keys go.
    pub dst: Global<K>,
    /// Payloads of all streams.
    pub payload_src: Global<P::Item>,
    /// Where the payloads go.
    pub payload_dst: Global<P::Item>,
    /// Where each piece of each stream begins.
    pub begins: Global<u64>,
    /// Where it ends.
    pub ends: Global<u64>,
    /// Where the merge of each piece goes.
    pub outputs: Global<u64>,
    /// Pieces.
    pub pieces: u32,
    /// Streams, at most the engine's lanes.
    pub streams: u32,
    /// Through which keys are read.
    pub load: K::Codec,
    /// Through which keys are written.
    pub store: K::Codec,
}
