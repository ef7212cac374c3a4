// SPDX-License-Identifier: MIT
// Provides candidates made by hand, for the tests of single steps of the aligner.
#pragma once

#include "align/work_state.hpp"

#include <initializer_list>

namespace gannet::tests {

/// A candidate of read bases [begin, end) (oriented) on a diagonal of contig 0, without gaps; positions of
/// the read and of the reference then differ by the diagonal.
inline align::Candidate candidate(int64_t diagonal, uint8_t strand, int32_t score, uint32_t begin,
                                  uint32_t end) {
    align::Candidate out;
    out.diagonal = diagonal;
    out.strand = strand;
    out.score = score;
    out.query_begin = begin;
    out.query_end = end;
    out.anchor_begin = begin;
    out.anchor_end = end;
    out.target_begin = diagonal + begin;
    out.target_end = diagonal + end;
    return out;
}

/// Makes these the candidates of read `read`, best score first, behind those of the reads before it.
inline void set_candidates(align::AlignmentWork::State& state, size_t read,
                           std::initializer_list<align::Candidate> candidates) {
    state.reads.at(read).candidate_begin = static_cast<uint32_t>(state.candidates.size());
    state.candidates.insert(state.candidates.end(), candidates);
    state.reads.at(read).candidate_end = static_cast<uint32_t>(state.candidates.size());
}

}  // namespace gannet::tests
