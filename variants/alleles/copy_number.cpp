// SPDX-License-Identifier: MIT
// Provides the hidden Markov model of copy numbers along a window.
#include "variants/alleles/copy_number.hpp"

#include "variants/arithmetic/log_math.hpp"
#include "variants/model/alleles.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace gannet::variants {

namespace {

// Bases of aligned reads per independent observation: neighbouring bases have the same reads, and mates and
// the rest of the GC bias add to the variance of counts of reads.
constexpr int64_t k_bases_per_observation = alleles_number("copies_bases_per_observation");
// A depth within this of the expected one says nothing against the copy number.
constexpr int64_t k_slack_percent = alleles_number("copies_slack_percent");
// Of a sample whose depth varies by more than that, so many neighbouring bins vary alike.
constexpr int64_t k_bins_alike = alleles_number("copies_bins_alike");
// Per bin: beyond, errors are not those of chance.
constexpr int64_t k_max_observations = alleles_number("copies_max_observations");

constexpr auto k_states = CopyNumber::make_states();

constexpr LogProbability k_change = alleles_number("copies_change_log10") * k_log_scale;
constexpr LogProbability k_first_unusual = alleles_number("copies_first_unusual_log10") * k_log_scale;

// An allele says no more than this against a copy number: alignments make odd fractions.
constexpr LogProbability k_max_allele_shortfall = alleles_number("copies_max_allele_log10") * k_log_scale;
constexpr int32_t k_max_allele_reads = alleles_number("copies_max_allele_reads");
// Alleles of the same reads say the same: of more than this per read, all together say as much as so many.
constexpr int64_t k_alleles_per_read = alleles_number("copies_alleles_per_read");
constexpr int64_t k_full_weight = 256;
// Of ten alleles in a stretch, nine are on the same copies.
constexpr LogProbability k_as_the_stretch = alleles_number("copies_as_the_stretch_log");  // log10(0.9)
constexpr LogProbability k_otherwise = alleles_number("copies_otherwise_log10") * k_log_scale;

/// log10 of Poisson(count; mean) relative to that of the best mean, for the mean within the slack of the
/// given one that is nearest to the count. Both are x 256.
int64_t depth_score(int64_t count_x256, int64_t mean_x256) {
    const int64_t low = mean_x256 * (100 - k_slack_percent) / 100;
    const int64_t high = mean_x256 * (100 + k_slack_percent) / 100;
    const int64_t nearest = std::clamp(count_x256, low, high);
    if (nearest == count_x256) return 0;
    const int64_t chance = count_x256 > 0 ? count_x256 * log_of_halved_ratio(nearest, count_x256) : 0;
    return (chance - (nearest - count_x256) * k_log_e) / 256;
}

/// In percent^2: the variance of the relative depth of bins that vary alike, summed over them, beyond the
/// slack.
int64_t variance_of_bins(int64_t deviation_percent) {
    return k_bins_alike *
           std::max<int64_t>(0, deviation_percent * deviation_percent - k_slack_percent * k_slack_percent);
}

/// By fraction of reads j / copies, j from 1: log10 of how much worse it explains the allele than the
/// observed fraction.
std::array<int64_t, k_max_copies> fraction_scores(int32_t support, int32_t depth, int32_t copies) {
    int64_t k = support;
    int64_t n = depth;
    if (n > k_max_allele_reads) {
        k = (k * k_max_allele_reads + n / 2) / n;
        n = k_max_allele_reads;
    }
    std::array<int64_t, k_max_copies> scores{};
    for (int64_t j = 1; j < copies; ++j) {
        int64_t& score = scores[static_cast<size_t>(j)];
        if (k > 0) score += k * (log_of_halved_ratio(j, copies) - log_of_halved_ratio(k, n));
        if (k < n)
            score += (n - k) * (log_of_halved_ratio(copies - j, copies) - log_of_halved_ratio(n - k, n));
    }
    return scores;
}

/// log10 probability that an allele is on `copies_with` of the copies. `shared`: how many have the alleles of
/// the stretch; 0: not known.
LogProbability sharing_prior(int32_t copies, int32_t shared, int32_t copies_with) {
    if (copies == 2) return 0;
    if (shared == 0) return -near_log_of(static_cast<size_t>(copies - 1));
    if (copies_with == shared) return k_as_the_stretch;
    return k_otherwise - near_log_of(static_cast<size_t>(copies - 2));
}

}  // namespace

size_t CopyNumber::bin_of(int64_t position) const {
    const int64_t bin = (position - begin_) / k_copy_bin_bp;
    return static_cast<size_t>(std::clamp<int64_t>(bin, 0, static_cast<int64_t>(copies_.size()) - 1));
}

/// The last one may be shorter.
int64_t CopyNumber::bases_of(size_t bin) const {
    return std::min(k_copy_bin_bp, end_ - begin_ - static_cast<int64_t>(bin) * k_copy_bin_bp);
}

void CopyNumber::load(const Evidence& evidence, std::span<const AlleleFraction> alleles,
                      const CopyDepth& depth, int32_t usual_copies) {
    begin_ = evidence.begin;
    end_ = evidence.end;
    usual_copies_ = usual_copies;
    depth_is_of_sample_ = depth.is_of_sample;
    variance_of_bins_ = variance_of_bins(depth.deviation_percent);
    const std::span<const int64_t> diploid_depth = depth.diploid;
    const size_t bins = diploid_depth.size();
    copies_.assign(bins, usual_copies);
    depths_.assign(bins, 0);
    expected_depths_.assign(bins, 0);
    if (bins == 0) return;
    scores_.assign(bins, Scores{});
    for (size_t bin = 0; bin < bins; ++bin) {
        if (diploid_depth[bin] > 0) add_depth(evidence, bin, diploid_depth[bin]);
    }
    allele_counts_.assign(bins, 0);
    for (const AlleleFraction& allele : alleles) ++allele_counts_[bin_of(allele.position)];
    for (const AlleleFraction& allele : alleles)
        add_allele(allele, depth.is_of_sample, weight_of(bin_of(allele.position), evidence.read_span));
    trace(bins);
}

/// Over the bins of [begin, end) whose depth is known; none where it is the window's own.
CopyNumber::DepthSums CopyNumber::depth_sums(int64_t begin, int64_t end) const {
    DepthSums sums;
    if (!depth_is_of_sample_ || depths_.empty() || begin >= end) return sums;
    for (size_t bin = bin_of(begin); bin <= bin_of(end - 1); ++bin) {
        if (expected_depths_[bin] == 0) continue;
        sums.depth += depths_[bin];
        sums.expected += expected_depths_[bin];
        sums.bases += bases_of(bin);
    }
    return sums;
}

int64_t CopyNumber::depth_permille(int64_t begin, int64_t end) const {
    const DepthSums sums = depth_sums(begin, end);
    return sums.expected > 0 ? sums.depth * 1000 / sums.expected : 1000 * int64_t{k_max_copies};
}

int64_t CopyNumber::diploid_depth_x256(int64_t begin, int64_t end) const {
    const DepthSums sums = depth_sums(begin, end);
    return sums.bases > 0 ? sums.expected * 256 / sums.bases : 0;
}

/// Of the alleles of a bin, in parts of k_full_weight.
int64_t CopyNumber::weight_of(size_t bin, int64_t read_span) const {
    const int64_t on_reads = allele_counts_[bin] * read_span;
    if (on_reads <= k_alleles_per_read * k_copy_bin_bp) return k_full_weight;
    return k_full_weight * k_alleles_per_read * k_copy_bin_bp / on_reads;
}

void CopyNumber::add_depth(const Evidence& evidence, size_t bin, int64_t diploid_depth) {
    const auto begin = evidence.depth.begin() + static_cast<std::ptrdiff_t>(bin * size_t{k_copy_bin_bp});
    const int64_t length = bases_of(bin);
    const int64_t sum = std::accumulate(begin, begin + length, int64_t{0});
    depths_[bin] = sum;
    expected_depths_[bin] = diploid_depth * length / 256;
    int64_t mean = diploid_depth * length / k_bases_per_observation;
    int64_t count = sum * 256 / k_bases_per_observation;
    if (mean > k_max_observations * 256) {
        count = count * k_max_observations * 256 / mean;
        mean = k_max_observations * 256;
    }
    // As few observations as vary by chance as much as these do in all: 1 / fewer = 1 / mean + variance.
    if (variance_of_bins_ > 0) {
        constexpr int64_t k_centi = 100;
        const int64_t whole = 256 * k_centi * k_centi;
        const int64_t times = whole + mean * variance_of_bins_;
        count = count * whole / times;
        mean = std::max<int64_t>(1, mean * whole / times);
    }
    std::array<int64_t, k_max_copies> scores{};
    for (int32_t copies = 1; copies <= k_max_copies; ++copies) {
        int64_t expected = mean * copies / 2;
        if (copies == k_max_copies) expected = std::max(expected, count);  // and all higher numbers
        scores[static_cast<size_t>(copies - 1)] = depth_score(count, expected);
    }
    for (size_t s = 0; s < k_states.size(); ++s)
        scores_[bin][s] = scores[static_cast<size_t>(k_states[s].copies - 1)];
}

void CopyNumber::add_allele(const AlleleFraction& allele, bool is_shared, int64_t weight) {
    Scores& scores = scores_[bin_of(allele.position)];
    std::array<int64_t, k_max_copies> fits{};
    for (size_t s = 0; s < k_states.size(); ++s) {
        const auto [copies, shared] = k_states[s];
        if (shared <= 1) fits = fraction_scores(allele.support, allele.depth, copies);
        int64_t best = copies == 1 ? -k_max_allele_shortfall : std::numeric_limits<int64_t>::min();
        for (int32_t j = 1; j < copies; ++j) {
            const int64_t fit = std::max<int64_t>(-k_max_allele_shortfall, fits[static_cast<size_t>(j)]);
            best = std::max(best, fit + sharing_prior(copies, is_shared ? shared : 0, j));
        }
        scores[s] += best * weight / k_full_weight;
    }
}

/// The best path (Viterbi); of equal ones, the one with fewer copies.
void CopyNumber::trace(size_t bins) {
    from_.assign(bins, {});
    for (size_t s = 0; s < k_states.size(); ++s) {
        if (k_states[s].copies != usual_copies_) scores_[0][s] += k_first_unusual;
    }
    for (size_t bin = 1; bin < bins; ++bin) {
        const Scores& before = scores_[bin - 1];
        const auto best =
            static_cast<size_t>(std::max_element(before.begin(), before.end()) - before.begin());
        for (size_t s = 0; s < k_states.size(); ++s) {
            const bool stays = before[s] >= before[best] + k_change;
            from_[bin][s] = static_cast<uint8_t>(stays ? s : best);
            scores_[bin][s] += stays ? before[s] : before[best] + k_change;
        }
    }
    const Scores& last = scores_.back();
    auto state = static_cast<size_t>(std::max_element(last.begin(), last.end()) - last.begin());
    for (size_t bin = bins; bin-- > 0;) {
        copies_[bin] = k_states[state].copies;
        state = from_[bin][state];
    }
}

void CopyNumber::set_usual(int64_t begin, int64_t end) {
    if (copies_.empty() || begin >= end) return;
    for (size_t bin = bin_of(begin); bin <= bin_of(end - 1); ++bin) copies_[bin] = usual_copies_;
}

int32_t CopyNumber::at(int64_t position) const {
    return copies_.empty() ? usual_copies_ : copies_[bin_of(position)];
}

std::pair<int64_t, int64_t> CopyNumber::extra_around(int64_t position) const {
    if (at(position) <= usual_copies_) return {position, position};
    size_t first = bin_of(position);
    size_t last = first + 1;
    while (first > 0 && copies_[first - 1] > usual_copies_) --first;
    while (last < copies_.size() && copies_[last] > usual_copies_) ++last;
    return {begin_ + static_cast<int64_t>(first) * k_copy_bin_bp,
            begin_ + static_cast<int64_t>(last) * k_copy_bin_bp};
}

}  // namespace gannet::variants
