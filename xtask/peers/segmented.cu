// CUB's segmented sorts on the inputs of `cargo xtask bench --tensors`. Reads a request a line on stdin and answers each with
// a line of JSON.
//
// A request: the job (rows, argsort-rows, segments), rows, columns, seed, input sets, runs to warm up, runs, up to how many
// keys each result is checked, and the file with the ends of segments as 64-bit numbers, 0 before them, or `-`.
// Built as cub.cu is; keys are of 32 bits.
#include <cub/cub.cuh>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "inputs.cuh"

using Key = GRIDSORT_KEY;
using Bits = GRIDSORT_BITS;
static_assert(sizeof(Key) == 4 && sizeof(Bits) == 4, "keys of 32 bits");

// CUB's segmented radix sort gives each segment a block, pass by pass: of shorter ones it only takes time to see that it is slow.
constexpr uint64_t RADIX_LEAST = 64;

static void check(cudaError_t result) {
    if (result != cudaSuccess) throw std::runtime_error(cudaGetErrorString(result));
}

// Device memory that goes with its owner.
template <class T>
struct Array {
    T* at = nullptr;
    explicit Array(size_t n) { check(cudaMalloc(&at, std::max<size_t>(n, 1) * sizeof(T))); }
    Array(const Array&) = delete;
    Array(Array&& other) : at(other.at) { other.at = nullptr; }
    ~Array() { cudaFree(at); }
};

static unsigned blocks(uint64_t n) { return (unsigned)std::max<uint64_t>((n + 255) / 256, 1); }

__global__ void fill(Bits* keys, uint64_t n, uint64_t seed) {
    uint64_t i = blockIdx.x * (uint64_t)blockDim.x + threadIdx.x;
    if (i < n) {
        uint64_t code = inputs::code(inputs::UNIFORM, i, n, seed, nullptr, 0);
        keys[i] = inputs::bits_of<Bits>(code, GRIDSORT_KIND, GRIDSORT_INFINITY);
    }
}

// The position of each key in its row.
__global__ void number(uint32_t* values, uint64_t n, uint64_t columns) {
    uint64_t i = blockIdx.x * (uint64_t)blockDim.x + threadIdx.x;
    if (i < n) values[i] = (uint32_t)(i % columns);
}

__global__ void mark(const int* begins, uint64_t segments, uint64_t n, uint8_t* first) {
    uint64_t i = blockIdx.x * (uint64_t)blockDim.x + threadIdx.x;
    // Where empty segments lie at the end, no key is their first.
    if (i < segments && begins[i] < n) first[begins[i]] = 1;
}

// Sums over all words: [0] of words, [1] of words with their positions.
__global__ void look(const uint32_t* words, uint64_t n, unsigned long long* sums) {
    uint64_t start = blockIdx.x * (uint64_t)blockDim.x + threadIdx.x, step = gridDim.x * (uint64_t)blockDim.x;
    unsigned long long plain = 0, placed = 0;
    for (uint64_t i = start; i < n; i += step) {
        plain += inputs::mix(words[i]);
        placed += inputs::mix(words[i] ^ inputs::mix(i + 1));
    }
    atomicAdd(&sums[0], plain);
    atomicAdd(&sums[1], placed);
}

// How often a key is before the last one of its segment.
__global__ void look_for_falls(const Key* keys, const uint8_t* first, uint64_t n, unsigned long long* falls) {
    uint64_t start = blockIdx.x * (uint64_t)blockDim.x + threadIdx.x, step = gridDim.x * (uint64_t)blockDim.x;
    unsigned long long found = 0;
    for (uint64_t i = start; i < n; i += step) found += i > 0 && !first[i] && keys[i] < keys[i - 1];
    atomicAdd(falls, found);
}

struct Looked {
    unsigned long long plain, placed;
};

static Looked looked(const void* words, uint64_t n) {
    Array<unsigned long long> sums(2);
    check(cudaMemset(sums.at, 0, 2 * sizeof(unsigned long long)));
    look<<<1024, 256>>>((const uint32_t*)words, n, sums.at);
    Looked out;
    check(cudaMemcpy(&out, sums.at, sizeof out, cudaMemcpyDeviceToHost));
    return out;
}

struct Set {
    Array<Key> keys;
    Looked looked;
};

struct Work {
    Array<Key> keys_out;
    Array<uint32_t> values_out;
    Work(uint64_t n, bool pairs) : keys_out(n), values_out(pairs ? n : 0) {}
};

struct Request {
    std::string job, file;
    uint64_t rows, columns, seed, check_all;
    int sets, warm, runs;
    uint64_t n() const { return rows * columns; }
    bool pairs() const { return job == "argsort-rows"; }
};

// Begin and end of each segment.
struct Segments {
    Array<int> offsets;
    Array<uint8_t> first;
    uint64_t count;
    Segments(const Request& request) : offsets(request.rows + 1), first(request.n()), count(request.rows) {
        std::vector<uint64_t> wide(count + 1);
        if (request.job == "segments") {
            std::ifstream file(request.file, std::ios::binary);
            file.read((char*)wide.data(), wide.size() * 8);
            if (!file) throw std::runtime_error("the ends of segments cannot be read");
        } else {
            for (uint64_t i = 0; i <= count; i++) wide[i] = i * request.columns;
        }
        std::vector<int> narrow(wide.begin(), wide.end());
        check(cudaMemcpy(offsets.at, narrow.data(), narrow.size() * sizeof(int), cudaMemcpyHostToDevice));
        check(cudaMemset(first.at, 0, std::max<uint64_t>(request.n(), 1)));
        mark<<<blocks(count), 256>>>(offsets.at, count, request.n(), first.at);
        check(cudaGetLastError());
    }
};

// Calls one of CUB's functions, which say with no memory how much they need. They leave their input as it is.
template <class Call>
static void add(std::string& rows, const char* by, const Request& request, std::vector<Set>& sets, const Segments& segments,
                Call call) {
    uint64_t n = request.n();
    std::vector<Work> work;
    for (int i = 0; i < 2; i++) work.emplace_back(n, request.pairs());
    size_t bytes = 0;
    check(call(nullptr, bytes, sets[0], work[0]));
    Array<char> scratch(bytes);
    cudaEvent_t start, end;
    check(cudaEventCreate(&start));
    check(cudaEventCreate(&end));
    Array<unsigned long long> falls(1);
    std::string times, result;
    int all = request.warm + request.runs;
    for (int run = 0; run < all; run++) {
        Set& set = sets[run % sets.size()];
        Work& at = work[run % 2];
        check(cudaEventRecord(start));
        check(call(scratch.at, bytes, set, at));
        check(cudaEventRecord(end));
        check(cudaEventSynchronize(end));
        float ms;
        check(cudaEventElapsedTime(&ms, start, end));
        char text[32];
        if (run >= request.warm) {
            snprintf(text, sizeof text, "%s%.7g", times.empty() ? "" : ",", ms);
            times += text;
        }
        if (run == 0 || run + 1 == all || n <= request.check_all) {
            check(cudaMemset(falls.at, 0, sizeof(unsigned long long)));
            look_for_falls<<<1024, 256>>>(at.keys_out.at, segments.first.at, n, falls.at);
            unsigned long long found;
            check(cudaMemcpy(&found, falls.at, sizeof found, cudaMemcpyDeviceToHost));
            Looked keys = looked(at.keys_out.at, n);
            if (found || keys.plain != set.looked.plain) throw std::runtime_error("the result is wrong");
            if (run == 0) {
                Looked answer = request.pairs() ? looked(at.values_out.at, n) : keys;
                snprintf(text, sizeof text, "%016llx", answer.placed);
                result = text;
            }
        }
    }
    cudaEventDestroy(start);
    cudaEventDestroy(end);
    rows += rows.empty() ? "" : ",";
    rows += std::string("{\"by\":\"") + by + "\",\"result\":\"" + result + "\",\"times_ms\":[" + times + "]}";
}

static std::string answer(const Request& request) {
    uint64_t n = request.n();
    // CUB of before 2025 counts in int.
    if (n > 0x7fffffff) throw std::runtime_error("2^31 keys and more are too many");
    std::vector<Set> sets;
    unsigned long long digest = 0;
    for (int i = 0; i < request.sets; i++) {
        Array<Key> keys(n);
        fill<<<blocks(n), 256>>>((Bits*)keys.at, n, request.seed + i);
        check(cudaGetLastError());
        Looked sums = looked(keys.at, n);
        digest += sums.placed;
        sets.push_back(Set{std::move(keys), sums});
    }
    Segments segments(request);
    const int *begins = segments.offsets.at, *ends = segments.offsets.at + 1;
    int items = (int)n, count = (int)segments.count;
    std::string rows;
    if (request.pairs()) {
        Array<uint32_t> numbers(n);
        number<<<blocks(n), 256>>>(numbers.at, n, request.columns);
        check(cudaGetLastError());
        add(rows, "cub segmented sort", request, sets, segments, [&](void* to, size_t& bytes, Set& s, Work& w) {
            return cub::DeviceSegmentedSort::StableSortPairs(to, bytes, s.keys.at, w.keys_out.at, numbers.at, w.values_out.at,
                                                             items, count, begins, ends);
        });
        if (request.columns >= RADIX_LEAST) {
            add(rows, "cub segmented radix sort", request, sets, segments, [&](void* to, size_t& bytes, Set& s, Work& w) {
                return cub::DeviceSegmentedRadixSort::SortPairs(to, bytes, s.keys.at, w.keys_out.at, numbers.at, w.values_out.at,
                                                                items, count, begins, ends);
            });
        }
    } else {
        add(rows, "cub segmented sort", request, sets, segments, [&](void* to, size_t& bytes, Set& s, Work& w) {
            return cub::DeviceSegmentedSort::SortKeys(to, bytes, s.keys.at, w.keys_out.at, items, count, begins, ends);
        });
        if (request.columns >= RADIX_LEAST) {
            add(rows, "cub segmented radix sort", request, sets, segments, [&](void* to, size_t& bytes, Set& s, Work& w) {
                return cub::DeviceSegmentedRadixSort::SortKeys(to, bytes, s.keys.at, w.keys_out.at, items, count, begins, ends);
            });
        }
    }
    char head[64];
    snprintf(head, sizeof head, "{\"digest\":\"%016llx\",\"rows\":[", digest);
    return head + rows + "]}";
}

int main() {
    try {
        std::string line;
        while (std::getline(std::cin, line)) {
            std::istringstream in(line);
            Request request;
            in >> request.job >> request.rows >> request.columns >> request.seed >> request.sets >> request.warm >>
                request.runs >> request.check_all >> request.file;
            if (!in) throw std::runtime_error("a request that is none");
            try {
                printf("%s\n", answer(request).c_str());
            } catch (const std::exception& e) {
                // Out of memory is no fault that stays; any other shows again at the next request.
                cudaGetLastError();
                printf("{\"error\":\"%s\"}\n", e.what());
            }
            fflush(stdout);
        }
    } catch (const std::exception& e) {
        printf("{\"error\":\"%s\"}\n", e.what());
        return 1;
    }
    return 0;
}
