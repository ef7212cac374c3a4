// SPDX-License-Identifier: MIT
// Provides the reading of --alleles.
#include "pipeline/jobs/forced_alleles.hpp"

#include "data/vcf/reader.hpp"
#include "pipeline/log.hpp"
#include "variants/reads/alignment_walk.hpp"

#include <array>
#include <cstdint>
#include <utility>

namespace gannet::pipeline {

std::shared_ptr<const variants::ForcedAlleles> read_forced_alleles(
    const std::string& path, std::shared_ptr<const data::Reference> reference) {
    if (path.empty()) return nullptr;
    using Outcome = variants::ForcedAlleles::Outcome;
    auto given = std::make_shared<variants::ForcedAlleles>(reference);
    data::vcf::Reader reader(path, *reference);
    std::array<uint64_t, 4> counts{};
    data::vcf::Site site;
    while (reader.read(site)) {
        for (size_t i = 1; i < site.alleles.size(); ++i) {
            const Outcome outcome =
                given->add(site.contig, site.position, site.alleles[0], site.alleles[i], site.id);
            ++counts[static_cast<size_t>(outcome)];
        }
    }
    given->finish();
    const auto count = [&](Outcome outcome) { return counts[static_cast<size_t>(outcome)]; };
    const uint64_t left_out = counts[1] + counts[2] + counts[3];
    if (left_out > 0) {
        log_warning(
            path + ": " + std::to_string(left_out) +
            " alleles cannot be genotyped and are left out: " + std::to_string(count(Outcome::symbolic)) +
            " symbolic, * or breakends, " + std::to_string(count(Outcome::too_long)) + " of more than " +
            std::to_string(variants::k_max_indel_bp) + " bp, " + std::to_string(count(Outcome::undefined)) +
            " with or beside N, the same as REF, or an indel of the first bases of a contig");
    }
    if (given->size() == 0) log_warning(path + ": holds no allele to genotype");
    return given;
}

}  // namespace gannet::pipeline
