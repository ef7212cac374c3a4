// SPDX-License-Identifier: MIT
// Provides the steps of the search for candidates that the aligner calls.
#include "kernels/candidates/candidate_list.hpp"

#include "kernels/candidates/candidates_order.hpp"
#include "kernels/candidates/mismatches.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

namespace gannet::kernels::candidates {

bool compare_with_diagonal(const CandidateParameters& parameters, const GenomeView& genome,
                           const ReadBatchView& reads, uint32_t read, Candidate& candidate) {
    static thread_local Mismatches mismatches;
    return compare(genome, parameters, single_read(reads, read), mismatches, candidate);
}

ExtensionJob job_of_side(const CandidateParameters& parameters, const GenomeView& genome, uint32_t read,
                         uint32_t read_length, const Candidate& candidate, bool left) {
    return extension_job(contig_interval(genome, candidate.contig), parameters.scoring, parameters.band, read,
                         read_length, candidate, left);
}

void sort_by_score(std::span<Candidate> candidates) {
    std::sort(candidates.begin(), candidates.end(), comes_before);
}

size_t drop_redundant(std::span<Candidate> candidates, int64_t band, int32_t mismatch_loss) {
    if (candidates.size() < 2) return candidates.size();
    std::sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
        return std::tie(a.strand, a.diagonal, b.score) < std::tie(b.strand, b.diagonal, a.score);
    });
    constexpr int32_t k_dropped = std::numeric_limits<int32_t>::min();
    for (size_t i = 0; i < candidates.size(); ++i) {
        Candidate& one = candidates[i];
        for (size_t j = i + 1; j < candidates.size() && one.score != k_dropped; ++j) {
            Candidate& other = candidates[j];
            if (other.strand != one.strand || other.diagonal - one.diagonal > band) break;
            if (other.score == k_dropped || !on_same_stretch(one, other, mismatch_loss)) continue;
            (other.score > one.score ? one : other).score = k_dropped;
        }
    }
    const auto end = std::remove_if(candidates.begin(), candidates.end(),
                                    [](const Candidate& candidate) { return candidate.score == k_dropped; });
    const auto kept = static_cast<size_t>(end - candidates.begin());
    sort_by_score(candidates.first(kept));
    return kept;
}

}  // namespace gannet::kernels::candidates
