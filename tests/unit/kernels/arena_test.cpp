// SPDX-License-Identifier: MIT
// Tests the blocks of memory of a stream and what is laid out in them, with a source that needs no device.
#include "kernels/cuda/arena.hpp"

#include "kernels/backend.hpp"
#include "kernels/cuda/launch_shape.hpp"
#include "kernels/cuda/layout.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace gannet::kernels::cuda {
namespace {

constexpr uint64_t k_mb = uint64_t{1} << 20;

/// Memory of which no block is larger than `largest`.
class FakeSource final : public MemorySource {
  public:
    void* allocate(uint64_t bytes) override {
        asked.push_back(bytes);
        return bytes > largest ? nullptr : std::malloc(1);
    }
    void free(void* memory) noexcept override {
        ++freed;
        std::free(memory);
    }
    uint64_t largest = UINT64_MAX;
    std::vector<uint64_t> asked;
    int freed = 0;
};

TEST(Arena, asks_again_for_less_when_the_driver_has_not_what_the_budget_granted) {
    FakeSource source;
    source.largest = 20 * k_mb;
    MemoryBudget budget(1000 * k_mb, "device 0");
    Arena arena(source, budget);
    arena.reserve(5 * k_mb, 64 * k_mb, "scratch");
    EXPECT_EQ(source.asked, (std::vector<uint64_t>{64 * k_mb, 32 * k_mb, 16 * k_mb}));
    EXPECT_EQ(arena.bytes(), 16 * k_mb);
    EXPECT_EQ(budget.used_bytes(), 16 * k_mb);
}

TEST(Arena, holds_the_least_where_less_is_wanted) {
    FakeSource source;
    MemoryBudget budget(1000 * k_mb, "device 0");
    Arena arena(source, budget);
    arena.reserve(12 * k_mb, 1, "an op without jobs");
    EXPECT_GE(arena.bytes(), 12 * k_mb);
}

TEST(Arena, goes_down_to_the_least_and_fails_only_below_it) {
    FakeSource source;
    source.largest = 12 * k_mb;
    MemoryBudget budget(1000 * k_mb, "device 3 (toy)");
    Arena arena(source, budget);
    arena.reserve(12 * k_mb, 64 * k_mb, "scratch");
    EXPECT_EQ(source.asked.back(), 12 * k_mb);
    EXPECT_EQ(arena.bytes(), 12 * k_mb);
    try {
        arena.reserve(13 * k_mb, 13 * k_mb, "banded_sw");
        FAIL() << "memory that the driver does not have";
    } catch (const DeviceOutOfMemory& fault) {
        for (const char* part :
             {"device 3 (toy)", "banded_sw", "13 MB", "driver does not have", "--gpu-memory"})
            EXPECT_NE(std::string(fault.what()).find(part), std::string::npos) << fault.what();
    }
    EXPECT_EQ(arena.bytes(), 0U);
    EXPECT_EQ(budget.used_bytes(), 0U);
}

TEST(Arena, a_started_one_is_not_allocated_again_but_for_an_exceptional_batch) {
    FakeSource source;
    MemoryBudget budget(1000 * k_mb, "device 0");
    Arena arena(source, budget);
    arena.start(32 * k_mb, "a stream");
    const uint8_t* const block = arena.data();
    for (const uint64_t wanted : {k_mb, 32 * k_mb, 500 * k_mb}) arena.reserve(k_mb, wanted, "batch");
    EXPECT_EQ(arena.data(), block);
    EXPECT_EQ(source.asked.size(), 1U);
    EXPECT_EQ(source.growths(), 0U);
    arena.reserve(33 * k_mb, 40 * k_mb, "batch");
    EXPECT_GE(arena.bytes(), 40 * k_mb);
    EXPECT_EQ(source.growths(), 1U);
    EXPECT_EQ(source.freed, 1);
}

TEST(Arena, one_that_was_not_started_takes_what_its_batches_want) {
    FakeSource source;
    MemoryBudget budget(1000 * k_mb, "device 0");
    Arena arena(source, budget);
    arena.reserve(k_mb, 2 * k_mb, "batch");
    EXPECT_EQ(source.growths(), 0U);
    arena.reserve(k_mb, 9 * k_mb, "batch");
    EXPECT_GE(arena.bytes(), 9 * k_mb);
    EXPECT_EQ(source.growths(), 1U);
}

TEST(Arena, streams_that_start_share_what_does_not_suffice_for_all) {
    FakeSource source;
    MemoryBudget budget(40 * k_mb, "device 0");
    std::vector<std::unique_ptr<Arena>> arenas;
    for (int k = 0; k < 4; ++k) arenas.push_back(std::make_unique<Arena>(source, budget));
    for (auto& arena : arenas) {
        arena->start(64 * k_mb, "a stream");
        EXPECT_EQ(arena->bytes(), 10 * k_mb);
    }
    arenas.clear();
    EXPECT_EQ(budget.used_bytes(), 0U);
}

TEST(Layout, sections_lie_behind_each_other_and_begin_aligned) {
    Layout layout;
    const auto bytes = layout.add<uint8_t>(1);
    const auto none = layout.add<uint32_t>(0);
    const auto words = layout.add(std::vector<uint32_t>(65));
    EXPECT_EQ(bytes.begin_bytes, 0U);
    EXPECT_EQ(none.begin_bytes, 256U);
    EXPECT_EQ(words.begin_bytes, 256U);
    EXPECT_EQ(layout.bytes(), 256U + 512U);
    std::vector<uint8_t> block(layout.bytes());
    const std::vector<uint32_t> values(65, 7);
    fill(block.data(), words, values);
    EXPECT_EQ(words.in(block.data())[64], 7U);
    EXPECT_EQ(reinterpret_cast<uint8_t*>(words.in(block.data())), block.data() + 256);
}

TEST(Layout, counts_beyond_four_gigabytes) {
    Layout layout;
    layout.add<uint32_t>(uint64_t{1} << 31);
    EXPECT_EQ(layout.add<uint8_t>(1).begin_bytes, uint64_t{1} << 33);
}

TEST(Blocks, threads_that_32_bits_cannot_number_are_refused) {
    EXPECT_EQ(blocks_for("op", 0, 4), 0U);
    EXPECT_EQ(blocks_for("op", 9, 4), 3U);
    EXPECT_EQ(blocks_for("op", (uint64_t{1} << 27) - 8, 4), (1U << 25) - 2);
    for (const uint64_t warps : {uint64_t{1} << 27, uint64_t{1} << 32, UINT64_MAX}) {
        try {
            blocks_for("pileup_network", warps, 4);
            FAIL() << warps << " warps were accepted";
        } catch (const std::length_error& fault) {
            EXPECT_NE(std::string(fault.what()).find("pileup_network: a launch of " + std::to_string(warps)),
                      std::string::npos)
                << fault.what();
        }
    }
}

}  // namespace
}  // namespace gannet::kernels::cuda
