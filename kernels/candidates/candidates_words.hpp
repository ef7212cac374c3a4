// SPDX-License-Identifier: MIT
// Provides the search for candidates for one read after another, 32 bases at a time in 64-bit words: what the
// backend simd runs, and what the aligner calls between its own steps.
#pragma once

#include "kernels/candidates/candidates.hpp"
#include "kernels/candidates/mismatches.hpp"
#include "kernels/candidates/score_limits.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace gannet::kernels::candidates {

/// Steps 1 to 6 of the contract in two halves, between which memory that the first has asked for arrives if
/// other reads are done there. Holds references only, and its scratch; one per thread.
class CandidateFinder {
  public:
    /// A diagonal and the most that it can score.
    struct Limit {
        int32_t score = 0;
        Diagonal diagonal;
    };
    struct Scratch {
        std::vector<Candidate> merged;
        Mismatches mismatches;
        std::vector<Limit> limits;  ///< of the diagonals of a read that may be hopeless
        ScoreLimits score_limits;
    };

    CandidateFinder(const GenomeView& genome, const CandidateParameters& parameters, Scratch& scratch)
        : genome_(genome), parameters_(parameters), scratch_(scratch) {}

    /// Steps 1 and 2. Sorts `hits`, appends the read's diagonals to `diagonals`, and asks for the memory that
    /// comparing with them reads.
    void add_diagonals(std::span<uint64_t> hits, uint32_t read_length, std::vector<Diagonal>& diagonals,
                       CandidatesLeftOut& left_out) const;
    /// Steps 3 to 6. Appends the read's candidates. `diagonals` in any order.
    void add_candidates(const SingleRead& read, std::span<const Diagonal> diagonals,
                        std::vector<Candidate>& candidates, CandidatesLeftOut& left_out) const;

  private:
    void drop_diagonals(uint32_t read_length, size_t first, std::vector<Diagonal>& diagonals,
                        CandidatesLeftOut& left_out) const;
    bool compare(const SingleRead& read, const Diagonal& diagonal) const;
    bool has_limit(const SingleRead& read, const Diagonal& diagonal) const;
    void find_limits(const SingleRead& read) const;
    bool is_hopeless(const SingleRead& read, const Diagonal& diagonal, int32_t enough,
                     CandidatesLeftOut& left_out) const;
    size_t compare_limited(const SingleRead& read, CandidatesLeftOut& left_out) const;
    size_t compare_diagonals(const SingleRead& read, std::span<const Diagonal> diagonals,
                             CandidatesLeftOut& left_out) const;
    void drop_candidates(CandidatesLeftOut& left_out) const;

    const GenomeView& genome_;
    const CandidateParameters& parameters_;
    Scratch& scratch_;
};

/// Sorts candidates: those on ALT contigs last, best score first, ties by strand and position. That prefers
/// none of them: the template's hash decides between equals when the aligner chooses.
void sort_by_score(std::span<Candidate> candidates);

/// The number of candidates, sorted by sort_by_score, that are on the primary assembly: they come first.
inline size_t primary_candidates(std::span<const Candidate> sorted) {
    size_t count = sorted.size();
    while (count > 0 && sorted[count - 1].alternate) --count;
    return count;
}

/// Drops candidates that align more than half of their bases to the same stretch of the reference as a better
/// one whose diagonal is within the band; sorts the rest by score and returns how many there are. Of two that
/// score about the same and are shifted against each other by a unit of a tandem repeat, both stay.
/// `mismatch_loss`: of the scoring; here and below.
size_t drop_redundant(std::span<Candidate> candidates, int64_t band, int32_t mismatch_loss);

/// Scratch of append_reads().
struct WordsScratch {
    CandidateFinder::Scratch finder;
    std::vector<uint64_t> hits;
    std::vector<Diagonal> diagonals;
    std::vector<uint32_t> diagonal_begin;
};

/// Appends the results of reads [first, last), those before which `results` holds.
void append_reads(const GenomeView& genome, const CandidateParameters& parameters, const ReadBatchView& reads,
                  const SeedHitsView& hits, uint32_t first, uint32_t last, WordsScratch& scratch,
                  CandidateResults& results);

/// Step 7: the sides of a read's candidates, sorted by sort_by_score, that are not extended are no longer
/// gapped.
void choose_extensions(std::span<Candidate> candidates, int32_t mismatch_loss);

}  // namespace gannet::kernels::candidates
