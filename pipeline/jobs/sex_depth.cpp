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

/// By contig.
std::vector<uint64_t> bases_of(const data::RegionSet& targets, size_t contigs) {
    std::vector<uint64_t> bases(contigs, 0);
    for (const data::Region& region : targets.regions())
        bases[region.contig] += static_cast<uint64_t>(region.end - region.begin);
    return bases;
}

}  // namespace

uint64_t SexDepth::expected(const Part& part) const {
    if (autosomes.bases == 0) return 0;
    return static_cast<uint64_t>(static_cast<double>(autosomes.reads) * static_cast<double>(part.bases) /
                                 static_cast<double>(autosomes.bases));
}

bool SexDepth::is_known() const {
    return expected(x) >= k_min_expected_reads && expected(y) >= k_min_expected_reads;
}

std::string SexDepth::sex() const {
    if (!is_known()) return "";
    const uint64_t x_percent = x.reads * 100 / expected(x);
    const uint64_t y_percent = y.reads * 100 / expected(y);
    if (x_percent >= k_min_male_x_percent && x_percent <= k_max_male_x_percent &&
        y_percent >= k_min_male_y_percent)
        return "male";
    if (x_percent >= k_min_female_x_percent && y_percent <= k_max_female_y_percent) return "female";
    return "";
}

SexDepth sex_depth(const Coverage& coverage, const data::Reference& reference,
                   const data::RegionSet& targets) {
    SexDepth depth;
    const std::vector<uint64_t> reads = coverage.reads_by_contig(targets);
    const std::vector<uint64_t> bases =
        targets.empty() ? known_bases_by_contig(reference) : bases_of(targets, reads.size());
    const auto add = [&](uint32_t contig, SexDepth::Part& part) {
        part.reads += reads[contig];
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
