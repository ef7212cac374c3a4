// SPDX-License-Identifier: MIT
// Provides the search for candidates on the backend simd: one read after another, 32 bases at a time in
// 64-bit words.
#pragma once

#include "kernels/candidates/candidate_list.hpp"
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
        std::vector<Limit> limits;  ///< of the diagonals of a read that may be pruned
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
    bool is_pruned(const SingleRead& read, const Diagonal& diagonal, int32_t enough,
                   CandidatesLeftOut& left_out) const;
    size_t compare_limited(const SingleRead& read, CandidatesLeftOut& left_out) const;
    size_t compare_diagonals(const SingleRead& read, std::span<const Diagonal> diagonals,
                             CandidatesLeftOut& left_out) const;
    void drop_candidates(CandidatesLeftOut& left_out) const;

    const GenomeView& genome_;
    const CandidateParameters& parameters_;
    Scratch& scratch_;
};

/// Scratch of a block of reads.
struct WordsScratch {
    CandidateFinder::Scratch finder;
    std::vector<uint64_t> hits;  ///< of a read
    std::vector<Diagonal> diagonals;
    std::vector<uint32_t> diagonal_begin;  ///< of each read so far, and of the next
};

/// Searches a block of reads that follow each other: all of them are added before the first is compared, so
/// that the memory for this arrives while other reads are added. Appends to results, those of the reads
/// before which `results` holds. Holds references only; cheap to make.
class BlockSearch {
  public:
    BlockSearch(const CandidateParameters& parameters, const GenomeView& genome, const ReadBatchView& reads,
                WordsScratch& scratch, CandidateResults& results)
        : parameters_(parameters),
          genome_(genome),
          reads_(reads),
          scratch_(scratch),
          results_(results),
          finder_(genome, parameters, scratch.finder) {}
    BlockSearch(const BlockSearch&) = delete;
    BlockSearch& operator=(const BlockSearch&) = delete;

    /// The next block begins with this read.
    void begin(uint32_t read);
    /// Adds the next read. Sorts its hits.
    void add(std::span<uint64_t> hits);
    /// Appends the candidates and jobs of the block's reads.
    void finish();

  private:
    const CandidateParameters& parameters_;
    const GenomeView& genome_;
    const ReadBatchView& reads_;
    WordsScratch& scratch_;
    CandidateResults& results_;
    const CandidateFinder finder_;
    uint32_t first_ = 0;
};

/// Appends the results of reads [first, last), those before which `results` holds.
void append_reads(const GenomeView& genome, const CandidateParameters& parameters, const ReadBatchView& reads,
                  const SeedHitsView& hits, uint32_t first, uint32_t last, WordsScratch& scratch,
                  CandidateResults& results);

/// Step 7: the sides of a read's candidates, sorted by sort_by_score, that are not extended are no longer
/// gapped.
void choose_extensions(std::span<Candidate> candidates, int32_t mismatch_loss);

}  // namespace gannet::kernels::candidates
