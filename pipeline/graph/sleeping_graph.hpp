// SPDX-License-Identifier: MIT
// Provides the flow graph of a job, whose caller sleeps until it has drained.
#pragma once

#include <tbb/flow_graph.h>
#include <tbb/task_arena.h>
#include <tbb/version.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>

namespace gannet::pipeline::graph {

/// Until oneTBB 2021.13 every task of a graph is counted by reserve_wait() and release_wait(); later ones are
/// not, and the caller then works in the arena like its other threads.
inline constexpr bool k_caller_sleeps = TBB_INTERFACE_VERSION < 12140;

/// In wait_for_all() the caller takes part in the work, and each time that there is none it asks for some
/// 1,000 times before it sleeps, ten times as often as a worker does. Beside a device, where batches are
/// mostly away, that was a tenth of the host's CPU time. Here it sleeps, so the arena must have workers for
/// all the work: Session gives it one for each thread of the job.
///
/// oneTBB may fail to wake a worker for a task that another thread spawns ("deliberately sloppy about memory
/// fences", its src/tbb/arena.h): it expects the thread that spawned the task to run it later, but a thread
/// that sleeps here never does. An enqueued task has the fence. So wait() enqueues an empty one, after which
/// the workers find what there is, and another every k_look_again for tasks that threads of devices spawn.
class SleepingGraph final : public tbb::flow::graph {
  public:
    SleepingGraph() = default;
    SleepingGraph(const SleepingGraph&) = delete;
    SleepingGraph& operator=(const SleepingGraph&) = delete;
    ~SleepingGraph() override { wait_for_all(); }  // its own would be too late for what is declared here

    void reserve_wait() override {
        tbb::flow::graph::reserve_wait();
        in_flight_.fetch_add(1, std::memory_order_relaxed);
    }
    /// The base is told last: wait() does not return before, so that nothing here is used after its end.
    void release_wait() override {
        if (in_flight_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
            const std::lock_guard lock(mutex_);
            drained_.notify_all();
        }
        tbb::flow::graph::release_wait();
    }
    /// Returns when nothing moves in the graph. For the thread that made it, after all that it puts in,
    /// within the arena of its work.
    void wait() {
        const auto is_drained = [this] { return in_flight_.load(std::memory_order_acquire) == 0; };
        while (!is_drained()) {
            wake_a_worker();
            std::unique_lock lock(mutex_);
            if (drained_.wait_for(lock, k_look_again, is_drained)) break;
        }
        wait_for_all();
    }

  private:
    static constexpr std::chrono::milliseconds k_look_again{100};

    void wake_a_worker() {
        if (is_waking_->exchange(true)) return;
        tbb::this_task_arena::enqueue([is_waking = is_waking_] { is_waking->store(false); });
    }

    std::atomic<uint64_t> in_flight_{0};  ///< tasks, and batches on a device
    std::mutex mutex_;
    std::condition_variable drained_;
    /// The empty task has not run yet; it may outlive the graph.
    std::shared_ptr<std::atomic<bool>> is_waking_ = std::make_shared<std::atomic<bool>>(false);
};

}  // namespace gannet::pipeline::graph
