// SPDX-License-Identifier: MIT
// Provides look-ups in a seed index on the host: the entries of a k-mer, and the narrowing of long runs.
#pragma once

#include "kernels/genome/genome_view.hpp"
#include "kernels/seeds/seeds.hpp"
#include "kernels/seeds/seeds_cell.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace gannet::kernels {

/// A run of entries of one k-mer that is to be reduced to those that continue as the read does.
struct Narrowing {
    std::span<const SeedEntry> run;  ///< in: entries of one k-mer; out: those that were kept
    /// The read's bases after the k-mer in its canonical direction, first base highest; `length` of them.
    std::array<uint64_t, k_context_bases / 32> context;
    uint32_t length = 0;
    /// Out: the largest number of bases that an entry left out shares with the context; -1 if none was.
    int32_t left_out_bp = -1;
    int32_t shared_bp = 0;           ///< out: the largest number that a kept entry shares
    const SeedEntry* low = nullptr;  ///< bounds of the binary search
    const SeedEntry* high = nullptr;
    /// Bases that the entry before `low` shares with the context, and that at `high`; -1 if there is none.
    int32_t before_bp = -1;
    int32_t after_bp = -1;
};

/// The entries of the hash's bucket, its own and others'.
inline std::span<const SeedEntry> bucket_of(const SeedIndexView& index, uint64_t hash) {
    const uint32_t* const begin = index.bucket_begin + (hash >> index.bucket_shift);
    return {index.entries + begin[0], index.entries + begin[1]};
}

std::span<const SeedEntry> find_in_long(const SeedEntry* begin, const SeedEntry* end, uint64_t fingerprint);

/// Entries of exactly the k-mer of `hash`, of its bucket.
inline std::span<const SeedEntry> find_in(std::span<const SeedEntry> bucket, uint64_t hash) {
    const SeedEntry* begin = bucket.data();
    const SeedEntry* end = begin + bucket.size();
    const uint64_t fingerprint = SeedEntry::fingerprint_of(hash);
    if (bucket.size() > k_long_bucket) return find_in_long(begin, end, fingerprint);
    while (begin != end && begin->fingerprint() < fingerprint) ++begin;
    const SeedEntry* last = begin;
    while (last != end && last->fingerprint() == fingerprint) ++last;
    return {begin, last};
}

/// Reduces each search's run to the entries that share most bases with its context: at most `most`, and
/// none that shares fewer bases than the `most`-th best. The binary searches advance together, each
/// step's memory prefetched for all of them: a run of 10^5 entries costs 17 steps of two cache misses,
/// which one after another would be most of the time of aligning to a large genome.
void narrow(const SeedIndexView& index, const GenomeView& genome, std::span<Narrowing> searches, size_t most);

}  // namespace gannet::kernels
