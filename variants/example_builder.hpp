// SPDX-License-Identifier: MIT
// Provides examples for the network: the reads at one candidate allele of a site, and a summary of the site.
#pragma once

#include "ml/example.hpp"
#include "variants/call_work.hpp"
#include "variants/haplotypes.hpp"
#include "variants/likelihoods.hpp"
#include "variants/parameters.hpp"
#include "variants/site_statistics.hpp"
#include "variants/window_state.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace gannet::variants {

/// The pair-HMM's likelihoods at a site.
struct SiteLikelihoods {
    std::span<const LikelihoodRow> rows;
    std::span<const int32_t> likelihoods;   ///< rows x haplotypes
    std::span<const AlleleSet> haplotypes;  ///< the first one is the reference
    uint32_t allele = 0;                    ///< bit of the example's allele
    uint32_t alleles = 0;                   ///< of the region
    int64_t begin = 0, end = 0;             ///< of the region
};

struct ExampleRequest {
    const AlleleStatistics& statistics;
    uint32_t filters = 0;  ///< that the allele fails without the network
    Allele allele;
    const std::vector<data::Base>& arena;
    const SiteLikelihoods* region = nullptr;
    uint32_t contig = 0;
};

/// True for the only alternate allele of a site at record `position`, of whose number of copies the caller is
/// certain by at least `settle_phred`, with no unusual evidence: depth, allele fraction and strands as usual,
/// reads mapped with confidence, and few alleles nearby that only a part of the reads has. Region filters are
/// not considered.
bool is_plain(const WindowState& window, const AlleleStatistics& statistics, int64_t position,
              int32_t settle_phred);

/// Examples of a window depend on reads within 2 kb of the allele, and on the window's usual depth. Scratch
/// is kept. Cost: about the bases of the reads at the position. Determinism class: exact-int.
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
    struct Group;  // sums over the supporting, or the opposing reads

    void locate(const WindowState& window, const ExampleRequest& request);
    void find_neighbours(const WindowState& window);
    void choose_reads(const WindowState& window);
    void describe_reads(const CallerParameters& parameters, WindowState& window,
                        const ExampleRequest& request);
    void set_support_by_likelihood(const SiteLikelihoods& region, Row& row);
    void set_support_by_base(const CallerParameters& parameters, const ExampleRequest& request,
                             Row& row) const;
    void describe(const WindowState& window, const ExampleRequest& request, Row& row) const;
    void describe_events(const WindowState& window, Row& row) const;
    void link_mates(const WindowState& window);
    void write_rows(const WindowState& window, kernels::PileupNetworkBatch& batch);

    void write_site(const WindowState& window, const ExampleRequest& request, std::span<uint8_t> site);
    void write_depths(const WindowState& window, ml::FeatureWriter& out) const;
    void write_sequence(const WindowState& window, const ExampleRequest& request,
                        ml::FeatureWriter& out) const;
    void write_groups(ml::FeatureWriter& out) const;
    void write_neighbours(const WindowState& window, ml::FeatureWriter& out) const;

    ml::ExampleAllele allele_;
    bool is_indel_ = false;
    int64_t room_ = 0;
    int32_t left_ = -1, right_ = -1;  // nearest candidates
    std::array<int32_t, 8> neighbours_{};
    size_t neighbour_count_ = 0;
    int32_t misfits_ = 0;
    std::vector<Row> rows_;
    std::vector<uint32_t> order_;
    std::vector<data::Base> reference_;
};

}  // namespace gannet::variants
