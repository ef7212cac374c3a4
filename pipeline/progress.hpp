// SPDX-License-Identifier: MIT
// Provides the progress of the stages of a run.
#pragma once

#include "pipeline/trace.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace gannet::pipeline {

/// What a line of progress shows.
struct ProgressView {
    std::string what;      ///< "align"
    std::string unit;      ///< "reads"; empty: nothing is counted, only the time is shown
    uint64_t amount = 0;   ///< of the unit, so far
    double fraction = -1;  ///< of the input that has been read, 0-1; negative: unknown
    double elapsed_s = 0;
    bool compact = false;  ///< for a terminal: at most 79 columns
};
/// "align: 37 %, 12.3 M reads, 105 k reads/s, 1:23 elapsed, about 2:20 left".
std::string progress_text(const ProgressView& view);

/// "memory 3.1 GB of 12.6 GB; batches: emit 6/8, call 2/8; in call.pair_hmm 2, emit.count": what fits into
/// `columns`; the stages beyond the first are left out before graphs, and those before the first stage.
std::string live_text(const LiveView& view, size_t columns);

/// The progress of a stage. On a terminal two lines are redrawn twice per second, the second one with what is
/// in flight; elsewhere a line is logged every interval. Thread-safe.
class Progress {
  public:
    /// `tracer`: of what is in flight; null: there is no second line.
    Progress(std::string what, std::string unit, const Tracer* tracer = nullptr);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;
    void add(uint64_t amount) { amount_ += amount; }
    /// How much of the input has been read, in any unit. A `total` of 0 means that it is not known.
    void set_position(uint64_t position, uint64_t total);

  private:
    void tick();
    std::string text(bool compact) const;
    std::vector<std::string> lines() const;

    const std::string what_;
    const std::string unit_;
    const Tracer* const tracer_;
    std::atomic<uint64_t> amount_{0};
    std::atomic<uint64_t> position_{0};
    std::atomic<uint64_t> total_{0};
    const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
    std::mutex mutex_;
    std::condition_variable stop_;
    bool stopping_ = false;
    std::thread thread_;
};

}  // namespace gannet::pipeline
