// SPDX-License-Identifier: MIT
// Provides the model of systematic errors.
#include "variants/sample/systematic_errors.hpp"

#include "variants/arithmetic/integer_root.hpp"
#include "variants/arithmetic/log_math.hpp"
#include "variants/model/genotype.hpp"
#include "variants/model/sample.hpp"

#include <algorithm>
#include <numeric>

namespace gannet::variants {

namespace {

/// Places whose errors are in `percent` of the reads of their strand, and how many of all are such.
struct RateClass {
    uint64_t percent;
    uint64_t per_mille;
};
constexpr std::array<RateClass, 5> k_classes = [] {
    constexpr auto k_percent = sample_numbers<uint64_t, 5>("systematic_percent");
    constexpr auto k_per_mille = sample_numbers<uint64_t, 5>("systematic_per_mille");
    std::array<RateClass, 5> classes{};
    for (size_t i = 0; i < classes.size(); ++i) classes[i] = {k_percent[i], k_per_mille[i]};
    return classes;
}();

// Reads of the other strand with the same error.
constexpr uint64_t k_other_strand_per_mille = sample_number("systematic_other_strand_per_mille");
constexpr LogProbability k_heterozygous =
    genotype_number("prior_snp_log10") * k_log_scale +
    sample_number("systematic_heterozygous_log");  // 7e-4: of the sites of a person
// Of the heterozygous SNVs, those whose base repeats the one before: not those of chance (a third), since
// transitions are more frequent.
constexpr auto k_snp_percent = sample_numbers<uint64_t, 2>("systematic_snp_percent");

constexpr int k_unit_bits = 20;
constexpr int k_term_bits = 40;
constexpr uint64_t k_one = uint64_t{1} << k_term_bits;
constexpr uint64_t k_min_fragments = sample_number("systematic_min_fragments");
constexpr uint64_t k_min_part = sample_number("systematic_min_part");  // an eighth
// Of the fragments: above, most are heterozygous SNVs.
constexpr uint64_t k_max_tenths = sample_number("systematic_max_tenths");
constexpr uint64_t k_min_of_a_strand = sample_number("systematic_min_of_a_strand");  // fragments
constexpr uint64_t k_significant_deviations = sample_number("systematic_min_deviations");
constexpr uint64_t k_significant_sites = sample_number("systematic_min_sites");
constexpr uint64_t k_billion = 1'000'000'000;
constexpr int64_t k_log_billion = 9 * int64_t{k_log_scale};

/// Fewest fragments with the other base that make a site.
uint64_t fewest_fragments(uint64_t depth) {
    return std::max(k_min_fragments, (depth + k_min_part - 1) / k_min_part);
}

/// Probability x 2^40 of at least `fewest` among `reads`.
uint64_t upper_tail(uint64_t reads, uint64_t percent, uint64_t fewest) {
    uint64_t term = k_one;
    for (uint64_t i = 0; i < reads; ++i) term = term * (100 - percent) / 100;
    uint64_t below = 0;
    for (uint64_t n = 0; n < fewest && n <= reads; ++n) {
        below += term;
        term = term * (reads - n) / (n + 1) * percent / (100 - percent);
    }
    return below < k_one ? k_one - below : 0;
}

/// How many sites a place of this depth would give if both of its strands were prone to errors, x 2^20.
uint64_t sites_of_prone_place(uint32_t depth) {
    if (depth < 2 * k_min_of_a_strand) return 0;
    uint64_t seen = 0;
    for (const RateClass& of : k_classes)
        seen += upper_tail((depth + 1) / 2, of.percent, fewest_fragments(depth)) * of.per_mille / 1000;
    return 2 * seen >> (k_term_bits - k_unit_bits);
}

/// Probability x 2^30 that `alternate` of the fragments, drawn by chance, are all of one strand.
uint64_t all_of_strand(uint64_t of_strand, uint64_t depth, uint64_t alternate) {
    if (alternate > of_strand) return 0;
    uint64_t probability = uint64_t{1} << 30;
    for (uint64_t i = 0; i < alternate; ++i) probability = probability * (of_strand - i) / (depth - i);
    return probability;
}

/// log10 P(so many of each base | this share of the reads has the other one), x 65536.
int64_t log_binomial(int32_t reference, int32_t alternate, uint64_t part, uint64_t whole) {
    return int64_t{alternate} * log_of_ratio(part, whole) +
           int64_t{reference} * log_of_ratio(whole - part, whole);
}

}  // namespace

void SystematicErrorCounts::add_place(const StrandCounts& counts, const RepeatsBaseBefore& repeats) {
    const auto sum = [](const std::array<int32_t, 2>& of) { return static_cast<uint64_t>(of[0] + of[1]); };
    const uint64_t alternate = sum(counts.alternate);
    const uint64_t depth = sum(counts.reference) + alternate;
    if (depth > k_max_depth || alternate < fewest_fragments(depth) || alternate * 10 > depth * k_max_tenths)
        return;
    std::array<uint64_t, 2> of_strand{};
    for (size_t strand = 0; strand < 2; ++strand) {
        of_strand[strand] = static_cast<uint64_t>(counts.reference[strand] + counts.alternate[strand]);
        if (of_strand[strand] < k_min_of_a_strand) return;
    }
    uint64_t both = 0;
    for (size_t strand = 0; strand < 2; ++strand) {
        const uint64_t chance = all_of_strand(of_strand[strand], depth, alternate) >> (30 - k_unit_bits);
        expected[repeats[strand] ? 1 : 0] += chance;
        both += chance;
        if (counts.alternate[1 - strand] == 0) ++one_strand[repeats[strand] ? 1 : 0];
    }
    const uint64_t unit = uint64_t{1} << k_unit_bits;
    both = std::min(both, unit);
    variance += both * (unit - both) >> k_unit_bits;
}

void SystematicErrorCounts::add_depth(uint32_t depth, uint64_t places) {
    static const auto k_sites = [] {
        std::array<uint64_t, k_max_depth + 1> sites{};
        for (uint32_t d = 0; d < sites.size(); ++d) sites[d] = sites_of_prone_place(d);
        return sites;
    }();
    if (depth <= k_max_depth) opportunities += places * k_sites[depth];
}

void SystematicErrorCounts::add(const SystematicErrorCounts& other) {
    for (size_t i = 0; i < one_strand.size(); ++i) {
        one_strand[i] += other.one_strand[i];
        expected[i] += other.expected[i];
    }
    variance += other.variance;
    opportunities += other.opportunities;
}

std::string SystematicErrors::to_text() const {
    // The classes of `per_billion` are shares of the places.
    int64_t all = 0;
    for (size_t i = 0; i < per_billion.size(); ++i)
        all += per_billion[i] * static_cast<int64_t>(k_snp_percent[i]) / 100;
    return std::to_string((all + 500) / 1000) + " per Mb and strand";
}

SystematicErrors estimate_systematic_errors(const SystematicErrorCounts& counts) {
    SystematicErrors errors;
    if (counts.opportunities == 0) return errors;
    std::array<uint64_t, 2> beyond{};  // x 2^20
    for (size_t i = 0; i < beyond.size(); ++i) {
        const uint64_t seen = counts.one_strand[i] << k_unit_bits;
        beyond[i] = seen > counts.expected[i] ? seen - counts.expected[i] : 0;
    }
    const uint64_t seen = (counts.one_strand[0] + counts.one_strand[1]) << k_unit_bits;
    const uint64_t chance = counts.expected[0] + counts.expected[1];
    // The root of 2^20 times the variance is 2^10 times its root.
    const auto root = static_cast<uint64_t>(integer_root(static_cast<int64_t>(counts.variance)));
    const uint64_t deviation = root << (k_unit_bits / 2);
    const uint64_t least = std::max(k_significant_deviations * deviation, k_significant_sites << k_unit_bits);
    if (seen < chance + least) return errors;
    const uint64_t certain = seen - chance - deviation;
    const uint64_t sum = beyond[0] + beyond[1];
    for (size_t i = 0; i < beyond.size(); ++i) {
        const unsigned __int128 sites = static_cast<unsigned __int128>(beyond[i]) * certain / sum;
        errors.per_billion[i] =
            static_cast<int64_t>(sites * k_billion * 100 / k_snp_percent[i] / counts.opportunities);
    }
    return errors;
}

int64_t systematic_error_odds(const SystematicErrors& errors, const StrandCounts& counts,
                              const RepeatsBaseBefore& repeats) {
    int64_t error = k_no_systematic_error;
    for (size_t strand = 0; strand < 2; ++strand) {
        const int64_t places = errors.per_billion[repeats[strand] ? 1 : 0];
        if (places == 0) continue;
        const int64_t other = log_binomial(counts.reference[1 - strand], counts.alternate[1 - strand],
                                           k_other_strand_per_mille, 1000);
        for (const RateClass& of : k_classes) {
            const int64_t here =
                log_binomial(counts.reference[strand], counts.alternate[strand], of.percent, 100);
            const int64_t prior =
                log_of(static_cast<uint64_t>(places)) - k_log_billion + log_of_ratio(of.per_mille, 1000);
            error = log_add(error, prior + here + other);
        }
    }
    if (error == k_no_systematic_error) return error;
    const int64_t fragments = std::accumulate(counts.reference.begin(), counts.reference.end(), int64_t{0}) +
                              std::accumulate(counts.alternate.begin(), counts.alternate.end(), int64_t{0});
    return std::max(error - (k_heterozygous + fragments * k_log_half), k_no_systematic_error);
}

}  // namespace gannet::variants
