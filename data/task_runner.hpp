// SPDX-License-Identifier: MIT
// Provides the interface through which `data` runs work in threads that belong to somebody else.
#pragma once

#include <functional>

namespace gannet::data {

/// Threads of the program that may be used for short pieces of work (a millisecond or less), so that reading
/// a file takes no more threads than the user allowed. Thread-safe. Must outlive the objects that were given
/// it.
class TaskRunner {
  public:
    virtual ~TaskRunner() = default;
    /// How many tasks run at a time, the calling thread included. With 1, nobody else would run a task.
    virtual unsigned threads() const = 0;
    /// Runs `task` soon in one of the threads. It must not throw, and must not wait for another task.
    virtual void submit(std::function<void()> task) = 0;
    /// Runs `work` in the calling thread. Every piece of work is passed through here, also by submitted
    /// tasks, so that its time can be counted.
    virtual void run(const std::function<void()>& work) = 0;
};

}  // namespace gannet::data
