// SPDX-License-Identifier: MIT
// Provides the stages that can be measured alone: one line of a table each.
#pragma once

#include "pipeline/bench/bench_input.hpp"
#include "pipeline/bench/measurement.hpp"
#include "pipeline/bench/roofs.hpp"

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gannet::pipeline::bench {

/// What a stage is given: the input, the ops, the roofs, and a place for what is to be measured.
class BenchContext {
  public:
    BenchContext(Session& session, BenchInput& input, Roofs& roofs)
        : session_(session), input_(input), roofs_(roofs) {}

    Session& session() { return session_; }
    BenchInput& input() { return input_; }
    Roofs& roofs() { return roofs_; }
    std::vector<Task>& tasks() { return tasks_; }

    /// `work` is measured once all stages have added theirs; `result` says what it is and how much it gets
    /// done.
    void add(Result result, std::function<void()> work);
    /// Calls `body` for [0, count), on all threads of the session, in any order.
    void for_each(size_t count, const std::function<void(size_t)>& body);

  private:
    Session& session_;
    BenchInput& input_;
    Roofs& roofs_;
    std::vector<Task> tasks_;
};

struct Stage {
    std::string_view name;
    std::string_view what;
    void (*prepare)(BenchContext& context);  ///< adds what is to be measured
};

std::span<const Stage> stages();

void add_read_stage(BenchContext& context);
void add_extend_stage(BenchContext& context);
void add_sort_stage(BenchContext& context);
void add_pair_hmm_stage(BenchContext& context);
void add_kernels_stage(BenchContext& context);

}  // namespace gannet::pipeline::bench
