// SPDX-License-Identifier: MIT
// Provides the comparison of a read with one diagonal of the reference, without dynamic programming.
#pragma once

#include "align/alternate.hpp"
#include "align/ambiguity_map.hpp"
#include "align/parameters.hpp"
#include "align/work_state.hpp"
#include "data/read_batch.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace gannet::align {

/// Tables that all batches use; immutable.
struct AlignerTables {
    explicit AlignerTables(const data::Reference& reference, const data::ContigClasses& classes = {})
        : ambiguity(reference), alternates(reference, classes) {}
    AmbiguityMap ambiguity;
    AlternateMap alternates;
};

/// Writes the read in the direction of the forward strand of the reference to `out`.
void orient(std::span<const data::Base> bases, uint8_t strand, std::vector<uint8_t>& out);

/// Compares oriented reads with diagonals. Holds references only; cheap to make.
class Ungapped {
  public:
    Ungapped(const data::Reference& reference, const AlignerTables& tables,
             const AlignerParameters& parameters, AlignmentWork::State& state)
        : reference_(reference), tables_(tables), parameters_(parameters), state_(state) {}

    /// Fills `candidate` (diagonal and strand given): anchor, ends, score, and which sides need banded_sw
    /// (left_gapped, right_gapped). The anchor is the longest run of matches; each side of it gets the best
    /// ungapped extension, scored and ended as banded_sw does. False when nothing matches.
    ///
    /// A side needs banded_sw unless no gap can win there. With P the score of a perfect side and U the
    /// ungapped one's (both with the end bonus), one gap of g costs at least gap_open + g * gap_extend, so
    /// with P - U at most the cost of a gap of one the side is optimal: a single mismatch always is. Up to a
    /// loss of three mismatches, alignments of one gap are looked for on the diagonals that they would end
    /// on; two gaps or a gap and a clipped end are not considered in that case.
    ///
    /// Also false, in a fraction of the time, where it is plain that the score is not above `floor` (of
    /// candidates that are not on ALT contigs).
    bool compare(const data::ReadBatch& batch, uint32_t read, Candidate& candidate, int32_t floor = 0) const;

    /// Words of the read's strand.
    const uint64_t* words(const ReadState& read, uint8_t strand) const {
        return state_.packed.data() + read.packed + (strand ? read.words : 0);
    }

  private:
    /// Oriented bases that are within the contig.
    struct Range {
        uint32_t begin;
        uint32_t end;
    };
    struct Side {
        uint32_t taken = 0;  ///< bases in the alignment, from the anchor outwards
        int32_t score = 0;
        int32_t value = 0;  ///< score, and the bonus if the end of the read is reached
    };
    void find_mismatches(const ReadState& read, const Candidate& candidate) const;
    bool find_mismatches_slowly(const data::ReadBatch& batch, uint32_t read, const Candidate& candidate,
                                Range& range) const;
    /// `matches`: bases of that side that match.
    Side walk_left(Range range, uint32_t anchor, uint32_t matches) const;
    Side walk_right(Range range, uint32_t anchor, uint32_t matches, uint32_t read_length) const;
    void weigh(std::span<const uint8_t> qualities, Candidate& candidate) const;
    std::optional<uint32_t> nth_mismatch(Range range, uint32_t anchor, bool right, uint32_t n) const;
    bool gap_may_win(const ReadState& read, const Candidate& candidate, Range range, bool right,
                     int32_t value, bool plain) const;
    uint32_t far_reach(const ReadState& read, const Candidate& candidate, int64_t shift, bool right,
                       uint32_t allowed) const;

    const data::Reference& reference_;
    const AlignerTables& tables_;
    const AlignerParameters& parameters_;
    AlignmentWork::State& state_;
};

}  // namespace gannet::align
