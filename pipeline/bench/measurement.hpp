// SPDX-License-Identifier: MIT
// Provides the measurement of pieces of work: warm-up, repetitions, wall and CPU seconds of each.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace gannet::pipeline::bench {

struct MeasureOptions {
    int repetitions = 15;
    double min_time_s = 0.1;  ///< of a repetition, which repeats short work
    double handicap = 0;      ///< CPU time to burn, as a fraction of that of the work; to test comparisons
    int threads = 1;          ///< on which it is wasted
};

/// Seconds per run of the work, one number per repetition.
struct Samples {
    uint64_t runs = 0;  ///< of the work in a repetition
    std::vector<double> wall_s;
    std::vector<double> cpu_s;  ///< of all threads of the process
};

/// What one run of a piece of work processes: {"reads", 1000}.
struct Amount {
    std::string unit;
    double count = 0;
};

/// What a result is compared with: the CPU seconds that one run would take at a rate measured in the same
/// process.
struct Bound {
    std::string name;  ///< of a roof in the report; empty: none is stated
    double cpu_s = 0;
};

struct Result {
    std::string stage;
    std::string name;
    int threads = 1;
    std::vector<Amount> work;  ///< of one run; the first is what comparisons divide by
    uint64_t digest = 0;  ///< of the jobs, where the work is not the input itself: equal jobs, equal digests
    Samples samples;
    Bound bound;
};

/// A piece of work and what it is; `work` owns what it needs.
struct Task {
    Result result;
    std::function<void()> work;
};

/// Takes turns with another process: only one of the two measures at a time, sample by sample, so that both
/// meet the same conditions. The process that holds the byte which is passed over two pipes has the turn.
class Turns {
  public:
    /// File descriptors: a byte comes from `from` when it is this process's turn, and goes to `to` after it.
    Turns(int from, int to) : from_(from), to_(to) {}
    void take() const;  ///< waits; returns at once when the other process has ended
    void pass() const;

  private:
    int from_;
    int to_;
};

/// Runs each work once to warm up and to see how long it takes; then takes one sample of each in order,
/// repeatedly, so that a disturbance affects a few samples of all results and not all samples of one. Nothing
/// else may run in the process meanwhile. `turns` may be null. Throws what a work throws.
void measure(std::vector<Task>& tasks, const MeasureOptions& options, const Turns* turns);

/// Wall seconds on a clock that never steps back; CPU seconds of the process and of the calling thread.
double wall_seconds();
double process_seconds();
double thread_seconds();

}  // namespace gannet::pipeline::bench
