// SPDX-License-Identifier: MIT
// Provides the program's threads beside those of oneTBB.
#include "data/threads.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <optional>
#include <system_error>
#include <utility>

namespace gannet::data {

ThreadPool::ThreadPool(size_t threads) {
    threads_.reserve(threads);
    try {
        while (threads_.size() < threads) threads_.emplace_back([this] { work(); });
    } catch (const std::system_error&) {
        if (threads_.empty()) throw;
    }
}

ThreadPool::~ThreadPool() {
    {
        const std::lock_guard lock(mutex_);
        closing_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
}

void ThreadPool::submit(std::function<void()> task) {
    {
        const std::lock_guard lock(mutex_);
        tasks_.push_back(std::move(task));
    }
    changed_.notify_one();
}

void ThreadPool::work() {
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

namespace {

/// What the threads of one loop share.
class Loop {
  public:
    Loop(size_t count, const std::function<void(size_t)>& work)
        : count_(count), work_(work), failed_(count) {}

    void run() noexcept {
        for (size_t i = next_++; i < count_; i = next_++) {
            try {
                work_(i);
            } catch (...) {
                next_ = count_;
                const std::lock_guard lock(mutex_);
                if (i >= failed_) continue;
                failed_ = i;
                error_ = std::current_exception();
            }
        }
    }
    void check() const {
        if (error_) std::rethrow_exception(error_);
    }

  private:
    const size_t count_;
    const std::function<void(size_t)>& work_;
    std::atomic<size_t> next_{0};
    std::mutex mutex_;
    size_t failed_;
    std::exception_ptr error_;
};

}  // namespace

void for_each_index(size_t threads, size_t count, const std::function<void(size_t)>& work) {
    Loop loop(count, work);
    {
        std::optional<ThreadPool> others;
        const size_t used = std::min(threads, count);
        try {
            if (used > 1) others.emplace(used - 1);
            for (size_t t = 1; t < used; ++t) others->submit([&loop] { loop.run(); });
        } catch (const std::system_error&) {
            // The calling thread does all of it.
        }
        loop.run();
    }
    loop.check();
}

}  // namespace gannet::data
