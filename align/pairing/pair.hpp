// SPDX-License-Identifier: MIT
// Provides the choice of alignments for the reads of templates, with mapping qualities: the op pairing, and
// what it leaves to the host.
#pragma once

#include "align/extend.hpp"
#include "align/omitted.hpp"
#include "align/pairing/insert_size_model.hpp"
#include "align/parameters.hpp"
#include "align/work_state.hpp"
#include "data/read_batch.hpp"
#include "kernels/pairing/pairing_cell.hpp"

namespace gannet::align {

/// The aligner's parameters as the op pairing takes them. `model`: a usable one. `kmer`: of the index.
kernels::PairingParameters pairing_parameters(const AlignerParameters& parameters,
                                              const InsertSizeModel& model, uint32_t kmer);

/// What the op pairing takes of a batch; refers to both. Fills state.pairing_reads.
kernels::PairingBatch pairing_batch(const data::ReadBatch& batch, AlignmentWork::State& state);

/// Of template after template, appends to state.chosen the primary alignment of each read, its
/// supplementaries and those on ALT contigs, to state.other_hits what the records list beside them, and the
/// jobs of their tracebacks to the work's; sets state.ranges. Of equal choices a hash of the template's name
/// and the position decides: no locus is preferred, and the same reads always get the same alignments. Holds
/// references only; cheap to make.
class PairChooser {
  public:
    /// `given`: with pairing_parameters(), and pairing_batch() as it is now. `omitted`: what is searched for
    /// pairs that seeding left out.
    PairChooser(const kernels::pairing::Given& given, const AlignerParameters& parameters,
                const InsertSizeModel& model, const OmittedPositions& omitted, Extender& extender,
                AlignmentWork::State& state)
        : given_(given),
          parameters_(parameters),
          model_(model),
          omitted_(omitted),
          extender_(extender),
          state_(state) {}

    /// Chooses by the code of the op.
    void choose(uint32_t template_index);
    /// Takes what the op has chosen: `placed` of the template's first read and, where reads are paired, of
    /// the next.
    void take(uint32_t template_index, const kernels::PlacedRead* placed);

  private:
    void search(kernels::pairing::ChosenPair& pair, uint32_t first) const;
    void add(uint32_t template_index, uint32_t read, const kernels::PlacedRead& placed);
    void add_supplementaries(const CandidateParts& parts, uint32_t read, uint32_t best, size_t begin);

    const kernels::pairing::Given& given_;
    const AlignerParameters& parameters_;
    const InsertSizeModel& model_;
    const OmittedPositions& omitted_;
    Extender& extender_;
    AlignmentWork::State& state_;
};

}  // namespace gannet::align
