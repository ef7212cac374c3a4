// SPDX-License-Identifier: MIT
// Provides the depth of a run: aligned bases in all, and how evenly the reads are spread over the reference.
#pragma once

#include "data/record.hpp"
#include "data/reference.hpp"
#include "data/regions.hpp"

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

namespace gannet::pipeline {

/// How reads are spread over the reference. Integers only, so that the judgement does not depend on threads.
struct DepthSpread {
    uint64_t reads = 0;       ///< that were counted
    uint64_t window_bp = 0;   ///< size of a window: large enough for 50 reads on average
    uint64_t windows = 0;     ///< in the known sequence of the reference
    uint64_t covered = 0;     ///< windows with at least a quarter of the reads of a typical one
    uint64_t enclosed = 0;    ///< covered windows between two covered ones
    bool of_targets = false;  ///< windows are those of targets, a typical one is still any

    /// Of targets: true where fewer than a quarter of their windows are covered. Of a genome: true where
    /// reads cover less than a quarter of the reference, in scattered places: a panel, an exome, amplicons,
    /// RNA, or the reads of another species. False for a few long stretches (reads that were cut out by
    /// region: three in four covered windows are enclosed) and below 100,000 reads.
    bool is_uneven() const;
};

/// `reads`: per 1,000 bp bin of known sequence, in the order of the reference. The typical window is the one
/// at which half of all reads are in windows with at least as many. `targets`: bins that hold a part of a
/// target; empty: there are none, and all windows are judged.
DepthSpread depth_spread(std::span<const uint32_t> reads, std::span<const uint8_t> targets = {});

/// Counts records as they pass. Memory: 4 bytes per 1,000 bp of the reference. Thread-safe.
class Coverage {
  public:
    static constexpr int64_t k_bin_bp = 1000;

    explicit Coverage(const data::Reference& reference);
    /// Counts the records of `bytes` at `entries`.
    void add(std::span<const uint8_t> bytes, std::span<const data::RecordEntry> entries);

    /// Reference bases under M, = and X of records that are mapped and neither secondary, failed nor
    /// duplicates.
    uint64_t aligned_bases() const { return aligned_bases_; }
    DepthSpread spread(const data::RegionSet& targets = {}) const;  ///< empty: no targets
    /// Of each contig the mapped primary records, duplicates too; with targets those of bins that have any.
    std::vector<uint64_t> reads_by_contig(const data::RegionSet& targets = {}) const;

  private:
    std::vector<uint8_t> bins_of_targets(const data::RegionSet& targets) const;

    const data::Reference& reference_;
    std::vector<uint64_t> first_bin_;           ///< per contig
    std::vector<std::atomic<uint32_t>> reads_;  ///< mapped primary records, duplicates too, by position
    std::atomic<uint64_t> aligned_bases_{0};
};

/// A, C, G and T of the reference.
uint64_t known_bases(const data::Reference& reference);
std::vector<uint64_t> known_bases_by_contig(const data::Reference& reference);

}  // namespace gannet::pipeline
