//! Eight elements in two registers of AVX2, as normal `f64`s: the bits of all elements are, and they compare alike.
use crate::lanes::{Lanes, key, run};
use crate::runs::Cursors;
use std::arch::x86_64::*;

/// Lanes 0 to 3, lanes 4 to 7.
#[derive(Clone, Copy)]
pub(crate) struct Avx2(__m256d, __m256d);

impl Avx2 {
    #[inline(always)]
    fn to_array(self) -> [u64; 8] {
        let mut lanes = [0; 8];
        // SAFETY: a value proves AVX2; twice 32 bytes are written to an array of 64.
        unsafe {
            _mm256_storeu_si256(lanes.as_mut_ptr().cast(), _mm256_castpd_si256(self.0));
            _mm256_storeu_si256(lanes.as_mut_ptr().add(4).cast(), _mm256_castpd_si256(self.1));
        }
        lanes
    }
}

impl Lanes for Avx2 {
    #[inline(always)]
    unsafe fn new(lanes: [u64; 8]) -> Self {
        // SAFETY: AVX2 is the caller's promise; twice 32 bytes are read from an array of 64.
        unsafe { Avx2(_mm256_loadu_pd(lanes.as_ptr().cast()), _mm256_loadu_pd(lanes.as_ptr().add(4).cast())) }
    }

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        // SAFETY: a value proves AVX2.
        unsafe { Avx2(_mm256_min_pd(self.0, other.0), _mm256_min_pd(self.1, other.1)) }
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        // SAFETY: a value proves AVX2.
        unsafe { Avx2(_mm256_max_pd(self.0, other.0), _mm256_max_pd(self.1, other.1)) }
    }

    #[inline(always)]
    fn partner<const X: i32>(self) -> Self {
        // SAFETY: a value proves AVX2.
        unsafe {
            match X {
                1 => Avx2(_mm256_permute_pd::<0b0101>(self.0), _mm256_permute_pd::<0b0101>(self.1)),
                2 => Avx2(_mm256_permute2f128_pd::<1>(self.0, self.0), _mm256_permute2f128_pd::<1>(self.1, self.1)),
                3 => {
                    Avx2(_mm256_permute4x64_pd::<0b00_01_10_11>(self.0), _mm256_permute4x64_pd::<0b00_01_10_11>(self.1))
                }
                4 => Avx2(self.1, self.0),
                7 => {
                    Avx2(_mm256_permute4x64_pd::<0b00_01_10_11>(self.1), _mm256_permute4x64_pd::<0b00_01_10_11>(self.0))
                }
                _ => unreachable!(),
            }
        }
    }

    #[inline(always)]
    fn rotate<const BY: i32>(self) -> Self {
        // SAFETY: a value proves AVX2.
        unsafe {
            match BY {
                0 => self,
                1 => {
                    let a = _mm256_permute4x64_pd::<0b00_11_10_01>(self.0);
                    let b = _mm256_permute4x64_pd::<0b00_11_10_01>(self.1);
                    Avx2(_mm256_blend_pd::<0b1000>(a, b), _mm256_blend_pd::<0b1000>(b, a))
                }
                2 => {
                    Avx2(_mm256_permute2f128_pd::<0x21>(self.0, self.1), _mm256_permute2f128_pd::<0x21>(self.1, self.0))
                }
                3 => {
                    let a = _mm256_permute4x64_pd::<0b10_01_00_11>(self.0);
                    let b = _mm256_permute4x64_pd::<0b10_01_00_11>(self.1);
                    Avx2(_mm256_blend_pd::<0b1110>(a, b), _mm256_blend_pd::<0b1110>(b, a))
                }
                4 => Avx2(self.1, self.0),
                5 => Avx2(self.1, self.0).rotate::<1>(),
                6 => Avx2(self.1, self.0).rotate::<2>(),
                7 => Avx2(self.1, self.0).rotate::<3>(),
                _ => unreachable!(),
            }
        }
    }

    #[inline(always)]
    fn blend<const OTHER: i32>(self, other: Self) -> Self {
        // The masks of the intrinsics are constants: each half by its own bits.
        let half = |bits: i32, a, b| {
            // SAFETY: a value proves AVX2.
            unsafe {
                match bits & 15 {
                    0b0000 => a,
                    0b0001 => _mm256_blend_pd::<0b0001>(a, b),
                    0b0011 => _mm256_blend_pd::<0b0011>(a, b),
                    0b0101 => _mm256_blend_pd::<0b0101>(a, b),
                    0b0111 => _mm256_blend_pd::<0b0111>(a, b),
                    0b1010 => _mm256_blend_pd::<0b1010>(a, b),
                    0b1100 => _mm256_blend_pd::<0b1100>(a, b),
                    0b1111 => b,
                    _ => unreachable!(),
                }
            }
        };
        Avx2(half(OTHER, self.0, other.0), half(OTHER >> 4, self.1, other.1))
    }

    #[inline(always)]
    fn store_keys(self, to: &mut [u32; 8]) {
        *to = self.to_array().map(key);
    }

    #[inline(always)]
    fn replacements(self, cursors: &mut Cursors) -> Self {
        let elements = self.to_array().map(|element| cursors.next(run(element)));
        // SAFETY: a value proves AVX2.
        unsafe { Avx2::new(elements) }
    }
}
