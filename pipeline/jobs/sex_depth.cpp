// SPDX-License-Identifier: MIT
// Provides the depth of X and Y relative to the autosomes.
#include "pipeline/jobs/sex_depth.hpp"

#include "pipeline/jobs/ploidy.hpp"

namespace gannet::pipeline {

namespace {

constexpr uint64_t k_min_expected_reads = 500;
constexpr uint64_t k_min_male_x_percent = 35;
constexpr uint64_t k_max_male_x_percent = 70;
constexpr uint64_t k_min_male_y_percent = 25;
constexpr uint64_t k_min_female_x_percent = 80;
constexpr uint64_t k_max_female_y_percent = 15;

}  // namespace

uint64_t SexDepth::expected(const Part& part) const {
    if (autosomes.bases == 0) return 0;
    return static_cast<uint64_t>(static_cast<double>(autosomes.reads) * static_cast<double>(part.bases) /
                                 static_cast<double>(autosomes.bases));
}

std::string SexDepth::sex() const {
    const uint64_t expected_x = expected(x);
    const uint64_t expected_y = expected(y);
    if (expected_x < k_min_expected_reads || expected_y < k_min_expected_reads) return "";
    const uint64_t x_percent = x.reads * 100 / expected_x;
    const uint64_t y_percent = y.reads * 100 / expected_y;
    if (x_percent >= k_min_male_x_percent && x_percent <= k_max_male_x_percent &&
        y_percent >= k_min_male_y_percent)
        return "male";
    if (x_percent >= k_min_female_x_percent && y_percent <= k_max_female_y_percent) return "female";
    return "";
}

SexDepth sex_depth(const Coverage& coverage, const data::Reference& reference) {
    SexDepth depth;
    const std::vector<uint64_t> bases = known_bases_by_contig(reference);
    const auto add = [&](uint32_t contig, SexDepth::Part& part) {
        part.reads += coverage.reads(contig);
        part.bases += bases[contig];
    };
    for (int number = 1; number <= 22; ++number) {
        const std::string name = std::to_string(number);
        auto contig = reference.find("chr" + name);
        if (!contig) contig = reference.find(name);
        if (contig) add(*contig, depth.autosomes);
    }
    const SexChromosomes sexes = sex_chromosomes(reference);
    if (sexes.x) add(*sexes.x, depth.x);
    if (sexes.y) add(*sexes.y, depth.y);
    return depth;
}

}  // namespace gannet::pipeline
