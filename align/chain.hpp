// SPDX-License-Identifier: MIT
// Provides the search for candidates to the steps of the aligner, one read after another.
#pragma once

#include "align/ungapped.hpp"
#include "kernels/candidates/candidates_words.hpp"

#include <cstdint>

namespace gannet::align {

/// Longer reads are left unmapped: it is the longest query of banded_sw.
inline constexpr uint32_t k_max_read_bp = kernels::k_banded_sw_max_query;

using kernels::hit_key;
using kernels::k_diagonal_bias;
using kernels::candidates::drop_redundant;
using kernels::candidates::primary_candidates;
using kernels::candidates::sort_by_score;

class Chainer {
  public:
    Chainer(const data::ReadBatch& batch, const Index& index, const AlignerTables& tables,
            const AlignerParameters& parameters, AlignmentWork::State& state)
        : batch_(batch),
          parameters_(candidate_parameters(parameters, index.parameters().kmer)),
          finder_(tables.genome, parameters_, state.finder),
          state_(state) {}
    Chainer(const Chainer&) = delete;
    Chainer& operator=(const Chainer&) = delete;

    /// Groups state.hits of read `read` by diagonal, appends the best diagonals to state.diagonals, and asks
    /// for the memory that comparing with them reads.
    void add_diagonals(uint32_t read);
    /// Compares the read with its diagonals and appends its candidates to state.candidates.
    void add_candidates(uint32_t read, std::span<const Diagonal> diagonals);

  private:
    const data::ReadBatch& batch_;
    const kernels::CandidateParameters parameters_;
    const kernels::candidates::CandidateFinder finder_;
    AlignmentWork::State& state_;
};

}  // namespace gannet::align
