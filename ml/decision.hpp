// SPDX-License-Identifier: MIT
// Provides where and how far a model's network may change what the caller says: the "decision" of a manifest.
//
// "decision": {"minimum_presence": -3.5, "settle": 40, "minimum_zygosity_fragments": 10, "strata": [...]}
// A stratum: {"kind": "SNP"|"indel", "depth": [12, 22], "context": "unique"|"homopolymer"|"repeat"|
// "hidden copy", "temperature": 1.0, "prior": 0.5, "direction": "none"|"rescue"|"reject"|"both"}.
// All members must be there. How they are applied: variants/scorer/decision.hpp.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gannet::ml {

/// What of the sequence makes calls of an allele harder; where several apply, the last of them.
enum class Context : uint8_t { unique, homopolymer, repeat, hidden_copy };
inline constexpr std::array<std::string_view, 4> k_context_names = {"unique", "homopolymer", "repeat",
                                                                    "hidden copy"};

/// Which verdicts of the caller the network may overrule.
enum class Direction : uint8_t { none, rescue, reject, both };
inline constexpr std::array<std::string_view, 4> k_direction_names = {"none", "rescue", "reject", "both"};

inline constexpr int32_t k_decision_bits = 16;
inline constexpr int32_t k_decision_unit = 1 << k_decision_bits;  ///< of temperature (1.0) and prior (log10)

struct Stratum {
    bool is_indel = false;
    int32_t depth_begin = 0;  ///< informative fragments of the site: [begin, end)
    int32_t depth_end = INT32_MAX;
    Context context = Context::unique;
    int32_t temperature = k_decision_unit;  ///< the network's output is multiplied by it
    int32_t prior = 0;                      ///< log10 odds that overruling the caller costs, at least 0
    Direction direction = Direction::none;
};

/// Without strata: the network decides nothing.
struct Decision {
    /// Alleles of which the caller's log10 P(at least one copy), x k_decision_unit, is at least this are
    /// candidates.
    int32_t minimum_presence = -7 * k_decision_unit / 2;
    /// A site that the caller calls, with no unusual evidence (variants::plain_phred) and a genotype quality
    /// of at least this (Phred), is not shown to the network. 0: every site is.
    int32_t settle_phred = 40;
    /// With fewer fragments the network decides whether the allele is there, and the caller whether it is
    /// heterozygous.
    int32_t minimum_zygosity_fragments = 10;
    std::vector<Stratum> strata;  ///< no two overlap

    /// Null: the network is silent there.
    const Stratum* find(bool is_indel, int32_t fragments, Context context) const;
};

/// From the text of a manifest's "decision", an object. Throws data::Error(malformed_input), with `source` in
/// the message, on members that are missing, unknown or out of range, and on strata that overlap.
Decision parse_decision(std::string_view text, const std::string& source);

}  // namespace gannet::ml
