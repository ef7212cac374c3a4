// SPDX-License-Identifier: MIT
// Provides what finds a k-mer's entries in the words of a seed index, for the host and the device.
#pragma once

#include "kernels/seeds/seed_index_view.hpp"

#include <cstdint>

namespace gannet::kernels {

/// A bucket of a seed index.
struct SeedBucket {
    uint32_t begin = 0;  ///< word of its first entry; of a long bucket, the word that has its place
    uint32_t count = 0;  ///< entries, at most k_short_bucket; of a long bucket k_long_mark

    constexpr bool is_long() const { return count == k_long_mark; }
};

/// The entries of one k-mer: the words [begin, begin + count).
struct SeedRun {
    uint32_t begin = 0;
    uint32_t count = 0;
};

/// Of the block of a hash, what its first word is at.
constexpr const uint32_t* block_of(const SeedIndexView& index, uint64_t hash) {
    return index.block_begin + (hash >> index.bucket_shift) / k_block_buckets;
}

constexpr SeedBucket bucket_of(const SeedIndexView& index, uint64_t hash) {
    constexpr uint64_t k_even = 0x0f0f0f0f0f0f0f0f;  // every other one of sixteen numbers of four bits
    constexpr uint64_t k_lowest = 0x1111111111111111;
    constexpr uint64_t k_ones = 0x0101010101010101;
    const uint32_t block = *block_of(index, hash);
    const uint64_t counts = index.words[block].value();
    const unsigned shift = static_cast<unsigned>((hash >> index.bucket_shift) % k_block_buckets) * 4;
    const uint64_t before = counts & ((uint64_t{1} << shift) - 1);
    // Words of the buckets before: of a long one, one. Their sum stays below 256.
    const uint64_t marks = before & before >> 1 & before >> 2 & before >> 3 & k_lowest;
    const uint64_t words = before - marks * (k_long_mark - 1);
    const uint64_t sum = ((words & k_even) + (words >> 4 & k_even)) * k_ones >> 56;
    return {static_cast<uint32_t>(block + 1 + sum), static_cast<uint32_t>(counts >> shift & 15)};
}

/// The entries of a fingerprint in a short bucket.
constexpr SeedRun run_in_short(const SeedIndexView& index, SeedBucket bucket, uint64_t fingerprint) {
    uint32_t begin = bucket.begin;
    const uint32_t end = begin + bucket.count;
    while (begin != end && index.words[begin].fingerprint() < fingerprint) ++begin;
    uint32_t last = begin;
    while (last != end && index.words[last].fingerprint() == fingerprint) ++last;
    return {begin, last - begin};
}

/// The word at which what a long bucket holds begins.
constexpr uint32_t place_of_long(const SeedIndexView& index, SeedBucket bucket) {
    return static_cast<uint32_t>(index.words[bucket.begin].value());
}

/// The entries of a fingerprint in a long bucket.
constexpr SeedRun run_in_long(const SeedIndexView& index, SeedBucket bucket, uint64_t fingerprint) {
    const uint32_t place = place_of_long(index, bucket);
    const uint64_t first = index.words[place].value();
    const uint32_t behind = place + 1 + static_cast<uint32_t>(first);  // the k-mers
    uint32_t low = place + 1;
    for (uint32_t high = behind; low != high;) {
        const uint32_t middle = low + (high - low) / 2;
        if (index.words[middle].fingerprint() < fingerprint) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low == behind || index.words[low].fingerprint() != fingerprint) return {behind, 0};
    const auto begin = static_cast<uint32_t>(index.words[low].value());
    const uint64_t end = low + 1 != behind ? index.words[low + 1].value() : first >> 32;
    return {begin, static_cast<uint32_t>(end) - begin};
}

/// The entries of exactly the k-mer of `hash`.
constexpr SeedRun run_of(const SeedIndexView& index, uint64_t hash) {
    const SeedBucket bucket = bucket_of(index, hash);
    const uint64_t fingerprint = SeedEntry::fingerprint_of(hash);
    return bucket.is_long() ? run_in_long(index, bucket, fingerprint)
                            : run_in_short(index, bucket, fingerprint);
}

}  // namespace gannet::kernels
