// SPDX-License-Identifier: MIT
// Checks that the threads of an arena are woken again while the caller of a graph sleeps.
#include "pipeline/graph/sleeping_graph.hpp"

#include <gtest/gtest.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>
#include <tbb/task_scheduler_observer.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace gannet::pipeline::graph {
namespace {

/// How often workers came to an arena.
class Arrivals final : public tbb::task_scheduler_observer {
  public:
    explicit Arrivals(tbb::task_arena& arena) : tbb::task_scheduler_observer(arena) { observe(true); }
    ~Arrivals() override { observe(false); }
    void on_scheduler_entry(bool is_worker) override { count += is_worker ? 1 : 0; }
    std::atomic<int> count{0};
};

// A worker that was not woken for a task comes for the next one, so that the miss itself cannot be made here.
TEST(SleepingGraph, workers_are_woken_again_while_something_is_in_flight) {
    const tbb::global_control threads(tbb::global_control::max_allowed_parallelism, 2);
    tbb::task_arena arena(2);
    Arrivals arrivals(arena);
    arena.execute([&] {
        SleepingGraph flow;
        flow.reserve_wait();
        std::thread device([&] {
            for (int i = 0; i < 1000 && arrivals.count < 3; ++i)
                std::this_thread::sleep_for(std::chrono::milliseconds(10));
            flow.release_wait();
        });
        flow.wait();
        device.join();
    });
    EXPECT_GE(arrivals.count, 3);
}

}  // namespace
}  // namespace gannet::pipeline::graph
