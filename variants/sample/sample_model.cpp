// SPDX-License-Identifier: MIT
// Provides the estimates of contamination and of base qualities from the profile of a sample.
#include "variants/sample/sample_model.hpp"

#include "variants/arithmetic/log_math.hpp"
#include "variants/model/sample.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

namespace gannet::variants {

namespace {

constexpr uint64_t k_million = 1'000'000;
constexpr int k_probability_bits = 40;
constexpr uint64_t k_one = uint64_t{1} << k_probability_bits;

/// Binomial probabilities of 0 to depth / k_reference_part among `depth`, in units of 2^-40. `rate` in parts
/// per million.
using Terms = std::array<uint64_t, SampleProfile::k_max_other + 1>;
Terms binomial(size_t depth, uint64_t rate_ppm) {
    Terms terms{};
    const uint64_t rest = k_million - rate_ppm;
    uint64_t term = k_one;
    for (size_t i = 0; i < depth; ++i) term = term * rest / k_million;
    for (size_t n = 0; n <= depth / SampleProfile::k_reference_part; ++n) {
        terms[n] = term;
        // In two steps, so that 64 bits are enough.
        term = term * (depth - n) / (n + 1);
        term = static_cast<uint64_t>(static_cast<unsigned __int128>(term) * rate_ppm / rest);
    }
    return terms;
}

/// Copies of the reference's base that the other person has at a site: weights of 0, 1 and 2. Mixtures of the
/// three give estimates between theirs.
struct Population {
    std::array<uint64_t, 3> copies;
    LogProbability prior;
};
constexpr auto k_population_priors = sample_numbers<LogProbability, 3>("contamination_population_priors");
constexpr std::array<Population, 3> k_populations{{
    {sample_numbers<uint64_t, 3>("contamination_unrelated_copies"), k_population_priors[0] * k_log_scale},
    {sample_numbers<uint64_t, 3>("contamination_related_copies"), k_population_priors[1] * k_log_scale},
    {sample_numbers<uint64_t, 3>("contamination_foreign_copies"), k_population_priors[2] * k_log_scale},
}};
// Heterozygous sites with few reads of the reference's base: how many depends on the sample.
constexpr auto k_heterozygous_weights = sample_numbers<uint64_t, 4>("contamination_heterozygous_weights");
// Evenly spread over all counts: hidden copies, and where one haplotype was amplified less.
constexpr auto k_any_weights = sample_numbers<uint64_t, 3>("contamination_any_weights");
constexpr auto k_any_priors = sample_numbers<LogProbability, 3>("contamination_any_priors");

/// What a sample can be, but for the part of another person.
struct Model {
    std::array<uint64_t, 3> copies;
    uint64_t heterozygous;
    uint64_t any;
    LogProbability prior;
};
constexpr size_t k_model_count = k_populations.size() * k_heterozygous_weights.size() * k_any_weights.size();
constexpr std::array<Model, k_model_count> k_models = [] {
    std::array<Model, k_model_count> models{};
    size_t at = 0;
    for (const Population& population : k_populations) {
        for (const uint64_t heterozygous : k_heterozygous_weights) {
            for (size_t i = 0; i < k_any_weights.size(); ++i)
                models[at++] = {population.copies, heterozygous, k_any_weights[i],
                                population.prior + k_any_priors[i] * k_log_scale};
        }
    }
    return models;
}();

/// The counts and what is needed to weigh them.
class ContaminationLikelihood {
  public:
    ContaminationLikelihood(const SampleProfile::HomozygousSites& sites, uint64_t error_ppm)
        : sites_(sites), error_ppm_(error_ppm) {
        for (size_t depth = SampleProfile::k_min_depth; depth <= SampleProfile::k_max_depth; ++depth) {
            const auto& row = sites[depth];
            if (std::any_of(row.begin(), row.end(), [](uint32_t count) { return count != 0; }))
                depths_.push_back(depth);
        }
    }

    /// log10 P(counts | this part of the fragments is another person's), of the likeliest model.
    int64_t at(uint64_t ppm) const {
        std::array<int64_t, k_model_count> sums{};
        for (size_t m = 0; m < sums.size(); ++m) sums[m] = k_models[m].prior;
        for (const size_t depth : depths_) {
            const std::array<Terms, 3> terms{binomial(depth, error_ppm_),
                                             binomial(depth, error_ppm_ + ppm / 2),
                                             binomial(depth, error_ppm_ + ppm)};
            const Terms heterozygous = binomial(depth, k_million / 2);
            for (size_t m = 0; m < sums.size(); ++m)
                sums[m] += of_depth(depth, k_models[m], terms, heterozygous);
        }
        return *std::max_element(sums.begin(), sums.end());
    }

  private:
    int64_t of_depth(size_t depth, const Model& model, const std::array<Terms, 3>& terms,
                     const Terms& heterozygous) const {
        const size_t count = depth / SampleProfile::k_reference_part + 1;
        Terms mixed{};
        uint64_t total = 0;
        for (size_t n = 0; n < count; ++n) {
            uint64_t sum = 1 + heterozygous[n] * model.heterozygous + k_one * model.any / count;
            for (size_t copies = 0; copies < terms.size(); ++copies)
                sum += terms[copies][n] * model.copies[copies];
            mixed[n] = sum;
            total += sum;
        }
        int64_t log = 0;
        for (size_t n = 0; n < count; ++n) {
            if (sites_[depth][n] != 0) log += int64_t{sites_[depth][n]} * log_of_ratio(mixed[n], total);
        }
        return log;
    }

    const SampleProfile::HomozygousSites& sites_;
    uint64_t error_ppm_;
    std::vector<size_t> depths_;
};

constexpr uint64_t k_first_step_ppm = sample_number("contamination_first_step_ppm");
constexpr uint64_t k_step_percent = sample_number("contamination_step_percent");
constexpr uint64_t k_max_error_ppm = sample_number("contamination_max_error_ppm");
// Of log10 likelihood, against no contamination.
constexpr int64_t k_min_gain = sample_number("contamination_min_gain") * k_log_scale;

/// The estimates that are compared, ascending: steps of a tenth of themselves.
std::vector<uint64_t> grid() {
    std::vector<uint64_t> values;
    for (uint64_t ppm = k_first_step_ppm; ppm < k_max_estimate_ppm; ppm += ppm * k_step_percent / 100)
        values.push_back(ppm);
    values.push_back(k_max_estimate_ppm);
    return values;
}

/// Mismatches to one particular base, in parts per million.
uint64_t error_rate_ppm(const SampleProfile& profile) {
    const uint64_t bases = profile.all_bases();
    uint64_t mismatches = 0;
    for (const uint64_t of_quality : profile.mismatches) mismatches += of_quality;
    return bases == 0 ? 1 : std::clamp<uint64_t>(mismatches * k_million / bases / 3, 1, k_max_error_ppm);
}

/// Of all classes of changes but those that damage makes.
SampleProfile::HomozygousSites undamaged_sites(const SampleProfile& profile, const BaseDamage& damage) {
    SampleProfile::HomozygousSites sites{};
    for (size_t change = 0; change < profile.homozygous.size(); ++change) {
        if (damage.has(change)) continue;
        for (size_t depth = 0; depth < sites.size(); ++depth) {
            for (size_t n = 0; n < sites[depth].size(); ++n)
                sites[depth][n] += profile.homozygous[change][depth][n];
        }
    }
    return sites;
}

constexpr uint64_t k_min_mismatches = sample_number("quality_min_mismatches");
// Phred x 100: 1.5 times as many errors.
constexpr int64_t k_min_excess_centi = sample_number("quality_min_excess_centi");
// Per base, of the other person and not of the sample.
constexpr uint64_t k_variants_per_million = sample_number("quality_foreign_variants_per_million");
// Lower ones promise next to nothing.
constexpr size_t k_lowest_measured = sample_number("quality_lowest_measured");
// Qualities further apart say nothing of each other.
constexpr size_t k_nearest = sample_number("quality_nearest");
constexpr int64_t k_lowest_corrected_quality = sample_number("quality_lowest");

}  // namespace

ContaminationEstimate estimate_contamination(const SampleProfile& profile, const BaseDamage& damage) {
    ContaminationEstimate estimate;
    const SampleProfile::HomozygousSites all = undamaged_sites(profile, damage);
    for (size_t depth = 0; depth < all.size(); ++depth) {
        for (size_t n = 0; n < all[depth].size(); ++n) {
            const uint64_t sites = all[depth][n];
            estimate.sites += sites;
            estimate.fragments += sites * depth;
            estimate.reference_fragments += sites * n;
        }
    }
    if (estimate.sites < k_min_contamination_sites) return estimate;
    const ContaminationLikelihood likelihood(all, error_rate_ppm(profile));
    const int64_t none = likelihood.at(0);
    int64_t best = none;
    uint64_t best_ppm = 0;
    for (const uint64_t ppm : grid()) {
        const int64_t value = likelihood.at(ppm);
        if (value > best) {
            best = value;
            best_ppm = ppm;
        }
    }
    if (best - none >= k_min_gain && best_ppm >= static_cast<uint64_t>(k_min_estimate_ppm))
        estimate.parts_per_million = static_cast<int32_t>(best_ppm);
    return estimate;
}

QualityMap estimate_qualities(const SampleProfile& profile, int32_t contamination_ppm,
                              const BaseDamage& damage) {
    if (profile.all_bases() < k_min_quality_bases) return reported_qualities();
    const auto damaged_ppm = static_cast<uint64_t>(damage.mismatches_per_million(profile.changes));
    const uint64_t variant_ppm = profile.unseen.mismatches() * k_million / profile.all_bases();
    // By how much each quality is lowered; none: too few mismatches to tell.
    std::array<std::optional<int64_t>, 94> lowered;
    for (size_t q = k_lowest_measured; q < lowered.size(); ++q) {
        const uint64_t foreign = profile.bases[q] * static_cast<uint64_t>(contamination_ppm) / k_million *
                                     k_variants_per_million / k_million +
                                 profile.bases[q] * (damaged_ppm + variant_ppm) / k_million;
        if (profile.mismatches[q] < k_min_mismatches + foreign) continue;
        const auto used = static_cast<int64_t>(std::min<size_t>(q, k_quality_cap));
        const int64_t seen_centi =
            phred_centi(log_of_ratio(profile.mismatches[q] - foreign, profile.bases[q]));
        const bool is_lower = used * 100 - seen_centi >= k_min_excess_centi;
        lowered[q] = is_lower ? used - std::max(k_lowest_corrected_quality, (seen_centi + 50) / 100) : 0;
    }
    QualityMap map = reported_qualities();
    for (size_t q = k_lowest_measured; q < profile.bases.size(); ++q) {
        if (profile.bases[q] == 0) continue;
        for (size_t distance = 0; distance <= k_nearest; ++distance) {
            const size_t above = std::min(q + distance, lowered.size() - 1);
            const std::optional<int64_t>& change =
                lowered[q - distance] ? lowered[q - distance] : lowered[above];
            if (!change) continue;
            map[q] = static_cast<uint8_t>(std::max(k_lowest_corrected_quality, map[q] - *change));
            break;
        }
    }
    return map;
}

std::string to_text(const QualityMap& map) {
    const QualityMap reported = reported_qualities();
    std::string text;
    for (size_t q = 0; q < 94; ++q) {
        if (map[q] == reported[q]) continue;
        text += (text.empty() ? "" : ",") + std::to_string(q) + ":" + std::to_string(map[q]);
    }
    return text;
}

std::string percent_text(int32_t parts_per_million) {
    const int32_t hundredths = (parts_per_million + 50) / 100;
    const std::string digits = std::to_string(hundredths % 100);
    return std::to_string(hundredths / 100) + "." + (digits.size() < 2 ? "0" : "") + digits + " %";
}

}  // namespace gannet::variants
