// SPDX-License-Identifier: MIT
// Checks the flow graphs with fakes: order, slots, errors and lost batches, on host steps and on a device
// that is late.
#include "pipeline/graph/slot_graph.hpp"

#include "kernels/backend.hpp"
#include "pipeline/graph/sleeping_graph.hpp"

#include <gtest/gtest.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <array>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <numeric>
#include <string>
#include <thread>

namespace gannet::pipeline::graph {
namespace {

using std::chrono::microseconds;

/// A device: work is done when block() returns, after a latency; it may be told to fail.
class FakeStream : public kernels::Stream {
  public:
    explicit FakeStream(bool synchronous) : synchronous_(synchronous) {}
    void prepare(int* target, int value, bool fails, std::function<void()> until = nullptr) {
        target_ = target;
        value_ = value;
        fails_ = fails;
        until_ = std::move(until);
        if (!synchronous_) return;
        run();
        wait();
    }
    void submit() override { submitted_ = !synchronous_; }
    void block() noexcept override {
        if (submitted_) run();
    }
    void wait() override {
        EXPECT_TRUE(synchronous_ || ran_);
        ran_ = submitted_ = false;
        if (fails_) throw kernels::DeviceOutOfMemory("fake device: out of memory");
        *target_ = value_ * value_;
    }
    bool is_synchronous() const override { return synchronous_; }

    static inline std::atomic<int> at_once{0};
    static inline std::atomic<int> most_at_once{0};
    static inline std::atomic<int> done{0};

  private:
    void run() noexcept {
        const int now = ++at_once;
        most_at_once = std::max<int>(most_at_once, now);
        if (until_) until_();
        std::this_thread::sleep_for(microseconds(value_ * 7919 % 1500));
        --at_once;
        ++done;
        ran_ = true;
    }
    bool synchronous_;
    int* target_ = nullptr;
    int value_ = 0;
    bool fails_ = false;
    bool submitted_ = false;
    bool ran_ = false;
    std::function<void()> until_;
};

struct FakeItem {
    int value = 0;
};

struct FakeSlot {
    int value = 0;
    int squared = 0;
    int passes = 0;
    std::unique_ptr<FakeStream> stream;
};

using Graph = SlotGraph<FakeItem, FakeSlot>;

struct FakeRun {
    int batches = 200;
    size_t slots = 4;
    bool ordered = true;
    bool synchronous = true;
    int prepare_us = 0;                    ///< of the op's call
    std::function<void(int value)> until;  ///< the device works on a batch until this returns
    int idle_every = 0;                    ///< these batches have nothing for the device
    int passes = 0;                        ///< of each batch over the device, by one step; 0: one
    int kernel_fails_at = -1;
    int host_fails_at = -1;
    int source_fails_at = -1;
    int sink_fails_at = -1;
    bool ordered_steps = false;  ///< two, behind the kernel
    std::function<uint64_t(uint64_t)> number;
    std::vector<int> seen;
    std::array<std::vector<int>, 2> seen_by_step;
    std::atomic<int> in_steps{0};
    std::atomic<int> most_in_steps{0};
    std::atomic<int> in_flight{0};
    std::atomic<int> most_in_flight{0};
    const std::thread::id caller = std::this_thread::get_id();
    std::atomic<int> by_caller{0};  ///< batches that it prepared itself
    std::atomic<int> working{0};    ///< threads that prepare a batch
    std::atomic<int> most_working{0};
    Tracer tracer{true};

    Graph::Spec spec() {
        Graph::Spec spec;
        spec.name = "fake";
        spec.source_name = "fake.read";
        spec.next = [this, next = 0](FakeItem& item) mutable {
            if (next == source_fails_at) throw data::Error(data::ErrorKind::malformed_input, "bad record");
            item.value = next++;
            return item.value < batches;
        };
        spec.take = [this](FakeItem& item, FakeSlot& slot) {
            slot.value = item.value;
            slot.passes = slot.squared = 0;
            const int now = ++in_flight;
            int most = most_in_flight;
            while (now > most && !most_in_flight.compare_exchange_weak(most, now)) {
            }
        };
        spec.steps.emplace_back("fake.prepare", [this](FakeSlot& slot) {
            if (std::this_thread::get_id() == caller) ++by_caller;
            const int now = ++working;
            most_working = std::max<int>(most_working, now);
            std::this_thread::sleep_for(microseconds(slot.value * 104729 % 700));
            --working;
            if (slot.value == host_fails_at)
                throw data::Error(data::ErrorKind::malformed_input, "host failed");
        });
        spec.steps.emplace_back(
            "fake.kernel",
            [this](FakeSlot& slot) {
                if (idle_every > 0 && slot.value % idle_every == 0) {
                    slot.squared = slot.value * slot.value;
                    return false;
                }
                if (passes > 0 && slot.passes == passes) return false;
                // The results of a pass are there when the next one is prepared.
                EXPECT_EQ(slot.squared, slot.passes++ == 0 ? 0 : slot.value * slot.value);
                std::this_thread::sleep_for(microseconds(prepare_us));
                slot.stream->prepare(
                    &slot.squared, slot.value, slot.value == kernel_fails_at,
                    until ? [this, value = slot.value] { until(value); } : std::function<void()>());
                return true;
            },
            [](FakeSlot& slot) -> kernels::Stream& { return *slot.stream; });
        spec.steps.back().repeats = passes > 0;
        for (size_t step = 0; step < 2 && ordered_steps; ++step) {
            spec.steps.emplace_back("fake.ordered", [this, step](FakeSlot& slot) {
                const int now = ++in_steps;
                most_in_steps = std::max<int>(most_in_steps, now);
                seen_by_step[step].push_back(slot.value);
                std::this_thread::sleep_for(microseconds(200 + slot.value * 7919 % 300));
                --in_steps;
            });
            spec.steps.back().ordered = true;
        }
        spec.ordered = ordered;
        spec.synchronous = synchronous;
        spec.number = number;
        spec.sink = [this](FakeSlot& slot, const Graph::Lease&) {
            if (slot.value == sink_fails_at) throw data::Error(data::ErrorKind::disk_space, "disk full");
            EXPECT_EQ(slot.squared, slot.value * slot.value);
            seen.push_back(slot.value);
            --in_flight;
        };
        return spec;
    }

    void run() {
        constexpr int k_places = k_caller_sleeps ? 5 : 4;
        const tbb::global_control threads(tbb::global_control::max_allowed_parallelism, k_places);
        tbb::task_arena(k_places).execute([this] { run_in_arena(); });
    }

    void run_in_arena() {
        std::vector<std::unique_ptr<FakeSlot>> all;
        for (size_t i = 0; i < slots; ++i) {
            all.push_back(std::make_unique<FakeSlot>());
            all.back()->stream = std::make_unique<FakeStream>(synchronous);
        }
        SleepingGraph flow;
        RunState state;
        Graph graph(flow, state, tracer, spec(), std::move(all));
        graph.activate();
        flow.wait();
        state.rethrow();
        graph.check();
    }
};

std::vector<int> all_numbers(int count) {
    std::vector<int> numbers(static_cast<size_t>(count));
    std::iota(numbers.begin(), numbers.end(), 0);
    return numbers;
}

class OnStreams : public testing::TestWithParam<bool> {};

TEST_P(OnStreams, ordered_sink_sees_input_order) {
    FakeRun fake;
    fake.synchronous = GetParam();
    fake.run();
    EXPECT_EQ(fake.seen, all_numbers(200));
}

TEST_P(OnStreams, ordered_steps_see_input_order_and_work_side_by_side) {
    FakeRun fake;
    fake.synchronous = GetParam();
    fake.slots = 8;
    fake.ordered_steps = true;
    fake.run();
    EXPECT_EQ(fake.seen_by_step[0], all_numbers(200));
    EXPECT_EQ(fake.seen_by_step[1], all_numbers(200));
    EXPECT_EQ(fake.seen, all_numbers(200));
    EXPECT_EQ(fake.most_in_steps, 2);
}

TEST_P(OnStreams, unordered_sink_sees_each_batch_once) {
    FakeRun fake;
    fake.synchronous = GetParam();
    fake.ordered = false;
    fake.run();
    std::sort(fake.seen.begin(), fake.seen.end());
    EXPECT_EQ(fake.seen, all_numbers(200));
}

TEST_P(OnStreams, no_more_in_flight_than_slots) {
    FakeRun fake;
    fake.synchronous = GetParam();
    fake.slots = 3;
    fake.run();
    EXPECT_LE(fake.most_in_flight, 3);
    EXPECT_GE(fake.most_in_flight, 2);
}

TEST_P(OnStreams, all_threads_but_the_caller_work) {
    FakeRun fake;
    fake.synchronous = GetParam();
    fake.slots = 12;
    fake.run();
    EXPECT_LE(fake.most_working, 4);
    EXPECT_GE(fake.most_working, 2);
    EXPECT_TRUE(!k_caller_sleeps || fake.by_caller == 0);
}

TEST_P(OnStreams, one_slot_is_enough) {
    FakeRun fake;
    fake.synchronous = GetParam();
    fake.slots = 1;
    fake.batches = 30;
    fake.run();
    EXPECT_EQ(fake.seen, all_numbers(30));
}

TEST_P(OnStreams, batch_without_device_work_is_not_waited_for) {
    FakeStream::done = 0;
    FakeRun fake;
    fake.synchronous = GetParam();
    fake.idle_every = 2;
    fake.run();
    EXPECT_EQ(fake.seen, all_numbers(200));
    EXPECT_EQ(FakeStream::done, 100);
}

TEST_P(OnStreams, steps_are_repeated_until_there_is_nothing_left) {
    FakeStream::done = 0;
    FakeRun fake;
    fake.synchronous = GetParam();
    fake.batches = 60;
    fake.passes = 3;
    fake.idle_every = 4;
    fake.run();
    EXPECT_EQ(fake.seen, all_numbers(60));
    EXPECT_EQ(FakeStream::done, 45 * 3);
}

TEST_P(OnStreams, an_error_ends_the_repetition) {
    FakeRun fake;
    fake.synchronous = GetParam();
    fake.batches = 60;
    fake.passes = 3;
    fake.kernel_fails_at = 20;
    EXPECT_THROW(fake.run(), kernels::DeviceOutOfMemory);
    for (const int value : fake.seen) EXPECT_LT(value, 20);
}

TEST_P(OnStreams, empty_input_ends) {
    FakeRun fake;
    fake.synchronous = GetParam();
    fake.batches = 0;
    fake.run();
    EXPECT_TRUE(fake.seen.empty());
}

TEST_P(OnStreams, kernel_error_is_rethrown_and_nothing_after_it_is_written) {
    FakeRun fake;
    fake.synchronous = GetParam();
    fake.kernel_fails_at = 100;
    EXPECT_THROW(fake.run(), kernels::DeviceOutOfMemory);
    for (const int value : fake.seen) EXPECT_LT(value, 100);
}

TEST_P(OnStreams, host_error_is_rethrown) {
    FakeRun fake;
    fake.synchronous = GetParam();
    fake.host_fails_at = 57;
    EXPECT_THROW(fake.run(), data::Error);
    for (const int value : fake.seen) EXPECT_LT(value, 57);
}

TEST_P(OnStreams, source_error_is_rethrown) {
    FakeRun fake;
    fake.synchronous = GetParam();
    fake.source_fails_at = 31;
    EXPECT_THROW(fake.run(), data::Error);
}

TEST_P(OnStreams, sink_error_is_rethrown) {
    FakeRun fake;
    fake.synchronous = GetParam();
    fake.sink_fails_at = 12;
    EXPECT_THROW(fake.run(), data::Error);
    EXPECT_EQ(fake.seen, all_numbers(12));
}

INSTANTIATE_TEST_SUITE_P(Slots, OnStreams, testing::Values(true, false),
                         [](const auto& given) { return given.param ? "synchronous" : "deferred"; });

TEST(SlotGraph, lost_batches_are_noticed) {
    FakeRun fake;
    fake.number = [](uint64_t ordinal) {
        return ordinal >= 90 ? ordinal + 1 : ordinal;
    };  // number 90 never comes
    fake.slots = 200;
    try {
        fake.run();
        FAIL() << "a run that lost batches passed";
    } catch (const data::Error& fault) {
        EXPECT_EQ(fault.kind(), data::ErrorKind::internal);
        EXPECT_NE(std::string(fault.what()).find("200 went in and 90 came out"), std::string::npos)
            << fault.what();
    }
}

TEST(SlotGraph, deferred_kernels_overlap) {
    FakeStream::most_at_once = 0;
    FakeRun fake;
    fake.synchronous = false;
    fake.run();
    EXPECT_GE(FakeStream::most_at_once, 2);
    EXPECT_LE(FakeStream::most_at_once, 4);
}

/// The first three of four batches in flight are done on the device only after the fourth: it must be noticed
/// all the same, since a waiter of its own blocks for it.
TEST(SlotGraph, a_batch_is_noticed_though_those_before_it_are_still_on_the_device) {
    std::mutex mutex;
    std::condition_variable changed;
    bool fourth_done = false;
    std::atomic<int> given_up{0};
    FakeRun fake;
    fake.synchronous = false;
    fake.batches = 4;
    fake.until = [&](int value) {
        std::unique_lock lock(mutex);
        if (value == 3) {
            fourth_done = true;
            changed.notify_all();
        } else if (!changed.wait_for(lock, std::chrono::seconds(5), [&] { return fourth_done; })) {
            ++given_up;
        }
    };
    fake.run();
    EXPECT_EQ(given_up, 0);
    EXPECT_EQ(fake.seen, all_numbers(4));
}

/// The op's call is a stage of the host of its own, and submitting does not contain it.
TEST(SlotGraph, preparing_submitting_and_collecting_are_stages) {
    FakeRun fake;
    fake.synchronous = false;
    fake.batches = 50;
    fake.prepare_us = 2000;
    fake.run();
    std::map<std::string, StageTimes> times;
    for (const StageTimes& stage : fake.tracer.times()) times[stage.name] = stage;
    for (const char* name :
         {"fake.kernel", "fake.kernel.prepare", "fake.kernel.submit", "fake.kernel.collect"})
        EXPECT_EQ(times[name].batches, 50u) << name;
    EXPECT_GE(times["fake.kernel.prepare"].busy_s, 50 * 0.002);
    EXPECT_LT(times["fake.kernel.submit"].busy_s, 50 * 0.002 / 2);
    EXPECT_EQ(times["fake.kernel"].cpu_s, 0);
}

/// A first graph whose slot comes back only when the items made from it in a second graph are done.
TEST(SlotGraph, lease_holds_the_slot_back) {
    struct Item {
        int value = 0;
        Graph::Lease lease;
    };
    struct Slot {
        int value = 0;
        Graph::Lease lease;
    };
    using Second = SlotGraph<Item, Slot>;
    Tracer tracer(false);
    tbb::flow::graph flow;
    RunState state;
    std::atomic<int> held{0};
    std::atomic<int> most_held{0};
    std::vector<int> seen;
    std::unique_ptr<Graph> first;
    std::unique_ptr<Second> second;

    Second::Spec behind;
    behind.name = "second";
    behind.take = [](Item& item, Slot& slot) {
        slot.value = item.value;
        slot.lease = std::move(item.lease);
    };
    behind.steps.emplace_back("second.work", [](Slot&) { std::this_thread::sleep_for(microseconds(300)); });
    behind.ordered = true;
    behind.sink = [&](Slot& slot, const Second::Lease&) {
        seen.push_back(slot.value);
        if (slot.value % 3 == 2) --held;
        slot.lease.reset();
    };
    Graph::Spec before;
    before.name = "first";
    before.source_name = "first.read";
    before.next = [next = 0](FakeItem& item) mutable {
        item.value = next++;
        return item.value < 60;
    };
    before.take = [](FakeItem& item, FakeSlot& slot) { slot.value = item.value; };
    before.ordered = true;
    before.sink = [&](FakeSlot& slot, const Graph::Lease& lease) {
        most_held = std::max<int>(most_held, ++held);
        for (int part = 0; part < 3; ++part) {
            second->put([&](Item& item) {
                item.value = slot.value * 3 + part;
                item.lease = lease;
            });
        }
    };
    std::vector<std::unique_ptr<FakeSlot>> first_slots;
    std::vector<std::unique_ptr<Slot>> second_slots;
    for (int i = 0; i < 2; ++i) {
        first_slots.push_back(std::make_unique<FakeSlot>());
        second_slots.push_back(std::make_unique<Slot>());
    }
    first = std::make_unique<Graph>(flow, state, tracer, std::move(before), std::move(first_slots));
    second = std::make_unique<Second>(flow, state, tracer, std::move(behind), std::move(second_slots));
    first->activate();
    flow.wait_for_all();
    state.rethrow();
    first->check();
    second->check();
    EXPECT_EQ(seen, all_numbers(180));
    EXPECT_LE(most_held, 2);
}

TEST(Span, cpu_time_inside_another_span_counts_once) {
    Tracer tracer(false);
    const auto burn = [](double cpu_s) {
        const int64_t end_ns = Tracer::thread_cpu_ns() + static_cast<int64_t>(cpu_s * 1e9);
        while (Tracer::thread_cpu_ns() < end_ns) {
        }
    };
    {
        const Span outer(tracer, tracer.stage("outer"), 0);
        burn(0.01);
        {
            const Span inner(tracer, tracer.stage("inner"), 0);
            burn(0.03);
        }
        burn(0.01);
    }
    const std::vector<StageTimes> times = tracer.times();
    ASSERT_EQ(times.size(), 2u);
    EXPECT_NEAR(times[0].cpu_s, 0.02, 0.005);
    EXPECT_NEAR(times[1].cpu_s, 0.03, 0.005);
    EXPECT_GE(times[0].busy_s, 0.05);
}

}  // namespace
}  // namespace gannet::pipeline::graph
