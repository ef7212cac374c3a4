// SPDX-License-Identifier: MIT
// Provides the two halves of calling one window, around the pair-HMM, and the scratch they share.
#pragma once

#include "variants/active_regions.hpp"
#include "variants/assembly.hpp"
#include "variants/caller.hpp"
#include "variants/evidence.hpp"
#include "variants/filters.hpp"
#include "variants/genotype.hpp"
#include "variants/haplotypes.hpp"
#include "variants/likelihoods.hpp"
#include "variants/read_set.hpp"
#include "variants/region_genotype.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace gannet::variants {

/// A region whose jobs are in the batch: ranges of the arrays of CallWork::State.
struct RegionTask {
    uint32_t window = 0;
    uint32_t first_allele = 0, alleles = 0;
    uint32_t first_haplotype = 0, haplotypes = 0;
    uint32_t first_row = 0, rows = 0;
    uint64_t first_pair = 0;
    uint32_t filters = 0;  ///< of all its variants
};

struct CallWork::State {
    // What waits for the likelihoods, of all windows of the batch.
    std::vector<data::Region> windows;
    std::vector<RegionTask> tasks;
    std::vector<Allele> alleles;
    std::vector<LogProbability> priors;
    std::vector<data::Base> arena;
    std::vector<AlleleSet> haplotypes;
    std::vector<LikelihoodRow> rows;
    std::vector<data::Variant> called;  // by the pile-up

    // Scratch of one window.
    ReferenceSlice slice;
    ReadSet reads;
    std::vector<int32_t> slots;
    Evidence evidence;
    std::vector<Candidate> candidates;
    std::vector<ActiveRegion> regions;
    std::vector<uint32_t> region_reads;
    Assembler assembler;
    HaplotypeAligner aligner;
    std::vector<data::Base> assembled_bases;
    std::vector<uint32_t> assembled_offsets;
    std::vector<Allele> assembled;
    std::vector<uint32_t> assembled_sizes;
    RegionHaplotypes region_haplotypes;
    HaplotypeBuilder builder;
    JobScratch jobs;
    ExtraCopyFilter extra_copy;
    SiteEvidence site;
    std::vector<size_t> called_alleles;
    RegionGenotyper genotyper;
};

}  // namespace gannet::variants
