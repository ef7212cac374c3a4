// SPDX-License-Identifier: MIT
// Provides the HighDepth filter: more copies than the reference has, amid alleles that only some of them
// have.
#include "variants/alleles/extra_copy_filter.hpp"

#include "variants/arithmetic/integer_root.hpp"
#include "variants/arithmetic/log_math.hpp"
#include "variants/model/alleles.hpp"
#include "variants/model/sequence.hpp"

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
// Where pairs over its junction show a tandem copy.
constexpr int64_t k_max_count_odds =
    alleles_number("tandem_max_count_odds_log10") * int64_t{k_log_scale};  // of own_odds
constexpr int64_t k_min_tandem_odds = alleles_number("tandem_min_odds_log10") * int64_t{k_log_scale};
constexpr int64_t k_min_percent = alleles_number("tandem_min_percent");  // fragments, of a copy's depth
constexpr int32_t k_max_tandem_gain = alleles_number("tandem_max_gain");
constexpr int64_t k_max_tested = sequence_number("exact_test_max_count");
static_assert(2 * k_max_tested <= log_tables::k_max_factorial);
constexpr int64_t k_bp_per_allele = alleles_number("tandem_bp_per_allele");  // before any is seen
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
                           const WindowDepth& depth, int32_t usual_copies,
                           std::span<const TandemCopy> tandem) {
    usual_copies_ = usual_copies;
    deviation_percent_ = depth.deviation_percent;
    count(evidence, candidates);
    choose_expected_depth(depth.diploid, usual_copies, depth.is_uneven);
    copies_.load(evidence, fractions_, {diploid_depth_, depth_is_of_sample_, deviation_percent_},
                 usual_copies);
    find_gains(candidates, tandem);
    copies_left_ = copies_;
    all_partial_alleles_ = partial_alleles_;
    is_some_taken_ = false;
}

void ExtraCopyFilter::load_remaining(const Evidence& evidence, std::span<const Candidate> candidates) {
    if (!is_some_taken_) all_depth_sums_.swap(depth_sums_);
    is_some_taken_ = true;
    count(evidence, candidates);
    copies_left_.load(evidence, fractions_, {diploid_depth_, depth_is_of_sample_, deviation_percent_},
                      usual_copies_);
    for (const Gain& gain : gains_) copies_left_.set_usual(gain.begin, gain.end);
}

void ExtraCopyFilter::find_gains(std::span<const Candidate> candidates, std::span<const TandemCopy> tandem) {
    gains_.clear();
    if (!depth_is_of_sample_ || usual_copies_ < 2) return;
    for (const TandemCopy& copy : tandem) {
        if (const auto gain = tandem_gain(candidates, copy)) gains_.push_back(*gain);
    }
    // The depth of a bin is not all of one number of copies where the stretch begins or ends.
    for (const Gain& gain : gains_) copies_.set_usual(gain.begin - k_copy_bin_bp, gain.end + k_copy_bin_bp);
    for (int64_t at = evidence_->begin; at < evidence_->end;) {
        const auto [begin, end] = copies_.extra_around(at);
        at = std::max(at + k_copy_bin_bp, end);
        const Gain gain{begin, end, usual_copies_ + 1};
        if (end - begin < k_min_gain_bp || !is_one_more(begin, end)) continue;
        if (own_odds(candidates, gain) + density_odds(gain) < k_min_gain_odds) continue;
        gains_.push_back(gain);
        copies_.set_usual(begin, end);
    }
}

/// As many copies as the depth of the bins that are all inside says. Where as much sequence beside it is deep
/// too, the copies are of another kind.
std::optional<ExtraCopyFilter::Gain> ExtraCopyFilter::tandem_gain(std::span<const Candidate> candidates,
                                                                  const TandemCopy& tandem) const {
    const int64_t begin = std::max(tandem.begin, evidence_->begin);
    const int64_t end = std::min(tandem.end, evidence_->end);
    const int64_t first = (begin - evidence_->begin + k_copy_bin_bp - 1) / k_copy_bin_bp;
    const int64_t last = (end - evidence_->begin) / k_copy_bin_bp;
    if (first >= last) return std::nullopt;
    const int64_t from = evidence_->begin + first * k_copy_bin_bp;
    const int64_t to = evidence_->begin + last * k_copy_bin_bp;
    const Gain gain{begin, end, copies_by_depth(from, to)};
    if (gain.copies <= usual_copies_ || gain.copies > usual_copies_ + k_max_tandem_gain) return std::nullopt;
    const auto is_deep = [this](int64_t beside_begin, int64_t beside_end) {
        const int64_t left = std::max(beside_begin, evidence_->begin);
        const int64_t right = std::min(beside_end, evidence_->end);
        return left < right && copies_by_depth(left, right) > usual_copies_;
    };
    const int64_t bp = to - from;
    if (is_deep(from - k_copy_bin_bp - bp, from - k_copy_bin_bp) ||
        is_deep(to + k_copy_bin_bp, to + k_copy_bin_bp + bp))
        return std::nullopt;
    if (tandem.fragments * int64_t{256 * 2 * 100} < copies_.diploid_depth_x256(from, to) * k_min_percent)
        return std::nullopt;
    // A place whose alleles are of many sequences has many of all counts.
    const int64_t counts = std::min(own_odds(candidates, gain), k_max_count_odds);
    if (counts + density_odds(gain) < k_min_tandem_odds) return std::nullopt;
    return gain;
}

int32_t ExtraCopyFilter::copies_by_depth(int64_t begin, int64_t end) const {
    return static_cast<int32_t>((copies_.depth_permille(begin, end) * 2 + 500) / 1000);
}

/// log10 of the odds, x 65536, of as many partial alleles as the sample's two haplotypes have, which the
/// usual copies beside the stretch tell (a negative binomial), against any number n, with the probability
/// 1 / (n + 1): a diverged copy adds alleles of its own.
int64_t ExtraCopyFilter::density_odds(const Gain& gain) const {
    const auto is_inside = [&gain](int64_t at) { return at >= gain.begin && at < gain.end; };
    int64_t inside = 0;
    int64_t beside = 0;
    for (const AlleleFraction& allele : fractions_) {
        if (is_inside(allele.position))
            ++inside;
        else if (copies_.at(allele.position) == usual_copies_)
            ++beside;
    }
    int64_t seen_bp = k_bp_per_allele;
    for (int64_t at = evidence_->begin; at < evidence_->end; at += k_copy_bin_bp) {
        if (!is_inside(at) && copies_.at(at) == usual_copies_) seen_bp += k_copy_bin_bp;
    }
    const auto n = static_cast<int32_t>(std::min(inside, k_max_tested));
    const auto size = static_cast<int32_t>(std::min(beside + 1, k_max_tested));
    const int64_t bp = gain.end - gain.begin;
    const auto both = static_cast<uint64_t>(seen_bp + bp);
    const int64_t own = log_factorial(n + size - 1) - log_factorial(size - 1) - log_factorial(n) +
                        size * int64_t{log_of_ratio(static_cast<uint64_t>(seen_bp), both)} +
                        n * int64_t{log_of_ratio(static_cast<uint64_t>(bp), both)};
    return own + log_of(static_cast<uint64_t>(n) + 1);
}

bool ExtraCopyFilter::is_one_more(int64_t begin, int64_t end) const {
    for (int64_t at = begin; at < end; at += k_copy_bin_bp) {
        if (copies_.at(at) != usual_copies_ + 1) return false;
    }
    return true;
}

/// log10 of the odds, x 65536, that the further copies are the sample's own, by the numbers of SNV alleles
/// that at most half of the reads and more of them have. How many are on all of three copies says nothing: a
/// block of one haplotype may have any number, whoever's copy is added. Of two more, alleles of a diverged
/// copy that both haplotypes have are in half of the reads, as are those of one of two haplotypes: only
/// alleles of all speak for these.
int64_t ExtraCopyFilter::own_odds(std::span<const Candidate> candidates, const Gain& gain) const {
    std::array<int64_t, 3> alleles{};
    for (const Candidate& candidate : candidates) {
        if (candidate.kind != CandidateKind::snp || candidate.begin < gain.begin ||
            candidate.begin >= gain.end || candidate.support < k_min_support)
            continue;
        const int32_t depth = evidence_->depth_at(candidate.begin);
        const auto support = static_cast<int32_t>(candidate.support);
        ++alleles[!is_partial(support, depth) ? 2 : support * 2 > depth ? 1 : 0];
    }
    const auto odds = [](int64_t own, int64_t foreign) {
        return int64_t{log_of_ratio(static_cast<uint64_t>(own), static_cast<uint64_t>(foreign))};
    };
    const auto& own = k_own_percent;
    const auto& foreign = k_foreign_percent;
    const int64_t own_partial = own[0] + own[1];
    const int64_t foreign_partial = foreign[0] + foreign[1];
    if (gain.copies > usual_copies_ + 1)
        return alleles[2] * odds(own[2], foreign[2]) +
               (alleles[0] + alleles[1]) * odds(own_partial, foreign_partial);
    return alleles[0] * odds(own[0] * foreign_partial, foreign[0] * own_partial) +
           alleles[1] * odds(own[1] * foreign_partial, foreign[1] * own_partial);
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
        if (position >= gain.begin && position < gain.end) place.own = gain.copies;
    }
    const auto [begin, end] = copies_.extra_around(position);
    if (begin == end || !is_dense(begin, end)) return place;
    const int64_t least = k_min_depth_percent * 10 * usual_copies_ / 2;
    if (usual_copies_ >= 2 && copies_.depth_permille(begin, end) < least) return place;
    if (!is_resolved(position, copies_.at(position))) place.filters = data::k_filter_high_depth;
    return place;
}

}  // namespace gannet::variants
