// SPDX-License-Identifier: MIT
// Provides the regions of a batch and the alleles of its records.
#include "variants/batch_context.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace gannet::variants {

RegionCase BatchContext::region_of(const RegionTask& task) const {
    const CallWork::State& s = state();
    RegionCase region;
    region.alleles = std::span(s.alleles).subspan(task.first_allele, task.alleles);
    region.priors = std::span(s.priors).subspan(task.first_allele, task.alleles);
    region.haplotypes = std::span(s.haplotypes).subspan(task.first_haplotype, task.haplotypes);
    region.rows = std::span(s.rows).subspan(task.first_row, task.rows);
    region.likelihoods =
        std::span(work.likelihoods).subspan(task.first_pair, size_t{task.rows} * task.haplotypes);
    return region;
}

void BatchContext::write_alleles(std::span<const Allele> alleles, data::Variant& variant) const {
    const CallWork::State& s = state();
    const Allele& first = alleles.front();
    variant.position = first.record_position();
    int64_t end = first.end();
    for (const size_t index : s.called_alleles) {
        if (index > 0) end = std::max(end, alleles[index - 1].end());
    }
    const auto begin = static_cast<uint64_t>(variant.position);
    std::string text = reference.letters(variant.contig, begin, static_cast<uint64_t>(end));
    for (char& letter : text) {
        if (data::k_base_of_letter[static_cast<uint8_t>(letter)] > 3) letter = 'N';  // VCF has no other codes
    }
    int64_t excess = end;  // REF ends with the longest deletion that was called
    variant.alleles.assign(1, text);
    for (const size_t index : s.called_alleles) {
        if (index == 0) continue;
        const Allele& allele = alleles[index - 1];
        excess = std::min(excess, end - allele.end());
        std::string alternate = allele.is_indel() ? text.substr(0, 1) : std::string();
        for (const data::Base base : bases_of(allele, s.arena)) alternate += data::k_letter_of_base[base];
        alternate += text.substr(static_cast<size_t>(allele.end() - variant.position));
        variant.alleles.push_back(std::move(alternate));
    }
    for (std::string& allele : variant.alleles) allele.resize(allele.size() - static_cast<size_t>(excess));
}

}  // namespace gannet::variants
