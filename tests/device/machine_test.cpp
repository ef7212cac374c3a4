// SPDX-License-Identifier: MIT
// Provides tests of the machine that translated kernels run on, with kernels written by hand.
#include "tests/device/machine.hpp"

#include "tests/device/operations.hpp"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <map>
#include <set>

namespace gannet::ptx {

namespace {

/// The device's memory of a test, with stamps.
struct Memory {
    std::vector<uint64_t> words;
    std::vector<Stamps> stamps;

    explicit Memory(size_t bytes) : words(bytes / 8), stamps(bytes) {}
    uint64_t begin() const { return reinterpret_cast<uint64_t>(words.data()); }
    void write_all() {
        for (Stamps& one : stamps) one.written = k_by_host;
    }
};
Memory* g_memory = nullptr;

}  // namespace

Extent device_extent(uint64_t address) {
    if (g_memory == nullptr) return {};
    const uint64_t begin = g_memory->begin();
    const uint64_t end = begin + g_memory->stamps.size();
    if (address < begin || address >= end) return {};
    return {begin, end, g_memory->stamps.data()};
}

namespace {

using Step = std::function<void(Lane&, Block&)>;
std::vector<Step> g_steps;

/// Runs one step of the test's kernel and waits as it says, or ends.
void run_steps(Lane& lane, Block& block) {
    const uint32_t at = lane.at;
    if (at == g_steps.size()) {
        lane.end();
        return;
    }
    g_steps[at](lane, block);
    if (lane.state == Lane::State::running) {
        lane.wait(at + 1, Together::barrier, 0, 0, 0, ~0u);
    }
}

/// What the machine says of a kernel of these steps, with a barrier behind each that does not wait itself.
std::string said(std::vector<Step> steps, uint32_t blocks = 1, uint32_t threads = 32) {
    g_steps = std::move(steps);
    const Kernel kernel{"by_hand", 80, {}, 0, 256, 16, 16, run_steps};
    try {
        run_grid(kernel, blocks, threads, 0, {});
    } catch (const std::runtime_error& error) {
        return error.what();
    }
    return "";
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

void write_shared(const Block& block, const Lane& lane, uint32_t word, uint32_t value) {
    store<Space::shared, uint32_t, 1>(block, lane, 4 * word, {value});
}
uint32_t read_shared(const Block& block, const Lane& lane, uint32_t word) {
    return get<uint32_t>(loaded<Space::shared, 4>(block, lane, 4 * word));
}
void write_global(const Block& block, const Lane& lane, uint32_t word, uint32_t value) {
    store<Space::global, uint32_t, 1>(block, lane, g_memory->begin() + 4 * word, {value});
}
void add_global(const Block& block, const Lane& lane, uint32_t word) {
    uint8_t* const at = changed<Space::global, 4>(block, lane, g_memory->begin() + 4 * word);
    set<uint32_t>(at, get<uint32_t>(at) + 1);
}

}  // namespace

TEST(Machine, phases_with_barriers_pass) {
    EXPECT_EQ(said({[](Lane& lane, Block& block) { write_shared(block, lane, lane.number, lane.number); },
                    [](Lane& lane, Block& block) {
                        if (read_shared(block, lane, (lane.number + 1) % 32) != (lane.number + 1) % 32)
                            throw std::runtime_error("another value");
                    }}),
              "");
}

TEST(Machine, reads_of_other_lanes_without_barrier_are_found) {
    const std::string text = said({[](Lane& lane, Block& block) {
        write_shared(block, lane, lane.number, 7);
        read_shared(block, lane, lane.number / 2 * 2);
    }});
    EXPECT_TRUE(
        has(text, "thread 1: load of 4 bytes of shared memory at byte 0 of 256: no barrier after lane 0"))
        << text;
}

TEST(Machine, writes_after_reads_of_other_lanes_are_found) {
    const std::string text =
        said({[](Lane& lane, Block& block) { write_shared(block, lane, lane.number, 7); },
              [](Lane& lane, Block& block) {
                  read_shared(block, lane, 31);
                  if (lane.number == 31) write_shared(block, lane, 31, 8);
              }});
    EXPECT_TRUE(has(text, "thread 31: store of 4 bytes of shared memory")) << text;
    EXPECT_TRUE(has(text, "several lanes of warp 0 has read it")) << text;
}

TEST(Machine, ballots_order_no_memory) {
    const std::string text =
        said({[](Lane& lane, Block& block) {
                  write_shared(block, lane, lane.number, 7);
                  lane.wait(1, Together::ballot, 1, 0, 0, ~0u);
              },
              [](Lane& lane, Block& block) { read_shared(block, lane, 31 - lane.number); }});
    EXPECT_TRUE(has(text, "no barrier after lane")) << text;
}

TEST(Machine, equal_values_of_several_lanes_pass) {
    EXPECT_EQ(said({[](Lane& lane, Block& block) { write_shared(block, lane, 0, 7); },
                    [](Lane& lane, Block& block) { read_shared(block, lane, 0); }}),
              "");
    EXPECT_TRUE(has(said({[](Lane& lane, Block& block) { write_shared(block, lane, 0, lane.number); }}),
                    "no barrier after lane 0 of warp 0 has written it"));
}

TEST(Machine, memory_that_nothing_wrote_is_found) {
    EXPECT_TRUE(has(said({[](Lane& lane, Block& block) { read_shared(block, lane, lane.number); }}),
                    "nothing has written it"));
    // What an earlier block left in shared memory is not this one's.
    EXPECT_TRUE(
        has(said({[](Lane& lane, Block& block) {
                     if (block.number == 0) write_shared(block, lane, lane.number, 1);
                     if (block.number == 1) read_shared(block, lane, lane.number);
                 }},
                 2),
            "block 1 of 2, thread 0: load of 4 bytes of shared memory at byte 0 of 256: nothing has"));
}

TEST(Machine, bounds_and_alignment_are_checked) {
    EXPECT_TRUE(has(said({[](Lane& lane, Block& block) { write_shared(block, lane, 64, 1); }}),
                    "at byte 256 of 256: outside of any block of memory"));
    EXPECT_TRUE(has(said({[](Lane& lane, Block& block) {
                        store<Space::shared, uint32_t, 4>(block, lane, 8, {1, 2, 3, 4});
                    }}),
                    "store of 16 bytes of shared memory at byte 8 of 256: misaligned"));
    EXPECT_TRUE(has(said({[](Lane& lane, Block& block) {
                        store<Space::local, uint32_t, 1>(block, lane, lane.local_pointer(16), {1});
                    }}),
                    "outside of any block of memory"));
    EXPECT_TRUE(
        has(said({[](Lane& lane, Block& block) { store<Space::global, uint32_t, 1>(block, lane, 16, {1}); }}),
            "outside of any block of memory"));
}

TEST(Machine, warps_that_share_global_memory_are_found) {
    Memory memory(4096);
    memory.write_all();
    g_memory = &memory;
    EXPECT_TRUE(
        has(said({[](Lane& lane, Block& block) { write_global(block, lane, lane.number, block.number); }}, 2),
            "no barrier after lane 0 of warp 0 has written it"));
    // In launches of their own, and by atomic instructions, they may.
    EXPECT_EQ(said({[](Lane& lane, Block& block) { write_global(block, lane, lane.number, 3); }}), "");
    EXPECT_EQ(said({[](Lane& lane, Block& block) { add_global(block, lane, 100); }}, 3, 64), "");
    EXPECT_TRUE(has(said({[](Lane& lane, Block& block) {
                        add_global(block, lane, 100);
                        loaded<Space::global, 4>(block, lane, g_memory->begin() + 400);
                    }}),
                    "an atomic instruction"));
    g_memory = nullptr;
}

TEST(Machine, wrong_masks_are_found) {
    EXPECT_TRUE(has(said({[](Lane& lane, Block&) { lane.wait(1, Together::barrier, 0, 0, 0, 0x7fffffff); }}),
                    "thread 31: its mask, 2147483647, leaves out the lane itself"));
    EXPECT_TRUE(has(said({[](Lane& lane, Block&) {
                        if (lane.number < 16) lane.wait(1, Together::ballot, 0, 0, 0, ~0u);
                    }}),
                    "it waits for lane 16, which waits for something else"));
    EXPECT_TRUE(has(said({[](Lane& lane, Block&) {
                        if (lane.number < 31)
                            lane.wait(1, Together::shuffle_index, 0, 31, 31, ~0u);
                        else
                            lane.end();
                    }}),
                    "it takes a value from lane 31, which brings none"));
}

TEST(Machine, lanes_exchange_values) {
    std::array<std::array<uint32_t, 32>, 7> got{};
    const auto wait_for = [&](uint32_t place, Together what, uint32_t a, uint32_t b) {
        return Step([=, &got](Lane& lane, Block&) {
            if (place > 0) got[place - 1][lane.number] = lane.result;
            lane.wait(place + 1, what, lane.number * 3, a, b, ~0u);
        });
    };
    EXPECT_EQ(said({wait_for(0, Together::ballot, 0, 0), wait_for(1, Together::sum, 0, 0),
                    wait_for(2, Together::shuffle_up, 2, 0), wait_for(3, Together::shuffle_down, 2, 31),
                    wait_for(4, Together::shuffle_across, 5, 31), wait_for(5, Together::shuffle_index, 9, 31),
                    [&](Lane& lane, Block&) { got[6][lane.number] = lane.result; }}),
              "");
    for (uint32_t lane = 0; lane < 32; ++lane) {
        EXPECT_EQ(got[0][lane], 0xfffffffe);  // all values but that of lane 0 are not 0
        EXPECT_EQ(got[1][lane], 3 * 31 * 16);
        EXPECT_EQ(got[2][lane], 3 * (lane < 2 ? lane : lane - 2));
        EXPECT_EQ(got[3][lane], 3 * (lane > 29 ? lane : lane + 2));
        EXPECT_EQ(got[4][lane], 3 * (lane ^ 5));
        EXPECT_EQ(got[6][lane], 3 * 9);
    }
}

TEST(Operations, edges_are_those_of_ptx) {
    EXPECT_EQ(shifted_left<uint32_t>(1, 32), 0u);
    EXPECT_EQ(shifted_right<int32_t>(-8, 40), -1);
    EXPECT_EQ(shifted_right<uint64_t>(~0ull, 64), 0u);
    EXPECT_EQ(sum<int32_t>(INT32_MAX, 1), INT32_MIN);
    EXPECT_EQ(quotient<int32_t>(INT32_MIN, -1), INT32_MIN);
    EXPECT_EQ(high_product<int32_t>(-1, 2), -1);
    EXPECT_EQ(high_product<uint64_t>(~0ull, 4), 3u);
    EXPECT_EQ(in_halves(0xffff0001, 0x00020001, sum<uint16_t>), 0x00010002u);
    EXPECT_EQ(in_halves(0xffff0001, 0x00020003, lesser<uint16_t>), 0x00020001u);
    EXPECT_EQ(permuted(0x33221180, 0x77665544, 0x4708), 0x447780ffu);
    EXPECT_EQ(inserted<uint32_t>(0xff, 0, 28, 8), 0xf0000000u);
    EXPECT_EQ(inserted<uint64_t>(5, 0xf0, 0, 4), 0xf5u);
    EXPECT_EQ(inserted<uint32_t>(5, 0xf0, 4, 0), 0xf0u);
    EXPECT_EQ(turned<uint32_t>(1), 0x80000000u);
    EXPECT_EQ(dot_product(0xff000002, 0xff0000fe, 10), 10 - 4 - 255);
    uint64_t wide = 0;
    put(wide, int8_t{-2});
    EXPECT_EQ(wide, ~uint64_t{1});
    EXPECT_EQ(as<int8_t>(uint32_t{0x1ff}), -1);
    EXPECT_EQ(as<float>(0x40000000u), 2.0f);
    EXPECT_THROW(quotient(1, 0), std::runtime_error);
}

TEST(WorkCounter, a_block_counts_as_often_as_the_lane_that_comes_most_often) {
    constexpr uint16_t k_sizes[] = {10, 3, 5};
    WorkCounter counter;
    counter.begin_warp(k_sizes, 3);
    for (uint32_t lane = 0; lane < 32; ++lane) {
        counter.visit(lane, 0);
        for (uint32_t k = 0; k < (lane < 16 ? lane % 3 : 0); ++k) counter.visit(lane, 1);
        if (lane >= 16) counter.visit(lane, 2);
    }
    counter.end_interval();
    counter.visit(7, 2);
    counter.end_interval();
    const Work work = counter.take();
    EXPECT_EQ(work.warps, 1u);
    EXPECT_EQ(work.intervals, 2u);
    EXPECT_EQ(work.instructions, 10u + 2 * 3u + 5u + 5u);
    EXPECT_EQ(work.lane_instructions, 32 * 10u + 15 * 3u + 16 * 5u + 5u);
    EXPECT_EQ(counter.take().instructions, 0u);
}

TEST(WorkCounter, accesses_of_an_instruction_are_put_together) {
    using Kind = WorkCounter::Kind;
    constexpr uint16_t k_sizes[] = {1};
    WorkCounter counter;
    counter.begin_warp(k_sizes, 1);
    for (uint32_t lane = 0; lane < 32; ++lane) {
        counter.visit(lane, 0);
        counter.access(lane, Kind::global, 1, 4096 + uint64_t{4} * lane, 4);  // 4 sectors
        counter.access(lane, Kind::global, 2, uint64_t{1024} * lane, 4);      // 32
        counter.access(lane, Kind::global, 3, 28, 8);                         // 2: across a border
        counter.access(lane, Kind::shared, 4, uint64_t{4} * lane, 4);         // a pass
        counter.access(lane, Kind::shared, 5, uint64_t{128} * lane, 4);       // 32: the same bank
        counter.access(lane, Kind::shared, 6, 64, 4);                         // a pass: the same word
        counter.access(lane, Kind::local, 7, 40, 4);                          // 4 sectors
    }
    for (uint32_t lane = 0; lane < 2; ++lane) {  // a loop of two of them: another request
        counter.visit(lane, 0);
        counter.access(lane, Kind::global, 1, 4096, 4);
    }
    counter.end_interval();
    const Work work = counter.take();
    EXPECT_EQ(work.global.requests, 4u);
    EXPECT_EQ(work.global.units, 4u + 32 + 2 + 1);
    EXPECT_EQ(work.shared.requests, 3u);
    EXPECT_EQ(work.shared.units, 1u + 32 + 1);
    EXPECT_EQ(work.local.requests, 1u);
    EXPECT_EQ(work.local.units, 4u);
}

/// A kernel of two basic blocks as translate_ptx writes it with GANNET_COUNT_WORK.
void run_counted(Lane& lane, Block& block) {
    switch (lane.at) {
        case 0:
            lane.counter->visit(lane.number, 0);
            count_access(block, lane, Space::shared, 1, uint64_t{4} * lane.number, 4);
            lane.wait(1, Together::barrier, 0, 0, 0, ~0u);
            return;
        default:
            if (lane.number < 4) lane.counter->visit(lane.number, 1);
    }
    lane.end();
}

TEST(Work, of_launches_is_added_up_by_kernel) {
    constexpr uint16_t k_sizes[] = {6, 2};
    const Kernel kernel{"_ZN7counted6kernelEi", 80, {}, 0, 128, 0, 0, run_counted, k_sizes, 2};
    run_grid(kernel, 3, 64, 0, {});
    run_grid(kernel, 1, 40, 0, {});
    const Work work = work_so_far().at("counted::kernel");
    EXPECT_EQ(work.launches, 2u);
    EXPECT_EQ(work.warps, 8u);
    EXPECT_EQ(work.instructions, 8 * 8u);
    EXPECT_EQ(work.lane_instructions, 7 * (32 * 6 + 4 * 2) + 8 * 6 + 4 * 2u);
    EXPECT_EQ(work.shared.requests, 8u);
}

}  // namespace gannet::ptx
