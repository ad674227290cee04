//! One step of a serial merge from heads that are kept sorted in registers, in instructions chosen by hand.
//!
//! Left to itself, the compiler makes branches of the selections, or `min` and `max` of 64 bits, for which the machine has
//! no instruction, so that it compares twice. And the assembler makes all selections `SEL`, for a pipe that takes an
//! instruction every second cycle: here a third are multiplications by one under a predicate, which another pipe takes.
//! The one is `%nctaid.z`, for these grids have one dimension, and the assembler does not know.
use super::SharedCursor;
use crate::simt::Plain;
use core::arch::asm;

/// Sets `goes_on` where a head of so many bytes is not all ones, by which a run's end is told.
macro_rules! goes_on {
    (8) => {
        "mov.b64 {{lo, hi}}, {h0}; lop3.b32 t, lo, hi, hi, 0x3f; setp.ne.u32 goes_on, t, 0;"
    };
    (4) => {
        "setp.ne.u32 goes_on, {h0}, 0xffffffff;"
    };
}

/// The instructions that take one of four sorted heads and put the next element of its run in its place.
macro_rules! next_of_four {
    ($size:tt, $t:ident, $reg:ident, $moves:literal, $head:ident, $at:ident) => {{
        let [mut h0, mut h1, mut h2, mut h3] = *$head.as_ptr().cast::<[$t; 4]>();
        let [mut p0, mut p1, mut p2, mut p3] = $at.map(|at| at.address);
        asm!(
            "{{",
            ".reg .pred goes_on, c1, c2, c3;",
            ".reg .b32 lo, hi, t, next, one;",
            "mov.u32 one, %nctaid.z;",
            goes_on!($size),
            "mov.b32 next, {p0};",
            concat!("@goes_on add.u32 next, next, ", $size, ";"),
            concat!("ld.shared.", stringify!($t), " {n}, [next];"),
            concat!("setp.lt.", stringify!($t), " c1, {h1}, {n};"),
            concat!("setp.lt.", stringify!($t), " c2, {h2}, {n};"),
            concat!("setp.lt.", stringify!($t), " c3, {h3}, {n};"),
            $moves,
            "selp.b32 {p0}, {p1}, next, c1;",
            "@c1 mov.b32 {p1}, next;",
            "@c2 mad.lo.u32 {p1}, {p2}, one, 0;",
            "@c2 mov.b32 {p2}, next;",
            "@c3 mad.lo.u32 {p2}, {p3}, one, 0;",
            "@c3 mov.b32 {p3}, next;",
            "}}",
            n = out($reg) _,
            h0 = inout($reg) h0, h1 = inout($reg) h1, h2 = inout($reg) h2, h3 = inout($reg) h3,
            p0 = inout(reg32) p0, p1 = inout(reg32) p1, p2 = inout(reg32) p2, p3 = inout(reg32) p3,
            options(nostack, pure, readonly, preserves_flags)
        );
        *$head.as_mut_ptr().cast::<[$t; 4]>() = [h0, h1, h2, h3];
        *$at = [p0, p1, p2, p3].map(SharedCursor::at_address);
    }};
}

/// The same of two.
macro_rules! next_of_two {
    ($size:tt, $t:ident, $reg:ident, $moves:literal, $head:ident, $at:ident) => {{
        let [mut h0, mut h1] = *$head.as_ptr().cast::<[$t; 2]>();
        let [mut p0, mut p1] = $at.map(|at| at.address);
        asm!(
            "{{",
            ".reg .pred goes_on, c1;",
            ".reg .b32 lo, hi, t, next;",
            goes_on!($size),
            "mov.b32 next, {p0};",
            concat!("@goes_on add.u32 next, next, ", $size, ";"),
            concat!("ld.shared.", stringify!($t), " {n}, [next];"),
            concat!("setp.lt.", stringify!($t), " c1, {h1}, {n};"),
            $moves,
            "selp.b32 {p0}, {p1}, next, c1;",
            "@c1 mov.b32 {p1}, next;",
            "}}",
            n = out($reg) _, h0 = inout($reg) h0, h1 = inout($reg) h1,
            p0 = inout(reg32) p0, p1 = inout(reg32) p1,
            options(nostack, pure, readonly, preserves_flags)
        );
        *$head.as_mut_ptr().cast::<[$t; 2]>() = [h0, h1];
        *$at = [p0, p1].map(SharedCursor::at_address);
    }};
}

impl<T: Plain> SharedCursor<T> {
    /// [`SharedCursor::next_of_four`] of two.
    ///
    /// # Safety
    /// As there.
    #[inline(always)]
    pub unsafe fn next_of_two(head: &mut [T; 2], at: &mut [Self; 2]) {
        if size_of::<T>() == 8 {
            next_of_two!(
                8,
                u64,
                reg64,
                "{{ .reg .b32 n0, n1, a0, a1, e0, e1; mov.b64 {{n0, n1}}, {n}; mov.b64 {{a0, a1}}, {h1}; \
                 selp.b32 e0, a0, n0, c1; selp.b32 e1, a1, n1, c1; mov.b64 {h0}, {{e0, e1}}; \
                 @c1 mov.b32 a0, n0; @c1 mov.b32 a1, n1; mov.b64 {h1}, {{a0, a1}}; }}",
                head,
                at
            )
        } else {
            next_of_two!(4, u32, reg32, "min.u32 {h0}, {h1}, {n}; max.u32 {h1}, {h1}, {n};", head, at)
        }
    }
    /// Takes the first of four sorted heads, unsigned numbers of 4 or 8 bytes, and puts the next element of its run, at
    /// the first position, where it belongs among the others; a head of all ones stays.
    ///
    /// # Safety
    /// As [`SharedCursor::read`] for the positions and those behind them. `T` is `u32` or `u64`.
    #[inline(always)]
    pub unsafe fn next_of_four(head: &mut [T; 4], at: &mut [Self; 4]) {
        if size_of::<T>() == 8 {
            next_of_four!(
                8,
                u64,
                reg64,
                "{{ .reg .b32 n0, n1, a0, a1, b0, b1, d0, d1, e0, e1; \
                 mov.b64 {{n0, n1}}, {n}; mov.b64 {{a0, a1}}, {h1}; mov.b64 {{b0, b1}}, {h2}; mov.b64 {{d0, d1}}, {h3}; \
                 selp.b32 e0, a0, n0, c1; selp.b32 e1, a1, n1, c1; mov.b64 {h0}, {{e0, e1}}; \
                 @c1 mov.b32 a0, n0; @c1 mov.b32 a1, n1; @c2 mad.lo.u32 a0, b0, one, 0; @c2 mad.lo.u32 a1, b1, one, 0; mov.b64 {h1}, {{a0, a1}}; \
                 @c2 mov.b32 b0, n0; @c2 mov.b32 b1, n1; @c3 mad.lo.u32 b0, d0, one, 0; @c3 mad.lo.u32 b1, d1, one, 0; mov.b64 {h2}, {{b0, b1}}; \
                 @c3 mov.b32 d0, n0; @c3 mov.b32 d1, n1; mov.b64 {h3}, {{d0, d1}}; }}",
                head,
                at
            )
        } else {
            next_of_four!(
                4,
                u32,
                reg32,
                "{{ .reg .b32 x, y; min.u32 {h0}, {h1}, {n}; max.u32 x, {h1}, {n}; min.u32 {h1}, {h2}, x; max.u32 x, {h2}, {n}; \
                 max.u32 y, {h3}, {n}; min.u32 {h2}, {h3}, x; mov.b32 {h3}, y; }}",
                head,
                at
            )
        }
    }
}
