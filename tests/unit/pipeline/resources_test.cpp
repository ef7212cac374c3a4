// SPDX-License-Identifier: MIT
// Checks sizes and the limits of control groups.
#include "pipeline/resources.hpp"

#include "data/error.hpp"
#include "pipeline/jobs/session.hpp"

#include <gtest/gtest.h>

namespace gannet::pipeline {
namespace {

TEST(Resources, sizes_with_units) {
    EXPECT_EQ(parse_size("4G"), 4ull << 30);
    EXPECT_EQ(parse_size("1.5g"), 3ull << 29);
    EXPECT_EQ(parse_size("512MiB"), 512ull << 20);
    EXPECT_EQ(parse_size("2048"), 2048u);
    EXPECT_EQ(parse_size("4X"), std::nullopt);
    EXPECT_EQ(parse_size("-1G"), std::nullopt);
    EXPECT_EQ(parse_size(""), std::nullopt);
    EXPECT_EQ(parse_size("nan"), std::nullopt);
}

TEST(Resources, cgroup_texts) {
    EXPECT_EQ(cpu_quota("max 100000\n"), std::nullopt);
    EXPECT_DOUBLE_EQ(cpu_quota("150000 100000\n").value(), 1.5);
    EXPECT_EQ(cpu_quota("-1 100000"), std::nullopt);
    EXPECT_EQ(memory_limit("max\n"), std::nullopt);
    EXPECT_EQ(memory_limit("9223372036854771712\n"), std::nullopt);
    EXPECT_EQ(memory_limit("1073741824\n"), 1ull << 30);
}

TEST(Resources, defaults_are_sane) {
    EXPECT_GE(default_threads(), 1);
    EXPECT_GT(default_memory_bytes(), 1ull << 20);
}

TEST(MemoryPlan, too_little_is_refused_with_what_is_needed) {
    try {
        plan_memory(100 << 20, 50 << 20, 2);
        FAIL();
    } catch (const data::Error& fault) {
        EXPECT_EQ(fault.kind(), data::ErrorKind::host_memory);
    }
}

TEST(MemoryPlan, index_counts_towards_memory) {
    const MemoryPlan small = plan_memory(4ull << 30, 0, 2);
    const MemoryPlan large = plan_memory(4ull << 30, 2ull << 30, 2);
    EXPECT_GT(small.sorter_bytes, large.sorter_bytes);
    EXPECT_LT(small.sorter_bytes, 4ull << 30);
}

TEST(MemoryPlan, pinned_memory_counts_towards_memory) {
    constexpr uint64_t k_least = 224ull << 20;  // of two threads
    EXPECT_NO_THROW(plan_memory(k_least, 0, 2));
    EXPECT_THROW(plan_memory(k_least, 0, 2, 0, 1 << 20), data::Error);
    const MemoryPlan without = plan_memory(4ull << 30, 0, 2);
    const MemoryPlan with = plan_memory(4ull << 30, 0, 2, 0, 1ull << 30);
    EXPECT_EQ(without.sorter_bytes - with.sorter_bytes, 512ull << 20);
}

}  // namespace
}  // namespace gannet::pipeline
