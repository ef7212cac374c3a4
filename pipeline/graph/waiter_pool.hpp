// SPDX-License-Identifier: MIT
// Provides threads that block on device streams, so that no worker of the flow graph ever does.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace gannet::pipeline::graph {

/// Tasks are begun in the order of submit(). The destructor runs what was submitted, then joins.
class WaiterPool {
  public:
    explicit WaiterPool(size_t threads) {
        for (size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
    }
    ~WaiterPool() {
        {
            const std::lock_guard lock(mutex_);
            closing_ = true;
        }
        changed_.notify_all();
        for (std::thread& thread : threads_) thread.join();
    }
    WaiterPool(const WaiterPool&) = delete;
    WaiterPool& operator=(const WaiterPool&) = delete;

    /// `task` must not throw.
    void submit(std::function<void()> task) {
        {
            const std::lock_guard lock(mutex_);
            tasks_.push_back(std::move(task));
        }
        changed_.notify_one();
    }

  private:
    void work() {
        for (;;) {
            std::function<void()> task;
            {
                std::unique_lock lock(mutex_);
                changed_.wait(lock, [this] { return closing_ || !tasks_.empty(); });
                if (tasks_.empty()) return;
                task = std::move(tasks_.front());
                tasks_.pop_front();
            }
            task();
        }
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::function<void()>> tasks_;
    bool closing_ = false;
    std::vector<std::thread> threads_;
};

}  // namespace gannet::pipeline::graph
