// SPDX-License-Identifier: MIT
// Provides the values of a region's alleles that its genotypes need.
#include "variants/genotype/region_call.hpp"

#include <algorithm>
#include <utility>

namespace gannet::variants {

namespace {

void find_places(const ReadSet& reads, RegionCall& call) {
    for (const Allele& allele : call.alleles) call.positions.push_back(allele.record_position());
    std::sort(call.positions.begin(), call.positions.end());
    call.positions.erase(std::unique(call.positions.begin(), call.positions.end()), call.positions.end());
    call.places.reserve(call.rows.size() * call.positions.size());
    for (const LikelihoodRow& row : call.rows) {
        for (const int64_t position : call.positions)
            call.places.push_back(place_in_read(reads, reads.reads[row.read], position));
    }
}

}  // namespace

RegionCall region_call_of(const WindowAlleles& window, RegionAlleles&& region,
                          const kernels::PairHmmBatch& jobs, const GapQualityTable& gaps,
                          std::vector<data::Base>& arena) {
    RegionCall call;
    const std::vector<data::Base>& bases_of_window = window.evidence.arena;
    for (Allele allele : region.haplotypes.alleles) {
        call.priors.push_back(allele_prior(window.slice, allele, bases_of_window, gaps));
        call.stutter_per_million.push_back(stutter_per_million(window.slice, allele, bases_of_window, gaps));
        const auto bases = bases_of(allele, bases_of_window);
        const int64_t shift_bp =
            allele.is_indel() ? rightward_shift_bp(window.slice, allele, bases_of_window) + 1 : 0;
        call.allele_ends.push_back(allele.end() + shift_bp);
        allele.alternate = static_cast<uint32_t>(arena.size());
        arena.insert(arena.end(), bases.begin(), bases.end());
        call.alleles.push_back(allele);
    }
    call.haplotypes = std::move(region.haplotypes.haplotypes);
    call.rows = std::move(region.rows);
    find_places(window.reads, call);
    call.first_pair = region.first_pair;
    const uint32_t haplotype = jobs.pair_haplotype[call.first_pair];
    call.haplotype_bp = jobs.haplotype_offset[haplotype + 1] - jobs.haplotype_offset[haplotype];
    call.begin = region.begin;
    call.end = region.end;
    return call;
}

RegionCase region_case_of(const RegionCall& region, std::span<const int32_t> likelihoods,
                          const Contamination& contamination) {
    RegionCase out;
    out.alleles = region.alleles;
    out.priors = region.priors;
    out.haplotypes = region.haplotypes;
    out.rows = region.rows;
    out.positions = region.positions;
    out.places = region.places;
    out.likelihoods = likelihoods.subspan(region.first_pair, region.rows.size() * region.haplotypes.size());
    out.allele_ends = region.allele_ends;
    out.contamination = contamination;
    out.haplotype_bp = region.haplotype_bp;
    out.region_bp = region.end - region.begin;
    return out;
}

}  // namespace gannet::variants
