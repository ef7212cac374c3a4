// SPDX-License-Identifier: MIT
// Provides what a batch of windows keeps between the steps of calling, and the scratch that the steps share.
#pragma once

#include "data/regions.hpp"
#include "variants/alleles/active_regions.hpp"
#include "variants/alleles/assembly.hpp"
#include "variants/alleles/evidence.hpp"
#include "variants/alleles/haplotypes.hpp"
#include "variants/alleles/hidden_copies.hpp"
#include "variants/alleles/likelihoods.hpp"
#include "variants/call_work.hpp"
#include "variants/genotype/genotype.hpp"
#include "variants/genotype/region_genotype.hpp"
#include "variants/genotype/site_statistics.hpp"
#include "variants/reads/gap_realignment.hpp"
#include "variants/reads/read_set.hpp"
#include "variants/records/phase.hpp"
#include "variants/records/reference_blocks.hpp"
#include "variants/records/reference_confidence.hpp"
#include "variants/scorer/example_builder.hpp"
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

/// A called variant, until those of its window are phased.
struct Call {
    data::Variant variant;
    uint32_t window = 0;                ///< of State::grid_windows
    bool is_written = false;            ///< false: outside the targets, called for the phase of others only
    std::array<uint8_t, 2> alleles{};   ///< of a heterozygous genotype, as `seen` names them
    uint32_t first_seen = 0, seen = 0;  ///< of State::seen
};

/// A candidate allele of a site.
struct ScoredAllele {
    AlleleStatistics statistics;
    ml::ExampleFacts facts;  ///< what the decision depends on (variants/scorer/decision.hpp)
};

/// A site that waits for the network, with what the caller says of it.
struct ScoredSite {
    uint32_t window = 0;       ///< of State::grid_windows
    bool is_of_window = true;  ///< as RegionSiteView has it
    SiteEvidence evidence;
    std::vector<Allele> alleles;           ///< the alternates of the evidence; bases in the batch's arena
    std::vector<ScoredAllele> candidates;  ///< alleles of the evidence
    uint32_t first_example = 0;            ///< of the candidates, one each
    bool is_called = false;                ///< by the caller; the rest is its call
    data::Variant variant;                 ///< with filters and limited qualities
    std::vector<size_t> called_alleles;    ///< of the evidence, by the variant's allele
};

/// Given alleles of one record (GivenCaller).
struct GivenSite {
    uint32_t window = 0;  ///< of State::grid_windows
    size_t ploidy = 0;
    std::span<const Allele> alleles;  ///< of the GivenAlleles
    std::vector<size_t> place;        ///< of each of them: its number in the evidence
    uint32_t filters = 0;             ///< of the place (ExtraCopyFilter)
    SiteEvidence evidence;            ///< of SNVs at once, of indels from the task
    RegionTask task;
    bool has_task = false;
};

struct CallWork::State {
    void clear();

    // What waits for the likelihoods, of all windows of the batch.
    std::vector<std::unique_ptr<WindowState>> windows;  // without scoring, one serves all
    std::vector<data::Region> grid_windows;             // without the padding
    size_t window_count = 0;
    std::vector<RegionTask> tasks;
    std::vector<Allele> alleles;
    std::vector<AllelePrior> priors;
    std::vector<int32_t> stutter_per_million;  // as SiteStatistics has them
    std::vector<data::Base> arena;
    std::vector<AlleleSet> haplotypes;
    std::vector<LikelihoodRow> rows;
    std::vector<int64_t> allele_ends;  // as RegionCase has them
    std::vector<Call> calls;
    std::vector<FragmentAllele> seen;  // by the fragments of heterozygous calls
    std::vector<WindowBlocks> blocks;  // with reference blocks: one per window; never shrinks

    std::vector<GivenSite> given_sites;  // the first given_count are in use
    size_t given_count = 0;
    std::vector<Candidate> given_candidates;

    std::vector<ScoredSite> sites;  // the first site_count are in use
    size_t site_count = 0;

    // Scratch of one window.
    MappingFilter mapping_filter;
    std::vector<int32_t> slots;
    GapRealigner realigner;
    std::vector<uint32_t> region_reads;
    HiddenCopies hidden_copies;
    std::vector<int64_t> diploid_depth;
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
    SiteEvidence deletion_site, spanned_site;
    std::vector<uint8_t> wanted;  // of each region of the window
    std::vector<Allele> site_alleles;
    std::vector<size_t> called_alleles;
    std::vector<std::array<int32_t, 3>> scores;
    RegionGenotyper genotyper;
    Phaser phaser;
    std::vector<Phaser::Site> phase_sites;
    std::vector<Phaser::Phase> phases;
    std::vector<size_t> phased_calls;
    ExampleBuilder examples;
    ReferenceConfidenceBuilder confidence;
    BlockBuilder block_builder;
};

}  // namespace gannet::variants
