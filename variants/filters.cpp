// SPDX-License-Identifier: MIT
// Provides the filters of called variants and the strand test.
#include "variants/filters.hpp"

#include "variants/integer_root.hpp"
#include "variants/log_math.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace gannet::variants {

namespace {

constexpr int32_t k_strand_bias_centi = 4500;  // where hardly any alternate read is of the other strand
constexpr int32_t k_plain_strand_bias_centi = 20000;  // however they are split
constexpr int32_t k_one_sided_percent = 10;
// A heterozygous allele is in half of the reads of either strand. That so few of one strand have it is an
// error that the other strand's reads make, however few of those there are to compare with.
constexpr int32_t k_absent_strand_centi = 4500;
constexpr int32_t k_least_depth = 2;
constexpr int32_t k_most_tested = 500;  // larger counts are scaled down before the strand test

constexpr int64_t k_depth_reach_bp = 250;
constexpr int64_t k_cluster_reach_bp = 500;
constexpr int64_t k_least_cluster = 7;
constexpr int64_t k_excess_percent = 150;  // of the usual depth
// About a place of excess less is excess too: depth falls off where the copy ends.
constexpr int64_t k_flank_bp = 500;
constexpr int64_t k_flank_excess_percent = 125;
constexpr int64_t k_partial_percent = 85;  // of the reads: more have it on both haplotypes

// A heterozygous allele that this few of the fragments carry is more likely another copy's (Phred of the
// binomial tail, times 100).
constexpr int32_t k_allele_bias_centi = 3300;
constexpr int32_t k_doubtful_allele_bias_centi = 2900;  // where the reads' places are in doubt
constexpr int32_t k_doubtful_mapping_quality = 55;
constexpr int32_t k_indel_allele_bias_centi = 6000;  // aligners lose reads of long indels

/// log10(n!) in fixed point.
constexpr std::array<int64_t, 4 * k_most_tested + 1> make_factorials() {
    std::array<int64_t, 4 * k_most_tested + 1> table{};
    double sum = 0;
    double last = 0;  // ln(i)
    for (int i = 2; i <= 4 * k_most_tested; ++i) {
        last += log_tables::natural_log1p(1.0 / (i - 1));
        sum += last / log_tables::k_ln10;
        table[static_cast<size_t>(i)] = static_cast<int64_t>(sum * k_log_scale + 0.5);
    }
    return table;
}

int64_t log_factorial(int32_t n) {
    static constexpr auto k_table = make_factorials();
    return k_table[static_cast<size_t>(n)];
}

/// Scales counts down, all alike, until the table of factorials holds their sum.
template <size_t n>
void scale_down(std::array<int32_t, n>& counts) {
    const int32_t largest = *std::max_element(counts.begin(), counts.end());
    if (largest <= k_most_tested) return;
    for (int32_t& count : counts) count = static_cast<int32_t>(int64_t{count} * k_most_tested / largest);
}

}  // namespace

int32_t allele_bias_centi(int32_t reference, int32_t alternate) {
    std::array<int32_t, 2> n{reference, alternate};
    scale_down(n);
    const int32_t total = n[0] + n[1];
    int64_t sum = std::numeric_limits<int64_t>::min() / 4;
    for (int32_t i = 0; i <= n[1]; ++i) {
        sum = log_add(sum, log_factorial(total) - log_factorial(i) - log_factorial(total - i) +
                               int64_t{total} * k_log_half);
    }
    return static_cast<int32_t>(phred_centi(sum));
}

int32_t strand_bias_centi(const int32_t (&strand_counts)[4]) {
    std::array<int32_t, 4> n{strand_counts[0], strand_counts[1], strand_counts[2], strand_counts[3]};
    scale_down(n);
    const int32_t forward = n[0] + n[2];
    const int32_t reverse = n[1] + n[3];
    const int32_t alternate = n[2] + n[3];
    const int32_t total = forward + reverse;
    const auto log_chance = [&](int32_t alternate_forward) {
        return log_factorial(forward) + log_factorial(reverse) + log_factorial(alternate) +
               log_factorial(total - alternate) - log_factorial(total) - log_factorial(alternate_forward) -
               log_factorial(forward - alternate_forward) - log_factorial(alternate - alternate_forward) -
               log_factorial(reverse - alternate + alternate_forward);
    };
    const int64_t seen = log_chance(n[2]);
    int64_t sum = std::numeric_limits<int64_t>::min() / 4;
    for (int32_t i = std::max(0, alternate - reverse); i <= std::min(alternate, forward); ++i) {
        const int64_t chance = log_chance(i);
        if (chance <= seen + 8) sum = log_add(sum, chance);  // 8: equal but for rounding
    }
    return static_cast<int32_t>(phred_centi(sum));
}

int32_t absent_strand_centi(const int32_t (&strand_counts)[4]) {
    const bool is_forward = strand_counts[2] < strand_counts[3];
    return is_forward ? allele_bias_centi(strand_counts[0], strand_counts[2])
                      : allele_bias_centi(strand_counts[1], strand_counts[3]);
}

void apply_filters(const CallerParameters& parameters, data::Variant& variant) {
    // What all reads have, both copies have.
    if (variant.genotype[0] == variant.genotype[1]) variant.filters &= ~uint32_t{data::k_filter_high_depth};
    if (variant.quality_centi < parameters.minimum_quality_centi)
        variant.filters |= data::k_filter_low_quality;
    if (variant.depth < k_least_depth) variant.filters |= data::k_filter_low_depth;
    const bool is_snp = variant.alleles[0].size() == 1 && variant.alleles[1].size() == 1;
    const int32_t forward = variant.strand_counts[2];
    const int32_t reverse = variant.strand_counts[3];
    const bool is_one_sided = std::min(forward, reverse) * 100 <= (forward + reverse) * k_one_sided_percent;
    const int32_t limit = is_one_sided ? k_strand_bias_centi : k_plain_strand_bias_centi;
    if (strand_bias_centi(variant.strand_counts) > limit) variant.filters |= data::k_filter_strand_bias;
    if (variant.genotype[0] == 0) {
        if (is_snp && is_one_sided && absent_strand_centi(variant.strand_counts) > k_absent_strand_centi) {
            variant.filters |= data::k_filter_strand_bias;
        }
        const int32_t bias = allele_bias_centi(variant.allele_depth[0], variant.allele_depth[1]);
        const int32_t most = !is_snp ? k_indel_allele_bias_centi
                             : variant.mapping_quality < k_doubtful_mapping_quality
                                 ? k_doubtful_allele_bias_centi
                                 : k_allele_bias_centi;
        if (bias > most) variant.filters |= data::k_filter_allele_bias;
    }
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
    if (!sorted_.empty()) {  // the lower quartile: the copy may cover most of the window
        const auto quartile = sorted_.begin() + static_cast<std::ptrdiff_t>(sorted_.size() / 4);
        std::nth_element(sorted_.begin(), quartile, sorted_.end());
        // What the median would be: the quartile of counts lies two thirds of a deviation below.
        usual_depth_ = *quartile + integer_root(int64_t{*quartile} * 4 / 9);
    }
    partial_alleles_.clear();
    for (const Candidate& candidate : candidates) {
        if (candidate.kind != CandidateKind::snp) continue;
        if (candidate.support * 100 > evidence.depth_at(candidate.begin) * k_partial_percent) continue;
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
    // A mean over so many bases has the deviation of a third of the depth, in reads of 150; four of them are
    // no accident.
    const int64_t accidental = 4 * integer_root(usual_depth_ * 100 / 3) / 10;
    const int64_t excess = std::max(usual_depth_ * (percent - 100) / 100, accidental * (percent - 100) / 50);
    return sum > (usual_depth_ + excess) * bases;
}

bool ExtraCopyFilter::is_excess(int64_t position) const {
    return partial_alleles_within(position, k_cluster_reach_bp) >= k_least_cluster &&
           is_deeper(position, k_excess_percent);
}

uint32_t ExtraCopyFilter::at(int64_t position) const {
    const auto nearest = std::lower_bound(excess_.begin(), excess_.end(), position - k_flank_bp);
    if (nearest == excess_.end() || *nearest > position + k_flank_bp) return 0;
    return is_deeper(position, k_flank_excess_percent) ? uint32_t{data::k_filter_high_depth} : 0;
}

}  // namespace gannet::variants
