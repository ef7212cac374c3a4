// SPDX-License-Identifier: MIT
// Provides what the search for positions that seeding left out reads of a batch.
#pragma once

#include "align/index/index.hpp"
#include "align/ungapped.hpp"
#include "align/work_state.hpp"
#include "kernels/pairing/pairing_terms.hpp"

#include <cstdint>

namespace gannet::align {

using kernels::k_nothing_left_out;

/// Compares chosen alignments with parts of their reads. Holds references only; cheap to make.
class OmittedPositions {
  public:
    OmittedPositions(const data::ReadBatch& batch, const Index& index, const Ungapped& ungapped,
                     AlignmentWork::State& state)
        : batch_(batch), index_(index), ungapped_(ungapped), state_(state) {}

    /// Does `chosen` match the read in this part?
    bool matches(uint32_t read, const Candidate& chosen, DistinctPart part) const {
        return kernels::pairing_terms::matches_in_part(ungapped_.genome(),
                                                       ungapped_.words(read, chosen.strand),
                                                       state_.reads[read].length, chosen, part);
    }

    /// Sets state().syncmers to those of the read.
    void find_seeds(uint32_t read) const {
        const IndexParameters& parameters = index_.parameters();
        const ReadState& own = state_.reads[read];
        state_.syncmers.clear();
        find_syncmers(parameters.kmer, parameters.smer, batch_.read_bases(read), own.has_n,
                      state_.packed.data() + own.packed, 0, state_.syncmer, state_.syncmers);
    }

    const data::ReadBatch& batch() const { return batch_; }
    const Index& index() const { return index_; }
    const Ungapped& ungapped() const { return ungapped_; }
    AlignmentWork::State& state() const { return state_; }

  private:
    const data::ReadBatch& batch_;
    const Index& index_;
    const Ungapped& ungapped_;
    AlignmentWork::State& state_;
};

}  // namespace gannet::align
