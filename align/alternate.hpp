// SPDX-License-Identifier: MIT
// Provides what ALT contigs change for the aligner: where they are, and which candidates of a read compete.
//
// As in bwa mem (README-alt.md): an alignment to an ALT contig never competes with one to the primary
// assembly. The alignment of a read and its mapping quality are chosen among the candidates on the primary
// assembly; a candidate on an ALT contig is reported beside it, as supplementary, where it scores better.
// Only reads without an alignment to the primary assembly are aligned to ALT contigs as if these were all
// there is.
#pragma once

#include "align/parameters.hpp"
#include "align/work_state.hpp"
#include "data/contig_classes.hpp"
#include "data/reference.hpp"
#include "kernels/genome/genome_view.hpp"
#include "kernels/pairing/pairing_terms.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace gannet::align {

/// Where ALT contigs are in the genome: a few ranges, since they are adjacent in the usual files. Immutable.
class AlternateMap {
  public:
    AlternateMap() = default;
    AlternateMap(const data::Reference& reference, const data::ContigClasses& classes);

    bool empty() const { return ranges_.empty(); }
    /// `position`: genome coordinate, negative ones included.
    bool contains(int64_t position) const { return !ranges_.empty() && find(position); }

    std::span<const kernels::GenomeInterval> ranges() const { return ranges_; }

  private:
    bool find(int64_t position) const;

    std::vector<kernels::GenomeInterval> ranges_;  ///< ascending
};

using kernels::pairing_terms::CandidateParts;

/// The candidates of a read that compete, and those aside, as the op pairing has them.
inline CandidateParts candidate_parts(const AlignmentWork::State& state, const ReadState& read,
                                      const AlignerParameters& parameters) {
    return kernels::pairing_terms::candidate_parts(read, state.candidates,
                                                   parameters.minimum_score_of(read.length));
}

}  // namespace gannet::align
