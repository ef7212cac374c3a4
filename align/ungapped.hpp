// SPDX-License-Identifier: MIT
// Provides the comparison of a read with one diagonal of the reference, without dynamic programming, and the
// tables that it reads.
#pragma once

#include "align/alternate.hpp"
#include "align/ambiguity_map.hpp"
#include "align/parameters.hpp"
#include "align/work_state.hpp"
#include "data/read_batch.hpp"
#include "kernels/candidates/candidate_list.hpp"
#include "kernels/genome/genome_view.hpp"

#include <cstdint>
#include <vector>

namespace gannet::align {

/// Tables that all batches use; immutable. The reference must outlive them.
struct AlignerTables {
    explicit AlignerTables(const data::Reference& reference, const data::ContigClasses& classes = {});
    AlignerTables(const AlignerTables&) = delete;
    AlignerTables& operator=(const AlignerTables&) = delete;

    AmbiguityMap ambiguity;
    AlternateMap alternates;
    std::vector<uint64_t> contig_begin;
    std::vector<uint64_t> contig_length;
    std::vector<kernels::GenomeInterval> ambiguous;
    kernels::GenomeView genome;  ///< of the reference and of the above
};

/// The aligner's parameters as the op find_candidates takes them. `kmer`: of the index.
kernels::CandidateParameters candidate_parameters(const AlignerParameters& parameters, uint32_t kmer);

/// Writes the read in the direction of the forward strand of the reference to `out`.
void orient(std::span<const data::Base> bases, uint8_t strand, std::vector<uint8_t>& out);

/// Compares oriented reads of a batch that is packed with diagonals. Holds references only; cheap to make.
class Ungapped {
  public:
    Ungapped(const AlignerTables& tables, const AlignerParameters& parameters,
             const kernels::ReadBatchView& reads)
        : genome_(tables.genome), parameters_(candidate_parameters(parameters, 0)), reads_(reads) {}

    /// Fills `candidate` (diagonal and strand given): anchor, ends, score, and which sides need banded_sw
    /// (left_gapped, right_gapped), as the search for candidates defines them
    /// (kernels/candidates/candidates.hpp). False when nothing matches.
    bool compare(uint32_t read, Candidate& candidate) const {
        return kernels::candidates::compare_with_diagonal(parameters_, genome_, reads_, read, candidate);
    }

    const kernels::GenomeView& genome() const { return genome_; }
    const kernels::BandedSwScoring& scoring() const { return parameters_.scoring; }

    /// Words of the read's strand.
    const uint64_t* words(uint32_t read, uint8_t strand) const { return reads_.words(read, strand); }

  private:
    const kernels::GenomeView& genome_;
    const kernels::CandidateParameters parameters_;
    const kernels::ReadBatchView reads_;
};

}  // namespace gannet::align
