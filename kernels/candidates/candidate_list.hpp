// SPDX-License-Identifier: MIT
// Provides steps of the search for candidates (candidates.hpp) to the aligner, which does them again once
// banded_sw has extended the candidates of a read. On the host.
#pragma once

#include "kernels/candidates/candidates.hpp"
#include "kernels/genome/genome_view.hpp"
#include "kernels/reads/read_batch_view.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace gannet::kernels::candidates {

/// Step 3 of a read and one diagonal. Fills `candidate`, whose diagonal, strand and seeds are given; false
/// when nothing matches. Scratch is kept per thread.
bool compare_with_diagonal(const CandidateParameters& parameters, const GenomeView& genome,
                           const ReadBatchView& reads, uint32_t read, Candidate& candidate);

/// Step 5: drops candidates that align more than half of their bases to the same stretch of the reference as
/// a better one whose diagonal is within the band; sorts the rest by score and returns how many there are. Of
/// two that score about the same and are shifted against each other by a unit of a tandem repeat, both stay.
/// `mismatch_loss`: of the scoring.
size_t drop_redundant(std::span<Candidate> candidates, int64_t band, int32_t mismatch_loss);

/// Step 6: sorts candidates, those on ALT contigs last, best score first, ties by strand and position. That
/// prefers none of them: the template's hash decides between equals when the aligner chooses.
void sort_by_score(std::span<Candidate> candidates);

/// The number of candidates, sorted by sort_by_score, that are on the primary assembly: they come first.
inline size_t primary_candidates(std::span<const Candidate> sorted) {
    size_t count = sorted.size();
    while (count > 0 && sorted[count - 1].alternate) --count;
    return count;
}

/// Step 7: the job of one side of a candidate of `read`, which has `read_length` bases.
ExtensionJob job_of_side(const CandidateParameters& parameters, const GenomeView& genome, uint32_t read,
                         uint32_t read_length, const Candidate& candidate, bool left);

}  // namespace gannet::kernels::candidates
