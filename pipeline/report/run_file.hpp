// SPDX-License-Identifier: MIT
// Provides what a report needs of run.json.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gannet::pipeline::report {

struct StageTime {
    std::string name;
    double cpu_s = 0, busy_s = 0, elapsed_s = 0;
};
struct PhaseTime {
    std::string name;
    double elapsed_s = 0;
    std::optional<double> host_joules;
};

/// All that may differ between two runs with equal results.
struct Execution {
    std::string start, end, host, machine, cpu, backend_choice, simd_level;
    double elapsed_s = 0, cpu_s = 0;
    uint64_t threads = 0, memory_bytes = 0, peak_memory_bytes = 0, spilled_bytes = 0;
    bool resumed = false;  ///< at a finished BAM: the times are of calling only
    std::optional<double> joules, mean_watts, joules_per_million_reads;  ///< of host and devices
    std::string energy_unavailable;                                      ///< why the host has none
    std::vector<std::string> devices;                                    ///< names, with their peak of memory
    std::vector<PhaseTime> phases;
    std::vector<StageTime> stages;
    std::string trace;  ///< path as it was given; empty: none was asked for
};

struct RunFile {
    std::string program, build, command, sample, reference, backend, scorer;
    std::vector<std::string> inputs;
    std::vector<std::string> quality_control;  ///< names of its files; empty: none, or the steps ran apart
    std::vector<std::pair<std::string, std::string>> parameters;  ///< what, text
    std::vector<std::string> warnings;
    std::vector<std::pair<std::string, std::string>> outputs;

    uint64_t reads = 0, bases = 0;
    bool trims_adapters = false;                    ///< --trim-adapters: `bases` are what was left
    uint64_t trimmed_reads = 0, trimmed_bases = 0;  ///< that had adapters; what was removed
    uint64_t known_bases = 0;                       ///< A, C, G, T of the reference; 0: not known
    bool has_targets =
        false;  ///< --targets, --regions or --regions-file: the depth of the genome says little
    bool names_targets = false;  ///< --targets
    bool uses_umis = false;      ///< --umi

    std::optional<double> contamination;  ///< a fraction; nothing: not measured
    std::string contamination_text;       ///< what it was measured from, or why it was not
    /// Depth by GC: percent from which it holds, and the depth. Empty: not known.
    std::vector<std::pair<int, double>> depth_by_gc;

    std::string stated_sex;                  ///< "male", "female"; empty: not stated
    std::string inferred_sex;                ///< the same by the depth of X and Y; empty: neither
    std::optional<double> x_depth, y_depth;  ///< relative to the autosomes; nothing: not known
    Execution execution;
};

/// Throws Error(malformed_input) where it is not the run.json of `gannet run`. `name`: of the file, for
/// messages.
RunFile parse_run_file(std::string_view json, const std::string& name);

/// Whether the command of a run has these words, as a shell would see them after blanks.
bool has_word(std::string_view command, std::string_view word);

/// Of a profile as the VCF's header states it; for parse_run_file and tests.
std::vector<std::pair<int, double>> depth_by_gc_of(std::string_view profile);

}  // namespace gannet::pipeline::report
