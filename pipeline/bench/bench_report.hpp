// SPDX-License-Identifier: MIT
// Provides the results of a benchmark as JSON and as a table.
#pragma once

#include "pipeline/bench/bench_input.hpp"
#include "pipeline/bench/measurement.hpp"
#include "pipeline/bench/roofs.hpp"
#include "pipeline/machine.hpp"

#include <string>
#include <vector>

namespace gannet::pipeline::bench {

inline constexpr const char* k_bench_schema = "gannet-bench";
inline constexpr int k_bench_schema_version = 2;

struct Report {
    Machine machine;
    std::string backend;
    std::string simd_level;
    std::string backend_choice;
    MeasureOptions options;
    bool in_turns = false;  ///< sample by sample with another benchmark
    BenchInputOptions input;
    BenchInput::Facts facts;
    std::vector<Roof> roofs;
    std::vector<Result> results;
};

/// The fields are described in docs/benchmarks.md.
std::string to_json(const Report& report);
std::string to_table(const Report& report);

}  // namespace gannet::pipeline::bench
