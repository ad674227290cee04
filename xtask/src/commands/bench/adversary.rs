//! The input that costs a merge sort's tile most in shared memory's banks.
//!
//! Random keys make few conflicts where a thread's keys are odd in number. The worst case after Karsin, Weichert,
//! Casanova, Iacono and Sitchinava (*Analysis-driven engineering of comparison-based sorting algorithms on GPUs*, ICS
//! 2018) and Berney and Sitchinava (*Engineering worst-case inputs for pairwise merge sort on GPUs*, IPDPS 2020) lets as
//! many threads of a warp as it can read whole pieces of one run that start in the same bank: in each step of the merge
//! they then all want the same bank, and wait for one another. A thread whose piece would start elsewhere is given the
//! keys that lead to the next start.
//!
//! The merge of each round is undone from the last to the first: the sorted tile is dealt out to the two runs as the
//! threads are to take it, and each run then likewise. Of several ways to deal, each round takes the one that the model
//! of [`wavefronts`] finds worst.

/// What the threads of a block share memory by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tile {
    /// Threads of the block, a power of two.
    pub(super) threads: usize,
    /// Keys of a thread.
    pub(super) items: usize,
    /// Keys in one row across all banks, 128 bytes; as many lanes are served at once.
    pub(super) row: usize,
}

/// How many keys each thread takes of run A in one merge; the rest of its keys are of run B.
type Deal = Vec<usize>;

/// Which run is led to the next start where no piece starts right.
#[derive(Clone, Copy, Debug)]
enum Lead {
    /// The one with more left.
    Longer,
    /// A in every other row of threads, B in the others.
    Turns,
    /// The one nearer to its start.
    Nearer,
}

impl Tile {
    /// The tile of keys of so many bytes.
    pub(super) fn new(threads: u32, items: u32, key_bytes: usize) -> Self {
        Tile { threads: threads as usize, items: items as usize, row: 128 / key_bytes.max(4) }
    }

    /// Keys of the tile.
    pub(super) fn len(self) -> usize {
        self.threads * self.items
    }

    /// For each position of the tile, the rank of its key.
    pub(super) fn adversary(self) -> Vec<u32> {
        let mut ranks: Vec<u32> = (0..self.len() as u32).collect();
        let mut width = self.threads / 2;
        while width > 0 {
            let deal = self.worst_deal(width);
            for (pair, deals) in ranks.chunks_mut(2 * width * self.items).zip(deal.chunks(2 * width)) {
                self.undo(pair, deals);
            }
            width /= 2;
        }
        ranks
    }

    /// Parts a sorted pair of runs into the two.
    fn undo(self, pair: &mut [u32], deals: &[usize]) {
        let (mut a, mut b) = (Vec::new(), Vec::new());
        for (piece, &of_a) in pair.chunks(self.items).zip(deals) {
            a.extend_from_slice(&piece[..of_a]);
            b.extend_from_slice(&piece[of_a..]);
        }
        a.append(&mut b);
        pair.copy_from_slice(&a);
    }

    fn worst_deal(self, width: usize) -> Deal {
        let deals = [Lead::Longer, Lead::Turns, Lead::Nearer]
            .into_iter()
            .flat_map(|lead| (0..self.row).map(move |start| self.deal(width, lead, start)));
        deals.max_by_key(|deal| self.wavefronts(width, deal)).unwrap_or_default()
    }

    /// Deals with pieces that start at `start` of a row.
    fn deal(self, width: usize, lead: Lead, start: usize) -> Deal {
        let run = width * self.items;
        let mut deal = Vec::with_capacity(self.threads);
        // Keys until the next start.
        let until = |at: usize| (start + self.row - at % self.row) % self.row;
        for first in (0..self.threads).step_by(2 * width) {
            let base = first * self.items;
            let (mut a, mut b) = (0, 0);
            for thread in first..first + 2 * width {
                let (a_left, b_left) = (run - a, run - b);
                let (a_until, b_until) = (until(base + a), until(base + run + b));
                let lead_a = match lead {
                    Lead::Longer => a_left >= b_left,
                    Lead::Turns => (thread / self.row).is_multiple_of(2),
                    Lead::Nearer => a_until <= b_until,
                };
                let wanted = if a_until == 0 && a_left >= self.items {
                    self.items
                } else if b_until == 0 && b_left >= self.items {
                    0
                } else if lead_a {
                    a_until.min(self.items)
                } else {
                    self.items - b_until.min(self.items)
                };
                let of_a = wanted.clamp(self.items.saturating_sub(b_left), self.items.min(a_left));
                deal.push(of_a);
                a += of_a;
                b += self.items - of_a;
            }
        }
        deal
    }

    /// How often shared memory is asked in one round's merges: in each step, the lanes that are served at once wait for
    /// the bank that most of them want. Each thread takes its keys of A before those of B.
    fn wavefronts(self, width: usize, deal: &[usize]) -> usize {
        let run = width * self.items;
        let mut reads = Vec::with_capacity(self.threads);
        for (pair, deals) in deal.chunks(2 * width).enumerate() {
            let (mut a, mut b) = (pair * 2 * run, pair * 2 * run + run);
            for &of_a in deals {
                reads.push((a, b, of_a));
                a += of_a;
                b += self.items - of_a;
            }
        }
        let address = |&(a, b, of_a): &(usize, usize, usize), step: usize| {
            if step < of_a { a + step } else { b + step - of_a }
        };
        let mut total = 0;
        for group in reads.chunks(self.row.min(32)) {
            for step in 0..self.items {
                let mut asked = vec![0; self.row];
                for lane in group {
                    asked[address(lane, step) % self.row] += 1;
                }
                total += asked.into_iter().max().unwrap_or(0);
            }
        }
        total
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::bench::keys::mix;

    /// What merging a tile of keys asks of shared memory, round by round, from what each thread really takes.
    fn asked(tile: Tile, keys: &[u32]) -> usize {
        let mut keys = keys.to_vec();
        keys.chunks_mut(tile.items).for_each(<[u32]>::sort_unstable);
        let (mut width, mut total) = (1, 0);
        while width < tile.threads {
            let run = width * tile.items;
            let mut deal = Vec::new();
            for pair in keys.chunks_mut(2 * run) {
                let mut merged: Vec<(u32, bool)> = pair.iter().enumerate().map(|(i, &key)| (key, i < run)).collect();
                merged.sort_unstable();
                deal.extend(merged.chunks(tile.items).map(|piece| piece.iter().filter(|key| key.1).count()));
                pair.iter_mut().zip(&merged).for_each(|(key, merged)| *key = merged.0);
            }
            total += tile.wavefronts(width, &deal);
            width *= 2;
        }
        total
    }

    #[test]
    fn it_is_a_permutation_that_conflicts_far_more_than_random_keys() {
        for (threads, items, bytes) in [(256, 17, 4), (256, 17, 8), (128, 33, 4), (128, 33, 8), (256, 9, 16)] {
            let tile = Tile::new(threads, items, bytes);
            let keys = tile.adversary();
            let mut sorted = keys.clone();
            sorted.sort_unstable();
            assert!(sorted.into_iter().eq(0..tile.len() as u32));
            let random: Vec<u32> = (0..tile.len() as u64).map(|i| mix(i + 1) as u32).collect();
            let (worst, random) = (asked(tile, &keys), asked(tile, &random));
            println!("{tile:?}: {worst} against {random}");
            assert!(worst * 2 > random * 3, "{tile:?}: {worst} against {random}");
        }
    }

    #[test]
    fn every_round_takes_what_was_dealt() {
        let tile = Tile::new(64, 5, 4);
        let mut expected = 0;
        let mut width = 32;
        while width > 0 {
            expected += tile.wavefronts(width, &tile.worst_deal(width));
            width /= 2;
        }
        assert_eq!(asked(tile, &tile.adversary()), expected);
    }
}
