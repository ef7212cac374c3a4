// SPDX-License-Identifier: MIT
// Provides the program's threads beside those of oneTBB: a loop over indices, and a queue of tasks that may
// sleep.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace gannet::data {

/// Threads for tasks that wait for something else, which a worker of oneTBB must not do. Tasks are begun in
/// the order of submit(). The destructor runs what was submitted, then joins. Thread-safe.
class ThreadPool {
  public:
    /// Where the system refuses a thread, there are fewer. Throws std::system_error where it refuses the
    /// first.
    explicit ThreadPool(size_t threads);
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    /// `task` must not throw.
    void submit(std::function<void()> task);

  private:
    void work();

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::function<void()>> tasks_;
    bool closing_ = false;
    std::vector<std::thread> threads_;
};

/// Calls work(i) for each i below `count` on `threads` threads, the calling one among them, or on fewer where
/// the system has no more; for work that is not part of a flow graph. Indices are begun in their order. After
/// an exception no further one is begun, and that of the lowest index is thrown: the one that a loop in a
/// single thread would have ended with.
void for_each_index(size_t threads, size_t count, const std::function<void(size_t)>& work);

}  // namespace gannet::data
