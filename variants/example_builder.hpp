// SPDX-License-Identifier: MIT
// Provides examples for the network: what the reads of a window say of one allele of one site.
#pragma once

#include "ml/example.hpp"
#include "variants/caller.hpp"
#include "variants/genotype.hpp"
#include "variants/haplotypes.hpp"
#include "variants/likelihoods.hpp"
#include "variants/window_state.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace gannet::variants {

/// The pair-HMM's view of a site; empty for the pile-up's.
struct SiteLikelihoods {
    std::span<const LikelihoodRow> rows;
    std::span<const int32_t> likelihoods;   ///< rows x haplotypes
    std::span<const AlleleSet> haplotypes;  ///< the first one is the reference
    uint32_t allele = 0;                    ///< bit of the example's allele
    uint32_t alleles = 0;                   ///< of the region
    int64_t begin = 0, end = 0;             ///< of the region
};

struct ExampleRequest {
    const SiteEvidence& evidence;
    size_t index = 1;  ///< of the allele in the evidence
    Allele allele;
    const std::vector<data::Base>& arena;
    const SiteLikelihoods* region = nullptr;
    uint32_t filters = 0;  ///< HighDepth, where the caller says so
    uint32_t contig = 0;
};

/// The caller's log10 posterior of 0, 1 and 2 copies of an allele of the site, x 65536, at least
/// ml::k_least_base.
std::array<int32_t, 3> copies_posterior(const SiteEvidence& evidence, size_t index);

/// True for a site of one alternate of whose number of copies the caller is certain by `settle_phred` and
/// more, with nothing odd about it: no filter, depth, share and strands as usual, reads well placed, no crowd
/// of alleles that only a part of the reads has.
bool is_plain(const WindowState& window, const SiteEvidence& evidence, const Allele& allele, uint32_t filters,
              int32_t settle_phred);

/// Examples of a window depend on reads within 2 kb of the allele, and on the window's usual depth. Scratch
/// is kept. Cost: about the bases of the reads over the place. Determinism class: exact-int.
class ExampleBuilder {
  public:
    /// Appends to the work's examples and facts.
    void add(const CallerParameters& parameters, WindowState& window, const ExampleRequest& request,
             CallWork& work);

  private:
    struct Row {
        uint32_t read = 0;
        ml::RowInput input;
    };
    struct Group;  // sums over reads that support, or that do not

    void place(const WindowState& window, const ExampleRequest& request);
    void choose_reads(const WindowState& window);
    void judge_reads(const CallerParameters& parameters, WindowState& window, const ExampleRequest& request);
    void judge_likelihood(const SiteLikelihoods& region, Row& row);
    void judge_base(const CallerParameters& parameters, const ExampleRequest& request, Row& row) const;
    void describe(const WindowState& window, const ExampleRequest& request, Row& row) const;
    void describe_events(const WindowState& window, Row& row) const;
    void link_mates(const WindowState& window);
    void write_rows(const WindowState& window, kernels::PileupNetworkBatch& batch);

    void write_site(const CallerParameters& parameters, const WindowState& window,
                    const ExampleRequest& request, std::span<uint8_t> site);
    void write_genotypes(const CallerParameters& parameters, const ExampleRequest& request,
                         std::span<uint8_t> out);
    void write_depths(const WindowState& window, std::span<uint8_t> out) const;
    void write_sequence(const WindowState& window, const ExampleRequest& request,
                        std::span<uint8_t> out) const;
    void write_groups(std::span<uint8_t> out) const;
    void write_neighbours(const WindowState& window, std::span<uint8_t> out) const;

    ml::ExampleAllele allele_;
    bool is_indel_ = false;
    int64_t room_ = 0;
    int32_t left_ = -1, right_ = -1;  // nearest candidates
    std::array<int32_t, 8> neighbours_{};
    size_t neighbour_count_ = 0;
    std::array<int32_t, 3> base_{};
    int32_t misfits_ = 0;
    std::vector<Row> rows_;
    std::vector<uint32_t> order_;
    std::vector<data::Base> reference_;
    data::Variant variant_;  // as the caller would write it, for its filters
};

}  // namespace gannet::variants
