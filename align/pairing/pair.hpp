// SPDX-License-Identifier: MIT
// Provides what the op pairing is given, and what becomes of the places that it gives the reads of templates.
#pragma once

#include "align/alternate.hpp"
#include "align/extend.hpp"
#include "align/insert_size_model.hpp"
#include "align/omitted.hpp"
#include "align/parameters.hpp"
#include "align/work_state.hpp"
#include "data/read_batch.hpp"
#include "kernels/pairing/pairing.hpp"

namespace gannet::align {

/// The aligner's parameters as the op pairing takes them. `model`: a usable one. `kmer`: of the index.
kernels::PairingParameters pairing_parameters(const AlignerParameters& parameters,
                                              const InsertSizeModel& model, uint32_t kmer);

/// What the op pairing takes of a batch; refers to both. Fills state.pairing_reads.
kernels::PairingBatch pairing_batch(const data::ReadBatch& batch, AlignmentWork::State& state);

/// Of template after template, takes where the op pairing has placed its reads: appends to state.chosen the
/// primary alignment of each read, its supplementaries and those on ALT contigs, to state.other_hits what the
/// records list beside them, and the jobs of their tracebacks to the work's; sets state.ranges. Holds
/// references only; cheap to make.
class PairTaker {
  public:
    /// `omitted`: what is searched for pairs that seeding left out.
    PairTaker(const AlignerParameters& parameters, const InsertSizeModel& model,
              const OmittedPositions& omitted, Extender& extender, AlignmentWork::State& state)
        : parameters_(parameters), model_(model), omitted_(omitted), extender_(extender), state_(state) {}

    void take(uint32_t template_index);

  private:
    void search(uint32_t template_index);
    void add(uint32_t template_index, uint32_t read, const kernels::PlacedRead& placed);
    void add_supplementaries(const CandidateParts& parts, uint32_t read, uint32_t best, size_t begin);

    const AlignerParameters& parameters_;
    const InsertSizeModel& model_;
    const OmittedPositions& omitted_;
    Extender& extender_;
    AlignmentWork::State& state_;
};

}  // namespace gannet::align
