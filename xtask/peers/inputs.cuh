// The bench's inputs: each key is a function of its position. The same functions as xtask/src/commands/bench/inputs.rs
// and keys.rs, where the reasons stand; change both together. Also compiles as plain C++.
#pragma once
#include <cstdint>

#ifdef __CUDACC__
#define ANYWHERE __host__ __device__ inline
#else
#define ANYWHERE inline
#endif

namespace inputs {

constexpr uint64_t GOLDEN = 0x9e3779b97f4a7c15ull;
constexpr uint64_t OUT_OF_PLACE = 5;
constexpr uint64_t FEW = 16;
constexpr uint64_t ZIPF_OCTAVES = 20;
constexpr uint64_t ZIPF_TRIES = 32;
constexpr uint64_t TOOTH = 1000;
constexpr uint64_t RUNS = 16;

enum Distribution { UNIFORM, SORTED, REVERSED, NEARLY, FEW_VALUES, ZIPF, EQUAL, SAWTOOTH, ORGAN_PIPE, SORTED_RUNS, ADVERSARY };

// Unsigned integers, signed integers, floats.
enum Kind { UNSIGNED, SIGNED, FLOAT };

ANYWHERE uint64_t mix(uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return x ^ (x >> 31);
}

ANYWHERE uint64_t draw(uint64_t i, uint64_t seed, uint64_t round) {
    return mix(mix(seed + round * GOLDEN) + (i + 1) * GOLDEN);
}

ANYWHERE uint64_t zipf(uint64_t i, uint64_t seed) {
    uint64_t rank = 1;
    for (uint64_t round = 0; round < ZIPF_TRIES; round++) {
        uint64_t bits = draw(i, seed, round);
        uint64_t first = 1ull << ((bits >> 56) * ZIPF_OCTAVES >> 8);
        rank = first + (bits & (first - 1));
        uint64_t chance = (bits >> 24) & 0xffffffffull;
        if (chance * rank < first << 32) break;
    }
    return rank;
}

// Where key i of n stands in the order of all keys, of 2^64 places. `tile` is the adversary's pattern.
ANYWHERE uint64_t code(int distribution, uint64_t i, uint64_t n, uint64_t seed, const uint32_t* tile, uint64_t length) {
    constexpr uint64_t all = ~0ull;
    uint64_t stride = all / (n > 0 ? n : 1);
    uint64_t back = n - 1 - i;
    switch (distribution) {
        case UNIFORM: return draw(i, seed, 0);
        case SORTED: return i * stride;
        case REVERSED: return back * stride;
        case NEARLY: return draw(i, seed, 0) % 100 < OUT_OF_PLACE ? draw(i, seed, 1) : i * stride;
        case FEW_VALUES: return mix(draw(i, seed, 0) % FEW + 1);
        case ZIPF: return mix(zipf(i, seed));
        case EQUAL: return mix(FEW);
        case SAWTOOTH: return (i % TOOTH) * (all / TOOTH);
        case ORGAN_PIPE: return (i < back ? i : back) * 2 * (stride / 2);
        case SORTED_RUNS: {
            uint64_t run = (n + RUNS - 1) / RUNS;
            uint64_t step = all / run;
            return i % run * step + draw(i, seed, 0) % step;
        }
        default: {
            uint64_t tiles = (n + length - 1) / length;
            return (tile[i % length] * tiles + i / length) * (all / (tiles * length));
        }
    }
}

ANYWHERE uint64_t high_product(uint64_t a, uint64_t b) {
#ifdef __CUDA_ARCH__
    return __umul64hi(a, b);
#else
    return (uint64_t)((unsigned __int128)a * b >> 64);
#endif
}

// The bits of the key that stands at a code. `infinity` holds the bits of a float type's infinity.
template <class Bits>
ANYWHERE Bits bits_of(uint64_t code, int kind, uint64_t infinity) {
    constexpr int bits = 8 * sizeof(Bits);
    Bits top = (Bits)((Bits)1 << (bits - 1));
    if (kind == FLOAT) {
        uint64_t place = ((1ull << ((bits - 1) & 63)) - infinity) + high_product(code, 2 * infinity);
        Bits bit = (Bits)place ^ top;
        return bit & top ? (Bits)(bit ^ (Bits)(top - 1)) : bit;
    }
    Bits place;
    if (bits == 128) {
        place = ((Bits)code << (64 % bits)) | (Bits)mix(code);
    } else {
        place = (Bits)(code >> ((64 - bits) & 63));
    }
    return kind == SIGNED ? (Bits)(place ^ top) : place;
}

template <class Bits>
ANYWHERE uint64_t word(Bits bits) {
    uint64_t high = sizeof(Bits) > 8 ? (uint64_t)(bits >> (8 * sizeof(Bits) / 2)) : 0;
    return (uint64_t)bits ^ mix(high);
}

}  // namespace inputs
