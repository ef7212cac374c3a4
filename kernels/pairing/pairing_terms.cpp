// SPDX-License-Identifier: MIT
// Provides the terms of the op pairing to the aligner, by the code of the op.
#include "kernels/pairing/pairing_terms.hpp"

#include "kernels/pairing/pairing_backends.hpp"
#include "kernels/pairing/pairing_cell.hpp"

#include <algorithm>

namespace gannet::kernels::pairing_terms {
namespace {

/// What a search found limits the template no less, and what it counted is known.
void take_search(const SearchedRead& found, pairing::ChosenRead& read) {
    read.left_out.margin = std::max(read.left_out.margin, found.margin);
    read.left_out.near_equal = found.near_equal;
}

}  // namespace

CandidateParts candidate_parts(const PairingRead& read, std::span<const Candidate> candidates,
                               int32_t minimum_score) {
    const pairing::Competing those = pairing::competing(read, candidates.data(), minimum_score);
    const auto from = candidates.subspan(those.begin);
    return {from.first(those.count), from.subspan(those.count, those.aside), those.begin};
}

bool is_preferred(const PairingBatch& batch, uint32_t template_index, const Candidate& a,
                  const Candidate& b) {
    return pairing::tie_break(batch, template_index).prefers(a, b);
}

bool overlaps(const Candidate& a, uint32_t read_length, const Candidate& b) {
    return pairing::overlaps(a, read_length, b);
}

int32_t insert_size(const Candidate& a, uint32_t length_a, const Candidate& b, uint32_t length_b) {
    return pairing::insert_size(a, length_a, b, length_b);
}

int32_t insert_penalty(int32_t insert_bp, int32_t mean_bp, int32_t sd_bp, int32_t match) {
    return pairing::insert_penalty(insert_bp, mean_bp, sd_bp, match, k_tail_penalty);
}

bool matches_in_part(const GenomeView& genome, const uint64_t* words, uint32_t read_length,
                     const Candidate& candidate, DistinctPart part) {
    return pairing::matches(genome, words, read_length, candidate, part);
}

std::array<PlacedRead, 2> placed_after_search(const PairingParameters& parameters, const GenomeView& genome,
                                              const ReadBatchView& reads, const PairingBatch& batch,
                                              uint32_t template_index, const SearchedRead& first,
                                              const SearchedRead& second) {
    const pairing::Given given{parameters, genome, reads, batch};
    int32_t totals[2 * k_max_candidates];
    pairing::ChosenPair pair = choose_template(given, template_index, pairing::HostTotals{totals});
    take_search(first, pair.a);
    take_search(second, pair.b);
    return {placed(given, pair.a, pair.proper, pair.needs_search),
            placed(given, pair.b, pair.proper, pair.needs_search)};
}

}  // namespace gannet::kernels::pairing_terms
