//! The atomic instructions of PTX: device scope on global memory, block scope on shared memory. An ordering is a constant at each call, so the
//! `match` leaves one instruction.
use super::{Global, Shared};
use crate::simt::Plain;
use crate::simt::atomic::{Atomic, Ordering};

/// One read-modify-write instruction for each ordering and width.
macro_rules! rmw {
    ($space:literal, $scope:literal, $op:literal, $suffix:literal, $reg:ident, $a:expr, $v:expr, $order:expr) => {{
        macro_rules! one {
            ($sem:literal) => {{
                let old;
                core::arch::asm!(concat!("atom.", $sem, ".", $scope, ".", $space, ".", $op, ".", $suffix, " {}, [{}], {};"),
                    out($reg) old, in(reg64) $a, in($reg) $v, options(nostack));
                old
            }};
        }
        match $order {
            Ordering::Relaxed => one!("relaxed"),
            Ordering::Acquire => one!("acquire"),
            Ordering::Release => one!("release"),
            _ => one!("acq_rel"),
        }
    }};
}
macro_rules! cas {
    ($space:literal, $scope:literal, $suffix:literal, $reg:ident, $a:expr, $c:expr, $v:expr, $order:expr) => {{
        macro_rules! one {
            ($sem:literal) => {{
                let old;
                core::arch::asm!(concat!("atom.", $sem, ".", $scope, ".", $space, ".cas.", $suffix, " {}, [{}], {}, {};"),
                    out($reg) old, in(reg64) $a, in($reg) $c, in($reg) $v, options(nostack));
                old
            }};
        }
        match $order {
            Ordering::Relaxed => one!("relaxed"),
            Ordering::Acquire => one!("acquire"),
            Ordering::Release => one!("release"),
            _ => one!("acq_rel"),
        }
    }};
}
macro_rules! atomic_impl {
    ($memory:ident, $space:literal, $scope:literal, $t:ty, $reg:ident, $u:literal, $b:literal) => {
        impl Atomic<$t> for $memory<$t> {
            #[inline(always)]
            unsafe fn fetch_add(self, i: u64, v: $t, order: Ordering) -> $t {
                rmw!($space, $scope, "add", $u, $reg, self.atomic_address(i), v, order)
            }
            #[inline(always)]
            unsafe fn fetch_min(self, i: u64, v: $t, order: Ordering) -> $t {
                rmw!($space, $scope, "min", $u, $reg, self.atomic_address(i), v, order)
            }
            #[inline(always)]
            unsafe fn fetch_max(self, i: u64, v: $t, order: Ordering) -> $t {
                rmw!($space, $scope, "max", $u, $reg, self.atomic_address(i), v, order)
            }
            #[inline(always)]
            unsafe fn fetch_or(self, i: u64, v: $t, order: Ordering) -> $t {
                rmw!($space, $scope, "or", $b, $reg, self.atomic_address(i), v, order)
            }
            #[inline(always)]
            unsafe fn exchange(self, i: u64, v: $t, order: Ordering) -> $t {
                rmw!($space, $scope, "exch", $b, $reg, self.atomic_address(i), v, order)
            }
            #[inline(always)]
            unsafe fn compare_exchange(self, i: u64, current: $t, new: $t, order: Ordering) -> $t {
                cas!($space, $scope, $b, $reg, self.atomic_address(i), current, new, order)
            }
            #[inline(always)]
            unsafe fn load(self, i: u64, order: Ordering) -> $t {
                let v;
                match order {
                    Ordering::Relaxed => core::arch::asm!(concat!("ld.relaxed.", $scope, ".", $space, ".", $b, " {}, [{}];"),
                        out($reg) v, in(reg64) self.atomic_address(i), options(nostack)),
                    _ => core::arch::asm!(concat!("ld.acquire.", $scope, ".", $space, ".", $b, " {}, [{}];"),
                        out($reg) v, in(reg64) self.atomic_address(i), options(nostack)),
                }
                v
            }
            #[inline(always)]
            unsafe fn store(self, i: u64, v: $t, order: Ordering) {
                match order {
                    Ordering::Relaxed => core::arch::asm!(concat!("st.relaxed.", $scope, ".", $space, ".", $b, " [{}], {};"),
                        in(reg64) self.atomic_address(i), in($reg) v, options(nostack)),
                    _ => core::arch::asm!(concat!("st.release.", $scope, ".", $space, ".", $b, " [{}], {};"),
                        in(reg64) self.atomic_address(i), in($reg) v, options(nostack)),
                }
            }
        }
    };
}
atomic_impl!(Global, "global", "gpu", u32, reg32, "u32", "b32");
atomic_impl!(Global, "global", "gpu", u64, reg64, "u64", "b64");
atomic_impl!(Shared, "shared", "cta", u32, reg32, "u32", "b32");
atomic_impl!(Shared, "shared", "cta", u64, reg64, "u64", "b64");

impl<T: Plain> Global<T> {
    #[inline(always)]
    fn atomic_address(self, i: u64) -> u64 {
        self.pointer.wrapping_add(i as usize) as u64
    }
}
impl<T: Plain> Shared<T> {
    #[inline(always)]
    fn atomic_address(self, i: u64) -> u64 {
        self.at(i as u32).address as u64
    }
}
