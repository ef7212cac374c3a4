// SPDX-License-Identifier: MIT
// Checks the loop over threads, and the pool of threads that run tasks.
#include "data/threads.hpp"

#include "data/brief_mutex.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <future>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace gannet::data {
namespace {

TEST(ForEachIndex, every_index_comes_once_with_any_number_of_threads) {
    for (const size_t threads : {0u, 1u, 2u, 3u, 8u}) {
        for (const size_t count : {0u, 1u, 2u, 7u, 1000u}) {
            std::vector<std::atomic<int>> times(count);
            for_each_index(threads, count, [&](size_t i) { ++times[i]; });
            for (size_t i = 0; i < count; ++i) ASSERT_EQ(times[i], 1) << threads << " threads, index " << i;
        }
    }
}

TEST(ForEachIndex, threads_work_at_once) {
    // Each of two indices waits until the other one has been begun.
    std::promise<void> begun[2];
    for_each_index(2, 2, [&](size_t i) {
        begun[i].set_value();
        ASSERT_EQ(begun[1 - i].get_future().wait_for(std::chrono::seconds(60)), std::future_status::ready);
    });
}

TEST(ForEachIndex, the_exception_of_the_lowest_index_is_thrown) {
    for (const size_t threads : {1u, 2u, 4u}) {
        for (int repeat = 0; repeat < 50; ++repeat) {
            try {
                for_each_index(threads, 1000, [](size_t i) {
                    if (i >= 17) throw std::runtime_error(std::to_string(i));
                });
                FAIL() << "nothing was thrown";
            } catch (const std::runtime_error& error) {
                EXPECT_STREQ(error.what(), "17") << threads << " threads";
            }
        }
    }
}

TEST(ForEachIndex, the_lower_of_two_exceptions_wins_though_it_comes_later) {
    std::promise<void> thrown;
    try {
        for_each_index(2, 2, [&](size_t i) {
            if (i == 1) {
                thrown.set_value();
                throw std::runtime_error("1");
            }
            thrown.get_future().wait();
            throw std::runtime_error("0");
        });
        FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& error) {
        EXPECT_STREQ(error.what(), "0");
    }
}

TEST(ForEachIndex, after_an_exception_no_further_index_is_begun) {
    std::atomic<size_t> begun{0};
    const auto work = [&](size_t i) {
        ++begun;
        if (i == 0) throw std::runtime_error("");
    };
    EXPECT_THROW(for_each_index(1, 1000, work), std::runtime_error);
    EXPECT_EQ(begun, 1u);
}

TEST(ThreadPool, runs_in_order_all_that_was_submitted_before_it_ends) {
    std::string order;
    {
        ThreadPool pool(1);
        for (char letter = 'a'; letter <= 'z'; ++letter) pool.submit([&order, letter] { order += letter; });
    }
    EXPECT_EQ(order, "abcdefghijklmnopqrstuvwxyz");
}

TEST(ThreadPool, tasks_may_wait_for_each_other_where_there_is_a_thread_for_each) {
    std::promise<void> first;
    std::promise<void> second;
    std::atomic<int> met{0};
    {
        ThreadPool pool(2);
        const auto meet = [&met](std::promise<void>& own, std::promise<void>& other) {
            own.set_value();
            met += other.get_future().wait_for(std::chrono::seconds(60)) == std::future_status::ready;
        };
        pool.submit([&] { meet(first, second); });
        pool.submit([&] { meet(second, first); });
    }
    EXPECT_EQ(met, 2);
}

TEST(BriefMutex, holds_off_others_however_long_it_is_held) {
    constexpr int k_threads = 4;
    constexpr int k_each = 2000;
    BriefMutex mutex;
    int64_t count = 0;
    int holders = 0;
    for_each_index(k_threads, k_threads, [&](size_t thread) {
        for (int i = 0; i < k_each; ++i) {
            const std::lock_guard lock(mutex);
            ++holders;
            if (thread == 0 && i % 500 == 0)  // the others sleep
                std::this_thread::sleep_for(std::chrono::milliseconds(5));
            EXPECT_EQ(holders, 1);
            --holders;
            ++count;
        }
    });
    EXPECT_EQ(count, k_threads * k_each);
    EXPECT_TRUE(mutex.try_lock());
    EXPECT_FALSE(mutex.try_lock());
    mutex.unlock();
}

}  // namespace
}  // namespace gannet::data
