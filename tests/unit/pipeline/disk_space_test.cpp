// SPDX-License-Identifier: MIT
// Checks the estimates of disk space against what runs were measured to need.
#include "pipeline/jobs/disk_space.hpp"

#include "data/error.hpp"
#include "pipeline/resources.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

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
    // 405 MB of gzipped reads; 310 MB spilled with 100 MB of memory.
    const SpaceNeed need = spill_need({405 * k_mb, 0}, holds(100 * k_mb));
    EXPECT_GT(need.minimum, 210 * k_mb);
    EXPECT_LT(need.minimum, 310 * k_mb);
    EXPECT_GT(need.likely, 310 * k_mb);
    EXPECT_LT(need.likely, 500 * k_mb);
}

TEST(DiskSpace, text_of_alignments_is_no_compressed_input) {
    const tests::TemporaryFolder folder;
    const std::string text = "@HD\tVN:1.6\n";
    const std::string blocks = "\x1f\x8b...";
    const InputSizes sizes = InputSizes::of(
        std::vector{folder.write("x.sam", text), folder.write("x.bam", blocks), folder.path("none")});
    EXPECT_EQ(sizes.plain, text.size());
    EXPECT_EQ(sizes.compressed, blocks.size());
}

TEST(DiskSpace, plain_text_counts_for_less_than_half_of_compressed_reads) {
    const SpaceNeed plain = spill_need({0, 1000 * k_mb}, holds(0));
    const SpaceNeed compressed = spill_need({1000 * k_mb, 0}, holds(0));
    EXPECT_LT(plain.minimum, compressed.minimum / 2);
    EXPECT_GT(plain.minimum, 0u);
    EXPECT_LT(output_need({0, 1000 * k_mb}).minimum, output_need({1000 * k_mb, 0}).minimum);
}

TEST(DiskSpace, keys_of_duplicate_marking_count_where_they_are_spilled) {
    MemoryPlan plan = holds(2000 * k_mb);
    plan.marker_bytes = 0;
    // 405 MB of compressed reads have 923 MB of records, and 6 % of these as keys.
    EXPECT_NEAR(static_cast<double>(spill_need({405 * k_mb, 0}, plan).likely), 55e6, 1e6);
    plan.marker_bytes = 56 * k_mb;
    EXPECT_EQ(spill_need({405 * k_mb, 0}, plan).likely, 0u);
}

/// The message of the error; empty if there is none.
template <class Check>
std::string fault(const Check& check) {
    try {
        check();
    } catch (const data::Error& error) {
        EXPECT_EQ(error.kind(), data::ErrorKind::disk_space);
        return error.what();
    }
    return "";
}

TEST(DiskSpace, a_folder_with_too_little_room_is_refused_before_any_work) {
    const tests::TemporaryFolder folder;
    const InputSizes little{1000, 0};
    const InputSizes too_much{uint64_t{1} << 56, 0};
    const std::string at = folder.path("");
    EXPECT_EQ(fault([&] { check_output_space(at, little); }), "");
    EXPECT_NE(fault([&] { check_output_space(at, too_much); }).find("the alignments of"), std::string::npos);
    EXPECT_EQ(fault([&] { check_temporary_space(at, at, little, holds(0), nullptr); }), "");
    EXPECT_NE(fault([&] {
                  check_temporary_space(at, "", too_much, holds(0), nullptr);
              }).find("the temporary files of"),
              std::string::npos);
}

TEST(DiskSpace, output_and_temporary_files_on_one_disk_need_the_room_of_the_larger) {
    // Of records of 6.84 times what is free 6 are held in memory and 0.24 spilled; the output needs 1.5.
    const tests::TemporaryFolder folder;
    const std::string at = folder.path("");
    const uint64_t free = free_disk_bytes(at);
    const InputSizes reads{free * 3, 0};
    const MemoryPlan plan = holds(free * 6);
    EXPECT_EQ(fault([&] { check_temporary_space(at, "", reads, plan, nullptr); }), "");
    EXPECT_NE(fault([&] { check_temporary_space(at, at, reads, plan, nullptr); }).find("the output and"),
              std::string::npos);
}

TEST(DiskSpace, sizes_near_the_limit_do_not_overflow) {
    const uint64_t huge = uint64_t{1} << 56;
    EXPECT_GT(spill_need({huge, huge}, holds(0)).minimum, huge / 2);
}

}  // namespace
}  // namespace gannet::pipeline
