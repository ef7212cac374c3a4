// SPDX-License-Identifier: MIT
// Tests how much of the pools of find_candidates is copied before it is known what a batch used.
#include "kernels/find_candidates/find_candidates_plan.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <tuple>

namespace gannet::kernels::find_candidates {
namespace {

Plan plan_of(uint64_t reads) {
    Plan plan;
    plan.parts = static_cast<uint32_t>(16 * reads);
    plan.candidates = 4 * reads;
    plan.jobs = 2 * reads;
    return plan;
}

std::tuple<uint64_t, uint64_t, uint64_t> forecast_of(const PoolForecast& forecast, uint32_t reads) {
    const PoolCounts counts = forecast.of(plan_of(reads), reads);
    return {counts.parts, counts.candidates, counts.jobs};
}

TEST(PoolForecast, is_of_nothing_at_first_and_then_an_eighth_more_than_was_used) {
    PoolForecast forecast;
    EXPECT_EQ(forecast_of(forecast, 1000), std::tuple(0, 0, 0));
    forecast.add({800, 1600, 400}, 1000);
    EXPECT_EQ(forecast_of(forecast, 10'000), std::tuple(9000, 18'000, 4500));
    EXPECT_EQ(forecast_of(forecast, 0), std::tuple(0, 0, 0));
}

TEST(PoolForecast, covers_a_batch_like_the_last) {
    for (const uint32_t reads : {1, 7, 1000, 200'000}) {
        for (const uint64_t used : {1, 3, 999, 1'000'000}) {
            PoolForecast forecast;
            const PoolCounts counts{used, used, used};
            forecast.add(counts, reads);
            Plan plan;
            plan.parts = 2'000'000;
            plan.candidates = plan.jobs = 2'000'000;
            const PoolCounts next = forecast.of(plan, reads);
            for (const uint64_t each : {next.parts, next.candidates, next.jobs}) {
                EXPECT_GE(each, used) << reads;
                EXPECT_LE(each, used + used / 8 + reads / 50'000) << reads;
            }
        }
    }
}

TEST(PoolForecast, grows_at_once_shrinks_slowly_and_stays_within_the_room) {
    PoolForecast forecast;
    forecast.add({16, 4, 2}, 1);
    EXPECT_EQ(forecast_of(forecast, 1000), std::tuple(16'000, 4000, 2000));
    forecast.add({}, 0);
    EXPECT_EQ(forecast_of(forecast, 1000), std::tuple(16'000, 4000, 2000));
    forecast.add({0, 1000, 0}, 1000);
    EXPECT_EQ(forecast_of(forecast, 1000), std::tuple(15'750, 3937, 1968));
    for (int batch = 0; batch < 50; ++batch) forecast.add({0, 1000, 0}, 1000);
    const auto [parts, candidates, jobs] = forecast_of(forecast, 1000);
    EXPECT_LT(parts, 100u);
    EXPECT_EQ(candidates, 1125u);
    EXPECT_LT(jobs, 100u);
}

TEST(UsedOf, is_within_the_room) {
    const unsigned long long counters[k_counters] = {1'000'000, 100, 5000, 30};
    const PoolCounts used = used_of(plan_of(1000), counters);
    EXPECT_EQ(used.parts, 100u);
    EXPECT_EQ(used.candidates, 4000u);
    EXPECT_EQ(used.jobs, 30u);
}

}  // namespace
}  // namespace gannet::kernels::find_candidates
