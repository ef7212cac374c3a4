// SPDX-License-Identifier: MIT
// Provides the search of all pairs of positions that match about as well as a chosen pair.
#pragma once

#include "align/insert_size_model.hpp"
#include "align/omitted.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

namespace gannet::align {

using kernels::k_searched_mismatches;

/// What was found of one read of the pair, with the read elsewhere than in the chosen pair.
struct Rivals {
    int32_t margin = k_nothing_left_out;  ///< of the chosen pair over the best one, in 1 / k_score_unit
    uint32_t near_equal = 0;  ///< positions of the read in pairs within one mismatch of the chosen
};

/// Searches the index without the limits of seeding, for the few templates whose mapping quality depends on
/// what these left out.
///
/// Pigeonholes: of a pair with at most one mismatch more than the chosen one, one read matches in every part
/// in which its chosen alignment does, and the other in one of any two disjoint ones. So the entries that
/// share the longest such part of one read are listed, and those that share either of two parts of the other
/// read are checked for being beside one of them; then the same with the reads exchanged. What is beside each
/// other is compared and scored as every candidate is, without gaps.
class PairSearch {
  public:
    PairSearch(const OmittedPositions& omitted, const InsertSizeModel& model)
        : omitted_(omitted), model_(model) {}

    /// For the proper pair of candidates `a` of read `read_a`, and `b` of `read_b`: the rivals of each. None
    /// where there are too many entries to look at, where a chosen alignment has gaps, or where it matches
    /// its read in no two parts of the length of a k-mer. Cost: up to about 10^4 entries, some 0.1 ms.
    std::optional<std::pair<Rivals, Rivals>> search(uint32_t read_a, const Candidate& a, uint32_t read_b,
                                                    const Candidate& b) const;

  private:
    struct Piece {
        DistinctPart part;
        Syncmer seed;
    };
    /// Parts of two reads, and the entries that share them.
    struct Shared {
        Piece longest;  ///< of the one read
        std::span<const IndexEntry> listed;
        std::array<Piece, k_searched_mismatches> pieces;  ///< of the other one
        std::array<std::span<const IndexEntry>, k_searched_mismatches> looked_at;
    };
    bool find_pieces(uint32_t read, const Candidate& chosen, std::span<Piece> pieces) const;
    bool find_pieces_of(uint32_t length, uint32_t read, const Candidate& chosen,
                        std::span<Piece> pieces) const;
    std::span<const IndexEntry> sharing(uint32_t read, const Piece& piece) const;
    std::optional<Shared> look_up(uint32_t read_a, const Candidate& a, uint32_t read_b,
                                  const Candidate& b) const;
    bool list_pairs(uint32_t read_a, uint32_t read_b, const Shared& shared, bool turned) const;
    std::pair<Rivals, Rivals> score_pairs(uint32_t read_a, const Candidate& a, uint32_t read_b,
                                          const Candidate& b) const;

    const OmittedPositions& omitted_;
    const InsertSizeModel& model_;
};

}  // namespace gannet::align
