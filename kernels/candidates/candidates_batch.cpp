// SPDX-License-Identifier: MIT
// Provides the checks of the search for candidates, and its run over a batch on the backend simd.
#include "kernels/candidates/candidates_backends.hpp"
#include "kernels/candidates/candidates_words.hpp"

#include <algorithm>
#include <span>
#include <stdexcept>
#include <string>

namespace gannet::kernels {

namespace {

/// Reads whose memory is asked for together.
constexpr uint32_t k_lockstep_reads = 32;

void check_range(const char* what, int64_t value, int64_t low, int64_t high) {
    if (value < low || value > high)
        throw std::invalid_argument("candidates: " + std::string(what) + " of " + std::to_string(value) +
                                    "; " + std::to_string(low) + " to " + std::to_string(high) +
                                    " are allowed");
}

}  // namespace

namespace candidates {

void check(const CandidateParameters& parameters, uint64_t reads) {
    constexpr int64_t k_highest = 1000;
    const BandedSwScoring& scoring = parameters.scoring;
    check_range("match", scoring.match, 1, k_highest);
    check_range("mismatch", scoring.mismatch, 0, k_highest);
    check_range("ambiguous", scoring.ambiguous, 0, k_highest);
    check_range("gap_open", scoring.gap_open, 0, k_highest);
    check_range("gap_extend", scoring.gap_extend, 1, k_highest);
    check_range("end_bonus", scoring.end_bonus, 0, k_highest);
    check_range("band", parameters.band, 1, k_banded_sw_widest_band);
    check_range("kmer", parameters.kmer, 1, 64);
    check_range("number of reads", static_cast<int64_t>(reads), 0, INT32_MAX);
}

void check(const CandidateParameters& parameters, const ReadBatchView& reads, const SeedHitsView& hits) {
    check(parameters, reads.reads);
    if (hits.reads != reads.reads)
        throw std::invalid_argument("candidates: hits of " + std::to_string(hits.reads) + " reads for " +
                                    std::to_string(reads.reads));
}

void clear(CandidateResults& results) {
    results.candidate_begin.assign(1, 0);
    results.candidates.clear();
    results.left_out.clear();
    results.jobs.clear();
}

void append(const ReadOutcome& outcome, const Candidate* candidates, const ExtensionJob* jobs,
            CandidateResults& results) {
    const Candidate* const first = candidates + outcome.candidate_begin;
    results.candidates.insert(results.candidates.end(), first, first + outcome.candidates);
    if (outcome.jobs != 0) {
        const auto first_job = static_cast<uint32_t>(results.jobs.size());
        for (Candidate& candidate : std::span(results.candidates).last(outcome.candidates)) {
            if (candidate.left_gapped) candidate.left_job += first_job;
            if (candidate.right_gapped) candidate.right_job += first_job;
        }
        results.jobs.insert(results.jobs.end(), jobs + outcome.job_begin,
                            jobs + outcome.job_begin + outcome.jobs);
    }
    results.left_out.push_back(outcome.left_out);
    results.candidate_begin.push_back(static_cast<uint32_t>(results.candidates.size()));
}

void add_jobs(const CandidateParameters& parameters, const GenomeView& genome, uint32_t read,
              uint32_t read_length, Candidate& candidate, std::vector<ExtensionJob>& jobs) {
    for (const bool left : {true, false}) {
        if (!(left ? candidate.left_gapped : candidate.right_gapped)) continue;
        (left ? candidate.left_job : candidate.right_job) = static_cast<uint32_t>(jobs.size());
        jobs.push_back(job_of_side(parameters, genome, read, read_length, candidate, left));
    }
}

void BlockSearch::begin(uint32_t read) {
    first_ = read;
    scratch_.diagonals.clear();
    scratch_.diagonal_begin.assign(1, 0);
}

void BlockSearch::add(std::span<uint64_t> hits) {
    const auto read = first_ + static_cast<uint32_t>(scratch_.diagonal_begin.size() - 1);
    finder_.add_diagonals(hits, reads_.length[read], scratch_.diagonals, results_.left_out.emplace_back());
    scratch_.diagonal_begin.push_back(static_cast<uint32_t>(scratch_.diagonals.size()));
}

void BlockSearch::finish() {
    const auto count = static_cast<uint32_t>(scratch_.diagonal_begin.size() - 1);
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t read = first_ + i;
        const size_t begin = scratch_.diagonal_begin[i];
        const size_t end = scratch_.diagonal_begin[i + 1];
        const size_t first_candidate = results_.candidates.size();
        finder_.add_candidates(single_read(reads_, read),
                               std::span(scratch_.diagonals).subspan(begin, end - begin), results_.candidates,
                               results_.left_out[results_.left_out.size() - (count - i)]);
        results_.candidate_begin.push_back(static_cast<uint32_t>(results_.candidates.size()));
        const auto own = std::span(results_.candidates).subspan(first_candidate);
        choose_extensions(own, parameters_.scoring.mismatch_loss());
        for (Candidate& candidate : own)
            add_jobs(parameters_, genome_, read, reads_.length[read], candidate, results_.jobs);
    }
}

void append_reads(const GenomeView& genome, const CandidateParameters& parameters, const ReadBatchView& reads,
                  const SeedHitsView& hits, uint32_t first, uint32_t last, WordsScratch& scratch,
                  CandidateResults& results) {
    BlockSearch search(parameters, genome, reads, scratch, results);
    search.begin(first);
    for (uint32_t read = first; read < last; ++read) {
        scratch.hits.assign(hits.hits + hits.hit_begin[read], hits.hits + hits.hit_end[read]);
        search.add(scratch.hits);
    }
    search.finish();
}

}  // namespace candidates

void candidates_words(const CandidateParameters& parameters, const GenomeView& genome,
                      const ReadBatchView& reads, const SeedHitsView& hits, CandidateResults& results) {
    static thread_local candidates::WordsScratch scratch;
    candidates::check(parameters, reads, hits);
    candidates::clear(results);
    for (uint32_t first = 0; first < reads.reads; first += k_lockstep_reads) {
        const uint32_t last = std::min(reads.reads, first + k_lockstep_reads);
        candidates::append_reads(genome, parameters, reads, hits, first, last, scratch, results);
    }
}

}  // namespace gannet::kernels
