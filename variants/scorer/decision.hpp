// SPDX-License-Identifier: MIT
// Provides the scorer's decision of one allele: what of the network's output counts, by the rules of a model.
//
// Everything that runs, trains and evaluates uses these functions: decide() of site_scorer.hpp for sites,
// `gannet evaluate-model` for examples. `gannet examples` writes what goes into them.
//
//   base        the caller's log10 posterior of 0, 1, 2 copies. Of an allele that fails a filter, its odds
//   are
//               at most k_filtered_odds: the filters are part of what the network starts from.
//   correction  the network's output, times the stratum's temperature. Its gain is by how much the odds of at
//               least one copy change. A gain against the caller's verdict is lessened by the stratum's prior
//               (not below nothing), and one in a direction that the stratum does not allow is none at all.
//               Where both directions are allowed and there are enough fragments, the network also decides
//               between one and two copies, against the caller's word at the same price; unless a deletion
//               from before the site spans it: the network is not shown that the other haplotype has none of
//               the site.
//   verdict     base + correction, normalised; called where the Phred of no copy reaches the caller's
//               threshold.
//
// Without a stratum, or with corrections of zero, what the caller says stands, unchanged in all its numbers.
#pragma once

#include "ml/decision.hpp"
#include "ml/example.hpp"
#include "variants/arithmetic/log_math.hpp"
#include "variants/model/scorer.hpp"

#include <array>
#include <cstdint>

namespace gannet::variants {

using CopyLogs = std::array<int32_t, 3>;  ///< of 0, 1, 2 copies, log10 x 65536

/// Log10 odds, x 65536, that an allele which fails a filter has at most.
inline constexpr int32_t k_filtered_odds = scorer_number("filtered_odds_log10") * k_log_scale;

/// The base of an allele with this posterior that fails these filters; LowQual does not count, since the
/// posterior says so itself.
CopyLogs base_of(const CopyLogs& posterior, uint32_t filters);

/// What is to be added to the base; all zero where the network is silent. `raw`: its output.
CopyLogs correction_of(const ml::Decision& decision, const ml::ExampleFacts& allele, const CopyLogs& raw);

struct Verdict {
    int32_t copies = 0;         ///< 0: not called, or its QUAL is below the threshold
    int32_t quality_centi = 0;  ///< QUAL x 100, with the caller's limits; also of what is not called
};

/// The first tier: the network is not asked.
bool is_settled(const ml::Decision& decision, const ml::ExampleFacts& allele);

/// Of an allele by itself, as if it were the only one of its site. `minimum_quality_centi`: the caller's
/// threshold. A correction of zero gives the caller's own verdict.
Verdict verdict_of(const ml::ExampleFacts& allele, const CopyLogs& correction, int32_t minimum_quality_centi);

}  // namespace gannet::variants
