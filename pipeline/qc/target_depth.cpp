// SPDX-License-Identifier: MIT
// Provides the depth of targets as mosdepth counts it.
#include "pipeline/qc/target_depth.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace gannet::pipeline::qc {

TargetDepth::TargetDepth(const data::Reference& reference, std::vector<data::bed::Row> rows)
    : positions_(reference.contigs().size()) {
    for (data::bed::Row& row : rows) {
        longest_ = std::max(longest_, row.region.end - row.region.begin);
        targets_.push_back({std::move(row)});
    }
    std::stable_sort(targets_.begin(), targets_.end(), [](const Target& a, const Target& b) {
        return std::tie(a.row.region.contig, a.row.region.begin) <
               std::tie(b.row.region.contig, b.row.region.begin);
    });
}

void TargetDepth::count(uint32_t contig, int64_t begin, int64_t end, uint32_t depth) {
    const auto is_before = [&](const data::Region& region) {
        return region.contig < contig || (region.contig == contig && region.begin + longest_ <= begin);
    };
    while (first_ < targets_.size() && is_before(targets_[first_].row.region)) ++first_;
    for (size_t i = first_; i < targets_.size(); ++i) {
        Target& target = targets_[i];
        const data::Region& region = target.row.region;
        if (region.contig > contig || region.begin >= end) break;
        const int64_t length = std::min(end, region.end) - std::max(begin, region.begin);
        if (length <= 0) continue;
        // One position after another, since mosdepth's sum is rounded as often.
        const double part = depth / static_cast<double>(target.length());
        for (int64_t position = 0; position < length; ++position) target.mean += part;
        target.covered += static_cast<uint64_t>(length);
        target.bases += static_cast<uint64_t>(length) * depth;
        target.least = std::min(target.least, depth);
        target.most = std::max(target.most, depth);
        positions_[contig].add(std::min(depth, uint32_t{1} << 20), static_cast<uint64_t>(length));
    }
}

}  // namespace gannet::pipeline::qc
