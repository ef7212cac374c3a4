// SPDX-License-Identifier: MIT
// Provides the job of `gannet bench`.
#pragma once

#include "pipeline/bench/bench_input.hpp"
#include "pipeline/bench/measurement.hpp"
#include "pipeline/jobs/options.hpp"

#include <string>
#include <vector>

namespace gannet::pipeline::bench {

struct BenchOptions {
    std::vector<std::string> stages;  ///< empty: all of them
    BenchInputOptions input;
    MeasureOptions measure;  ///< threads: of the resources
    std::vector<int> turns;  ///< file descriptors from and to another benchmark (class Turns); empty: alone
    std::string output;      ///< JSON; empty: none, "-": standard output, and no table there
    ResourceOptions resources;
};

/// What tests/bench/bench_pairs asks of two runs that it compares: GANNET_BENCH_TURNS=FROM,TO sets `turns`,
/// GANNET_BENCH_HANDICAP=X burns that fraction of additional CPU time in every sample. Throws Error(usage).
void read_environment(BenchOptions& options);

/// Measures the stages in the order of their table and prints it. Throws Error(usage) for a stage that is
/// none, and what the stages throw.
void run_bench(const BenchOptions& options);

}  // namespace gannet::pipeline::bench
