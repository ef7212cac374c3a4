// SPDX-License-Identifier: MIT
// Tests the stream of the backend cuda on a runtime without a device: what is enqueued when, its memory, the
// times of the device, and faults.
#include "kernels/backend.hpp"
#include "kernels/cuda/host_pages.hpp"
#include "kernels/cuda/launch.hpp"
#include "kernels/cuda/pinned_memory.hpp"
#include "kernels/cuda/stream.hpp"
#include "tests/unit/kernels/cuda/fake_runtime.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace gannet::kernels::cuda {

namespace {

using tests::fake_cuda_runtime;

/// A "kernel": adds one to each number, in place behind the inputs.
void add_one(void* block) {
    auto* const numbers = static_cast<uint32_t*>(block);
    const uint32_t count = numbers[0];
    for (uint32_t k = 0; k < count; ++k) numbers[64 + k] = numbers[1 + k] + 1;
}

void add_constant(void* block) {
    auto* const numbers = static_cast<uint32_t*>(block);
    numbers[Layout::k_alignment / sizeof(uint32_t)] += numbers[0];
}

/// An op with up to 63 numbers.
void call(kernels::Stream& given, const std::vector<uint32_t>& numbers, std::vector<uint32_t>& results,
          uint64_t scratch_bytes = 0) {
    Work work(Stream::of(given), "toy");
    Layout layout;
    const Section<uint32_t> in = layout.add<uint32_t>(64);
    const uint64_t input_bytes = layout.bytes();
    const Section<uint32_t> out = layout.add<uint32_t>(64);
    const uint64_t bytes = layout.bytes();
    work.reserve(bytes, scratch_bytes, scratch_bytes);
    uint32_t* const to = work.host(in);
    to[0] = static_cast<uint32_t>(numbers.size());
    std::copy(numbers.begin(), numbers.end(), to + 1);
    const uint32_t* const from = work.host(out);
    const size_t count = numbers.size();
    work.prepared(
        [in, input_bytes, bytes](Queue& queue) {
            queue.copy_in(0, input_bytes);
            queue.clear(input_bytes, bytes);
            launch(queue, {1, 32, 0}, add_one, queue.device_block());
            queue.copy_out(input_bytes, bytes);
        },
        [from, count, &results] { results.assign(from, from + count); });
}

/// An op that adds a constant to a number: the constant is wanted again in each batch. Returns whether it
/// was on the device already; only then it is not copied.
bool call_with_constant(kernels::Stream& given, const std::shared_ptr<const uint32_t>& constant,
                        uint32_t number, std::vector<uint32_t>& results, uint64_t scratch_bytes = 0) {
    Work work(Stream::of(given), "constant");
    Layout layout;
    const Section<uint32_t> kept = layout.add<uint32_t>(1);
    const uint64_t kept_bytes = layout.bytes();
    const Section<uint32_t> in = layout.add<uint32_t>(1);
    const uint64_t bytes = layout.bytes();
    work.reserve(bytes, scratch_bytes, scratch_bytes);
    const bool is_there = work.keeps(constant);
    *work.host(kept) = is_there ? 0 : *constant;
    *work.host(in) = number;
    const uint32_t* const from = work.host(in);
    work.prepared(
        [is_there, kept_bytes, bytes](Queue& queue) {
            queue.copy_in(is_there ? kept_bytes : 0, bytes);
            launch(queue, {1, 32, 0}, add_constant, queue.device_block());
            queue.copy_out(kept_bytes, bytes);
        },
        [from, &results] { results = {*from}; });
    return is_there;
}

/// An op of whose numbers each is one more in the results: `expected` of these are copied at once, and the
/// others when the first is known to say how many there are.
void call_in_two(kernels::Stream& given, const std::vector<uint32_t>& numbers, uint32_t expected,
                 std::vector<uint32_t>& results) {
    Work work(Stream::of(given), "two");
    Layout layout;
    const Section<uint32_t> in = layout.add<uint32_t>(64);
    const uint64_t input_bytes = layout.bytes();
    const Section<uint32_t> out = layout.add<uint32_t>(64);
    work.reserve(layout.bytes());
    uint32_t* const to = work.host(in);
    to[0] = static_cast<uint32_t>(numbers.size());
    std::copy(numbers.begin(), numbers.end(), to + 1);
    uint32_t* const from = work.host(out);
    std::fill(from, from + 64, 0);
    const uint64_t known = input_bytes + expected * sizeof(uint32_t);
    const uint64_t end = input_bytes + numbers.size() * sizeof(uint32_t);
    work.prepared(
        [=](Queue& queue) {
            queue.copy_in(0, input_bytes);
            launch(queue, {1, 32, 0}, add_one, queue.device_block());
            queue.copy_out(input_bytes, known);
        },
        [=](Queue& queue) {
            if (from[0] != numbers[0] + 1 || known >= end) return false;
            queue.copy_out(known, end);
            return true;
        },
        [=, &results] { results.assign(from, from + numbers.size()); });
}

class CudaStream : public testing::Test {
  protected:
    void SetUp() override {
        fake_cuda_runtime().fails.clear();
        fake_cuda_runtime().largest_block = UINT64_MAX;
    }
    std::unique_ptr<Stream> stream = std::make_unique<Stream>(next_device());
    std::vector<uint32_t> results;
};

TEST_F(CudaStream, the_call_prepares_submit_enqueues_and_wait_gives_the_results) {
    const int before = fake_cuda_runtime().enqueued;
    call(*stream, {1, 2, 3}, results);
    EXPECT_EQ(fake_cuda_runtime().enqueued, before);
    stream->submit();
    EXPECT_EQ(fake_cuda_runtime().enqueued, before + 4);
    EXPECT_TRUE(results.empty());
    stream->block();
    EXPECT_TRUE(results.empty());
    stream->wait();
    EXPECT_EQ(results, (std::vector<uint32_t>{2, 3, 4}));
    EXPECT_EQ(fake_cuda_runtime().enqueued, before + 4);
}

TEST_F(CudaStream, wait_alone_does_all_and_a_second_op_waits_for_the_first) {
    std::vector<uint32_t> second;
    call(*stream, {7}, results);
    call(*stream, {9}, second);
    EXPECT_EQ(results, (std::vector<uint32_t>{8}));
    stream->wait();
    EXPECT_EQ(second, (std::vector<uint32_t>{10}));
    stream->wait();
}

TEST_F(CudaStream, what_the_results_ask_for_is_enqueued_by_the_thread_that_waits) {
    const std::vector<uint32_t> expected{2, 3, 4};
    for (const bool blocks : {true, false}) {
        results.clear();
        call_in_two(*stream, {1, 2, 3}, 1, results);
        stream->submit();
        const int before = fake_cuda_runtime().enqueued;
        if (blocks) {
            stream->block();
            EXPECT_EQ(fake_cuda_runtime().enqueued, before + 1);
            EXPECT_TRUE(results.empty());
        }
        stream->wait();
        EXPECT_EQ(fake_cuda_runtime().enqueued, before + 1);
        EXPECT_EQ(results, expected);
        const DeviceSpan span = stream->device_span();
        EXPECT_LE(span.kernels_end_ns, span.end_ns);
    }
    call_in_two(*stream, {1, 2, 3}, 3, results);
    stream->submit();
    const int before = fake_cuda_runtime().enqueued;
    stream->wait();
    EXPECT_EQ(fake_cuda_runtime().enqueued, before);
    EXPECT_EQ(results, expected);
    // Another op has nothing of it.
    call(*stream, {7}, results);
    stream->wait();
    EXPECT_EQ(results, (std::vector<uint32_t>{8}));
}

TEST_F(CudaStream, a_fault_of_what_the_results_ask_for_is_thrown_by_wait) {
    for (const char* const function : {"cudaMemcpyAsync", "cudaEventSynchronize"}) {
        for (const bool blocks : {true, false}) {
            results.clear();
            call_in_two(*stream, {1, 2, 3}, 1, results);
            stream->submit();
            const bool copies = std::string(function) == "cudaMemcpyAsync";
            fake_cuda_runtime().fails[function] = {cudaErrorInvalidValue, copies ? 0 : 1};
            if (blocks) stream->block();
            EXPECT_THROW(stream->wait(), DeviceError) << function;
            EXPECT_TRUE(fake_cuda_runtime().fails.empty());
            stream->wait();
            EXPECT_TRUE(results.empty());
            call(*stream, {4}, results);
            stream->wait();
            EXPECT_EQ(results, (std::vector<uint32_t>{5}));
        }
    }
}

TEST_F(CudaStream, times_of_the_device_are_on_the_clock_of_the_host) {
    const auto now_ns = [] {
        return std::chrono::duration_cast<std::chrono::nanoseconds>(
                   std::chrono::steady_clock::now().time_since_epoch())
            .count();
    };
    const int64_t before = now_ns();
    call(*stream, {1}, results);
    stream->wait();
    const int64_t after = now_ns();
    const DeviceSpan span = stream->device_span();
    constexpr int64_t k_error_ns = 200'000;
    EXPECT_GE(span.begin_ns, before - k_error_ns);
    EXPECT_LE(span.begin_ns, span.kernels_begin_ns);
    EXPECT_LT(span.kernels_begin_ns, span.kernels_end_ns);
    EXPECT_LE(span.kernels_end_ns, span.end_ns);
    EXPECT_LE(span.end_ns, after + k_error_ns);
    // An op that leaves the stream alone has no times.
    stream->submit();
    EXPECT_EQ(stream->device_span().end_ns, 0);
}

TEST_F(CudaStream, memory_is_taken_once_and_given_back) {
    stream->start({1 << 20, 1 << 16});
    const int allocated = fake_cuda_runtime().allocations;
    for (uint64_t batch = 0; batch < 10; ++batch) {
        call(*stream, {1}, results, batch * 100'000);
        stream->wait();
    }
    EXPECT_EQ(fake_cuda_runtime().allocations, allocated);
    const uint64_t growths = stream->device().memory.growths();
    call(*stream, {1}, results, 2 << 20);
    stream->wait();
    EXPECT_EQ(fake_cuda_runtime().allocations, allocated + 1);
    EXPECT_EQ(stream->device().memory.growths(), growths + 1);
    stream.reset();
    EXPECT_EQ(fake_cuda_runtime().blocks, 0);
    EXPECT_EQ(fake_cuda_runtime().streams, 0);
    EXPECT_EQ(fake_cuda_runtime().events, 0);
    EXPECT_EQ(pinned_memory().budget.used_bytes(), 0u);
}

TEST_F(CudaStream, pinned_memory_is_the_processes_own_and_registered) {
    for (const uint64_t bytes : {uint64_t{1} << 16, uint64_t{20} << 20, (uint64_t{5} << 20) + 4096}) {
        PinnedMemory source;
        const int before = fake_cuda_runtime().registered;
        const int refused = fake_cuda_runtime().refused;
        auto* const memory = static_cast<uint8_t*>(source.allocate(bytes));
        ASSERT_NE(memory, nullptr);
        EXPECT_EQ(reinterpret_cast<uint64_t>(memory) % HostPages::k_large_page_bytes, 0u);
        EXPECT_EQ(fake_cuda_runtime().registered, before + 1);
        memory[bytes - 1] = 1;
        EXPECT_EXIT(memory[bytes] = 1, testing::KilledBySignal(SIGSEGV), "");
        source.free(memory);
        EXPECT_EQ(fake_cuda_runtime().registered, before);
        EXPECT_EQ(fake_cuda_runtime().refused, refused);
        EXPECT_TRUE(source.registers());
    }
}

TEST_F(CudaStream, where_registering_is_refused_pinned_memory_is_the_drivers) {
    PinnedMemory source;
    const int registered = fake_cuda_runtime().registered;
    const int blocks = fake_cuda_runtime().blocks;
    void* const before = source.allocate(1 << 20);
    fake_cuda_runtime().fails["cudaHostRegister"] = {cudaErrorNotSupported};
    void* const refused = source.allocate(1 << 20);
    void* const after = source.allocate(1 << 20);  // it is not asked again
    ASSERT_NE(refused, nullptr);
    ASSERT_NE(after, nullptr);
    EXPECT_FALSE(source.registers());
    EXPECT_EQ(fake_cuda_runtime().registered, registered + 1);
    EXPECT_EQ(fake_cuda_runtime().blocks, blocks + 3);
    const int refusals = fake_cuda_runtime().refused;
    for (void* const memory : {after, before, refused}) source.free(memory);
    EXPECT_EQ(fake_cuda_runtime().blocks, blocks);
    EXPECT_EQ(fake_cuda_runtime().refused, refusals);
}

TEST_F(CudaStream, pinned_memory_that_no_one_has_is_an_error) {
    PinnedMemory source;
    MemoryBudget budget(UINT64_MAX / 2, "host", "pinned memory", "use fewer --threads");
    Arena arena(source, budget);
    fake_cuda_runtime().fails["cudaHostRegister"] = {cudaErrorMemoryAllocation};
    fake_cuda_runtime().fails["cudaHostAlloc"] = {cudaErrorMemoryAllocation};
    try {
        arena.reserve(1 << 20, 1 << 20, "toy");
        FAIL() << "memory that the driver does not have";
    } catch (const DeviceOutOfMemory& fault) {
        EXPECT_EQ(std::string(fault.what()),
                  "host: toy needs 1 MB of pinned memory, which the driver does not have: free it of other "
                  "programs, or use fewer --threads");
    }
    EXPECT_EQ(budget.used_bytes(), 0u);
    // More than there are addresses.
    EXPECT_EQ(HostPages(uint64_t{1} << 60).data(), nullptr);
    fake_cuda_runtime().fails["cudaHostAlloc"] = {cudaErrorInvalidValue};
    EXPECT_THROW(arena.reserve(1 << 20, 1 << 20, "toy"), DeviceError);
}

TEST_F(CudaStream, what_batches_have_in_common_stays_on_the_device) {
    const auto five = std::make_shared<const uint32_t>(5);
    const auto result_of = [this](const auto& constant, uint32_t number, uint64_t scratch_bytes = 0) {
        const bool was_there = call_with_constant(*stream, constant, number, results, scratch_bytes);
        stream->wait();
        return std::pair(was_there, results.at(0));
    };
    EXPECT_EQ(result_of(five, 1), std::pair(false, 6u));
    EXPECT_EQ(result_of(five, 2), std::pair(true, 7u));
    EXPECT_EQ(result_of(std::make_shared<const uint32_t>(6), 2), std::pair(false, 8u));
    EXPECT_EQ(result_of(five, 2), std::pair(false, 7u));
    // Another op writes over it.
    std::vector<uint32_t> others;
    call(*stream, {1, 2, 3}, others);
    EXPECT_EQ(result_of(five, 3), std::pair(false, 8u));
    EXPECT_EQ(result_of(five, 4), std::pair(true, 9u));
    // A larger block has nothing of it.
    EXPECT_EQ(result_of(five, 5, 4 << 20), std::pair(false, 10u));
    EXPECT_EQ(result_of(five, 6), std::pair(true, 11u));
    // A batch that is not enqueued leaves nothing to rely on.
    EXPECT_TRUE(call_with_constant(*stream, five, 7, results));
    fake_cuda_runtime().fails["cudaLaunchKernel"] = {cudaErrorLaunchOutOfResources};
    EXPECT_THROW(stream->submit(), DeviceError);
    EXPECT_EQ(result_of(five, 8), std::pair(false, 13u));
}

TEST_F(CudaStream, a_device_with_small_blocks_gives_what_it_has) {
    fake_cuda_runtime().largest_block = 300'000;
    stream->start({1 << 20, 1 << 16});
    EXPECT_EQ(stream->device().budget.used_bytes(), 262144u);
    try {
        call(*stream, {1}, results, 400'000);
        FAIL() << "memory that the driver does not have";
    } catch (const DeviceOutOfMemory& fault) {
        EXPECT_NE(std::string(fault.what()).find("toy needs 1 MB of device memory, which the driver"),
                  std::string::npos)
            << fault.what();
    }
    call(*stream, {4}, results);
    stream->wait();
    EXPECT_EQ(results, (std::vector<uint32_t>{5}));
}

TEST_F(CudaStream, a_launch_that_is_refused_leaves_nothing_under_way) {
    call(*stream, {1}, results);
    fake_cuda_runtime().fails["cudaLaunchKernel"] = {cudaErrorLaunchOutOfResources};
    EXPECT_THROW(stream->submit(), DeviceError);
    stream->block();
    stream->wait();
    EXPECT_TRUE(results.empty());
    call(*stream, {4}, results);
    stream->wait();
    EXPECT_EQ(results, (std::vector<uint32_t>{5}));
}

TEST_F(CudaStream, a_fault_on_the_device_is_thrown_by_wait_and_names_op_and_device) {
    call(*stream, {1}, results);
    stream->submit();
    stream->block();
    fake_cuda_runtime().fails["cudaEventSynchronize"] = {cudaErrorIllegalAddress};
    try {
        stream->wait();
        FAIL() << "a fault was passed over";
    } catch (const DeviceError& fault) {
        const std::string text = fault.what();
        const std::string device = std::to_string(stream->device().info.ordinal);
        for (const std::string& part : {"the device failed: toy on device " + device + " failed",
                                        std::string("nvidia-smi"), std::string("--backend simd")})
            EXPECT_NE(text.find(part), std::string::npos) << text;
    }
    EXPECT_TRUE(results.empty());
}

TEST(Survey, asks_for_connections_so_that_streams_do_not_wait_for_one_another) {
    survey();
    EXPECT_STREQ(std::getenv("CUDA_DEVICE_MAX_CONNECTIONS"), "16");
}

TEST(Survey, has_the_uuid_as_nvidia_smi_prints_it) {
    EXPECT_EQ(survey().devices.at(0).uuid, "GPU-00010203-0405-0607-0809-0a0b0c0d0e0f");
    EXPECT_EQ(survey().devices.at(1).uuid, "MIG-10111213-1415-1617-1819-1a1b1c1d1e1f");
    EXPECT_TRUE(survey().status.usable);
}

TEST(CopyRates, are_measured_within_the_memory_and_leave_none_taken) {
    const CopyRates rates = measure_copies(survey().devices.at(0), 1 << 16);
    EXPECT_GT(rates.to_device, 0);
    EXPECT_GT(rates.from_device, 0);
    EXPECT_GT(rates.on_device, 0);
    EXPECT_THROW(measure_copies(survey().devices.at(0), 1 << 30), DeviceOutOfMemory);
    EXPECT_EQ(fake_cuda_runtime().blocks, 0);
    EXPECT_EQ(fake_cuda_runtime().streams, 0);
    EXPECT_EQ(fake_cuda_runtime().events, 0);
}

TEST(Device, are_taken_in_turn) {
    Device& first = next_device();
    Device& second = next_device();
    EXPECT_NE(&first, &second);
    EXPECT_EQ(&next_device(), &first);
}

}  // namespace
}  // namespace gannet::kernels::cuda
