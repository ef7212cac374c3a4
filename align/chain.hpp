// SPDX-License-Identifier: MIT
// Provides the grouping of seed hits by diagonal and the choice of a read's candidates.
#pragma once

#include "align/ungapped.hpp"

#include <cstdint>

namespace gannet::align {

/// Longer reads are left unmapped: it is the longest query of banded_sw.
inline constexpr uint32_t k_max_read_bp = kernels::k_banded_sw_max_query;

inline constexpr int64_t k_diagonal_bias = 8192;

/// A hit as a sortable key: strand, diagonal, position of the seed in the oriented read.
inline uint64_t hit_key(bool reverse, int64_t diagonal, uint32_t position) {
    return uint64_t{reverse} << 63 | static_cast<uint64_t>(diagonal + k_diagonal_bias) << 16 | position;
}

class Chainer {
  public:
    Chainer(const data::ReadBatch& batch, const Index& index, const AlignerTables& tables,
            const AlignerParameters& parameters, AlignmentWork::State& state)
        : batch_(batch),
          parameters_(parameters),
          tables_(tables),
          ungapped_(*index.reference(), tables, parameters, state),
          packed_(index.reference()->packed()),
          kmer_(index.parameters().kmer),
          state_(state) {}

    /// Groups state.hits of read `read` by diagonal, appends the best diagonals to state.diagonals, and asks
    /// for the memory that comparing with them reads.
    void add_diagonals(uint32_t read);
    /// Compares the read with its diagonals and appends its candidates to state.candidates.
    void add_candidates(uint32_t read, std::span<const Diagonal> diagonals);

  private:
    void prefetch(const Diagonal& diagonal, uint32_t read_length) const;
    void drop_diagonals(uint32_t read, size_t first);
    size_t compare_diagonals(uint32_t read, std::span<const Diagonal> diagonals);
    bool compare(uint32_t read, const Diagonal& diagonal, int32_t floor);
    bool may_be_hopeless(const Candidate& best, const Diagonal& other) const;
    void drop_candidates(uint32_t read);

    const data::ReadBatch& batch_;
    const AlignerParameters& parameters_;
    const AlignerTables& tables_;
    Ungapped ungapped_;
    std::span<const uint64_t> packed_;
    uint32_t kmer_;
    AlignmentWork::State& state_;
};

/// Sorts candidates: those on ALT contigs last, best score first, ties by strand and position. That prefers
/// none of them: the template's hash decides between equals (choose_template).
void sort_by_score(std::span<Candidate> candidates);

/// Drops candidates that align more than half of their bases to the same stretch of the reference as a better
/// one whose diagonal is within the band; sorts the rest by score and returns how many there are. Of two that
/// score about the same and are shifted against each other by a unit of a tandem repeat, both stay.
size_t drop_redundant(std::span<Candidate> candidates, int64_t band);

}  // namespace gannet::align
