// SPDX-License-Identifier: MIT
// Provides the two halves of calling one window, around the pair-HMM, and the scratch they share.
#pragma once

#include "variants/active_regions.hpp"
#include "variants/assembly.hpp"
#include "variants/caller.hpp"
#include "variants/evidence.hpp"
#include "variants/example_builder.hpp"
#include "variants/filters.hpp"
#include "variants/genotype.hpp"
#include "variants/haplotypes.hpp"
#include "variants/likelihoods.hpp"
#include "variants/read_set.hpp"
#include "variants/region_genotype.hpp"
#include "variants/window_state.hpp"

#include <array>
#include <cstdint>
#include <memory>
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
    int64_t begin = 0, end = 0;
};

/// A site whose alleles wait for the network.
struct ScoredSite {
    uint32_t contig = 0;
    uint32_t filters = 0;
    SiteEvidence evidence;
    std::vector<Allele> alleles;  ///< the alternates of the evidence; bases in the batch's arena
    std::vector<size_t> scored;   ///< of the evidence: those that have an example
    uint32_t first_example = 0;   ///< of them; a settled site has none, and is the caller's
    bool settled = false;
};

struct CallWork::State {
    // What waits for the likelihoods, of all windows of the batch.
    std::vector<std::unique_ptr<WindowState>> windows;  // without examples one serves for all
    std::vector<data::Region> places;                   // of the windows
    size_t window_count = 0;
    std::vector<RegionTask> tasks;
    std::vector<Allele> alleles;
    std::vector<LogProbability> priors;
    std::vector<data::Base> arena;
    std::vector<AlleleSet> haplotypes;
    std::vector<LikelihoodRow> rows;
    std::vector<data::Variant> called;  // by the pile-up

    std::vector<ScoredSite> sites;  // the first site_count are in use
    size_t site_count = 0;

    // Scratch of one window.
    std::vector<int32_t> slots;
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
    SiteEvidence site;
    std::vector<Allele> site_alleles;
    std::vector<size_t> called_alleles;
    std::vector<std::array<int32_t, 3>> scores;
    RegionGenotyper genotyper;
    ExampleBuilder examples;
};

}  // namespace gannet::variants
