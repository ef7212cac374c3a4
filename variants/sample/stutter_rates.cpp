// SPDX-License-Identifier: MIT
// Provides the expectation maximization of stutter.
#include "variants/sample/stutter_rates.hpp"

#include "variants/arithmetic/log_math.hpp"
#include "variants/arithmetic/probability.hpp"
#include "variants/model/genotype.hpp"
#include "variants/sample/gap_quality.hpp"

#include <algorithm>
#include <cstdlib>
#include <span>
#include <utility>

namespace gannet::variants {

namespace {

constexpr int32_t k_reach = GapCounts::k_stutter_reach_bp;
constexpr int32_t k_bins = 2 * k_reach + 1;  // of changes, -k_reach to k_reach bp
constexpr uint64_t k_billion = 1'000'000'000;
constexpr uint64_t k_million = 1'000'000;
constexpr auto k_stutter_steps = sample_numbers<uint64_t, 4>("stutter_steps_per_mille");
constexpr uint64_t k_other = sample_number("stutter_part_per_mille");
constexpr uint64_t k_max_rate = k_billion / 100 * sample_number("stutter_max_percent");
constexpr int k_stutter_rounds = sample_number("stutter_rounds");

constexpr auto k_homopolymer = genotype_numbers<int16_t, 13>("prior_homopolymer_centi");
constexpr auto k_period_2 = genotype_numbers<int16_t, 9>("prior_period_2_centi");
constexpr auto k_period_3_to_6 = genotype_numbers<int16_t, 8>("prior_period_3_to_6_centi");
constexpr int32_t k_indel = genotype_number("prior_indel_centi");
constexpr int32_t k_further_bases = genotype_number("prior_further_bases_centi");
constexpr int32_t k_further_copies = genotype_number("prior_further_copies_centi");
constexpr int32_t k_both = genotype_number("prior_both_centi");

/// Of a change of -k_reach to k_reach bp: its copies; 0 of a part of a unit. So much or more of longer units
/// is one copy.
int32_t copies_of(int32_t change, size_t period) {
    const auto unit = static_cast<int32_t>(std::min<size_t>(period, k_reach));
    return change % unit == 0 ? change / unit : 0;
}

/// Of the changed reads, by the change to their haplotype; where more is one copy, so are two copies.
uint64_t share_per_mille(int32_t change, size_t period) {
    if (period >= static_cast<size_t>(k_reach)) {
        if (std::abs(change) < k_reach) return k_other;
        return change < 0 ? k_stutter_steps[0] + k_stutter_steps[1] : k_stutter_steps[2] + k_stutter_steps[3];
    }
    switch (copies_of(change, period)) {
        case -2:
            return k_stutter_steps[0];
        case -1:
            return k_stutter_steps[1];
        case 1:
            return k_stutter_steps[2];
        case 2:
            return k_stutter_steps[3];
        default:
            return k_other;
    }
}

/// log10 x 100 of a haplotype that differs so much from the reference.
int32_t prior_centi(int32_t change, size_t period, size_t reference_bp) {
    const int32_t copies = std::abs(copies_of(change, period));
    if (copies == 0) return k_indel;
    const size_t usual = reference_bp / period;
    const auto of_copies = [usual](std::span<const int16_t> table) -> int32_t {
        return table[std::min(usual, table.size() - 1)];
    };
    const int32_t one = period == 1   ? of_copies(k_homopolymer)
                        : period == 2 ? of_copies(k_period_2)
                                      : of_copies(k_period_3_to_6);
    return copies == 1 ? one : std::max(k_indel, one + (period == 1 ? k_further_bases : k_further_copies));
}

/// A repeat whose reads have several lengths, at rates of stutter so far.
class VariedRepeat {
  public:
    VariedRepeat(const GapCounts::Varied& varied, const GapRatios& ratios) : varied_(varied) {
        for (size_t h = 0; h < k_bins; ++h) {
            if (varied.reads[h] == 0) continue;
            const int64_t length = GapCounts::changed_length(varied.length, varied.period, change_of(h));
            lengths_[h] = length;
            usual_[h] =
                std::min(k_billion, stutter_per_billion(usual_gap_qualities(), length, varied.period));
            const uint64_t rate =
                std::min(k_max_rate, usual_[h] * ratios.of_length(length, varied.period) / k_million);
            for (size_t k = 0; k < k_bins; ++k) {
                const int32_t change = change_of(k) - change_of(h);
                read_billionths_[h][k] =
                    k == h ? k_billion - rate
                           : std::max<uint64_t>(1, rate * share_per_mille(change, varied.period) / 1000);
            }
        }
    }

    /// Adds its reads to `sums`, in which changed reads are counted in millionths.
    void count(GapCounts& sums) {
        int64_t best = k_log_zero;
        for_each_genotype([&](size_t a, size_t b) {
            genotypes_[a][b] = log_of_genotype(a, b);
            best = std::max(best, genotypes_[a][b]);
        });
        double all = 0;
        const auto probability = [&](size_t a, size_t b) {
            const int64_t phred = (best - genotypes_[a][b]) * 10 / k_log_scale;
            return probability_of_phred(static_cast<int32_t>(std::min<int64_t>(phred, k_max_phred)));
        };
        for_each_genotype([&](size_t a, size_t b) { all += probability(a, b); });
        for_each_genotype([&](size_t a, size_t b) {
            const auto weight = static_cast<uint64_t>(probability(a, b) / all * double{k_million});
            if (weight == 0) return;
            for (size_t k = 0; k < k_bins; ++k) {
                if (varied_.reads[k] == 0) continue;
                const uint64_t of_a =
                    weight * read_billionths_[a][k] / (read_billionths_[a][k] + read_billionths_[b][k]);
                add(sums, a, k, of_a);
                add(sums, b, k, weight - of_a);
            }
        });
    }

  private:
    static int32_t change_of(size_t bin) { return static_cast<int32_t>(bin) - k_reach; }

    /// The two lengths are of reads.
    template <class Visit>
    void for_each_genotype(Visit&& visit) const {
        for (size_t a = 0; a < k_bins; ++a) {
            if (varied_.reads[a] == 0) continue;
            for (size_t b = a; b < k_bins; ++b) {
                if (varied_.reads[b] != 0) visit(a, b);
            }
        }
    }

    int64_t log_of_genotype(size_t a, size_t b) const {
        int64_t log = prior_of(a, b);
        for (size_t k = 0; k < k_bins; ++k) {
            if (varied_.reads[k] == 0) continue;
            log += int64_t{varied_.reads[k]} *
                   log_of_ratio(read_billionths_[a][k] + read_billionths_[b][k], 2 * k_billion);
        }
        return log;
    }

    int64_t prior_of(size_t a, size_t b) const {
        const auto one = [&](size_t h) { return prior_centi(change_of(h), varied_.period, varied_.length); };
        constexpr size_t k_reference = k_reach;
        if (a == b) return a == k_reference ? 0 : log_of_centi(one(a)) + k_log_half;
        if (a == k_reference) return log_of_centi(one(b));
        if (b == k_reference) return log_of_centi(one(a));
        return log_of_centi(std::min(one(a), one(b)) + k_both);
    }

    void add(GapCounts& sums, size_t haplotype, size_t bin, uint64_t weight) const {
        const uint64_t reads = varied_.reads[bin] * weight;
        GapCounts::Count& count = sums.count_of(lengths_[haplotype], varied_.period);
        if (bin != haplotype) count.changed += reads;
        count.expected_billionths += reads / 1000 * usual_[haplotype] / 1000;
    }

    const GapCounts::Varied& varied_;
    std::array<int64_t, k_bins> lengths_{};
    std::array<uint64_t, k_bins> usual_{};  // reads per 10^9 that a usual library changes
    std::array<std::array<uint64_t, k_bins>, k_bins> read_billionths_{};  // by haplotype, then read
    std::array<std::array<int64_t, k_bins>, k_bins> genotypes_{};         // log10 x 65536
};

/// Millionths to whole numbers.
void to_reads(std::span<GapCounts::Count> counts) {
    for (GapCounts::Count& count : counts) count.changed = (count.changed + k_million / 2) / k_million;
}

}  // namespace

GapCounts with_varied_repeats(const GapCounts& counts) {
    GapCounts alike = counts;
    const std::vector<GapCounts::Varied> varied = std::exchange(alike.varied, {});
    GapCounts all = alike;
    for (int round = 0; round < k_stutter_rounds; ++round) {
        const GapRatios ratios = round == 0 ? gap_ratios_of({}) : gap_ratios_of(all);
        GapCounts sums;
        for (const GapCounts::Varied& repeat : varied) VariedRepeat(repeat, ratios).count(sums);
        to_reads(sums.homopolymer);
        to_reads(sums.period_2);
        to_reads(sums.longer);
        all = alike;
        all.add(sums);
    }
    return all;
}

}  // namespace gannet::variants
