// SPDX-License-Identifier: MIT
// Provides the threads of the flow graphs to those who have small pieces of other work: the inflating of
// input.
#pragma once

#include "data/task_runner.hpp"
#include "pipeline/trace.hpp"

#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <functional>
#include <string>

namespace gannet::pipeline {

/// Tasks wait in the first-in-first-out queue of the arena. Its threads look there when they have no step of
/// a batch to go on with. The time of the work is recorded as the stage `name`.
class ArenaTasks final : public data::TaskRunner {
  public:
    /// `threads`: of the arena that work.
    ArenaTasks(tbb::task_arena& arena, int threads, Tracer& tracer, const std::string& name);
    ~ArenaTasks() noexcept override;  ///< waits for the tasks that were submitted
    ArenaTasks(const ArenaTasks&) = delete;
    ArenaTasks& operator=(const ArenaTasks&) = delete;

    unsigned threads() const override;
    void submit(std::function<void()> task) override;
    void run(const std::function<void()>& work) override;

  private:
    tbb::task_arena& arena_;
    const int threads_;
    Tracer& tracer_;
    const std::string name_;
    tbb::task_group group_;
};

}  // namespace gannet::pipeline
