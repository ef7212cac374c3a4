// SPDX-License-Identifier: MIT
// Provides look-ups in a seed index on the host: the entries of a k-mer, and the narrowing of long runs.
#pragma once

#include "kernels/genome/genome_view.hpp"
#include "kernels/seeds/seed_bucket.hpp"
#include "kernels/seeds/seeds.hpp"
#include "kernels/seeds/seeds_cell.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace gannet::kernels {

/// A run of entries of one k-mer that is to be reduced to those that continue as the read does.
struct Narrowing {
    std::span<const SeedEntry> run;  ///< in: entries of one k-mer of a long bucket; out: those that were kept
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

inline std::span<const SeedEntry> entries_of(const SeedIndexView& index, SeedRun run) {
    return {index.words + run.begin, run.count};
}

/// The entries of exactly the k-mer of `hash`, which is in `bucket`.
inline std::span<const SeedEntry> find_in_short(const SeedIndexView& index, SeedBucket bucket,
                                                uint64_t hash) {
    return entries_of(index, run_in_short(index, bucket, SeedEntry::fingerprint_of(hash)));
}
inline std::span<const SeedEntry> find_in_long(const SeedIndexView& index, SeedBucket bucket, uint64_t hash) {
    return entries_of(index, run_in_long(index, bucket, SeedEntry::fingerprint_of(hash)));
}

/// Reduces each search's run to the entries that share most bases with its context: at most `most`, and
/// none that shares fewer bases than the `most`-th best. The binary searches advance together, each
/// step's memory asked for by all of them: a run of 10^5 entries costs 17 steps of a cache miss or two,
/// which one after another would be most of the time of aligning to a large genome.
void narrow(const SeedIndexView& index, const GenomeView& genome, std::span<Narrowing> searches, size_t most);

}  // namespace gannet::kernels
