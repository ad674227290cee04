//! Eight elements in one register of AVX-512F.
use crate::lanes::{BIAS, Lanes, NOTHING, RUN_BITS};
use crate::runs::Cursors;
use std::arch::x86_64::*;

#[derive(Clone, Copy)]
pub(crate) struct Avx512(__m512i);

impl Lanes for Avx512 {
    #[inline(always)]
    unsafe fn new(lanes: [u64; 8]) -> Self {
        // SAFETY: AVX-512F is the caller's promise; 64 bytes are read from an array of 64.
        unsafe { Avx512(_mm512_loadu_si512(lanes.as_ptr().cast())) }
    }

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        // SAFETY: a value proves AVX-512F.
        unsafe { Avx512(_mm512_min_epu64(self.0, other.0)) }
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        // SAFETY: a value proves AVX-512F.
        unsafe { Avx512(_mm512_max_epu64(self.0, other.0)) }
    }

    #[inline(always)]
    fn partner<const X: i32>(self) -> Self {
        // SAFETY: a value proves AVX-512F.
        unsafe {
            Avx512(match X {
                1 => _mm512_permutex_epi64::<0b10_11_00_01>(self.0),
                2 => _mm512_permutex_epi64::<0b01_00_11_10>(self.0),
                3 => _mm512_permutex_epi64::<0b00_01_10_11>(self.0),
                4 => _mm512_shuffle_i64x2::<0b01_00_11_10>(self.0, self.0),
                7 => _mm512_permutexvar_epi64(_mm512_setr_epi64(7, 6, 5, 4, 3, 2, 1, 0), self.0),
                _ => unreachable!(),
            })
        }
    }

    #[inline(always)]
    fn rotate<const BY: i32>(self) -> Self {
        // SAFETY: a value proves AVX-512F.
        unsafe { Avx512(_mm512_alignr_epi64::<BY>(self.0, self.0)) }
    }

    #[inline(always)]
    fn blend<const OTHER: i32>(self, other: Self) -> Self {
        // SAFETY: a value proves AVX-512F.
        unsafe { Avx512(_mm512_mask_blend_epi64(OTHER as u8, self.0, other.0)) }
    }

    #[inline(always)]
    fn store_keys(self, to: &mut [u32; 8]) {
        // SAFETY: a value proves AVX-512F; 32 bytes are written to an array of 32.
        unsafe {
            let keys = _mm512_cvtepi64_epi32(_mm512_srli_epi64::<RUN_BITS>(self.0));
            _mm256_storeu_si256(to.as_mut_ptr().cast(), keys);
        }
    }

    #[inline(always)]
    fn replacements(self, cursors: &mut Cursors) -> Self {
        let (keys, next, end) = cursors.parts();
        // SAFETY: a value proves AVX-512F. `next` and `end` are 64 bytes, aligned to 64. A lane is gathered only where its
        // position is before the end of its run, which is not behind the end of `keys`.
        unsafe {
            let runs = _mm512_and_si512(self.0, _mm512_set1_epi64(7));
            let positions = _mm512_load_si512(next.0.as_ptr().cast());
            let ends = _mm512_load_si512(end.0.as_ptr().cast());
            // A byte a run: lane i counts what lanes 0 to i have of it, at most eight.
            let shifts = _mm512_slli_epi64::<3>(runs);
            let ones = _mm512_sllv_epi64(_mm512_set1_epi64(1), shifts);
            let zero = _mm512_setzero_si512();
            let sums = _mm512_add_epi64(ones, _mm512_alignr_epi64::<7>(ones, zero));
            let sums = _mm512_add_epi64(sums, _mm512_alignr_epi64::<6>(sums, zero));
            let sums = _mm512_add_epi64(sums, _mm512_alignr_epi64::<4>(sums, zero));
            let before =
                _mm512_and_si512(_mm512_srlv_epi64(_mm512_sub_epi64(sums, ones), shifts), _mm512_set1_epi64(0xff));

            let from = _mm512_add_epi64(_mm512_permutexvar_epi64(runs, positions), before);
            let left = _mm512_cmplt_epu64_mask(from, _mm512_permutexvar_epi64(runs, ends));
            let gathered = _mm512_mask_i64gather_epi32::<4>(_mm256_setzero_si256(), left, from, keys.as_ptr().cast());
            let tags = _mm512_or_si512(runs, _mm512_set1_epi64(BIAS as i64));
            let elements = _mm512_or_si512(_mm512_slli_epi64::<RUN_BITS>(_mm512_cvtepu32_epi64(gathered)), tags);

            let counts = _mm512_extracti32x4_epi32::<3>(sums);
            let counts = _mm512_cvtepu8_epi64(_mm_unpackhi_epi64(counts, counts));
            // A position may come to lie up to eight behind the end each round; it stays there.
            let positions = _mm512_min_epu64(_mm512_add_epi64(positions, counts), ends);
            _mm512_store_si512(next.0.as_mut_ptr().cast(), positions);
            Avx512(_mm512_mask_blend_epi64(left, _mm512_set1_epi64(NOTHING as i64), elements))
        }
    }
}
