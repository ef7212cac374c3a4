// SPDX-License-Identifier: MIT
// Provides the comparison of benchmarks: which results of one build are slower or faster than of another.
#pragma once

#include "pipeline/bench/statistics.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace gannet::pipeline::bench {

/// What `gannet bench compare` ends with when a result is slower.
inline constexpr int k_exit_slower = 10;

/// One result of a file: seconds of each sample for one unit of work (a read, a record, ...).
struct FileResult {
    std::string name;
    std::string digest;  ///< empty where there is none
    std::vector<double> wall_s;
    std::vector<double> cpu_s;
};

/// A file of `gannet bench`; what is not compared is kept as text, to see whether two files belong together.
struct BenchFile {
    std::string path;
    std::string commit;
    std::string machine;
    std::string backend;
    std::string input;  ///< empty: none was used
    std::string handicap;
    int threads = 1;
    bool in_turns = false;  ///< measured sample by sample with the other file of its pair
    std::vector<FileResult> results;
};

/// Throws Error(malformed_input) for what is not such a file, is cut short, or has another schema.
BenchFile parse_bench_file(const std::string& path, std::string_view text);
/// Throws Error(malformed_input) too when it cannot be read.
BenchFile load_bench_file(const std::string& path);

enum class Clock { automatic, cpu, wall };

struct CompareOptions {
    double confidence = 0.99;      ///< that no result is reported as changed when none is
    double minimum_effect = 0.05;  ///< the smallest relative change that is reported
    Clock clock = Clock::automatic;
    bool any_machine = false;
};

enum class Verdict {
    slower,   ///< the interval lies above 1, and the estimate beyond the minimum effect
    faster,   ///< likewise below
    same,     ///< the whole interval lies within the minimum effect
    unclear,  ///< none of these: no change was shown, but one may be there
    too_few   ///< not enough pairs for an interval at this confidence
};
std::string_view name(Verdict verdict);

/// Ratios: time of the new over time of the base.
struct Compared {
    std::string name;
    size_t pairs = 0;
    Interval ratio;
    Verdict verdict = Verdict::unclear;
    bool other_work = false;  ///< the jobs themselves differ, though the input does not
};

struct Comparison {
    std::vector<Compared> results;
    std::vector<std::string> notes;  ///< warnings and what was not compared
    bool by_wall = false;
    size_t pairs = 0;         ///< of files
    size_t pairs_needed = 0;  ///< for an interval
    bool any(Verdict verdict) const;
};

/// Pair i is base[i] and fresh[i], which were run next to each other: sample by sample in turn, or one after
/// the other. With one pair the repetitions inside the files are the samples. Method: docs/benchmarks.md.
/// Throws Error(usage) when files do not belong together: other inputs, other machines (unless any_machine),
/// lists of different length, nothing in common.
Comparison compare(const std::vector<BenchFile>& base, const std::vector<BenchFile>& fresh,
                   const CompareOptions& options);

std::string to_table(const Comparison& comparison, const CompareOptions& options);
std::string to_json(const Comparison& comparison, const CompareOptions& options);

}  // namespace gannet::pipeline::bench
