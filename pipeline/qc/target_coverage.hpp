// SPDX-License-Identifier: MIT
// Provides the depth of good bases on targets, as Picard CollectHsMetrics counts it: of MAPQ 20 and base
// quality 20 or better, without duplicates, the left one of two mates clipped where the other one begins.
#pragma once

#include "data/record.hpp"
#include "data/reference.hpp"
#include "data/regions.hpp"
#include "pipeline/qc/counts.hpp"
#include "pipeline/qc/good_depth.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace gannet::pipeline::qc {

/// All positions of targets with their depths, which threads add to. Memory: four bytes per position.
class TargetCoverage {
  public:
    /// Of more positions nothing is counted.
    static constexpr uint64_t k_max_positions = 250'000'000;

    /// Merged; coordinates of the whole reference.
    struct Target {
        uint64_t begin;
        uint64_t end;
        uint64_t at;          ///< of its first position
        uint64_t near_begin;  ///< with what is near as a bait, on the same contig
        uint64_t near_end;
    };
    TargetCoverage(const data::Reference& reference, const data::RegionSet& targets);
    /// Of the depths of these targets.
    static uint64_t memory_bytes(const data::RegionSet& targets);

    bool empty() const { return targets_.empty(); }
    std::span<const Target> targets() const { return targets_; }
    uint64_t positions() const { return positions_; }
    uint32_t depth(uint64_t position) const { return depths_[position].load(std::memory_order_relaxed); }
    void add(uint64_t position, uint32_t depth) {
        depths_[position].fetch_add(depth, std::memory_order_relaxed);
    }

  private:
    std::vector<Target> targets_;
    uint64_t positions_ = 0;
    std::unique_ptr<std::atomic<uint32_t>[]> depths_;
};

/// A thread's share. Not thread-safe.
class TargetCounter {
  public:
    explicit TargetCounter(TargetCoverage& coverage) : coverage_(coverage) {}
    /// Before the records of a chunk.
    void begin();
    /// Mapped records of the chunk in their order, but for secondary ones.
    void add(const GoodDepthCounter::Alignment& read, TargetCounts& counts);
    void finish();

  private:
    void count_baits(const GoodDepthCounter::Alignment& read, TargetCounts& counts);
    void count_depth(const GoodDepthCounter::Alignment& read, size_t kept, TargetCounts& counts);

    TargetCoverage& coverage_;
    size_t first_bait_ = 0;  ///< those before are too far on the left
    size_t first_target_ = 0;
    GoodDepths depths_;
    DepthPile pile_;
};

}  // namespace gannet::pipeline::qc
