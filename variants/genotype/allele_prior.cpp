// SPDX-License-Identifier: MIT
// Provides the tables of priors of alleles.
#include "variants/genotype/allele_prior.hpp"

#include "variants/model/genotype.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

namespace gannet::variants {

namespace {

constexpr LogProbability k_indel_prior = log_of_centi(genotype_number("prior_indel_centi"));
// log10 x 100 of one copy more or less, by copies; more copies have the last. Rounded to tenths, and never
// less than that of fewer copies.
constexpr auto k_homopolymer = genotype_numbers<int16_t, 13>("prior_homopolymer_centi");
constexpr auto k_period_2 = genotype_numbers<int16_t, 9>("prior_period_2_centi");
constexpr auto k_period_3_to_6 = genotype_numbers<int16_t, 8>("prior_period_3_to_6_centi");
constexpr int32_t k_longest_unit = genotype_number("prior_max_unit_bp");
// Two copies or more at once.
constexpr LogProbability k_further_bases =
    log_of_centi(genotype_number("prior_further_bases_centi"));  // of a homopolymer
constexpr LogProbability k_further_copies =
    log_of_centi(genotype_number("prior_further_copies_centi"));  // of a longer unit
// Units of 7 bases and more: too few were counted.
constexpr int32_t k_usual_copies = genotype_number("prior_long_unit_usual_copies");
constexpr LogProbability k_gain_per_copy = log_of_centi(genotype_number("prior_long_unit_gain_centi"));
constexpr LogProbability k_max_long_unit_prior = log_of_centi(genotype_number("prior_long_unit_max_centi"));
// Two alternate alleles: the share of the rarer one's prior. Long repeats have more, since both haplotypes
// change.
constexpr LogProbability k_both_in_long_repeats =
    log_of_centi(genotype_number("prior_both_in_long_repeats_centi"));
constexpr int32_t k_long_homopolymer = genotype_number("prior_long_homopolymer_bp");
constexpr int32_t k_long_repeat_bp = genotype_number("prior_long_repeat_bp");  // of longer units

bool is_long(const RepeatContext& repeat) {
    return repeat.period == 1 ? repeat.copies >= k_long_homopolymer
                              : repeat.period * repeat.copies >= k_long_repeat_bp;
}

/// Where the library changes the length more often, a second one is more often its own than the sample's.
bool has_usual_stutter(const GapQualityTable& gaps) { return gaps.is_measured && !has_much_stutter(gaps); }

std::span<const int16_t> table_of(int32_t period) {
    if (period == 1) return k_homopolymer;
    return period == 2 ? std::span<const int16_t>(k_period_2) : k_period_3_to_6;
}

/// Of one copy more or one less.
LogProbability copy_change_prior(int32_t period, int32_t copies) {
    const std::span<const int16_t> table = table_of(period);
    return log_of_centi(table[std::min(static_cast<size_t>(copies), table.size() - 1)]);
}

}  // namespace

AllelePrior allele_prior(const ReferenceSlice& slice, const Allele& allele,
                         const std::vector<data::Base>& arena, const GapQualityTable& gaps) {
    if (!allele.is_indel()) return k_snp_prior;
    const RepeatContext repeat = repeat_of(slice, allele, arena);
    if (repeat.period > k_longest_unit) {
        return std::min(k_max_long_unit_prior,
                        k_indel_prior + std::max(0, repeat.copies - k_usual_copies) * k_gain_per_copy);
    }
    AllelePrior prior(copy_change_prior(repeat.period, repeat.copies));
    if (is_long(repeat) && has_usual_stutter(gaps)) prior.both = k_both_in_long_repeats;
    const int32_t changed = std::max(allele.reference_length, allele.alternate_length) / repeat.period;
    if (changed > 1) {
        const LogProbability further = repeat.period == 1 ? k_further_bases : k_further_copies;
        prior.one = std::max(k_indel_prior, prior.one + further);
    }
    return prior;
}

}  // namespace gannet::variants
