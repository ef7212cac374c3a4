// SPDX-License-Identifier: MIT
// Provides what the scorer's decision depends on at a site: the context of an allele, its kind, and whether it is
// settled without the network.
#pragma once

#include "ml/decision.hpp"
#include "variants/alleles/window_alleles.hpp"
#include "variants/genotype/site_statistics.hpp"
#include "variants/sequence/allele.hpp"

#include <cstdint>
#include <vector>

namespace gannet::variants {

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

}  // namespace gannet::variants
