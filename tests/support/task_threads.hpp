// SPDX-License-Identifier: MIT
// Provides a data::TaskRunner on threads of its own for tests, which records what it was asked to run.
#pragma once

#include "data/task_runner.hpp"
#include "data/threads.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

namespace gannet::tests {

/// `threads` - 1 threads run tasks; the caller of the code under test is the other one.
class TaskThreads final : public data::TaskRunner {
  public:
    explicit TaskThreads(unsigned threads) : threads_(threads), pool_(std::max(threads, 1u) - 1) {}
    TaskThreads(const TaskThreads&) = delete;
    TaskThreads& operator=(const TaskThreads&) = delete;

    unsigned threads() const override { return threads_; }
    void submit(std::function<void()> task) override {
        {
            const std::lock_guard lock(mutex_);
            ++submitted_;
        }
        pool_.submit(std::move(task));
    }
    void run(const std::function<void()>& work) override {
        {
            std::unique_lock lock(mutex_);
            ++runs_;
            most_at_once_ = std::max(most_at_once_, ++running_);
            ran_in_.insert(std::this_thread::get_id());
            met_.notify_all();
            // Gives another thread the time to come in, so that work that may run at once does.
            if (meeting_) meeting_ = met_.wait_for(lock, patience_, [this] { return most_at_once_ > 1; });
        }
        work();
        const std::lock_guard lock(mutex_);
        --running_;
    }
    /// Every run waits this long for a second one, until one has waited in vain.
    void let_meet(std::chrono::milliseconds patience) {
        const std::lock_guard lock(mutex_);
        meeting_ = true;
        patience_ = patience;
    }

    struct Seen {
        uint64_t submitted, runs;
        unsigned most_at_once;
        std::set<std::thread::id> threads;
    };
    Seen seen() {
        const std::lock_guard lock(mutex_);
        return {submitted_, runs_, most_at_once_, ran_in_};
    }

  private:
    const unsigned threads_;
    std::mutex mutex_;
    std::condition_variable met_;
    uint64_t submitted_ = 0;
    uint64_t runs_ = 0;
    unsigned running_ = 0;
    unsigned most_at_once_ = 0;
    std::set<std::thread::id> ran_in_;
    bool meeting_ = false;
    std::chrono::milliseconds patience_{0};
    data::ThreadPool pool_;  // last: its tasks use the others
};

}  // namespace gannet::tests
