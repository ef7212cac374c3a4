// SPDX-License-Identifier: MIT
// Provides the depth of targets as mosdepth counts it.
#pragma once

#include "data/bed/reader.hpp"
#include "data/reference.hpp"
#include "pipeline/qc/counts.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace gannet::pipeline::qc {

/// Of the rows of a BED file, which may overlap. Memory: about 100 bytes per row.
class TargetDepth {
  public:
    struct Target {
        data::bed::Row row;
        double mean = 0;
        uint64_t covered = 0;  ///< positions
        uint32_t least = UINT32_MAX;
        uint32_t most = 0;
        uint64_t bases = 0;
        uint64_t length() const { return static_cast<uint64_t>(row.region.end - row.region.begin); }
    };

    TargetDepth(const data::Reference& reference, std::vector<data::bed::Row> rows);
    /// Positions of a contig with equal depth above 0, in the order of the genome.
    void count(uint32_t contig, int64_t begin, int64_t end, uint32_t depth);

    bool empty() const { return targets_.empty(); }
    /// By contig, then begin.
    const std::vector<Target>& targets() const { return targets_; }
    /// Per contig: positions of targets by depth, those without reads left out. A position in two targets
    /// counts twice.
    const std::vector<Histogram>& positions() const { return positions_; }

  private:
    std::vector<Target> targets_;
    std::vector<Histogram> positions_;
    size_t first_ = 0;     ///< those before end before what is counted next, all of them
    int64_t longest_ = 0;  ///< target
};

}  // namespace gannet::pipeline::qc
