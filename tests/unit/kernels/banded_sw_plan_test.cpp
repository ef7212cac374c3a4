// SPDX-License-Identifier: MIT
// Tests the plan of banded_sw's device schedule: groups, scratch and passes, whatever the memory; needs no
// device.
#include "kernels/banded_sw/banded_sw_plan.hpp"

#include "kernels/banded_sw/banded_sw_schedule.hpp"
#include "kernels/banded_sw/banded_sw_tuning.hpp"
#include "tests/parity/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <stdexcept>
#include <vector>

namespace gannet::kernels::banded_sw {
namespace {

using parity::Random;

BandedSwBatch random_batch(size_t jobs, uint64_t seed) {
    Random random(seed);
    BandedSwBatch batch;
    std::vector<uint8_t> bases(600);
    for (uint8_t& base : bases) base = static_cast<uint8_t>(random.below(5));
    for (size_t job = 0; job < jobs; ++job) {
        const size_t query = random.below(200);
        const size_t target = random.below(300);
        batch.add({bases.data(), query}, {bases.data() + query, target},
                  static_cast<uint16_t>(random.below(120)), static_cast<uint8_t>(random.below(4)));
    }
    return batch;
}

uint64_t scratch_bytes(const WarpGroup& group) {
    return static_cast<uint64_t>(scratch_layout(group).end) * k_warp_lanes * sizeof(uint32_t);
}

/// Passes cover all groups in order, are of one kind, and give each group scratch of its own inside the
/// limit.
void check_passes(const WarpPlan& plan, uint64_t limit) {
    uint32_t next = 0;
    for (const WarpPass& pass : plan.passes()) {
        ASSERT_EQ(pass.begin, next);
        ASSERT_LT(pass.begin, pass.end);
        uint64_t used = 0;
        for (uint32_t k = pass.begin; k < pass.end; ++k) {
            const WarpGroup& group = plan.groups()[k];
            ASSERT_EQ(group.trace, pass.trace);
            ASSERT_EQ(group.halves, pass.halves);
            ASSERT_EQ(group.scratch_offset * sizeof(uint32_t), used);
            used += scratch_bytes(group);
        }
        ASSERT_LE(used, limit);
        next = pass.end;
    }
    EXPECT_EQ(next, plan.groups().size());
}

TEST(WarpPlan, passes_fit_any_memory_that_holds_the_largest_group) {
    const BandedSwBatch batch = random_batch(3000, 1);
    WarpPlan plan;
    plan.prepare({}, batch);
    ASSERT_GT(plan.wanted_scratch_bytes(), 4 * plan.min_scratch_bytes());
    for (const uint64_t limit : {plan.min_scratch_bytes(), 3 * plan.min_scratch_bytes() + 1,
                                 plan.wanted_scratch_bytes(), plan.wanted_scratch_bytes() * 10}) {
        plan.lay_out(limit);
        check_passes(plan, limit);
    }
    EXPECT_EQ(plan.passes().size(), 3U) << "with all the memory it wants there is one pass a trace kind";
    plan.lay_out(plan.min_scratch_bytes());
    EXPECT_GT(plan.passes().size(), 10U);
}

TEST(WarpPlan, every_job_has_one_lane_and_a_room_for_its_cigar_of_its_own) {
    const BandedSwBatch batch = random_batch(1000, 2);
    WarpPlan plan;
    plan.prepare({}, batch);
    plan.lay_out(plan.wanted_scratch_bytes());
    std::vector<WarpJob> jobs(plan.slots());
    plan.fill(jobs.data());
    std::multiset<uint32_t> seen;
    std::vector<bool> taken(plan.cigar_elements());
    std::vector<const WarpGroup*> group_of(jobs.size());
    for (const WarpGroup& group : plan.groups()) {
        ASSERT_LE(size_t{group.first_slot} + group.slots(), jobs.size());
        for (uint32_t place = 0; place < group.slots(); ++place) {
            ASSERT_EQ(group_of[group.first_slot + place], nullptr);
            group_of[group.first_slot + place] = &group;
        }
    }
    for (size_t slot = 0; slot < jobs.size(); ++slot) {
        const WarpJob& job = jobs[slot];
        ASSERT_NE(group_of[slot], nullptr);
        const WarpGroup& group = *group_of[slot];
        if (job.query_length == 0) {
            EXPECT_EQ(job.rows + job.columns + job.cigar_room, 0);
            continue;
        }
        seen.insert(job.query_offset);
        EXPECT_LE(job.rows, group.most_rows);
        EXPECT_LE(job.columns, group.most_columns);
        EXPECT_GE(job.columns, group.fewest_columns);
        EXPECT_GE(job.band, group.narrowest_band);
        EXPECT_EQ(job.cigar_room == 0, group.trace == Trace::none || job.rows + job.columns == 0);
        ASSERT_LE(size_t{job.cigar_offset} + job.cigar_room, taken.size());
        for (uint32_t k = 0; k < job.cigar_room; ++k) {
            EXPECT_FALSE(taken[job.cigar_offset + k]);
            taken[job.cigar_offset + k] = true;
        }
    }
    std::multiset<uint32_t> expected;
    for (size_t job = 0; job < batch.size(); ++job) {
        if (batch.query_length[job] > 0) expected.insert(batch.query_offset[job]);
    }
    EXPECT_EQ(seen, expected);
}

TEST(WarpPlan, long_jobs_and_dear_costs_are_left_to_whole_words) {
    const auto has_halves = [](uint32_t query, uint32_t target, int32_t mismatch) {
        BandedSwBatch batch;
        const std::vector<uint8_t> bases(query + target);
        batch.add({bases.data(), query}, {bases.data() + query, target}, 100, 0);
        BandedSwScoring scoring;
        scoring.mismatch = mismatch;
        WarpPlan plan;
        plan.prepare(scoring, batch);
        return plan.groups().at(0).halves;
    };
    EXPECT_TRUE(has_halves(1, 0, 4));
    EXPECT_TRUE(has_halves(250, 350, 4));
    EXPECT_TRUE(has_halves(1000, 1100, 4));
    EXPECT_FALSE(has_halves(2000, 2000, 4));
    EXPECT_TRUE(has_halves(50, 60, 100));
    EXPECT_FALSE(has_halves(50, 60, 200)) << "does not fit the byte of a look-up";
    EXPECT_FALSE(has_halves(250, 350, 60)) << "costs of many mismatches pass 2^14";
}

TEST(WarpPlan, an_empty_batch_has_no_groups_and_one_offset) {
    const BandedSwBatch batch;
    WarpPlan plan;
    plan.prepare({}, batch);
    plan.lay_out(plan.min_scratch_bytes());
    EXPECT_TRUE(plan.passes().empty());
    BandedSwResults results;
    plan.run_reference();
    plan.collect(nullptr, nullptr, results);
    EXPECT_EQ(results.cigar_offset, std::vector<uint32_t>{0});
}

TEST(WarpPlan, a_cigar_without_room_is_a_fault) {
    BandedSwBatch batch;
    const std::vector<uint8_t> bases(50, 1);
    batch.add(bases, bases, 10, k_sw_traceback);
    WarpPlan plan;
    plan.prepare({}, batch);
    plan.lay_out(plan.wanted_scratch_bytes());
    std::vector<WarpEnd> ends(plan.slots());
    std::vector<uint32_t> cigar(plan.cigar_elements());
    BandedSwResults results;
    ends[0].elements = static_cast<uint16_t>(plan.cigar_elements() + 1);
    EXPECT_THROW(plan.collect(ends.data(), cigar.data(), results), std::logic_error);
}

TEST(CigarSink, counts_on_but_writes_only_into_its_room) {
    uint32_t memory[3] = {7, 7, 7};
    CigarSink sink{memory, 2, 0};
    for (uint32_t k = 1; k < 5; ++k) sink.put(k);
    EXPECT_EQ(sink.elements, 4U);
    EXPECT_EQ(memory[1], 2U);
    EXPECT_EQ(memory[2], 7U);
}

TEST(TilePolicy, blocks_fit_what_the_kernels_are_compiled_for) {
    for (const int capability : {80, 86, 89, 90, 100}) {
        for (const uint32_t rows : {1U, 256U, 257U, 4096U}) {
            for (const uint32_t groups : {1U, 500U, 100000U}) {
                const uint32_t warps = tile_policy(capability, rows, groups, 132).warps_per_block;
                EXPECT_GE(warps, 1U);
                EXPECT_LE(warps * k_warp_lanes, k_max_block_threads);
            }
        }
    }
}

}  // namespace
}  // namespace gannet::kernels::banded_sw
