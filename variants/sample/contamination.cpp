// SPDX-License-Identifier: MIT
// Provides the parts and priors of fragments of another person.
#include "variants/sample/contamination.hpp"

#include "variants/arithmetic/log_math.hpp"
#include "variants/model/sample.hpp"

namespace gannet::variants {

namespace {

constexpr uint64_t k_million = 1'000'000;
// Of the genotypes that differ from a homozygous sample's, by copies of the allele that it lacks.
LogProbability log_of_part(const std::array<uint64_t, 2>& ratio) { return log_of_ratio(ratio[0], ratio[1]); }
const LogProbability k_one_reference_copy =
    log_of_part(sample_numbers<uint64_t, 2>("contamination_prior_one_reference_copy"));
const LogProbability k_two_reference_copies =
    log_of_part(sample_numbers<uint64_t, 2>("contamination_prior_two_reference_copies"));
const LogProbability k_two_variant_copies =
    log_of_part(sample_numbers<uint64_t, 2>("contamination_prior_two_variant_copies"));

}  // namespace

Contamination::Contamination(int32_t parts_per_million) : parts_per_million_(parts_per_million) {
    if (none()) return;
    for (size_t copies = 0; copies < other.size(); ++copies) {
        const uint64_t part = static_cast<uint64_t>(parts_per_million) * (copies + 1) / 2;
        other[copies] = log_of_ratio(part, k_million);
        own[copies] = log_of_ratio(k_million - part, k_million);
    }
}

std::array<LogProbability, 2> other_reference_prior() {
    return {k_one_reference_copy, k_two_reference_copies};
}

std::array<LogProbability, 2> other_variant_prior(LogProbability allele_prior) {
    return {allele_prior, allele_prior + k_two_variant_copies};
}

}  // namespace gannet::variants
