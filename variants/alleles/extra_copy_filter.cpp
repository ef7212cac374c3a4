// SPDX-License-Identifier: MIT
// Provides the HighDepth filter: more copies than the reference has, amid alleles that only some of them
// have.
#include "variants/alleles/extra_copy_filter.hpp"

#include "variants/arithmetic/integer_root.hpp"
#include "variants/arithmetic/log_math.hpp"
#include "variants/model/alleles.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace gannet::variants {

namespace {

// SNV alleles of extra copies: at least this many in a stretch of extra depth, and this dense, which real
// heterozygous sites rarely are.
constexpr int64_t k_min_alleles = alleles_number("high_depth_min_alleles");
constexpr int64_t k_min_alleles_per_10kb = alleles_number("high_depth_min_alleles_per_10kb");
constexpr int32_t k_min_support = alleles_number("high_depth_min_support");
// Of the sample's own copies: fractions alone make no extra copy, since reads are lost where alleles are
// dense.
constexpr int64_t k_min_depth_percent = alleles_number("high_depth_min_depth_percent");
// Where so much of what the extra copies should have is taken out, the sample's own copies are left.
constexpr int64_t k_resolved_reach_bp = alleles_number("high_depth_resolved_reach_bp");
constexpr int64_t k_resolved_percent = alleles_number("high_depth_resolved_percent");
// A window with so many times the sample's depth is of another kind: mitochondria, amplicons.
constexpr int64_t k_max_depth_ratio = alleles_number("high_depth_max_ratio");
// Of the reads: an allele of more is on both haplotypes.
constexpr int64_t k_max_partial_percent = alleles_number("high_depth_partial_percent");
// The usual depth of a window: of its positions, and the square of how far below the median that is.
constexpr size_t k_quartile_percent = alleles_number("high_depth_quartile_percent");
constexpr auto k_quartile_variance = alleles_numbers<int64_t, 2>("high_depth_quartile_variance");
// More copies of the sample's own: the stretch, and how often alleles are on one copy, on more, on all.
constexpr int64_t k_min_gain_bp = alleles_number("gain_min_bp");
constexpr int64_t k_min_gain_odds = alleles_number("gain_min_odds_log10") * int64_t{k_log_scale};
constexpr auto k_own_percent = alleles_numbers<int64_t, 3>("gain_own_percent");
constexpr auto k_foreign_percent = alleles_numbers<int64_t, 3>("gain_foreign_percent");

}  // namespace

std::string ExtraCopyFilter::description() {
    const auto text = [](int64_t value) { return std::to_string(value); };
    return "Heterozygous, or haploid with at most " + text(k_max_partial_percent) +
           "% of the reads, where the sample has more copies of the sequence than the reference by depth and "
           "allele fractions, with at least " +
           text(k_min_alleles) + " SNV alleles, and " + text(k_min_alleles_per_10kb) +
           " in 10 kb, that at most " + text(k_max_partial_percent) + "% of the reads have, and at least " +
           text(k_min_depth_percent) + "% of the usual depth; not where at least " +
           text(k_resolved_percent) +
           "% of the reads expected of the extra copies were recognised and left out, nor where the site's "
           "own "
           "depth and fractions are more probably those of two copies";
}

bool ExtraCopyFilter::is_partial(int64_t support, int64_t depth) {
    return support * 100 <= depth * k_max_partial_percent;
}

void ExtraCopyFilter::load(const Evidence& evidence, std::span<const Candidate> candidates,
                           std::span<const int64_t> diploid_depth, int32_t usual_copies, bool is_uneven) {
    usual_copies_ = usual_copies;
    count(evidence, candidates);
    choose_expected_depth(diploid_depth, usual_copies, is_uneven);
    copies_.load(evidence, fractions_, {diploid_depth_, depth_is_of_sample_}, usual_copies);
    find_gains(candidates);
    copies_left_ = copies_;
    all_partial_alleles_ = partial_alleles_;
    is_some_taken_ = false;
}

void ExtraCopyFilter::load_remaining(const Evidence& evidence, std::span<const Candidate> candidates) {
    if (!is_some_taken_) all_depth_sums_.swap(depth_sums_);
    is_some_taken_ = true;
    count(evidence, candidates);
    copies_left_.load(evidence, fractions_, {diploid_depth_, depth_is_of_sample_}, usual_copies_);
    for (const Gain& gain : gains_) copies_left_.set_usual(gain.begin, gain.end);
}

void ExtraCopyFilter::find_gains(std::span<const Candidate> candidates) {
    gains_.clear();
    if (!depth_is_of_sample_ || usual_copies_ < 2) return;
    for (int64_t at = evidence_->begin; at < evidence_->end;) {
        const auto [begin, end] = copies_.extra_around(at);
        at = std::max(at + k_copy_bin_bp, end);
        if (end - begin >= k_min_gain_bp && is_gain(candidates, begin, end)) gains_.push_back({begin, end});
    }
    for (const Gain& gain : gains_) copies_.set_usual(gain.begin, gain.end);
}

/// One copy more, by the numbers of SNV alleles that at most half of the reads, more, and all have. Of two
/// more, alleles of a diverged copy that both haplotypes have look like those of one of two haplotypes.
bool ExtraCopyFilter::is_gain(std::span<const Candidate> candidates, int64_t begin, int64_t end) const {
    for (int64_t at = begin; at < end; at += k_copy_bin_bp) {
        if (copies_.at(at) != usual_copies_ + 1) return false;
    }
    std::array<int64_t, 3> alleles{};
    for (const Candidate& candidate : candidates) {
        if (candidate.kind != CandidateKind::snp || candidate.begin < begin || candidate.begin >= end ||
            candidate.support < k_min_support)
            continue;
        const int32_t depth = evidence_->depth_at(candidate.begin);
        const auto support = static_cast<int32_t>(candidate.support);
        ++alleles[!is_partial(support, depth) ? 2 : support * 2 > depth ? 1 : 0];
    }
    int64_t odds = 0;
    for (size_t i = 0; i < alleles.size(); ++i)
        odds += alleles[i] * log_of_ratio(static_cast<uint64_t>(k_own_percent[i]),
                                          static_cast<uint64_t>(k_foreign_percent[i]));
    return odds >= k_min_gain_odds;
}

void ExtraCopyFilter::count(const Evidence& evidence, std::span<const Candidate> candidates) {
    evidence_ = &evidence;
    sum_depths(std::span(evidence.depth).first(static_cast<size_t>(evidence.end - evidence.begin)));
    find_usual_depth();
    partial_alleles_.clear();
    fractions_.clear();
    for (const Candidate& candidate : candidates) {
        if (candidate.kind != CandidateKind::snp) continue;
        const int32_t depth = evidence.depth_at(candidate.begin);
        const auto support = static_cast<int32_t>(candidate.support);
        if (!is_partial(support, depth)) continue;
        partial_alleles_.push_back(candidate.begin);
        if (support < k_min_support) continue;
        fractions_.push_back({candidate.begin, support, depth, evidence.arena[candidate.allele.alternate]});
    }
}

void ExtraCopyFilter::sum_depths(std::span<const int32_t> depths) {
    depth_sums_.resize(depths.size() + 1);  // the first one stays 0
    int32_t highest = 0;
    for (size_t i = 0; i < depths.size(); ++i) {
        depth_sums_[i + 1] = depth_sums_[i] + depths[i];
        highest = std::max(highest, depths[i]);
    }
    positions_of_depth_.assign(static_cast<size_t>(highest) + 1, 0);
    for (const int32_t depth : depths) ++positions_of_depth_[static_cast<size_t>(depth)];
}

void ExtraCopyFilter::find_usual_depth() {
    const size_t covered = depth_sums_.size() - 1 - positions_of_depth_[0];
    usual_depth_ = 0;
    if (covered == 0) return;
    // The lower quartile, as the copy may cover most of the window.
    const size_t before = covered * k_quartile_percent / 100;
    int64_t quartile = 1;
    for (size_t seen = positions_of_depth_[1]; seen <= before; ++quartile)
        seen += positions_of_depth_[static_cast<size_t>(quartile) + 1];
    // An estimate of the median: the lower quartile of counts is two thirds of a standard deviation below it.
    usual_depth_ = quartile + integer_root(quartile * k_quartile_variance[0] / k_quartile_variance[1]);
}

void ExtraCopyFilter::choose_expected_depth(std::span<const int64_t> diploid_depth, int32_t usual_copies,
                                            bool is_uneven) {
    diploid_depth_.assign(diploid_depth.begin(), diploid_depth.end());
    const int64_t own = usual_depth_ * 256 * 2 / std::max(1, usual_copies);
    if (!diploid_depth_.empty()) {
        const int64_t highest = *std::max_element(diploid_depth_.begin(), diploid_depth_.end());
        if (own > highest * k_max_depth_ratio) diploid_depth_.clear();
    }
    depth_is_of_sample_ = !diploid_depth_.empty();
    // At the ends of what is covered depth rises over the length of a fragment: over most of a short contig.
    const auto covered_bp = static_cast<int64_t>(depth_sums_.size() - 1 - positions_of_depth_[0]);
    const bool is_unknown = is_uneven || covered_bp < k_min_gain_bp;
    if (!depth_is_of_sample_)
        diploid_depth_.assign(
            static_cast<size_t>((evidence_->end - evidence_->begin + k_copy_bin_bp - 1) / k_copy_bin_bp),
            is_unknown ? 0 : own);
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

/// Alleles that a part of the reads has, too many for the sample's own two copies.
bool ExtraCopyFilter::is_dense(int64_t begin, int64_t end) const {
    const auto first = std::lower_bound(all_partial_alleles_.begin(), all_partial_alleles_.end(), begin);
    const int64_t alleles = std::lower_bound(first, all_partial_alleles_.end(), end) - first;
    return alleles >= k_min_alleles && alleles * 10'000 >= (end - begin) * k_min_alleles_per_10kb;
}

/// Most of the reads that the extra copies have at the position were taken out.
bool ExtraCopyFilter::is_resolved(int64_t position, int32_t copies) const {
    const int64_t begin = std::max(evidence_->begin, position - k_resolved_reach_bp) - evidence_->begin;
    const int64_t end = std::min(evidence_->end, position + k_resolved_reach_bp) - evidence_->begin;
    const auto sum = [&](const std::vector<int64_t>& sums) {
        return sums[static_cast<size_t>(end)] - sums[static_cast<size_t>(begin)];
    };
    const int64_t all = sum(is_some_taken_ ? all_depth_sums_ : depth_sums_);
    const int64_t taken = all - sum(depth_sums_);
    return taken * copies * 100 >= all * (copies - usual_copies_) * k_resolved_percent;
}

PlaceCopies ExtraCopyFilter::at(int64_t position) const {
    PlaceCopies place{0, std::max(2, usual_copies_)};
    for (const Gain& gain : gains_) {
        if (position >= gain.begin && position < gain.end) place.own = usual_copies_ + 1;
    }
    const auto [begin, end] = copies_.extra_around(position);
    if (begin == end || !is_dense(begin, end)) return place;
    const int64_t least = k_min_depth_percent * 10 * usual_copies_ / 2;
    if (usual_copies_ >= 2 && copies_.depth_permille(begin, end) < least) return place;
    if (!is_resolved(position, copies_.at(position))) place.filters = data::k_filter_high_depth;
    return place;
}

}  // namespace gannet::variants
