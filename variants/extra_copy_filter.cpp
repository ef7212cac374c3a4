// SPDX-License-Identifier: MIT
// Provides the HighDepth filter: excess depth amid many alleles that only a part of the reads has.
#include "variants/extra_copy_filter.hpp"

#include "variants/integer_root.hpp"

#include <algorithm>
#include <string>

namespace gannet::variants {

namespace {

constexpr int64_t k_depth_reach_bp = 250;
constexpr int64_t k_cluster_reach_bp = 500;
constexpr int64_t k_min_cluster = 7;
constexpr int64_t k_excess_percent = 150;  // of the usual depth
// Around a position of excess depth a smaller excess is enough: depth falls off at the end of the extra copy.
constexpr int64_t k_flank_bp = 500;
constexpr int64_t k_flank_excess_percent = 125;
constexpr int64_t k_max_partial_percent = 85;  // of the reads: an allele of more is on both haplotypes

}  // namespace

std::string ExtraCopyFilter::description() {
    const auto text = [](int64_t value) { return std::to_string(value); };
    return "Heterozygous, or haploid with at most " + text(k_max_partial_percent) +
           "% of the reads, in depth above " + text(k_flank_excess_percent) +
           "% of the window's usual depth, within " + text(k_flank_bp) + " bp of depth above " +
           text(k_excess_percent) + "% with at least " + text(k_min_cluster) + " alleles within " +
           text(k_cluster_reach_bp) + " bp that at most " + text(k_max_partial_percent) +
           "% of the reads have (depths are means over " + text(2 * k_depth_reach_bp) + " bp)";
}

bool ExtraCopyFilter::is_partial(int64_t support, int64_t depth) {
    return support * 100 <= depth * k_max_partial_percent;
}

void ExtraCopyFilter::load(const Evidence& evidence, std::span<const Candidate> candidates) {
    evidence_ = &evidence;
    const auto size = static_cast<size_t>(evidence.end - evidence.begin);
    depth_sums_.assign(1, 0);
    sorted_.clear();
    for (size_t i = 0; i < size; ++i) {
        depth_sums_.push_back(depth_sums_.back() + evidence.depth[i]);
        if (evidence.depth[i] > 0) sorted_.push_back(evidence.depth[i]);
    }
    usual_depth_ = 0;
    if (!sorted_.empty()) {  // the lower quartile, as the copy may cover most of the window
        const auto quartile = sorted_.begin() + static_cast<std::ptrdiff_t>(sorted_.size() / 4);
        std::nth_element(sorted_.begin(), quartile, sorted_.end());
        // An estimate of the median: the lower quartile of counts is two thirds of a standard deviation below
        // it.
        usual_depth_ = *quartile + integer_root(int64_t{*quartile} * 4 / 9);
    }
    partial_alleles_.clear();
    for (const Candidate& candidate : candidates) {
        if (candidate.kind != CandidateKind::snp) continue;
        if (!is_partial(candidate.support, evidence.depth_at(candidate.begin))) continue;
        partial_alleles_.push_back(candidate.begin);
    }
    excess_.clear();
    for (const int64_t position : partial_alleles_) {
        if (is_excess(position)) excess_.push_back(position);
    }
}

std::pair<int64_t, int64_t> ExtraCopyFilter::depth_within(int64_t position, int64_t reach) const {
    const int64_t begin = std::max(evidence_->begin, position - reach) - evidence_->begin;
    const int64_t end = std::min(evidence_->end, position + reach) - evidence_->begin;
    if (begin >= end) return {0, 0};
    return {depth_sums_[static_cast<size_t>(end)] - depth_sums_[static_cast<size_t>(begin)], end - begin};
}

int64_t ExtraCopyFilter::partial_alleles_within(int64_t position, int64_t reach) const {
    const auto first = std::lower_bound(partial_alleles_.begin(), partial_alleles_.end(), position - reach);
    return std::upper_bound(first, partial_alleles_.end(), position + reach) - first;
}

bool ExtraCopyFilter::is_deeper(int64_t position, int64_t percent) const {
    const auto [sum, bases] = depth_within(position, k_depth_reach_bp);
    if (bases == 0) return false;
    // The mean depth over so many bases has a third of the variance of the depth, in reads of 150 bp; four
    // standard deviations are not chance.
    const int64_t accidental = 4 * integer_root(usual_depth_ * 100 / 3) / 10;
    const int64_t excess = std::max(usual_depth_ * (percent - 100) / 100, accidental * (percent - 100) / 50);
    return sum > (usual_depth_ + excess) * bases;
}

bool ExtraCopyFilter::is_excess(int64_t position) const {
    return partial_alleles_within(position, k_cluster_reach_bp) >= k_min_cluster &&
           is_deeper(position, k_excess_percent);
}

uint32_t ExtraCopyFilter::at(int64_t position) const {
    const auto nearest = std::lower_bound(excess_.begin(), excess_.end(), position - k_flank_bp);
    if (nearest == excess_.end() || *nearest > position + k_flank_bp) return 0;
    return is_deeper(position, k_flank_excess_percent) ? uint32_t{data::k_filter_high_depth} : 0;
}

}  // namespace gannet::variants
