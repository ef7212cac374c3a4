// SPDX-License-Identifier: MIT
// Checks the text of progress lines and the wrapping of help texts.
#include "pipeline/progress.hpp"

#include "pipeline/cli/text_width.hpp"
#include "pipeline/resources.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace gannet::pipeline {
namespace {

TEST(ProgressText, shows_percent_rate_elapsed_and_remaining_time) {
    ProgressView view{"align", "reads", 12'300'000, 0.375, 117, false};
    EXPECT_EQ(progress_text(view), "align: 37 %, 12.3 M reads, 105 k reads/s, 1:57 elapsed, about 3:15 left");
    view.fraction = -1;
    EXPECT_EQ(progress_text(view), "align: 12.3 M reads, 105 k reads/s, 1:57 elapsed");
}

TEST(ProgressText, estimates_nothing_at_the_start) {
    const ProgressView view{"align", "reads", 20'000, 0.02, 1, false};
    EXPECT_EQ(progress_text(view), "align: 2 %, 20 k reads, 20 k reads/s, 0:01 elapsed");
}

TEST(ProgressText, shows_only_the_time_where_nothing_is_counted) {
    EXPECT_EQ(progress_text({"index", "", 0, -1, 75, true}), "index: 1:15 elapsed");
}

TEST(ProgressText, fits_a_terminal_of_80_columns) {
    ProgressView view{"align", "records", 9'999'999'999, 0.5, 86'399, true};
    EXPECT_LE(("[gannet] " + progress_text(view)).size(), 79u);
}

TEST(LiveText, has_memory_batches_and_stages_as_far_as_they_fit) {
    LiveView view;
    view.memory_bytes = uint64_t{3} << 30;
    EXPECT_EQ(live_text(view, 70), "memory 3.0 GB");
    view.memory_limit_bytes = uint64_t{12} << 30;
    view.queues = {{"emit", 6, 8}, {"call", 2, 8}};
    view.stages = {{"call.pair_hmm", 2}, {"emit.compress", 1}};
    EXPECT_EQ(live_text(view, 200),
              "memory 3.0 GB of 12.0 GB; batches emit 6/8, call 2/8; in call.pair_hmm 2, emit.compress");
    EXPECT_EQ(live_text(view, 80),
              "memory 3.0 GB of 12.0 GB; batches emit 6/8, call 2/8; in call.pair_hmm 2");
    EXPECT_EQ(live_text(view, 70), "memory 3.0 GB of 12.0 GB; batches emit 6/8; in call.pair_hmm 2");
    EXPECT_EQ(live_text(view, 50), "memory 3.0 GB of 12.0 GB; in call.pair_hmm 2");
    EXPECT_EQ(live_text(view, 30), "memory 3.0 GB of 12.0 GB");
    // The longest stage of all, on a terminal of 80 columns.
    view = {.queues = {{"align", 1, 3}}, .stages = {{"align.find_candidates", 1}}};
    view.memory_bytes = uint64_t{140} << 20;
    view.memory_limit_bytes = uint64_t{12} << 30;
    EXPECT_EQ(live_text(view, 69), "memory 140 MB of 12.0 GB; batches align 1/3; in align.find_candidates");
}

TEST(LiveView, counts_the_innermost_stage_of_each_thread_and_batches_of_graphs) {
    Tracer tracer(false);
    const size_t outer = tracer.stage("a.outer");
    const size_t inner = tracer.stage("a.inner");
    const size_t graph = tracer.graph("a");
    EXPECT_TRUE(tracer.live_view().stages.empty());
    EXPECT_GT(memory_in_use_bytes(), 1'000'000u);
    tracer.in_flight().set_slots(graph, 4);
    EXPECT_TRUE(tracer.live_view().queues.empty());
    tracer.in_flight().begin_batch(graph);
    {
        const Span span(tracer, outer, 0, graph);
        {
            const Span part(tracer, inner);
            const LiveView view = tracer.live_view();
            ASSERT_EQ(view.stages.size(), 1u);
            EXPECT_EQ(view.stages[0], std::pair(std::string("a.inner"), int64_t{1}));
            ASSERT_EQ(view.queues.size(), 1u);
            EXPECT_EQ(view.queues[0].graph, "a");
            EXPECT_EQ(view.queues[0].batches, 1);
            EXPECT_EQ(view.queues[0].slots, 4);
        }
        EXPECT_EQ(tracer.live_view().stages[0].first, "a.outer");
    }
    tracer.in_flight().end_batch(graph);
    EXPECT_TRUE(tracer.live_view().stages.empty());
    EXPECT_TRUE(tracer.live_view().queues.empty());
}

TEST(Wrap, breaks_between_words_only) {
    EXPECT_EQ(cli::wrap("one two three", 8, 0, 2), "one two\n  three");
    EXPECT_EQ(cli::wrap("one '@RG\\tID:x y' two", 10, 0, 0), "one\n'@RG\\tID:x y'\ntwo");
    EXPECT_EQ(cli::wrap("averyverylongword a", 8, 0, 0), "averyverylongword\na");
    EXPECT_EQ(cli::wrap("the sample's own two", 12, 0, 0), "the sample's\nown two");
}

TEST(WrapLine, continues_examples_as_a_shell_reads_them) {
    const std::string example = "  gannet run ref.fa a.fq b.fq -o out --sample S";
    EXPECT_EQ(cli::wrap_line(example, 80), example);
    EXPECT_EQ(cli::wrap_line(example, 40), "  gannet run ref.fa a.fq b.fq -o out \\\n      --sample S");
    EXPECT_EQ(cli::wrap_line("  read   one two three", 16), "  read   one two\n         three");
}

}  // namespace
}  // namespace gannet::pipeline
