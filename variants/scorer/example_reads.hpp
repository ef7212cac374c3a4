// SPDX-License-Identifier: MIT
// Provides the reads of an example: which there are at a candidate allele, whether each supports it, and its other
// differences.
#pragma once

#include "ml/example.hpp"
#include "variants/alleles/likelihoods.hpp"
#include "variants/alleles/window_alleles.hpp"
#include "variants/genotype/site_statistics.hpp"
#include "variants/parameters.hpp"
#include "variants/sample/sample_model.hpp"
#include "variants/scorer/read_profiles.hpp"

#include <array>
#include <cstddef>
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

/// Where the allele of an example is, and the candidates around it.
struct ExamplePlace {
    ml::ExampleAllele allele;
    bool is_indel = false;
    int64_t shift_bp = 0;            ///< how far right an indel could be shifted
    int32_t left = -1, right = -1;  ///< nearest candidates of the window; -1: none
    std::array<int32_t, 8> neighbours{};  ///< by distance
    size_t neighbour_count = 0;
};

struct ExampleRead {
    uint32_t read = 0;  ///< of the window
    int32_t mate = -1;  ///< of the fragment, wherever it is; -1: none
    ml::RowInput input;
};

/// An example before it is written.
struct ExampleView {
    const WindowAlleles& window;
    const ExampleRequest& request;
    const ReadProfiles& profiles;
    ExamplePlace place;
    std::vector<ExampleRead> reads;
    int32_t misfits = 0;  ///< reads that no haplotype of the region fits

    /// Of a candidate: 1 the read or its mate has it, 0 neither, -1 neither covers it.
    int carries(const ExampleRead& row, int32_t candidate) const;
};

/// Fills `profiles` as far as the reads need it.
ExampleView view_example(const CallerParameters& parameters, const WindowAlleles& window, ReadProfiles& profiles,
                         const ExampleRequest& request);

}  // namespace gannet::variants
