// SPDX-License-Identifier: MIT
// Provides what seeding does to single k-mers and entries, for the host and the device: hashes, and the
// comparison of contexts.
#pragma once

#include "kernels/bits.hpp"
#include "kernels/genome/packed_words.hpp"
#include "kernels/seeds/seeds.hpp"

#include <cstdint>

namespace gannet::kernels {

/// A sampled k-mer. The hash is an invertible function of the canonical k-mer (the smaller of the k-mer and
/// its reverse complement), 2k bits wide: equal hashes are equal k-mers.
struct Syncmer {
    uint64_t hash = 0;
    uint32_t position = 0;  ///< of its first base
    uint32_t reverse = 0;   ///< 1: the canonical form is the reverse complement of what stands here
};

/// Hash of the k-mer in the low 2k bits of `kmer` (first base lowest), and whether its reverse complement is
/// the canonical form.
constexpr Syncmer hash_kmer(uint64_t kmer, uint32_t k) {
    const uint64_t mask = (uint64_t{1} << 2 * k) - 1;
    const uint64_t reverse = reverse_bases(~kmer) >> (64 - 2 * k);
    Syncmer out;
    out.reverse = reverse < kmer ? 1 : 0;
    uint64_t x = out.reverse != 0 ? reverse : kmer;
    // Each step is a bijection of 2k bits: the whole is invertible.
    x = (x + 0x9e3779b97f4a7c15) & mask;
    x = (x * 0xbf58476d1ce4e5b9) & mask;
    x ^= x >> k;
    x = (x * 0x94d049bb133111eb) & mask;
    x ^= x >> k;
    out.hash = x;
    return out;
}

/// Order of s-mers, of the canonical one: a bijection of 32 bits, so that only equal s-mers tie; offset so
/// that poly-A is not first.
constexpr uint32_t hash_smer(uint32_t canonical) {
    uint32_t x = canonical + 0x7f4a7c15u;
    x ^= x >> 15;
    x *= 0x2c1b3c6du;
    x ^= x >> 12;
    return x;
}

/// Word `word` (32 bases, the first in the highest bits) of what follows the k-mer of `entry` in its
/// canonical direction, in a packed genome of `words`; 0 beyond the genome. Non-ACGT bases read as A.
constexpr uint64_t context_word(const uint64_t* packed, uint64_t words, SeedEntry entry, uint32_t k,
                                uint32_t word) {
    const uint64_t position = entry.position();
    if (entry.reverse()) {
        const uint64_t back = uint64_t{32} * (word + 1);
        return position < back ? 0 : ~word_at(packed, position - back);
    }
    const uint64_t begin = position + k + uint64_t{32} * word;
    return begin + 64 > words * 32 ? 0 : reverse_bases(word_at(packed, begin));
}

/// Bases that an entry's context shares with `context` from its begin on, at most `length`; and the order.
struct ContextOrder {
    uint32_t shared;
    bool less;  ///< the entry's context comes before
};

constexpr ContextOrder compare_context(const uint64_t* packed, uint64_t words, uint32_t k, SeedEntry entry,
                                       const uint64_t* context, uint32_t length) {
    for (uint32_t word = 0; word * 32 < length; ++word) {
        const uint64_t own = context_word(packed, words, entry, k, word);
        const uint64_t difference = own ^ context[word];
        if (difference != 0) {
            const uint32_t shared = word * 32 + leading_zeros(difference) / 2;
            return {shared < length ? shared : length, shared < length && own < context[word]};
        }
    }
    return {length, false};
}

/// Bases that an entry of a long bucket itself holds and shares with `context`, of at least one base; from
/// k_entry_context_bases on the genome has to be looked at.
constexpr uint32_t shared_with_entry(SeedEntry entry, const uint64_t* context) {
    return leading_zeros((entry.context() ^ context[0]) | 1) / 2;
}

/// The same as compare_context() of an entry of a long bucket, which mostly knows by itself.
constexpr ContextOrder compare_long(const uint64_t* packed, uint64_t words, uint32_t k, SeedEntry entry,
                                    const uint64_t* context, uint32_t length) {
    if (length == 0) return {0, false};
    const uint32_t shared = shared_with_entry(entry, context);
    if (shared >= k_entry_context_bases) return compare_context(packed, words, k, entry, context, length);
    if (shared >= length) return {length, false};
    return {shared, entry.context() < context[0]};
}

/// The hit of a seed at `position` of a read of `length` (as sequenced) with an entry.
constexpr uint64_t hit_of(uint32_t length, uint32_t k, uint32_t position, bool seed_reverse,
                          SeedEntry entry) {
    const bool reverse = entry.reverse() != seed_reverse;
    const uint32_t oriented = reverse ? length - k - position : position;
    return hit_key(reverse, static_cast<int64_t>(entry.position()) - static_cast<int64_t>(oriented),
                   oriented);
}

/// Where the unique ones of a read's disjoint seeds lie.
struct UniquePlace {
    uint32_t seeds = 0;
    uint64_t diagonal = 0;  ///< with the strand: of the first one's hit, without its position
    uint32_t begin = 0;     ///< of the first one, in the read
    uint32_t end = 0;       ///< of the last one
    bool is_one = true;     ///< all of them agree on it

    constexpr void add(uint64_t hit, uint32_t position, uint32_t k) {
        const uint64_t own = hit >> 16;
        if (seeds == 0) {
            diagonal = own;
            begin = position;
        }
        // Of another strand, bit 47 differs.
        is_one = is_one && (own > diagonal ? own - diagonal : diagonal - own) <= k_same_place_bp;
        ++seeds;
        end = position + k;
    }
    constexpr bool settles(uint32_t length) const {
        return seeds >= k_enough_unique && is_one && begin <= k_open_end_bp && length - end <= k_open_end_bp;
    }
};

}  // namespace gannet::kernels
