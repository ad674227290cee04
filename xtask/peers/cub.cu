// CUB's sorts and merges on the bench's inputs, one process for each key type. Reads a request a line on stdin and
// answers each with a line of JSON. `program startup merge|radix` times a first sort in a fresh process instead.
//
// Built with -DGRIDSORT_KEY=type -DGRIDSORT_BITS=unsigned type of its width -DGRIDSORT_KIND=0|1|2 (see inputs.cuh)
// -DGRIDSORT_INFINITY=bits.
#include <cub/cub.cuh>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "inputs.cuh"

using Key = GRIDSORT_KEY;
using Bits = GRIDSORT_BITS;
static_assert(sizeof(Key) == sizeof(Bits), "bits are as wide as keys");

static void check(cudaError_t result) {
    if (result != cudaSuccess) throw std::runtime_error(cudaGetErrorString(result));
}

struct Less {
    __host__ __device__ bool operator()(const Key& a, const Key& b) const { return a < b; }
};

// Device memory that goes with its owner.
template <class T>
struct Array {
    T* at = nullptr;
    size_t bytes;
    explicit Array(size_t n) : bytes(std::max<size_t>(n, 1) * sizeof(T)) { check(cudaMalloc(&at, bytes)); }
    Array(const Array&) = delete;
    Array(Array&& other) : at(other.at), bytes(other.bytes) { other.at = nullptr; }
    ~Array() { cudaFree(at); }
};

__device__ Bits bits_of(const Key& key) {
    Bits bits;
    memcpy(&bits, &key, sizeof bits);
    return bits;
}

__global__ void fill(Key* keys, uint64_t n, int distribution, uint64_t seed, const uint32_t* tile, uint64_t length) {
    uint64_t i = blockIdx.x * (uint64_t)blockDim.x + threadIdx.x;
    if (i >= n) return;
    Bits bits = inputs::bits_of<Bits>(inputs::code(distribution, i, n, seed, tile, length), GRIDSORT_KIND, GRIDSORT_INFINITY);
    memcpy(&keys[i], &bits, sizeof bits);
}

__global__ void number(uint32_t* values, uint64_t n) {
    uint64_t i = blockIdx.x * (uint64_t)blockDim.x + threadIdx.x;
    if (i < n) values[i] = (uint32_t)i;
}

// Sums over all keys: [0] of keys, [1] of keys with their payloads or positions, [2] falls in the order.
__global__ void look(const Key* keys, const uint32_t* values, uint64_t n, unsigned long long* sums) {
    uint64_t start = blockIdx.x * (uint64_t)blockDim.x + threadIdx.x, step = gridDim.x * (uint64_t)blockDim.x;
    unsigned long long plain = 0, placed = 0, falls = 0;
    for (uint64_t i = start; i < n; i += step) {
        uint64_t word = inputs::word(bits_of(keys[i]));
        plain += inputs::mix(word);
        placed += inputs::mix(word ^ inputs::mix((values ? values[i] : i) + 1));
        falls += i > 0 && Less()(keys[i], keys[i - 1]);
    }
    atomicAdd(&sums[0], plain);
    atomicAdd(&sums[1], placed);
    atomicAdd(&sums[2], falls);
}

struct Looked {
    unsigned long long plain, placed, falls;
};

static Looked looked(const Key* keys, const uint32_t* values, uint64_t n) {
    Array<unsigned long long> sums(3);
    check(cudaMemset(sums.at, 0, 3 * sizeof(unsigned long long)));
    look<<<1024, 256>>>(keys, values, n, sums.at);
    Looked out;
    check(cudaMemcpy(&out, sums.at, sizeof out, cudaMemcpyDeviceToHost));
    return out;
}

static unsigned blocks(uint64_t n) { return (unsigned)std::max<uint64_t>((n + 255) / 256, 1); }

struct Set {
    Array<Key> keys;
    Looked looked;
};

struct Work {
    Array<Key> keys, keys_out;
    Array<uint32_t> values, values_out;
    Work(uint64_t n, bool pairs)
        : keys(n), keys_out(n), values(pairs ? n : 0), values_out(pairs ? n : 0) {}
};

struct Request {
    int log2, distribution, sets, warm, runs;
    uint64_t seed, check_all;
    std::string job;
    std::vector<uint32_t> tile;
    uint64_t n() const { return 1ull << log2; }
    bool pairs() const { return job == "pairs" || job.rfind("merge-pairs", 0) == 0; }
    // How many parts a merge of many merges, which its name ends with; 0 of other jobs.
    uint64_t many() const { return strtoull(job.c_str() + job.rfind('-') + 1, nullptr, 10); }
};

// Calls one of CUB's functions, which say with no memory how much they need.
template <class Call>
static std::vector<float> timed(const Request& request, std::vector<Set>& sets, bool in_place, bool restores, Call call) {
    uint64_t n = request.n();
    std::vector<Work> work;
    work.reserve(2);
    for (int i = 0; i < 2; i++) work.emplace_back(n, request.pairs());
    Array<uint32_t> numbers(request.pairs() ? n : 0);
    if (request.pairs()) number<<<blocks(n), 256>>>(numbers.at, n);
    size_t bytes = 0;
    check(call(nullptr, bytes, sets[0], work[0], numbers.at));
    Array<char> scratch(bytes);
    cudaEvent_t start, end;
    check(cudaEventCreate(&start));
    check(cudaEventCreate(&end));
    std::vector<float> times;
    int all = request.warm + request.runs;
    for (int run = 0; run < all; run++) {
        Set& set = sets[run % sets.size()];
        Work& at = work[run % 2];
        if (restores) {
            check(cudaMemcpyAsync(at.keys.at, set.keys.at, n * sizeof(Key), cudaMemcpyDeviceToDevice));
            if (request.pairs()) check(cudaMemcpyAsync(at.values.at, numbers.at, n * 4, cudaMemcpyDeviceToDevice));
        }
        check(cudaEventRecord(start));
        check(call(scratch.at, bytes, set, at, numbers.at));
        check(cudaEventRecord(end));
        check(cudaEventSynchronize(end));
        float ms;
        check(cudaEventElapsedTime(&ms, start, end));
        if (run >= request.warm) times.push_back(ms);
        if (run == 0 || run + 1 == all || n <= request.check_all) {
            Key* keys = in_place ? at.keys.at : at.keys_out.at;
            uint32_t* values = in_place ? at.values.at : at.values_out.at;
            Looked now = looked(keys, request.pairs() ? values : nullptr, n);
            bool right = now.falls == 0 && now.plain == set.looked.plain;
            if (request.pairs()) right = right && now.placed == set.looked.placed;
            if (!right) throw std::runtime_error("the result is wrong");
        }
    }
    cudaEventDestroy(start);
    cudaEventDestroy(end);
    return times;
}

static void add(std::string& rows, const char* by, const std::vector<float>& times) {
    rows += rows.empty() ? "" : ",";
    rows += std::string("{\"by\":\"") + by + "\",\"times_ms\":[";
    for (size_t i = 0; i < times.size(); i++) {
        char text[32];
        snprintf(text, sizeof text, "%s%.7g", i ? "," : "", times[i]);
        rows += text;
    }
    rows += "]}";
}

// CUB's radix sort knows no 128-bit signed keys on every version; its merge sort takes any.
static std::string answer(const Request& request) {
    uint64_t n = request.n();
    Array<uint32_t> tile(request.tile.size());
    check(cudaMemcpy(tile.at, request.tile.data(), request.tile.size() * 4, cudaMemcpyHostToDevice));
    std::vector<Set> sets;
    unsigned long long digest = 0;
    for (int i = 0; i < request.sets; i++) {
        Array<Key> keys(n);
        fill<<<blocks(n), 256>>>(keys.at, n, request.distribution, request.seed + i, tile.at, request.tile.size());
        check(cudaGetLastError());
        Looked sums = looked(keys.at, nullptr, n);
        digest += sums.placed;
        sets.push_back(Set{std::move(keys), sums});
    }
    std::string rows;
    if (request.job == "keys") {
        add(rows, "cub merge sort", timed(request, sets, true, true, [&](void* to, size_t& bytes, Set&, Work& w, uint32_t*) {
                return cub::DeviceMergeSort::SortKeys(to, bytes, w.keys.at, n, Less());
            }));
        add(rows, "cub radix sort", timed(request, sets, false, true, [&](void* to, size_t& bytes, Set&, Work& w, uint32_t*) {
                return cub::DeviceRadixSort::SortKeys(to, bytes, w.keys.at, w.keys_out.at, n);
            }));
    } else if (request.job == "pairs") {
        add(rows, "cub merge sort", timed(request, sets, true, true, [&](void* to, size_t& bytes, Set&, Work& w, uint32_t*) {
                return cub::DeviceMergeSort::SortPairs(to, bytes, w.keys.at, w.values.at, n, Less());
            }));
        add(rows, "cub radix sort", timed(request, sets, false, true, [&](void* to, size_t& bytes, Set&, Work& w, uint32_t*) {
                return cub::DeviceRadixSort::SortPairs(to, bytes, w.keys.at, w.keys_out.at, w.values.at, w.values_out.at, n);
            }));
    } else {
        // Both halves sorted, or as many parts as the job's name says, outside the timing. They are powers of two, as n is.
        uint64_t many = request.many(), parts = std::min<uint64_t>(many ? many : 2, n);
        uint64_t a = n / 2, b = n - a;
        for (Set& set : sets) {
            for (uint64_t part = 0; part < parts; part++) {
                Key* keys = set.keys.at + part * (n / parts);
                size_t bytes = 0;
                check(cub::DeviceMergeSort::SortKeys(nullptr, bytes, keys, n / parts, Less()));
                Array<char> scratch(bytes);
                check(cub::DeviceMergeSort::SortKeys(scratch.at, bytes, keys, n / parts, Less()));
                check(cudaDeviceSynchronize());
            }
            set.looked = looked(set.keys.at, nullptr, n);
        }
        if (request.job == "merge") {
            add(rows, "cub merge", timed(request, sets, false, false, [&](void* to, size_t& bytes, Set& s, Work& w, uint32_t*) {
                    Key* keys = s.keys.at;
                    return cub::DeviceMerge::MergeKeys(to, bytes, keys, (int64_t)a, keys + a, (int64_t)b, w.keys_out.at, Less());
                }));
        } else if (many) {
            // CUB merges two arrays: a tree of such merges, back and forth between two buffers.
            add(rows, "cub merge", timed(request, sets, false, false, [&](void* to, size_t& bytes, Set& s, Work& w, uint32_t* v) {
                    auto two = [&](Key* x, uint32_t* vx, uint64_t nx, Key* y, uint32_t* vy, uint64_t ny, Key* out, uint32_t* vout) {
                        return request.pairs() ? cub::DeviceMerge::MergePairs(to, bytes, x, vx, (int64_t)nx, y, vy, (int64_t)ny,
                                                                              out, vout, Less())
                                               : cub::DeviceMerge::MergeKeys(to, bytes, x, (int64_t)nx, y, (int64_t)ny, out, Less());
                    };
                    Key* from = s.keys.at;
                    uint32_t* values = v;
                    if (!to) return two(from, v, a, from, v, b, from, v);
                    cudaError_t done = cudaSuccess;
                    if (parts == 1) {
                        done = cudaMemcpyAsync(w.keys_out.at, from, n * sizeof(Key), cudaMemcpyDeviceToDevice);
                        if (done != cudaSuccess || !request.pairs()) return done;
                        return cudaMemcpyAsync(w.values_out.at, v, n * 4, cudaMemcpyDeviceToDevice);
                    }
                    int left = 0;
                    while ((1ull << left) < parts) left++;
                    for (uint64_t run = n / parts; run < n && done == cudaSuccess; run *= 2, left--) {
                        Key* out = left % 2 ? w.keys_out.at : w.keys.at;
                        uint32_t* values_out = left % 2 ? w.values_out.at : w.values.at;
                        // Values are there only with pairs, and null may not be counted from.
                        auto at_value = [&](uint32_t* from, uint64_t at) { return request.pairs() ? from + at : nullptr; };
                        for (uint64_t at = 0; at < n && done == cudaSuccess; at += 2 * run)
                            done = two(from + at, at_value(values, at), run, from + at + run, at_value(values, at + run), run,
                                       out + at, at_value(values_out, at));
                        from = out;
                        values = values_out;
                    }
                    return done;
                }));
        } else {
            add(rows, "cub merge", timed(request, sets, false, false, [&](void* to, size_t& bytes, Set& s, Work& w, uint32_t* v) {
                    Key* keys = s.keys.at;
                    return cub::DeviceMerge::MergePairs(to, bytes, keys, v, (int64_t)a, keys + a, v + a, (int64_t)b,
                                                        w.keys_out.at, w.values_out.at, Less());
                }));
        }
    }
    char head[64];
    snprintf(head, sizeof head, "{\"digest\":\"%016llx\",\"rows\":[", digest);
    return head + rows + "]}";
}

static double ms_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

// From the start of the process: the driver, the first sort, the same again.
static int startup(const std::string& which, int log2) {
    auto begin = std::chrono::steady_clock::now();
    check(cudaFree(nullptr));
    double driver = ms_since(begin);
    uint64_t n = 1ull << log2;
    std::vector<Bits> host(n);
    for (uint64_t i = 0; i < n; i++) {
        host[i] = inputs::bits_of<Bits>(inputs::code(inputs::UNIFORM, i, n, 1, nullptr, 0), GRIDSORT_KIND, GRIDSORT_INFINITY);
    }
    double sorts[2];
    Array<Key> keys(n), keys_out(n);
    for (double& time : sorts) {
        begin = std::chrono::steady_clock::now();
        check(cudaMemcpy(keys.at, host.data(), n * sizeof(Key), cudaMemcpyHostToDevice));
        size_t bytes = 0;
        bool merge = which == "merge";
        auto sort = [&](void* to) {
            return merge ? cub::DeviceMergeSort::SortKeys(to, bytes, keys.at, n, Less())
                         : cub::DeviceRadixSort::SortKeys(to, bytes, keys.at, keys_out.at, n);
        };
        check(sort(nullptr));
        Array<char> scratch(bytes);
        check(sort(scratch.at));
        std::vector<Bits> result(n);
        check(cudaMemcpy(result.data(), merge ? keys.at : keys_out.at, n * sizeof(Key), cudaMemcpyDeviceToHost));
        time = ms_since(begin);
        // The parent stops its clock at this line.
        if (&time == sorts) {
            printf("first\n");
            fflush(stdout);
        }
    }
    printf("{\"driver_ms\":%.6g,\"first_ms\":%.6g,\"second_ms\":%.6g}\n", driver, sorts[0], sorts[1]);
    return 0;
}

int main(int argc, char** argv) {
    try {
        if (argc == 4 && !strcmp(argv[1], "startup")) return startup(argv[2], atoi(argv[3]));
        std::string line;
        while (std::getline(std::cin, line)) {
            std::istringstream in(line);
            Request request;
            size_t length = 0;
            in >> request.job >> request.log2 >> request.distribution >> request.seed >> request.sets >> request.warm >>
                request.runs >> request.check_all >> length;
            request.tile.resize(length);
            for (uint32_t& rank : request.tile) in >> rank;
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
