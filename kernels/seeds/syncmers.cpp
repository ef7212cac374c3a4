// SPDX-License-Identifier: MIT
// Provides the scan for closed syncmers, in passes over whole arrays so that compilers vectorise them.
#include "kernels/seeds/syncmers.hpp"

#include "kernels/genome/packed_words.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace gannet::kernels {
namespace {

/// Grows a buffer; values beyond what a pass wrote are never used.
template <class T>
T* reserve(std::vector<T>& buffer, size_t size) {
    if (buffer.size() < size) buffer.resize(size + size / 2);
    return buffer.data();
}

/// out[i] = the 8-mer at i with its first base lowest; doubling: 2, 4, 8 bases, in the narrowest type that
/// holds them.
void forward_eights(const uint8_t* codes, size_t n, uint8_t* __restrict two, uint8_t* __restrict four,
                    uint16_t* __restrict out) {
    for (size_t i = 0; i + 1 < n; ++i)
        two[i] = static_cast<uint8_t>((codes[i] & 3) | (codes[i + 1] & 3) << 2);
    for (size_t i = 0; i + 3 < n; ++i) four[i] = static_cast<uint8_t>(two[i] | two[i + 2] << 4);
    for (size_t i = 0; i + 7 < n; ++i) out[i] = static_cast<uint16_t>(four[i] | four[i + 4] << 8);
}

/// out[i] = the reverse complement of the 8-mer at i.
void reverse_eights(const uint8_t* codes, size_t n, uint8_t* __restrict two, uint8_t* __restrict four,
                    uint16_t* __restrict out) {
    for (size_t i = 0; i + 1 < n; ++i)
        two[i] = static_cast<uint8_t>(((codes[i] & 3) << 2 | (codes[i + 1] & 3)) ^ 15);
    for (size_t i = 0; i + 3 < n; ++i) four[i] = static_cast<uint8_t>(two[i] << 4 | two[i + 2]);
    for (size_t i = 0; i + 7 < n; ++i) out[i] = static_cast<uint16_t>(four[i] << 8 | four[i + 4]);
}

/// out[i] = the hash of the canonical s-mer at i, of two overlapping 8-mers.
void hash_smers(const uint16_t* forward, const uint16_t* reverse, size_t count, uint32_t s,
                uint32_t* __restrict out) {
    const uint32_t rest = s - 8;
    for (size_t i = 0; i < count; ++i) {
        const uint32_t own = forward[i] | uint32_t{forward[i + rest]} << 2 * rest;
        const uint32_t other = uint32_t{reverse[i]} << 2 * rest | reverse[i + rest];
        out[i] = hash_smer(std::min(own, other));
    }
}

/// out[i] = 1 where the first or the last of h[i .. i + width) is the smallest of them, else 0: doubling,
/// then two overlapping eights.
void find_sampled(const uint32_t* h, size_t n, uint32_t width, uint32_t* __restrict x, uint32_t* __restrict y,
                  uint8_t* __restrict out) {
    for (size_t i = 0; i + 1 < n; ++i) x[i] = std::min(h[i], h[i + 1]);
    for (size_t i = 0; i + 3 < n; ++i) y[i] = std::min(x[i], x[i + 2]);
    for (size_t i = 0; i + 7 < n; ++i) x[i] = std::min(y[i], y[i + 4]);
    const uint32_t rest = width - 8;
    for (size_t i = 0; i + width <= n; ++i) {
        const uint32_t smallest = std::min(x[i], x[i + rest]);
        out[i] = (smallest == h[i]) | (smallest == h[i + width - 1]);
    }
}

/// Writes the places of the ones among `flags`, which have room for seven more behind them; returns how many.
size_t list_ones(uint8_t* flags, size_t count, uint32_t* out) {
    constexpr size_t k_together = sizeof(uint64_t);
    std::memset(flags + count, 0, k_together - 1);
    size_t found = 0;
    for (size_t i = 0; i < count; i += k_together) {
        uint64_t bits = 0;
        std::memcpy(&bits, flags + i, k_together);
        for (; bits != 0; bits &= bits - 1)
            out[found++] = static_cast<uint32_t>(i) + static_cast<uint32_t>(std::countr_zero(bits)) / 8;
    }
    return found;
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
    uint8_t* const two = reserve(scratch.two, n);
    uint8_t* const four = reserve(scratch.four, n);
    uint16_t* const forward = reserve(scratch.eight, n);
    uint16_t* const reverse = reserve(scratch.reverse_eight, n);
    forward_eights(codes.data(), n, two, four, forward);
    reverse_eights(codes.data(), n, two, four, reverse);
    uint32_t* const smers = reserve(scratch.smers, n);
    hash_smers(forward, reverse, n - s + 1, s, smers);

    const size_t kmers = n - k + 1;
    uint8_t* const is_sampled = reserve(scratch.is_sampled, kmers + sizeof(uint64_t));
    uint32_t* const positions = reserve(scratch.positions, n);  // room for minima before
    find_sampled(smers, n - s + 1, k - s + 1, reserve(scratch.minimum, n), positions, is_sampled);
    size_t count = list_ones(is_sampled, kmers, positions);
    if (has_n) count = drop_ambiguous(codes, k, positions, count);
    return {positions, count};
}

void find_syncmers(uint32_t k, uint32_t s, std::span<const uint8_t> codes, bool has_n, const uint64_t* packed,
                   uint64_t first, SyncmerScratch& scratch, std::vector<Syncmer>& out) {
    for (const uint32_t position : find_syncmer_positions(k, s, codes, has_n, scratch))
        out.push_back(syncmer_at(k, packed, first, position));
}

}  // namespace gannet::kernels
