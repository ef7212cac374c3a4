// SPDX-License-Identifier: MIT
// Provides the depth along contigs, from the index of a BAM instead of its records.
#pragma once

#include "pipeline/report/tables.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace gannet::pipeline::report {

/// Mean depth of windows of one size; the last one may be shorter.
struct DepthAlong {
    std::string contig;
    uint64_t length = 0;
    uint64_t window_bp = 0;
    std::vector<double> depths;
};

inline constexpr uint64_t k_index_window_bp = 16'384;  ///< of a BAI: nothing finer is known
inline constexpr size_t k_max_windows = 240;           ///< of a contig
inline constexpr size_t k_max_contigs_along = 40;

/// Positions and bytes of the file that precede the records there: both ascend.
struct IndexPoint {
    uint64_t position = 0;
    double bytes = 0;
};
/// Of one contig: what share of its bytes a window has, of `contig.bases` (Pedersen et al. 2017, indexcov).
/// Between points bytes grow in proportion. `end_bytes`: where the records of the contig end.
DepthAlong depth_along(const ContigDepth& contig, const std::vector<IndexPoint>& points, double end_bytes);

/// Of the contigs that are at least a fiftieth of the longest one, the longest k_max_contigs_along, in the
/// order of the BAM. Empty where the BAM has no index. Throws Error(malformed_input) where either is damaged.
/// Cost: the index, and the head of one block per window.
std::vector<DepthAlong> depth_along_contigs(const std::string& bam, const std::vector<ContigDepth>& contigs);

}  // namespace gannet::pipeline::report
