// SPDX-License-Identifier: MIT
// Provides the seeding of a block of reads in lock-step on the host: look-ups in stages, each of which
// prefetches for the next. It is seeding on the backend simd, and what the aligner calls for
// its own blocks of reads.
#pragma once

#include "kernels/seeds/seed_lookup.hpp"
#include "kernels/seeds/syncmers.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace gannet::kernels {

/// Reads whose look-ups are in flight together: enough to hide the latency of memory, few enough for the
/// cache.
inline constexpr size_t k_lockstep_reads = 32;

/// A read of a block.
struct SeededRead {
    std::span<const uint8_t> codes;   ///< 0 to 3; 4: ambiguous
    const uint64_t* words = nullptr;  ///< both strands, as ReadBatchView has them
    bool is_ambiguous = false;        ///< any code is 4
};

/// The seeds of a block, reused from block to block. The vectors have one element per seed unless they say
/// otherwise; seeds of a read are adjacent, by ascending position.
struct LockstepScratch {
    SyncmerScratch syncmer;
    std::vector<uint32_t> positions;       ///< of all seeds
    std::vector<uint32_t> position_begin;  ///< reads of the block + 1
    /// The disjoint seeds of all, which are looked up first.
    std::vector<Syncmer> first_seeds;
    std::vector<SeedBucket> first_buckets;
    std::vector<std::span<const SeedEntry>> first_runs;
    std::vector<uint32_t> first_begin;  ///< reads of the block + 1
    std::vector<uint8_t> settled;       ///< reads of the block: no other seeds are needed
    /// Reads of the block: long seeds are left out without enough others, as the mate is settled.
    std::vector<uint8_t> long_left_out;
    std::vector<uint32_t> with_long;  ///< reads of the block whose long seeds are looked up
    std::vector<Syncmer> syncmers;
    std::vector<uint32_t> syncmer_begin;  ///< reads of the block + 1
    std::vector<SeedBucket> buckets;
    std::vector<std::span<const SeedEntry>> runs;  ///< entries that are used
    /// How many bases after the k-mer the best entry that was left out shares with the read; or
    /// k_none_left_out, k_all_left_out.
    std::vector<int32_t> left_out_bp;

    /// The seeds of a read some of which have many entries: those whose context is to the right are narrowed
    /// from left to right, the others from right to left.
    struct RepeatSeeds {
        uint32_t read = 0;  ///< of the block
        uint32_t begin = 0;
        uint32_t end = 0;
        uint32_t next = 0;          ///< of those to the right
        uint32_t next_back = 0;     ///< of those to the left, one beyond
        uint32_t matched_to = 0;    ///< end of what the last one to the right matched, in the read
        uint32_t matched_from = 0;  ///< begin of what the last one to the left matched
    };
    std::vector<RepeatSeeds> repeats;  ///< some of the reads
    struct Narrowed {
        uint32_t seed;
        uint32_t repeat;  ///< in `repeats`
    };
    std::vector<Narrowing> narrowings;   ///< of a round
    std::vector<Narrowed> narrowed;      ///< of each narrowing
    std::vector<Narrowing> widened;      ///< narrowings that keep more, for the primary assembly
    std::vector<uint32_t> widened_from;  ///< of each of these: its index in `narrowings`
    /// Entries that are used beside those of `runs`, each with its seed; in the order of seeds.
    std::vector<std::pair<uint32_t, SeedEntry>> primary_entries;
};

/// Holds references only; cheap to make.
class LockstepSeeder {
  public:
    LockstepSeeder(const SeedIndexView& index, const GenomeView& genome, LockstepScratch& scratch)
        : index_(index), genome_(genome), scratch_(scratch) {}

    /// Finds the seeds of a block and the entries that are used of each. The reads must stay until collect().
    /// `paired`: reads 2i and 2i + 1 of the block are mates.
    void find(std::span<const SeededRead> block, bool paired);
    struct Found {
        uint32_t complete_seeds = 0;
        bool narrowed = false;
    };
    /// Of read `read` of the block: appends its hits and its distinct parts, as the contract of the op has
    /// them (hits beside the kept ones of widened seeds come last).
    Found collect(size_t read, std::vector<uint64_t>& hits, std::vector<DistinctPart>& parts) const;

  private:
    void find_positions(std::span<const SeededRead> block);
    void look_up_first(std::span<const SeededRead> block);
    bool is_settled(uint32_t read);
    void list_seeds(std::span<const SeededRead> block);
    void fetch_blocks(std::span<const Syncmer> seeds) const;
    void fetch_counts(std::span<const Syncmer> seeds) const;
    void find_buckets(std::span<const Syncmer> seeds, std::span<SeedBucket> buckets) const;
    void fetch_long();
    std::span<SeedBucket> buckets_of(uint32_t read) const {
        const uint32_t begin = scratch_.syncmer_begin[read];
        return std::span(scratch_.buckets).subspan(begin, scratch_.syncmer_begin[read + 1] - begin);
    }
    std::span<const Syncmer> seeds_of(uint32_t read) const {
        const uint32_t begin = scratch_.syncmer_begin[read];
        return std::span(scratch_.syncmers).subspan(begin, scratch_.syncmer_begin[read + 1] - begin);
    }
    void look_up(uint32_t read, bool is_mate_settled);
    void look_up_long(uint32_t read);
    void narrow_repeats(std::span<const SeededRead> block);
    bool begin_round(std::span<const SeededRead> block);
    void leave_long(uint32_t begin, uint32_t end);
    void leave(uint32_t seed);
    void take_or_leave(bool take, std::span<const SeededRead> block, uint32_t seed, uint32_t repeat);
    void take_narrowed(size_t index);
    void add_narrowing(const SeededRead& read, uint32_t seed);
    void widen();
    void add_primary_entries(const Narrowing& wider, size_t index);
    bool any_on_primary(std::span<const SeedEntry> entries) const;
    bool is_alternate(SeedEntry entry) const {
        return genome_.alternate_count != 0 && genome_.is_alternate(static_cast<int64_t>(entry.position()));
    }

    const SeedIndexView& index_;
    const GenomeView& genome_;
    LockstepScratch& scratch_;
    std::span<const SeededRead> block_;
};

/// Appends what the seeds [begin, end) of a read say of the placements that they left out, if they may have
/// left any out: of `hits` hits. Every placement of the read that no seed gave differs from the read
///
///  - within the k-mer of each seed all of whose entries were used, else it would be among them;
///  - within the k-mer of each narrowed seed and the bases behind it up to the first one that the best entry
///    that was left out does not share. Nothing is known where that entry agrees up to the end of the read.
///
/// Seeds that were not looked up, and those without entries, say nothing. Returns whether any seed was
/// narrowed, or `long_left_out`: long ones were left out without enough others.
bool add_distinct_parts(const LockstepScratch& seeds, uint32_t begin, uint32_t end, uint32_t length,
                        uint32_t k, size_t hits, bool long_left_out, std::vector<DistinctPart>& parts);

}  // namespace gannet::kernels
