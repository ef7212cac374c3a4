// SPDX-License-Identifier: MIT
// Provides the depth of sorted records: per chunk in parallel, then summed up in the order of the chunks.
#pragma once

#include "data/reference.hpp"
#include "pipeline/qc/counts.hpp"
#include "pipeline/qc/target_depth.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace gannet::pipeline::qc {

/// Two kinds of depth at once: of all records that `samtools stats` counts, and of those that mosdepth
/// counts, where mates overlap once.
struct DepthPair {
    int32_t all = 0;
    int32_t fragments = 0;
    bool operator==(const DepthPair&) const = default;
};

/// Positions with equal depth.
struct DepthRun {
    uint32_t length = 0;
    DepthPair depth;
    bool operator==(const DepthRun&) const = default;
};

/// Depth of the records of a chunk, from `begin` on without gaps. Coordinates are of the whole reference
/// (Contig::offset + position).
struct DepthRuns {
    uint64_t begin = 0;
    uint64_t last_start = 0;  ///< of its last record: later chunks begin there or after
    std::vector<DepthRun> runs;
    void clear() {
        begin = last_start = 0;
        runs.clear();
    }
};

/// Makes the runs of a chunk from intervals. The work is one step per 64 positions between the first start
/// and the last end, and a few per interval.
class DepthRing {
  public:
    DepthRing();
    /// Before the intervals of a record that begins at `start`, which never falls. `runs` is that of all
    /// calls up to finish().
    void advance(uint64_t start, DepthRuns& runs);
    /// `begin` is not before the last start.
    void add(uint64_t begin, uint64_t end, DepthPair depth);
    void finish(DepthRuns& runs);

  private:
    void write_up_to(uint64_t end, DepthRuns& runs);
    void change(uint64_t position, int64_t by);
    void grow(uint64_t span);
    void put(uint64_t length, DepthRuns& runs) const;

    std::vector<int64_t> changes_;   ///< of both depths, at position modulo size
    std::vector<uint64_t> changed_;  ///< a bit for each of them that add() has met
    uint64_t mask_ = 0;
    bool started_ = false;
    uint64_t at_ = 0;         ///< positions before are written
    uint64_t run_begin_ = 0;  ///< of the run that is not written yet
    uint64_t reach_ = 0;      ///< no change lies after it
    int64_t depth_ = 0;       ///< of that run
};

/// Depth of all chunks. append() takes them in their order, from one thread at a time.
class DepthSum {
  public:
    explicit DepthSum(const data::Reference& reference, std::vector<data::bed::Row> targets = {});
    void append(const DepthRuns& next);
    void finish();  ///< after the last chunk

    /// Per contig: positions by depth as mosdepth has it, those without reads left out; depths beyond
    /// k_max_depth as of that.
    const std::vector<Histogram>& fragments() const { return fragments_; }
    /// Sum of these depths and their largest, exact.
    const std::vector<uint64_t>& bases() const { return bases_; }
    const std::vector<uint32_t>& largest() const { return largest_; }
    /// Positions by depth of all records, up to 1,001 and more.
    const Histogram& all() const { return all_; }
    const TargetDepth& targets() const { return targets_; }
    const data::Reference& reference() const { return reference_; }

    static constexpr uint32_t k_max_depth = 1u << 20;

  private:
    void take(uint64_t begin, uint64_t end, DepthPair depth, uint64_t final_before);
    void count(uint64_t begin, uint64_t end, DepthPair depth);
    void count_deep(uint64_t begin, uint64_t end, DepthPair depth);
    void go_to_contig_of(uint64_t position);
    void add_shallow();

    static constexpr uint32_t k_shallow = 256;
    using Shallow = std::array<uint64_t, k_shallow>;

    const data::Reference& reference_;
    std::vector<Histogram> fragments_;
    std::vector<uint64_t> bases_;
    std::vector<uint32_t> largest_;
    Histogram all_;
    TargetDepth targets_;
    Shallow all_shallow_{};        ///< positions by depths below k_shallow that are not in all_ yet
    Shallow fragments_shallow_{};  ///< of contig_, not in fragments_ and the like yet
    size_t contig_ = 0;            ///< of the last position that was counted
    uint64_t contig_end_ = 0;
    DepthRuns pending_;  ///< positions that the next chunk may still cover
    DepthRuns kept_;     ///< scratch: what becomes of pending_
};

}  // namespace gannet::pipeline::qc
