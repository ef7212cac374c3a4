// SPDX-License-Identifier: MIT
// Provides what a batch of windows keeps between the steps of calling, and the scratch that the steps share.
#pragma once

#include "data/regions.hpp"
#include "variants/active_regions.hpp"
#include "variants/assembly.hpp"
#include "variants/call_work.hpp"
#include "variants/evidence.hpp"
#include "variants/example_builder.hpp"
#include "variants/genotype.hpp"
#include "variants/haplotypes.hpp"
#include "variants/likelihoods.hpp"
#include "variants/read_set.hpp"
#include "variants/region_genotype.hpp"
#include "variants/site_statistics.hpp"
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
    uint32_t filters = 0;  ///< that its heterozygous variants fail (ExtraCopyFilter)
    int64_t begin = 0, end = 0;
};

/// A candidate allele of a site.
struct ScoredAllele {
    AlleleStatistics statistics;
    uint32_t filters = 0;  ///< that the allele fails without the network
};

/// A site whose alleles wait for the network.
struct ScoredSite {
    uint32_t contig = 0;
    SiteEvidence evidence;
    std::vector<Allele> alleles;           ///< the alternates of the evidence; bases in the batch's arena
    std::vector<size_t> scored;            ///< of the evidence's alleles: the candidates
    std::vector<ScoredAllele> candidates;  ///< one per entry of `scored`
    uint32_t first_example = 0;            ///< of the candidates, one each; none if settled
    bool settled = false;                  ///< keeps the caller's genotype (is_plain)
};

struct CallWork::State {
    void clear();

    // What waits for the likelihoods, of all windows of the batch.
    std::vector<std::unique_ptr<WindowState>> windows;  // without scoring, one serves all
    std::vector<data::Region> grid_windows;             // without the padding
    size_t window_count = 0;
    std::vector<RegionTask> tasks;
    std::vector<Allele> alleles;
    std::vector<LogProbability> priors;
    std::vector<data::Base> arena;
    std::vector<AlleleSet> haplotypes;
    std::vector<LikelihoodRow> rows;
    std::vector<data::Variant> pile_up_calls;  // genotyped without the pair-HMM

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
