// SPDX-License-Identifier: MIT
// Provides the course of a run over time, from its trace: how many threads and streams were in each step.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gannet::pipeline::report {

/// Sums over time, whose steps double in width as the run goes on, so that there are never more than
/// k_max_steps of them, and memory does not depend on the length of the trace.
class Timeline {
  public:
    static constexpr size_t k_max_steps = 240;
    static constexpr double k_first_step_s = 0.001;
    /// A step of the run, "align" of "align.find_candidates": mean number of threads of the host, or of
    /// streams of devices, that were in it.
    struct Lane {
        std::string name;
        bool device = false;
        std::vector<double> busy;
    };

    /// A span of the trace. Negative times are refused (false).
    bool add(std::string_view name, bool device, double begin_s, double duration_s);
    double step_s() const { return step_s_; }
    double end_s() const { return end_s_; }
    bool empty() const { return lanes_.empty(); }
    /// In the order of their first span; all of the same length.
    std::vector<Lane> lanes() const;

  private:
    void widen();

    double step_s_ = k_first_step_s;
    double end_s_ = 0;
    std::vector<Lane> lanes_;  ///< busy: seconds
};

/// A file of --trace. Throws Error(malformed_input) where it is not one of gannet.
Timeline read_timeline(const std::string& path);

}  // namespace gannet::pipeline::report
