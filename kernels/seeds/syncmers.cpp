// SPDX-License-Identifier: MIT
// Provides the scan for closed syncmers, in passes over whole arrays so that compilers vectorise them.
#include "kernels/seeds/syncmers.hpp"

#include "kernels/genome/packed_words.hpp"

#include <algorithm>

namespace gannet::kernels {
namespace {

/// Grows a buffer; values beyond what a pass wrote are never used.
uint32_t* reserve(std::vector<uint32_t>& buffer, size_t size) {
    if (buffer.size() < size) buffer.resize(size + size / 2);
    return buffer.data();
}

/// out[i] = the s-mer at i with its first base lowest; doubling: 2, 4, 8 bases, then two overlapping eights.
void forward_smers(const uint8_t* codes, size_t n, uint32_t s, uint32_t* __restrict x,
                   uint32_t* __restrict out) {
    for (size_t i = 0; i < n; ++i) out[i] = codes[i] & 3u;
    for (size_t i = 0; i + 1 < n; ++i) x[i] = out[i] | out[i + 1] << 2;
    for (size_t i = 0; i + 3 < n; ++i) out[i] = x[i] | x[i + 2] << 4;
    for (size_t i = 0; i + 7 < n; ++i) x[i] = out[i] | out[i + 4] << 8;
    const uint32_t rest = s - 8;
    for (size_t i = 0; i + s <= n; ++i) out[i] = x[i] | x[i + rest] << 2 * rest;
}

/// out[i] = the reverse complement of the s-mer at i.
void reverse_smers(const uint8_t* codes, size_t n, uint32_t s, uint32_t* __restrict x,
                   uint32_t* __restrict out) {
    for (size_t i = 0; i < n; ++i) out[i] = 3u - (codes[i] & 3u);
    for (size_t i = 0; i + 1 < n; ++i) x[i] = out[i] << 2 | out[i + 1];
    for (size_t i = 0; i + 3 < n; ++i) out[i] = x[i] << 4 | x[i + 2];
    for (size_t i = 0; i + 7 < n; ++i) x[i] = out[i] << 8 | out[i + 4];
    const uint32_t rest = s - 8;
    for (size_t i = 0; i + s <= n; ++i) out[i] = x[i] << 2 * rest | x[i + rest];
}

void hash_smers(size_t count, uint32_t* __restrict a, const uint32_t* __restrict b) {
    for (size_t i = 0; i < count; ++i) {
        a[i] = hash_smer(std::min(a[i], b[i]));
    }
}

/// out[i] = the smallest of h[i .. i + width): doubling, then two overlapping eights.
void window_minimum(const uint32_t* h, size_t n, uint32_t width, uint32_t* __restrict x,
                    uint32_t* __restrict out) {
    for (size_t i = 0; i + 1 < n; ++i) x[i] = std::min(h[i], h[i + 1]);
    for (size_t i = 0; i + 3 < n; ++i) out[i] = std::min(x[i], x[i + 2]);
    for (size_t i = 0; i + 7 < n; ++i) x[i] = std::min(out[i], out[i + 4]);
    const uint32_t rest = width - 8;
    for (size_t i = 0; i + width <= n; ++i) out[i] = std::min(x[i], x[i + rest]);
}

/// Drops positions whose k-mer covers a code above 3.
size_t drop_ambiguous(std::span<const uint8_t> codes, uint32_t k, uint32_t* positions, size_t count) {
    size_t kept = 0;
    for (size_t i = 0; i < count; ++i) {
        const auto kmer = codes.subspan(positions[i], k);
        if (std::none_of(kmer.begin(), kmer.end(), [](uint8_t code) { return code > 3; })) {
            positions[kept++] = positions[i];
        }
    }
    return kept;
}

}  // namespace

std::span<const uint32_t> find_syncmer_positions(uint32_t k, uint32_t s, std::span<const uint8_t> codes,
                                                 bool has_n, SyncmerScratch& scratch) {
    const size_t n = codes.size();
    if (n < k) return {};
    uint32_t* a = reserve(scratch.a, n);
    uint32_t* b = reserve(scratch.b, n);
    uint32_t* c = reserve(scratch.c, n);
    uint32_t* d = reserve(scratch.d, n);
    const uint32_t width = k - s + 1;
    forward_smers(codes.data(), n, s, c, a);
    reverse_smers(codes.data(), n, s, c, b);
    hash_smers(n - s + 1, a, b);
    window_minimum(a, n - s + 1, width, c, d);

    const size_t kmers = n - k + 1;
    uint32_t* positions = reserve(scratch.positions, kmers);
    size_t count = 0;
    for (size_t i = 0; i < kmers; ++i) {
        positions[count] = static_cast<uint32_t>(i);
        count += static_cast<size_t>((d[i] == a[i]) | (d[i] == a[i + width - 1]));
    }
    if (has_n) count = drop_ambiguous(codes, k, positions, count);
    return {positions, count};
}

void find_syncmers(uint32_t k, uint32_t s, std::span<const uint8_t> codes, bool has_n, const uint64_t* packed,
                   uint64_t first, SyncmerScratch& scratch, std::vector<Syncmer>& out) {
    for (const uint32_t position : find_syncmer_positions(k, s, codes, has_n, scratch))
        out.push_back(syncmer_at(k, packed, first, position));
}

}  // namespace gannet::kernels
