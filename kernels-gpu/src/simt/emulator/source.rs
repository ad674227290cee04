//! Source lines and threads in 32 bits, for shadow memory.
//!
//! A `Location` of this program is a constant among others, not far from any other: its distance from one of them, in
//! units of its alignment, fits 22 bits in programs with up to 16 MiB of such constants. Places further off, as in a
//! library loaded at run time, are reported as unknown.
use super::fault::Site;
use core::panic::Location;

/// Bits of a thread's number in its block.
const THREAD_BITS: u32 = 10;
/// Bits of a place.
const PLACE_BITS: u32 = 32 - THREAD_BITS;
/// The packed place that stands for any that does not fit.
const UNKNOWN: isize = -(1 << (PLACE_BITS - 1));
const UNIT_BITS: u32 = align_of::<Location<'static>>().trailing_zeros();

/// Holds a pointer, and therefore stands in the same section as the locations, which do too.
static ANCHOR: &str = "anchor";

/// A thread of a block at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(super) struct Who(u32);

impl Who {
    #[inline(always)]
    pub(super) fn new(thread: u32, place: &'static Location<'static>) -> Self {
        let anchor = &raw const ANCHOR as isize;
        let distance = (&raw const *place as isize).wrapping_sub(anchor) >> UNIT_BITS;
        let fits = distance << (isize::BITS - PLACE_BITS) >> (isize::BITS - PLACE_BITS) == distance;
        let distance = if fits { distance } else { UNKNOWN };
        Who((distance as u32) << THREAD_BITS | thread)
    }

    #[inline(always)]
    pub(super) fn thread(self) -> u32 {
        self.0 & ((1 << THREAD_BITS) - 1)
    }

    /// The same place with another thread.
    #[inline(always)]
    pub(super) fn with_thread(self, thread: u32) -> Self {
        Who(self.0 >> THREAD_BITS << THREAD_BITS | thread)
    }

    pub(super) fn site(self) -> Site {
        let distance = (self.0 as i32 >> THREAD_BITS) as isize;
        if distance == UNKNOWN {
            return Site { file: "a place not known", line: 0, column: 0 };
        }
        let address = (&raw const ANCHOR as isize).wrapping_add(distance << UNIT_BITS);
        // SAFETY: `new` made the distance from the address of a location that lives for ever, and it fitted.
        let place: &'static Location<'static> = unsafe { &*(address as *const Location<'static>) };
        Site::from(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packs_a_place_and_a_thread() {
        let place = Location::caller();
        for thread in [0, 31, 1023] {
            let who = Who::new(thread, place);
            assert_eq!((who.thread(), who.site()), (thread, Site::from(place)));
            assert_eq!(who.with_thread(5).site(), Site::from(place));
        }
    }
}
