// SPDX-License-Identifier: MIT
// Provides what of the reference around an allele makes its calls harder: homopolymers and tandem repeats.
#pragma once

#include "ml/decision.hpp"
#include "variants/model/sequence.hpp"
#include "variants/sequence/allele.hpp"

#include <cstdint>
#include <vector>

namespace gannet::variants {

/// How far from the allele sequence_context() reads, bases.
inline constexpr int64_t k_context_reach_bp = sequence_number("context_reach_bp");

/// Unique, homopolymer or repeat, as context_of() states; the slice must reach k_context_reach_bp beyond the
/// allele.
ml::Context sequence_context(const ReferenceSlice& slice, const Allele& allele,
                             const std::vector<data::Base>& arena);

}  // namespace gannet::variants
