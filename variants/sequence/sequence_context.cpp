// SPDX-License-Identifier: MIT
// Provides the search for homopolymers and tandem repeats around an allele.
#include "variants/sequence/sequence_context.hpp"

#include "variants/model/sample.hpp"
#include "variants/model/sequence.hpp"

#include <algorithm>

namespace gannet::variants {

int64_t longest_homopolymer(const ReferenceSlice& slice, int64_t position, int64_t reach) {
    constexpr int64_t k_max_side = sequence_number("context_homopolymer_side_bp");
    int64_t longest = 0;
    for (int64_t start = position - reach; start <= position + reach; ++start) {
        const data::Base base = slice.at(start);
        if (base > 3) continue;
        int64_t begin = start, end = start + 1;
        while (start - begin < k_max_side && slice.at(begin - 1) == base) --begin;
        while (end - start < k_max_side && slice.at(end) == base) ++end;
        longest = std::max(longest, end - begin);
    }
    return longest;
}

namespace {

/// The longest tandem repeat of period 2 to 6 that the base is in, bases.
int64_t tandem_repeat_bp(const ReferenceSlice& slice, int64_t position) {
    constexpr int64_t k_max_period = sample_number("repeat_max_period_bp");
    constexpr int64_t k_max_side = sequence_number("context_repeat_side_bp");
    int64_t longest = 0;
    for (int64_t period = 2; period <= k_max_period; ++period) {
        int64_t begin = position, end = position + 1;
        const auto is_same = [&](int64_t a, int64_t b) {
            return slice.at(a) < data::k_base_n && slice.at(a) == slice.at(b);
        };
        while (position - begin < k_max_side && is_same(begin - 1, begin - 1 + period)) --begin;
        while (end - position < k_max_side && is_same(end, end - period)) ++end;
        if (end - begin >= 2 * period) longest = std::max(longest, end - begin);
    }
    return longest;
}

}  // namespace

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
