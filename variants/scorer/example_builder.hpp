// SPDX-License-Identifier: MIT
// Provides examples for the network: the reads at one candidate allele of a site, and a summary of the site.
#pragma once

#include "ml/decision.hpp"
#include "ml/example.hpp"
#include "variants/alleles/haplotypes.hpp"
#include "variants/alleles/likelihoods.hpp"
#include "variants/alleles/window_alleles.hpp"
#include "variants/genotype/site_statistics.hpp"
#include "variants/parameters.hpp"
#include "variants/sample/sample_model.hpp"
#include "variants/scorer/example_batch.hpp"
#include "variants/scorer/read_profiles.hpp"

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
    AlleleSet site_alleles = 0;             ///< bits of all alleles of its site
    uint32_t alleles = 0;                   ///< of the region
    int64_t begin = 0, end = 0;             ///< of the region
};

struct ExampleRequest {
    const AlleleStatistics& statistics;
    const ml::ExampleFacts& facts;  ///< what the decision depends on, and the kind; the rest is filled in
    Allele allele;
    const std::vector<data::Base>& arena;
    const SampleModel& sample;
    const SiteLikelihoods* region = nullptr;
    uint32_t contig = 0;
};

/// Phred of the caller's genotype for the only alternate allele of a site at record `position`, at least 1,
/// if the caller calls it and there is no unusual evidence: depth, allele fraction and strands as usual,
/// reads mapped with confidence, and few alleles nearby that only a part of the reads has. Else 0. Region
/// filters are not considered.
int32_t plain_phred(const WindowAlleles& window, const AlleleStatistics& statistics, int64_t position);

/// Homopolymer: of at least 6 bases, within 2 bases of the allele or changed by it. Repeat: the allele lies
/// in at least 10 bases of a tandem repeat of period 2 to 6, or changes at least 3 copies of one. Hidden
/// copy: the place fails HighDepth (`region_filters`), its depth within 250 bp is above 5/4 of the usual one,
/// or more than 6 alleles within 500 bp are in a part of the reads only.
ml::Context context_of(const WindowAlleles& window, const Allele& allele,
                       const std::vector<data::Base>& arena, uint32_t region_filters);

/// As ml::ExampleFacts::kind has it.
uint8_t kind_of(const Allele& allele);

/// Examples of a window depend on reads within 2 kb of the allele, and on the window's usual depth. Scratch
/// is kept. Cost: about the bases of the reads at the position. Determinism class: exact-int.
class ExampleBuilder {
  public:
    /// `profiles`: of the reads of the window, filled as far as they are needed.
    void add(const CallerParameters& parameters, const WindowAlleles& window, ReadProfiles& profiles,
             const ExampleRequest& request, ExampleBatch& out);

  private:
    struct Row {
        uint32_t read = 0;
        int32_t mate = -1;  // of the fragment, wherever it is
        ml::RowInput input;
    };
    struct Group;  // sums over the reads of a pool

    void locate(const WindowAlleles& window, const ExampleRequest& request);
    void find_neighbours(const WindowAlleles& window);
    void choose_reads(const WindowAlleles& window);
    void describe_reads(const CallerParameters& parameters, const WindowAlleles& window,
                        ReadProfiles& profiles, const ExampleRequest& request);
    void set_support_by_likelihood(const SiteLikelihoods& region, Row& row);
    void set_support_by_base(const CallerParameters& parameters, const WindowAlleles& window,
                             const ExampleRequest& request, Row& row) const;
    void describe(const WindowAlleles& window, const ExampleRequest& request, Row& row) const;
    void describe_events(const WindowAlleles& window, Row& row) const;
    void describe_length(Row& row) const;
    int carries(const WindowAlleles& window, const Row& row, int32_t candidate) const;
    void link_mates(const WindowAlleles& window);
    void write_rows(const WindowAlleles& window, kernels::PileupNetworkBatch& batch);

    void write_site(const WindowAlleles& window, const ExampleRequest& request, std::span<uint8_t> site);
    void write_depths(const WindowAlleles& window, ml::FeatureWriter& out) const;
    void write_sequence(const WindowAlleles& window, const ExampleRequest& request,
                        ml::FeatureWriter& out) const;
    void write_groups(ml::FeatureWriter& out) const;
    void write_length_changes(ml::FeatureWriter& out) const;
    void write_sample(const WindowAlleles& window, const SampleModel& sample, ml::FeatureWriter& out) const;
    void write_neighbours(const WindowAlleles& window, ml::FeatureWriter& out) const;

    const ReadProfiles* profiles_ = nullptr;  // of the window of the current example
    ml::ExampleAllele allele_;
    bool is_indel_ = false;
    int64_t shift_bp_ = 0;
    int32_t left_ = -1, right_ = -1;  // nearest candidates
    std::array<int32_t, 8> neighbours_{};
    size_t neighbour_count_ = 0;
    int32_t misfits_ = 0;
    std::vector<Row> rows_;
    std::vector<uint32_t> order_;
    std::vector<data::Base> reference_;
};

}  // namespace gannet::variants
