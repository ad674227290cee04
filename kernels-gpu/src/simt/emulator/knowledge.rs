//! What a thread knows of other blocks: which of their accesses happened before its own.
//!
//! A vector clock with one entry a block, kept as a tree with shared branches: along a chain of look-back each block
//! knows all blocks before it, and n such clocks of n entries would fill memory.
use std::sync::Arc;

/// Entries of a branch.
const BRANCH: usize = 32;
/// Threads of a block that are known apart from the rest of it.
const APART: usize = 64;

/// What is known of one block: all its accesses before time `below`, and single threads' before later times.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Known {
    pub(super) below: u32,
    /// Pairs of a thread and the time before which its accesses are known, above `below`.
    pub(super) threads: Vec<(u32, u32)>,
}

impl Known {
    fn covers(&self, thread: u32, time: u32) -> bool {
        time < self.below || self.threads.iter().any(|&(t, below)| t == thread && time < below)
    }

    fn includes(&self, other: &Known) -> bool {
        self.below >= other.below && other.threads.iter().all(|&(t, below)| self.covers(t, below - 1))
    }

    fn join(&mut self, other: &Known) {
        self.below = self.below.max(other.below);
        for &(thread, below) in &other.threads {
            match self.threads.iter_mut().find(|(t, _)| *t == thread) {
                Some((_, mine)) => *mine = below.max(*mine),
                None => self.threads.push((thread, below)),
            }
        }
        let below = self.below;
        self.threads.retain(|&(_, b)| b > below);
        if self.threads.len() > APART {
            // Too many to keep apart: claim to know the whole block that far. A race may be missed, none invented.
            self.below = self.threads.iter().fold(below, |m, &(_, b)| m.max(b));
            self.threads.clear();
        }
    }
}

type Branch = [Known; BRANCH];

/// What is known of all blocks.
#[derive(Clone, Debug, Default)]
pub(super) struct Knowledge(Option<Arc<Vec<Option<Arc<Branch>>>>>);

impl Knowledge {
    /// Whether nothing is known.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Whether an access by a thread of a block at a time is known.
    pub(super) fn covers(&self, block: u32, thread: u32, time: u32) -> bool {
        let branch = self.0.as_ref().and_then(|tree| tree.get(block as usize / BRANCH)?.as_ref());
        branch.is_some_and(|branch| branch[block as usize % BRANCH].covers(thread, time))
    }

    /// Adds what is known of one block.
    pub(super) fn add(&mut self, block: u32, known: &Known) {
        let tree = Arc::make_mut(self.0.get_or_insert_default());
        let at = block as usize / BRANCH;
        if tree.len() <= at {
            tree.resize(at + 1, None);
        }
        Arc::make_mut(tree[at].get_or_insert_default())[block as usize % BRANCH].join(known);
    }

    /// Adds all that another knows.
    pub(super) fn join(&mut self, other: &Knowledge) {
        let Some(theirs) = &other.0 else { return };
        let Some(mine) = &mut self.0 else {
            self.0 = Some(theirs.clone());
            return;
        };
        if Arc::ptr_eq(mine, theirs) {
            return;
        }
        let mine = Arc::make_mut(mine);
        if mine.len() < theirs.len() {
            mine.resize(theirs.len(), None);
        }
        for (mine, theirs) in mine.iter_mut().zip(theirs.iter()) {
            let Some(theirs) = theirs else { continue };
            match mine {
                None => *mine = Some(theirs.clone()),
                Some(branch) if Arc::ptr_eq(branch, theirs) || includes(branch, theirs) => {}
                Some(branch) if includes(theirs, branch) => *branch = theirs.clone(),
                Some(branch) => {
                    for (mine, theirs) in Arc::make_mut(branch).iter_mut().zip(theirs.iter()) {
                        mine.join(theirs);
                    }
                }
            }
        }
    }
}

fn includes(a: &Branch, b: &Branch) -> bool {
    a.iter().zip(b).all(|(a, b)| a.includes(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(below: u32, threads: &[(u32, u32)]) -> Known {
        Known { below, threads: threads.to_vec() }
    }

    #[test]
    fn joins_blocks_and_threads() {
        let mut a = Knowledge::default();
        assert!(a.is_empty() && !a.covers(0, 0, 0));
        a.add(3, &known(5, &[(7, 9)]));
        let mut b = Knowledge::default();
        b.add(70, &known(2, &[]));
        b.add(3, &known(6, &[(8, 7)]));
        a.join(&b);
        assert!(a.covers(3, 0, 5) && !a.covers(3, 0, 6));
        assert!(a.covers(3, 7, 8) && !a.covers(3, 7, 9));
        assert!(a.covers(3, 8, 6) && !a.covers(3, 8, 7));
        assert!(a.covers(70, 1, 1) && !a.covers(70, 1, 2) && !a.covers(71, 0, 0));
        // The other one is untouched.
        assert!(!b.covers(3, 7, 8));
    }

    #[test]
    fn keeps_branches_shared() {
        let mut a = Knowledge::default();
        a.add(1, &known(5, &[]));
        let mut b = a.clone();
        b.add(40, &known(1, &[]));
        let (first, mut c) = (b.0.as_ref().unwrap()[0].clone(), a.clone());
        c.join(&b);
        assert!(Arc::ptr_eq(c.0.as_ref().unwrap()[0].as_ref().unwrap(), first.as_ref().unwrap()));
    }

    #[test]
    fn many_threads_become_the_block() {
        let mut a = Knowledge::default();
        for t in 0..=APART as u32 {
            a.add(0, &known(1, &[(t, 10)]));
        }
        assert!(a.covers(0, 500, 9) && !a.covers(0, 500, 10));
    }
}
