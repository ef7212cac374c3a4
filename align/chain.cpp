// SPDX-License-Identifier: MIT
// Provides the two halves of the search for a read's candidates on the state of its batch.
#include "align/chain.hpp"

namespace gannet::align {

void Chainer::add_diagonals(uint32_t read) {
    ReadState& state = state_.reads[read];
    finder_.add_diagonals(state_.hits, state.length, state_.diagonals, state.left_out);
}

void Chainer::add_candidates(uint32_t read, std::span<const Diagonal> diagonals) {
    ReadState& state = state_.reads[read];
    state.candidate_begin = static_cast<uint32_t>(state_.candidates.size());
    finder_.add_candidates(single_read(batch_, read, state_), diagonals, state_.candidates, state.left_out);
    state.candidate_end = static_cast<uint32_t>(state_.candidates.size());
}

}  // namespace gannet::align
