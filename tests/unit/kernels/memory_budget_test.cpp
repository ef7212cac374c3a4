// SPDX-License-Identifier: MIT
// Tests the counted memory of a device; needs none.
#include "kernels/cuda/memory_budget.hpp"

#include "kernels/backend.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace gannet::kernels::cuda {
namespace {

constexpr uint64_t k_mb = uint64_t{1} << 20;

TEST(MemoryBudget, takes_up_to_its_total_and_no_more) {
    MemoryBudget budget(100 * k_mb, "device 0");
    budget.take(60 * k_mb, "jobs");
    budget.take(40 * k_mb, "results");
    EXPECT_EQ(budget.used_bytes(), 100 * k_mb);
    EXPECT_THROW(budget.take(1, "one byte"), DeviceOutOfMemory);
    budget.give_back(40 * k_mb);
    EXPECT_NO_THROW(budget.take(40 * k_mb, "results"));
}

TEST(MemoryBudget, a_refusal_takes_nothing_and_says_who_wants_what) {
    MemoryBudget budget(100 * k_mb, "device 3 (toy)");
    budget.take(70 * k_mb, "jobs");
    try {
        budget.take(31 * k_mb, "banded_sw: direction bits");
        FAIL() << "took more than there is";
    } catch (const DeviceOutOfMemory& fault) {
        const std::string text = fault.what();
        for (const char* part :
             {"device 3 (toy)", "banded_sw: direction bits", "31 MB", "30 MB of 100 MB", "--gpu-memory"})
            EXPECT_NE(text.find(part), std::string::npos) << part << " is not in: " << text;
    }
    EXPECT_EQ(budget.used_bytes(), 70 * k_mb);
}

TEST(MemoryBudget, huge_wishes_do_not_wrap_around) {
    MemoryBudget budget(100 * k_mb, "device 0");
    budget.take(k_mb, "jobs");
    EXPECT_THROW(budget.take(UINT64_MAX, "everything"), DeviceOutOfMemory);
    MemoryShare share(budget);
    EXPECT_THROW(share.take_some(UINT64_MAX - 1, UINT64_MAX, "everything"), DeviceOutOfMemory);
}

TEST(MemoryBudget, remembers_the_most_that_was_used) {
    MemoryBudget budget(100 * k_mb, "device 0");
    budget.take(60 * k_mb, "jobs");
    budget.give_back(50 * k_mb);
    budget.take(20 * k_mb, "jobs");
    EXPECT_EQ(budget.most_used_bytes(), 60 * k_mb);
}

TEST(MemoryShare, all_shares_get_the_same_however_late_they_ask) {
    MemoryBudget budget(90 * k_mb, "device 0");
    std::vector<std::unique_ptr<MemoryShare>> shares;
    for (int k = 0; k < 3; ++k) shares.push_back(std::make_unique<MemoryShare>(budget));
    for (auto& share : shares) EXPECT_EQ(share->take_some(k_mb, 500 * k_mb, "scratch"), 30 * k_mb);
    EXPECT_EQ(budget.used_bytes(), 90 * k_mb);
    shares.clear();
    EXPECT_EQ(budget.used_bytes(), 0U);
}

TEST(MemoryShare, shares_divide_what_all_have_left_them) {
    MemoryBudget budget(90 * k_mb, "device 0");
    budget.take(60 * k_mb, "the resident index");
    MemoryShare first(budget);
    MemoryShare second(budget);
    EXPECT_EQ(first.take_some(k_mb, 500 * k_mb, "scratch"), 15 * k_mb);
    EXPECT_EQ(second.take_some(k_mb, 500 * k_mb, "scratch"), 15 * k_mb);
    first.give_back(15 * k_mb);
    budget.give_back(60 * k_mb);
    EXPECT_EQ(first.take_some(k_mb, 500 * k_mb, "scratch"), 45 * k_mb);
}

TEST(MemoryShare, what_is_held_counts_and_the_least_is_had_beyond_it) {
    MemoryBudget budget(90 * k_mb, "device 0");
    MemoryShare first(budget);
    MemoryShare second(budget);
    EXPECT_EQ(first.take_some(k_mb, 10 * k_mb, "scratch"), 10 * k_mb);   // all that was wanted
    EXPECT_EQ(first.take_some(k_mb, 500 * k_mb, "scratch"), 35 * k_mb);  // what lets it hold 45
    EXPECT_EQ(first.take_some(20 * k_mb, 500 * k_mb, "scratch"), 20 * k_mb);
    EXPECT_EQ(first.held_bytes(), 65 * k_mb);
    EXPECT_EQ(second.take_some(k_mb, 500 * k_mb, "scratch"), 25 * k_mb);  // no more than is left
    EXPECT_THROW(second.take_some(k_mb, k_mb, "scratch"), DeviceOutOfMemory);
    first.give_back(65 * k_mb);
    EXPECT_EQ(second.take_some(k_mb, 500 * k_mb, "scratch"), 20 * k_mb);  // and then 45 in total
}

TEST(MemoryBudget, counts_under_threads) {
    MemoryBudget budget(8 * k_mb, "device 0");
    std::vector<std::thread> threads;
    std::atomic<int> refused{0};
    for (int k = 0; k < 4; ++k) {
        threads.emplace_back([&] {
            for (int round = 0; round < 2000; ++round) {
                try {
                    budget.take(3 * k_mb, "part");
                    budget.give_back(3 * k_mb);
                } catch (const DeviceOutOfMemory&) {
                    ++refused;
                }
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(budget.used_bytes(), 0U);
}

TEST(UsableMemory, leaves_room_and_keeps_the_limit) {
    EXPECT_EQ(usable_memory(1000, 0), 900U);
    EXPECT_EQ(usable_memory(1000, 300), 300U);
    EXPECT_EQ(usable_memory(1000, 5000), 900U);
}

TEST(RoundedBytes, hold_what_was_asked_and_an_eighth_more_at_most) {
    for (const uint64_t bytes : {uint64_t{1}, uint64_t{65536}, 3 * k_mb + 1, 1000 * k_mb, 77777 * k_mb + 5}) {
        const uint64_t rounded = rounded_bytes(bytes);
        EXPECT_GE(rounded, bytes);
        EXPECT_LE(rounded, bytes + std::max<uint64_t>(65536, bytes / 8)) << bytes;
        EXPECT_EQ(rounded % 65536, 0U);
    }
}

}  // namespace
}  // namespace gannet::kernels::cuda
