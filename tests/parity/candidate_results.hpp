// SPDX-License-Identifier: MIT
// Provides the running, checking and comparing of ops whose results are candidates and jobs.
#pragma once

#include "kernels/candidates/candidates.hpp"
#include "tests/parity/parity.hpp"

#include <cstring>

namespace gannet::parity {

/// The bytes of an output that held something else, and what the op must not touch behind it.
template <class T>
void dirty_bytes(std::vector<T>& output, size_t elements) {
    output.resize(elements + k_guard_elements);
    std::memset(static_cast<void*>(output.data()), 0x5a, output.size() * sizeof(T));
}
template <class T>
void expect_guarded(const std::vector<T>& output, const T* before, size_t had) {
    if (output.data() != before || output.size() >= had) return;
    const auto* byte = reinterpret_cast<const uint8_t*>(output.data() + output.size());
    const auto* const end = reinterpret_cast<const uint8_t*>(output.data() + had);
    EXPECT_TRUE(std::all_of(byte, end, [](uint8_t value) { return value == 0x5a; }))
        << "an output was written beyond its end";
}

/// What one read got, with its jobs counted from its own first one.
struct OfRead {
    std::vector<kernels::Candidate> candidates;
    std::vector<kernels::ExtensionJob> jobs;
    kernels::CandidatesLeftOut left_out;
};
using OfReads = std::vector<OfRead>;

inline OfReads by_read(const kernels::CandidateResults& results, size_t reads) {
    OfReads out(reads);
    EXPECT_EQ(results.candidate_begin.size(), reads + 1);
    EXPECT_EQ(results.left_out.size(), reads);
    EXPECT_EQ(results.candidate_begin.front(), 0u);
    EXPECT_EQ(results.candidate_begin.back(), results.candidates.size());
    size_t job = 0;
    for (size_t read = 0; read < reads; ++read) {
        OfRead& own = out[read];
        own.left_out = results.left_out[read];
        const size_t first = job;
        for (uint32_t k = results.candidate_begin[read]; k < results.candidate_begin[read + 1]; ++k) {
            kernels::Candidate candidate = results.candidates[k];
            for (uint32_t* index : {&candidate.left_job, &candidate.right_job}) {
                if (*index == kernels::k_no_job) continue;
                EXPECT_EQ(*index, job) << "jobs are in the order of the candidates";
                *index = static_cast<uint32_t>(job - first);
                own.jobs.push_back(results.jobs.at(job++));
                EXPECT_EQ(own.jobs.back().read, read);
                own.jobs.back().read = 0;
            }
            own.candidates.push_back(candidate);
        }
    }
    EXPECT_EQ(job, results.jobs.size());
    return out;
}

inline std::string candidate_text(const kernels::Candidate& c) {
    std::string out;
    for (const int64_t value : {c.diagonal,
                                c.target_begin,
                                c.target_end,
                                int64_t{c.score},
                                int64_t{c.left_score},
                                int64_t{c.right_score},
                                int64_t{c.left_quality},
                                int64_t{c.right_quality},
                                int64_t{c.contig},
                                int64_t{c.query_begin},
                                int64_t{c.query_end},
                                int64_t{c.anchor_begin},
                                int64_t{c.anchor_end},
                                int64_t{c.seeds},
                                int64_t{c.left_job},
                                int64_t{c.right_job},
                                int64_t{c.strand},
                                int64_t{c.alternate},
                                int64_t{c.left_gapped},
                                int64_t{c.right_gapped}})
        out += " " + std::to_string(value);
    return out;
}

inline std::string left_out_text(const kernels::CandidatesLeftOut& left_out) {
    return " truncated " + std::to_string(left_out.truncated) + " dropped_bp " +
           std::to_string(left_out.dropped_bp) + " dropped_score " + std::to_string(left_out.dropped_score) +
           " pruned_score " + std::to_string(left_out.pruned_score);
}

inline std::string read_difference(const OfRead& expected, const OfRead& actual) {
    if (std::memcmp(&expected.left_out, &actual.left_out, sizeof(expected.left_out)) != 0)
        return "reference" + left_out_text(expected.left_out) + "; here" + left_out_text(actual.left_out);
    if (expected.candidates.size() != actual.candidates.size())
        return "reference " + std::to_string(expected.candidates.size()) + " candidates; here " +
               std::to_string(actual.candidates.size());
    for (size_t k = 0; k < expected.candidates.size(); ++k) {
        if (std::memcmp(&expected.candidates[k], &actual.candidates[k], sizeof(kernels::Candidate)) != 0)
            return "candidate " + std::to_string(k) + ": reference" + candidate_text(expected.candidates[k]) +
                   "; here" + candidate_text(actual.candidates[k]);
    }
    if (expected.jobs.size() != actual.jobs.size() ||
        (!expected.jobs.empty() && std::memcmp(expected.jobs.data(), actual.jobs.data(),
                                               expected.jobs.size() * sizeof(kernels::ExtensionJob)) != 0))
        return "the jobs differ";
    return "";
}

/// Empty if actual[k] equals expected[order[k]] for all k.
inline std::string candidates_difference(const OfReads& expected, const OfReads& actual,
                                         std::span<const uint32_t> order) {
    for (size_t k = 0; k < order.size(); ++k) {
        const std::string found = read_difference(expected[order[k]], actual[k]);
        if (!found.empty()) return "read " + std::to_string(order[k]) + ": " + found;
    }
    return "";
}

/// `run(results)`: the op, of `reads` reads, into Results, which are CandidateResults and may have more.
template <class Results, class Run>
OfReads run_guarded_candidates(size_t reads, const Run& run) {
    Results results;
    dirty_bytes(results.candidates, 30 * reads);
    dirty_bytes(results.jobs, 30 * reads);
    dirty_bytes(results.left_out, reads);
    dirty_bytes(results.candidate_begin, reads + 1);
    const Results stale = results;
    const kernels::Candidate* const candidates = results.candidates.data();
    const kernels::ExtensionJob* const extensions = results.jobs.data();
    const kernels::CandidatesLeftOut* const left_out = results.left_out.data();
    run(results);
    expect_guarded(results.candidates, candidates, stale.candidates.size());
    expect_guarded(results.jobs, extensions, stale.jobs.size());
    expect_guarded(results.left_out, left_out, stale.left_out.size());
    return by_read(results, reads);
}

}  // namespace gannet::parity
