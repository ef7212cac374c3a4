// SPDX-License-Identifier: MIT
// Checks measuring itself: counts of cells and jobs, repetitions, turns, roofs.
#include "pipeline/bench/kernel_jobs.hpp"
#include "pipeline/bench/measurement.hpp"
#include "pipeline/bench/op_bench.hpp"
#include "pipeline/bench/roof_loops.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>
#include <unistd.h>

namespace gannet::pipeline::bench {
namespace {

std::vector<Task> tasks_of(std::vector<std::function<void()>> works) {
    std::vector<Task> tasks;
    for (auto& work : works) tasks.push_back({{}, std::move(work)});
    return tasks;
}

TEST(Measure, every_work_gets_its_samples_round_by_round) {
    std::string order;
    auto tasks = tasks_of({[&order] { order += 'a'; }, [&order] { order += 'b'; }});
    MeasureOptions options;
    options.repetitions = 3;
    options.min_time_s = 0;
    measure(tasks, options, nullptr);
    EXPECT_EQ(order, "abababab");  // the first of each warms up
    for (const Task& task : tasks) {
        EXPECT_EQ(task.result.samples.cpu_s.size(), 3u);
        EXPECT_EQ(task.result.samples.wall_s.size(), 3u);
        EXPECT_EQ(task.result.samples.runs, 1u);
    }
}

TEST(Measure, short_work_is_done_until_a_sample_is_long_enough) {
    auto tasks = tasks_of({[] { usleep(1000); }});
    MeasureOptions options;
    options.repetitions = 1;
    options.min_time_s = 0.02;
    measure(tasks, options, nullptr);
    EXPECT_GT(tasks[0].result.samples.runs, 2u);
    EXPECT_LE(tasks[0].result.samples.runs, 20u);
    EXPECT_GE(tasks[0].result.samples.wall_s[0], 0.001);
}

TEST(Measure, handicap_wastes_its_share_of_cpu_time) {
    const auto burn = [] {
        const double begin = thread_seconds();
        while (thread_seconds() - begin < 0.01) {
        }
    };
    for (const int threads : {1, 2}) {
        auto tasks = tasks_of({burn});
        MeasureOptions options;
        options.repetitions = 5;
        options.min_time_s = 0;
        options.handicap = 0.5;
        options.threads = threads;
        measure(tasks, options, nullptr);
        const std::vector<double>& seconds = tasks[0].result.samples.cpu_s;
        // The least: a thread that is moved to another core while it counts is charged for more.
        EXPECT_NEAR(*std::min_element(seconds.begin(), seconds.end()), 0.015, 0.004);
    }
}

TEST(Measure, turns_never_overlap) {
    int to_second[2];
    int to_first[2];
    ASSERT_EQ(pipe(to_second), 0);
    ASSERT_EQ(pipe(to_first), 0);
    const char turn = 1;
    ASSERT_EQ(write(to_first[1], &turn, 1), 1);
    std::string order;  // without a lock: the turn is one
    MeasureOptions options;
    options.repetitions = 50;
    options.min_time_s = 0;
    const auto side = [&](char letter, int from, int to) {
        int runs = 0;
        auto tasks = tasks_of({[&order, &runs, letter] {
            if (runs++ > 0) order += letter;  // the warm-up is out of turn
        }});
        const Turns turns(from, to);
        measure(tasks, options, &turns);
    };
    {
        std::jthread first([&] { side('a', to_first[0], to_second[1]); });
        std::jthread second([&] { side('b', to_second[0], to_first[1]); });
    }
    std::string expected;
    for (int i = 0; i < options.repetitions; ++i) expected += "ab";
    EXPECT_EQ(order, expected);
}

TEST(Turns, ended_partner_never_blocks) {
    int pipe_ends[2];
    ASSERT_EQ(pipe(pipe_ends), 0);
    close(pipe_ends[1]);
    Turns(pipe_ends[0], -1).take();
}

TEST(KernelJobs, same_every_time_and_within_their_class) {
    for (const BandedSwClass& of : banded_sw_classes()) {
        const kernels::BandedSwBatch batch = make_jobs(of, 200);
        EXPECT_EQ(batch.bases, make_jobs(of, 200).bases);
        ASSERT_EQ(batch.size(), 200u);
        for (size_t job = 0; job < batch.size(); ++job) {
            EXPECT_GE(batch.query_length[job], of.shortest_query);
            EXPECT_LE(batch.query_length[job], of.longest_query);
            EXPECT_EQ((batch.flags[job] & kernels::k_sw_traceback) != 0, of.traceback);
        }
        const BandedSwCells cells = count_cells(of.scoring(), batch);
        EXPECT_GT(cells.asked, 0);
        EXPECT_LE(cells.needed_bytes + cells.needed_words, cells.asked);
        EXPECT_EQ(cells.needed_words > 0, of.words) << of.name;
    }
    for (const PairHmmClass& of : pair_hmm_classes()) {
        const kernels::PairHmmBatch batch = make_jobs(of, 2);
        EXPECT_EQ(batch.pairs(), 2u * 64 * 6);
        const double most = static_cast<double>(batch.pairs()) * of.read_length * of.haplotype_length;
        EXPECT_LE(count_cells(batch), most);
        EXPECT_EQ(count_cells(batch) == most, !of.ragged);
    }
}

TEST(KernelJobs, network_of_the_shipped_size) {
    const kernels::PileupNetworkWeights weights = make_network_weights();
    weights.validate();
    for (const PileupNetworkClass& of : pileup_network_classes()) {
        const kernels::PileupNetworkBatch batch = make_jobs(of, 3);
        ASSERT_EQ(batch.size(), 3u);
        EXPECT_EQ(batch.row_offset.back(), 3 * of.rows);
        EXPECT_EQ(batch.rows, make_jobs(of, 3).rows);
        // By the cost that the op's contract states.
        const double a_row = 480 * 16 + 24 * 16 * 32 + (6 * 32 + 64) * 96;
        const double a_site = (6 * 96 + 384) * 192 + 192 * 64 + 3 * 64;
        EXPECT_EQ(count_products(weights, batch), 3 * (of.rows * a_row + a_site));
    }
}

TEST(KernelJobs, cells_of_small_bands) {
    kernels::BandedSwBatch batch;
    const std::vector<uint8_t> bases(4, 0);
    batch.add(bases, bases, 1, 0);
    EXPECT_EQ(count_cells({}, batch).asked, 10);  // 2 + 3 + 3 + 2
    // match * 4 + bonus 5 leaves 3 for gaps after opening: one insertion of (1 + 1), three deletions.
    batch.clear();
    batch.add(bases, bases, 4, 0);
    EXPECT_EQ(count_cells({}, batch).asked, 16);
    EXPECT_EQ(count_cells({}, batch).needed_bytes, 13);  // without three cells below the first lower diagonal
}

TEST(RoofLoops, do_work_on_every_level_of_this_machine) {
    using kernels::SimdLevel;
    for (const SimdLevel level : {SimdLevel::sse42, SimdLevel::avx2, SimdLevel::avx512}) {
        if (level > kernels::detected_simd_level()) continue;
        const RoofLoop loop = banded_sw_loop(level);
        ASSERT_NE(loop.run, nullptr);
        EXPECT_EQ(loop.work % 16, 0u);
        EXPECT_NE(loop.run(1), loop.run(2));
        EXPECT_NE(pileup_network_loop(level).run(1), pileup_network_loop(level).run(2));
        const RoofLoop reals = pair_hmm_loop(level);
        EXPECT_EQ(reals.run != nullptr, level != SimdLevel::sse42);
        if (reals.run == nullptr) continue;
        EXPECT_GT(reals.run(1), 0u);
    }
    EXPECT_EQ(banded_sw_loop(SimdLevel::none).run, nullptr);
}

}  // namespace
}  // namespace gannet::pipeline::bench
