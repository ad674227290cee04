//! A loser tree of eight runs: each inner node keeps who lost there, the winner has left. The next element of the
//! winner's run plays the three on its way up.
use crate::lanes::{NOTHING, key, run};
use crate::runs::Runs;

/// Merges by a loser tree.
///
/// # Panics
/// If `out` has not the length of all runs.
pub(crate) fn merge(runs: &Runs, out: &mut [u32]) {
    assert_eq!(out.len(), runs.len());
    let mut cursors = runs.cursors();
    // Node i has children 2i and 2i + 1; run r enters as child 8 + r. Elements carry the number of their run, and are
    // compared as one number: neither compilers nor processors make a branch of it.
    let mut losers = [NOTHING; 8];
    let mut winners = [NOTHING; 16];
    for run in 0..8 {
        winners[8 + run] = cursors.next(run);
    }
    for node in (1..8).rev() {
        let (a, b) = (winners[2 * node], winners[2 * node + 1]);
        (winners[node], losers[node]) = (a.min(b), a.max(b));
    }
    let mut winner = winners[1];
    for to in out {
        *to = key(winner);
        // Elements are left to write, so the winner is not `NOTHING` and its run is below 8.
        let run = run(winner) & 7;
        winner = cursors.next(run);
        for node in [(8 + run) / 2, (8 + run) / 4, 1] {
            let loser = &mut losers[node];
            (winner, *loser) = (winner.min(*loser), winner.max(*loser));
        }
    }
}
