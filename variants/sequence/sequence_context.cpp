// SPDX-License-Identifier: MIT
// Provides the limits from which on the reference around an allele is a homopolymer or a tandem repeat.
#include "variants/sequence/sequence_context.hpp"

#include "variants/model/sample.hpp"
#include "variants/model/sequence.hpp"
#include "variants/sequence/repeats.hpp"

#include <algorithm>

namespace gannet::variants {

ml::Context sequence_context(const ReferenceSlice& slice, const Allele& allele,
                             const std::vector<data::Base>& arena) {
    constexpr int64_t k_homopolymer_reach_bp = sequence_number("context_homopolymer_reach_bp");
    constexpr int64_t k_min_homopolymer_bp = sequence_number("context_min_homopolymer_bp");
    constexpr int64_t k_min_repeat_bp = sequence_number("context_min_repeat_bp");
    constexpr int32_t k_min_copies = sequence_number("context_min_copies");
    const int64_t position = allele.record_position();
    int64_t repeat_bp = tandem_repeat_bp(slice, position);
    bool is_homopolymer =
        longest_homopolymer(slice, position, k_homopolymer_reach_bp) >= k_min_homopolymer_bp;
    if (allele.is_indel()) {
        const RepeatContext repeat = repeat_of(slice, allele, arena);
        if (repeat.period > 1 && repeat.copies >= k_min_copies) return ml::Context::repeat;
        is_homopolymer |= repeat.period == 1 && repeat.copies >= k_min_homopolymer_bp;
        repeat_bp = std::max(repeat_bp, tandem_repeat_bp(slice, allele.end()));
    }
    if (is_homopolymer) return ml::Context::homopolymer;
    return repeat_bp >= k_min_repeat_bp ? ml::Context::repeat : ml::Context::unique;
}

}  // namespace gannet::variants
