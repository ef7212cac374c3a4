// SPDX-License-Identifier: MIT
// Provides a data::TaskRunner on threads of its own for tests, which records what it was asked to run.
#pragma once

#include "data/task_runner.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <set>
#include <thread>
#include <utility>
#include <vector>

namespace gannet::tests {

/// `threads` - 1 threads run tasks; the caller of the code under test is the other one.
class TaskThreads final : public data::TaskRunner {
  public:
    explicit TaskThreads(unsigned threads) : threads_(threads) {
        for (unsigned i = 1; i < threads; ++i) workers_.emplace_back([this] { work_off(); });
    }
    ~TaskThreads() override {
        {
            const std::lock_guard lock(mutex_);
            stopping_ = true;
        }
        changed_.notify_all();
        for (std::thread& worker : workers_) worker.join();
    }
    TaskThreads(const TaskThreads&) = delete;
    TaskThreads& operator=(const TaskThreads&) = delete;

    unsigned threads() const override { return threads_; }
    void submit(std::function<void()> task) override {
        const std::lock_guard lock(mutex_);
        ++submitted_;
        tasks_.push_back(std::move(task));
        changed_.notify_one();
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
    void work_off() {
        std::unique_lock lock(mutex_);
        for (;;) {
            changed_.wait(lock, [this] { return stopping_ || !tasks_.empty(); });
            if (tasks_.empty()) return;
            const std::function<void()> task = std::move(tasks_.front());
            tasks_.pop_front();
            lock.unlock();
            task();
            lock.lock();
        }
    }

    const unsigned threads_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::condition_variable met_;
    std::deque<std::function<void()>> tasks_;
    uint64_t submitted_ = 0;
    uint64_t runs_ = 0;
    unsigned running_ = 0;
    unsigned most_at_once_ = 0;
    std::set<std::thread::id> ran_in_;
    bool meeting_ = false;
    std::chrono::milliseconds patience_{0};
    bool stopping_ = false;
    std::vector<std::thread> workers_;
};

}  // namespace gannet::tests
