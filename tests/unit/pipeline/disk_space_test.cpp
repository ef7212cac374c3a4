// SPDX-License-Identifier: MIT
// Checks the estimates of disk space against what runs were measured to need.
#include "pipeline/jobs/disk_space.hpp"

#include <gtest/gtest.h>

namespace gannet::pipeline {
namespace {

constexpr uint64_t k_mb = 1'000'000;

MemoryPlan holds(uint64_t sorter_bytes) {
    MemoryPlan plan;
    plan.sorter_bytes = sorter_bytes;
    plan.marker_bytes = sorter_bytes / 6;
    return plan;
}

TEST(DiskSpace, records_that_fit_into_memory_need_none) {
    EXPECT_EQ(spill_need({405 * k_mb, 0}, holds(2000 * k_mb)).likely, 0u);
    EXPECT_EQ(spill_need({405 * k_mb, 0}, holds(2000 * k_mb)).minimum, 0u);
    EXPECT_EQ(spill_need({0, 0}, holds(0)).likely, 0u);
}

TEST(DiskSpace, estimate_of_the_human_set_includes_what_it_spills) {
    // 405 MB of gzipped reads; 310 MB spilled with 100 MB of memory (docs/sorting.md).
    const SpaceNeed need = spill_need({405 * k_mb, 0}, holds(100 * k_mb));
    EXPECT_GT(need.minimum, 210 * k_mb);
    EXPECT_LT(need.minimum, 310 * k_mb);
    EXPECT_GT(need.likely, 310 * k_mb);
    EXPECT_LT(need.likely, 500 * k_mb);
}

TEST(DiskSpace, plain_text_counts_for_less_than_half_of_compressed_reads) {
    const SpaceNeed plain = spill_need({0, 1000 * k_mb}, holds(0));
    const SpaceNeed compressed = spill_need({1000 * k_mb, 0}, holds(0));
    EXPECT_LT(plain.minimum, compressed.minimum / 2);
    EXPECT_GT(plain.minimum, 0u);
    EXPECT_LT(output_need({0, 1000 * k_mb}).minimum, output_need({1000 * k_mb, 0}).minimum);
}

TEST(DiskSpace, sizes_near_the_limit_do_not_overflow) {
    const uint64_t huge = uint64_t{1} << 56;
    EXPECT_GT(spill_need({huge, huge}, holds(0)).minimum, huge / 2);
}

}  // namespace
}  // namespace gannet::pipeline
