// SPDX-License-Identifier: MIT
// Provides the report of a run: run.json, and the short summary on stderr.
#pragma once

#include "pipeline/jobs/align_phase.hpp"
#include "pipeline/jobs/session.hpp"
#include "pipeline/sorted_graph.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gannet::pipeline {

struct RunReport {
    std::string command;
    std::string sample;
    std::string reference;
    std::vector<std::string> inputs;
    std::string align_parameters;
    std::string call_parameters;
    std::string ploidy;          ///< as the VCF's header states it
    std::string scorer;          ///< empty: none
    std::string sample_profile;  ///< as the VCF's header states it
    std::string trace;           ///< file of --trace; empty: none
    std::optional<AlignFacts> align;
    bool resumed = false;  ///< at the BAM of an earlier run
    std::optional<SortedGraphResult> call;
    std::vector<std::pair<std::string, std::string>> outputs;  ///< what, path
    std::vector<std::string> quality_control;  ///< names of its files; empty: none, or not in one folder
};

/// run.json. Everything but the block "execution" is the same for two runs of a build with equal inputs and
/// options, on any number of threads and at any SIMD level.
std::string to_json(const RunReport& report, const Session& session, const Tracer& tracer);
/// Lines of the summary, on the log.
void log_summary(const RunReport& report, const Session& session, const Tracer& tracer);

/// The facts of a finished BAM, as JSON and back; empty when the text is not what to_json wrote.
std::string facts_to_json(const AlignFacts& facts, const std::string& run_facts, uint64_t bam_bytes);
std::optional<AlignFacts> facts_from_json(const std::string& text, const std::string& run_facts,
                                          uint64_t bam_bytes);

}  // namespace gannet::pipeline
