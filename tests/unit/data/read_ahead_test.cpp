// SPDX-License-Identifier: MIT
// Tests reading ahead: text and faults do not depend on the threads that inflate, and memory is bounded.
#include "data/read_ahead.hpp"

#include "compress.hpp"
#include "data/error.hpp"
#include "tests/support/task_threads.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/thread_inflater.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <new>
#include <random>

namespace gannet::data {
namespace {

using tests::bgzf;
using tests::gzip;
using tests::TaskThreads;
using tests::TemporaryFolder;
using tests::ThreadInflater;

std::string random_text(size_t bytes, unsigned seed) {
    std::mt19937 random(seed);
    std::string text(bytes, '\0');
    for (char& letter : text) letter = "ACGT\n"[random() % 5];
    return text;
}

struct Outcome {
    std::string text;   ///< before the fault, if there was one
    std::string fault;  ///< empty: none
};

/// Reads to the end, keeping some of each window: mostly a little, now and then more than a chunk has room
/// for.
Outcome read_all(const std::string& path, TaskRunner* runner, BatchInflater* batches = nullptr) {
    Outcome outcome;
    ReadAhead input(std::make_unique<InputStream>(path), runner, batches);
    size_t kept = 0;
    std::mt19937 random(7);
    try {
        for (;;) {
            const std::span<const char> window = input.next(kept);
            if (window.size() == kept) return outcome;
            EXPECT_EQ(std::string_view(window.data(), kept),
                      std::string_view(outcome.text).substr(outcome.text.size() - kept));
            outcome.text.append(window.data() + kept, window.size() - kept);
            kept = std::min<size_t>(window.size(), random() % 8 == 0 ? random() % 900'000 : random() % 400);
        }
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::malformed_input);
        outcome.fault = error.what();
        EXPECT_THROW(input.next(0), Error);  // it stays so
    }
    return outcome;
}

TEST(InputStream, a_file_that_is_changed_while_it_is_read_is_refused) {
    const TemporaryFolder folder;
    const std::string path = folder.path("reads.fq");
    for (const std::string change : {"none", "cut", "grown", "replaced"}) {
        std::ofstream(path) << random_text(400'000, 1);
        InputStream stream(path);
        std::vector<uint8_t> out(InputStream::k_min_read_bytes);
        ASSERT_EQ(stream.read(out), out.size());
        if (change == "cut") std::filesystem::resize_file(path, 200'000);
        if (change == "grown") std::ofstream(path, std::ios::app) << "ACGT\n";
        if (change == "replaced") {  // what is read is the file that was opened, and unchanged
            std::ofstream(folder.path("other")) << "ACGT\n";
            std::filesystem::rename(folder.path("other"), path);
        }
        const auto read_on = [&] {
            while (stream.read(out) != 0) {
            }
        };
        if (change == "none" || change == "replaced") {
            EXPECT_NO_THROW(read_on()) << change;
        } else {
            EXPECT_THROW(read_on(), Error) << change;
        }
    }
}

TEST(ReadAhead, text_does_not_depend_on_threads) {
    const TemporaryFolder folder;
    const std::string text = random_text(2'000'000, 1);
    const size_t third = text.size() / 3;
    const std::string mixed =
        bgzf(text.substr(0, third)) + gzip(text.substr(third, third)) + bgzf(text.substr(2 * third));
    const std::pair<std::string, std::string> containers[] = {
        {"text", text},
        {"gzip", gzip(text)},
        {"blocks", bgzf(text)},
        {"small_blocks", bgzf(text, 777)},
        {"mixed", mixed},
        {"padded", gzip(text) + std::string(300'000, '\0')},
        {"empty_blocks", bgzf("") + bgzf(text) + bgzf("")}};
    for (const auto& [name, content] : containers) {
        const std::string path = folder.write(name, content);
        EXPECT_EQ(read_all(path, nullptr).text, text) << name;
        for (const unsigned threads : {1u, 2u, 5u}) {
            TaskThreads runner(threads);
            const Outcome outcome = read_all(path, &runner);
            EXPECT_EQ(outcome.fault, "");
            EXPECT_TRUE(outcome.text == text) << name << " with " << threads << " threads";
        }
    }
}

TEST(ReadAhead, one_thread_means_that_the_caller_inflates) {
    const TemporaryFolder folder;
    const std::string text = random_text(3'000'000, 2);
    for (const std::string& content : {bgzf(text), gzip(text)}) {
        TaskThreads runner(1);
        EXPECT_TRUE(read_all(folder.write("x.gz", content), &runner).text == text);
        const TaskThreads::Seen seen = runner.seen();
        EXPECT_EQ(seen.submitted, 0u);
        EXPECT_GE(seen.runs, 3'000'000 / InputStream::k_piece_text_bytes);
        EXPECT_EQ(seen.threads, std::set{std::this_thread::get_id()});
    }
}

TEST(ReadAhead, blocks_are_inflated_at_once_and_a_gzip_stream_in_order) {
    const TemporaryFolder folder;
    const std::string text = random_text(3'000'000, 3);
    TaskThreads blocks(3);
    blocks.let_meet(std::chrono::seconds(20));
    EXPECT_TRUE(read_all(folder.write("blocks.gz", bgzf(text)), &blocks).text == text);
    EXPECT_GE(blocks.seen().most_at_once, 2u);
    EXPECT_GE(blocks.seen().threads.size(), 2u);
    TaskThreads stream(3);
    stream.let_meet(std::chrono::milliseconds(500));
    EXPECT_TRUE(read_all(folder.write("stream.gz", gzip(text)), &stream).text == text);
    EXPECT_EQ(stream.seen().most_at_once, 1u);
}

TEST(ReadAhead, text_before_a_damaged_block_is_returned_and_the_block_named) {
    constexpr size_t k_block = 60'000;
    constexpr size_t k_good = 21;
    const TemporaryFolder folder;
    const std::string text = random_text(3'000'000, 4);
    std::string content;
    std::string damaged;
    size_t offset = 0;
    for (size_t i = 0; i * k_block < text.size(); ++i) {
        const std::string block = gzip(text.substr(i * k_block, k_block), true);
        if (i == k_good) offset = content.size();
        content += block;
    }
    damaged = content;
    damaged[offset + 1000] = static_cast<char>(damaged[offset + 1000] ^ 4);
    const std::string where = "BGZF block 22, at byte " + std::to_string(offset);
    const std::string flipped = folder.write("flipped.gz", damaged);
    const std::string cut = folder.write("cut.gz", content.substr(0, offset + 1000));
    std::string small = content;
    small[offset + 16] = 10;  // the size of the block
    small[offset + 17] = 0;
    const std::string wrong = folder.write("wrong.gz", small);
    TaskThreads one(1);
    TaskThreads four(4);
    for (TaskRunner* const runner : {static_cast<TaskRunner*>(nullptr), static_cast<TaskRunner*>(&one),
                                     static_cast<TaskRunner*>(&four)}) {
        for (int repeat = 0; repeat < 10; ++repeat) {
            const Outcome outcome = read_all(flipped, runner);
            EXPECT_TRUE(outcome.text == text.substr(0, k_good * k_block)) << outcome.text.size();
            EXPECT_EQ(outcome.fault, flipped + ": damaged: " + where +
                                         ", does not match its size or checksum; copy or make it again");
        }
        const Outcome short_one = read_all(cut, runner);
        EXPECT_TRUE(short_one.text == text.substr(0, k_good * k_block));
        EXPECT_EQ(short_one.fault,
                  cut + ": truncated: the file ends inside " + where + "; copy or make it again");
        EXPECT_EQ(read_all(wrong, runner).fault,
                  wrong + ": damaged: wrong size of " + where + "; copy or make it again");
    }
}

/// As where there is no memory for the work.
class FailingRunner final : public TaskRunner {
  public:
    unsigned threads() const override { return 1; }
    void submit(std::function<void()>) override {}
    void run(const std::function<void()>&) override { throw std::bad_alloc(); }
};

TEST(ReadAhead, work_that_fails_in_the_thread_that_takes_the_text_is_not_waited_for) {
    const TemporaryFolder folder;
    const std::string path = folder.write("a.gz", bgzf(random_text(50'000, 3)));
    FailingRunner runner;
    ReadAhead input(std::make_unique<InputStream>(path), &runner);
    EXPECT_THROW((void)input.next(0), std::bad_alloc);
    EXPECT_THROW((void)input.next(0), std::bad_alloc);
}

TEST(ReadAhead, memory_is_bounded_while_no_text_is_taken) {
    const TemporaryFolder folder;
    const std::string text(80'000'000, 'A');  // its gzip has 80 kB: less than a piece
    for (const std::string& content : {gzip(text), bgzf(text)}) {
        const std::string path = folder.write("x.gz", content);
        for (const unsigned threads : {0u, 2u, 16u}) {
            TaskThreads runner(std::max(1u, threads));
            ReadAhead input(std::make_unique<InputStream>(path), threads == 0 ? nullptr : &runner);
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
            EXPECT_LE(input.buffer_bytes(), ReadAhead::k_max_buffer_bytes);
            size_t bytes = 0;
            while (const size_t got = input.next(0).size()) bytes += got;
            EXPECT_EQ(bytes, text.size());
            EXPECT_LE(input.buffer_bytes(), ReadAhead::k_max_buffer_bytes);
        }
    }
}

TEST(ReadAhead, input_that_is_no_longer_wanted_is_abandoned) {
    const TemporaryFolder folder;
    const std::string path = folder.write("x.gz", bgzf(random_text(3'000'000, 5)));
    TaskThreads runner(4);
    for (int repeat = 0; repeat < 50; ++repeat) {
        ReadAhead input(std::make_unique<InputStream>(path), &runner);
        if (repeat % 2 == 0) input.next(0);
    }
}

TEST(ReadAhead, runner_can_be_given_later) {
    const TemporaryFolder folder;
    const std::string text = random_text(4'000'000, 6);
    const std::string path = folder.write("x.gz", bgzf(text));
    TaskThreads runner(3);
    ReadAhead input(std::make_unique<InputStream>(path));
    std::string all;
    for (;;) {
        const std::span<const char> window = input.next(0);
        if (window.empty()) break;
        all.append(window.data(), window.size());
        if (all.size() > 1'000'000) input.use_runner(&runner);
    }
    EXPECT_TRUE(all == text);
    EXPECT_GT(runner.seen().runs, 0u);
}

// With a BatchInflater.

using Fault = ThreadInflater::Fault;
using std::chrono::microseconds;

std::vector<ThreadInflater::Plan> plans(size_t batches) {
    std::vector<ThreadInflater::Plan> all;
    for (const size_t pieces : {size_t{1}, size_t{2}, size_t{5}}) {
        all.push_back({pieces, 2, microseconds(0)});
        all.push_back({pieces, 1, microseconds(3000)});
        for (const Fault fault : {Fault::denies, Fault::stops}) {
            all.push_back({pieces, 2, microseconds(200), fault, 0});
            all.push_back({pieces, 3, microseconds(200), fault, batches});
        }
    }
    return all;
}

TEST(ReadAheadInBatches, text_does_not_depend_on_who_inflates) {
    const TemporaryFolder folder;
    const std::string text = random_text(5'000'000, 11);
    const size_t third = text.size() / 3;
    const std::string containers[] = {
        bgzf(text), bgzf(text, 9'000),
        bgzf(text.substr(0, third)) + gzip(text.substr(third, third)) + bgzf(text.substr(2 * third)),
        bgzf("") + bgzf(text) + bgzf(""), gzip(text)};
    for (const std::string& content : containers) {
        const bool is_gzip = &content == &containers[4];
        const std::string path = folder.write("x.gz", content);
        for (const ThreadInflater::Plan& plan : plans(2)) {
            for (const unsigned threads : {1u, 4u}) {
                TaskThreads runner(threads);
                ThreadInflater batches(plan);
                const Outcome outcome = read_all(path, &runner, &batches);
                EXPECT_EQ(outcome.fault, "");
                EXPECT_TRUE(outcome.text == text) << plan.pieces << " pieces, " << threads << " threads";
                const ThreadInflater::Seen seen = batches.seen();
                EXPECT_EQ(seen.collected, seen.batches);
                if (is_gzip) {
                    EXPECT_EQ(seen.batches, 0u);
                }
            }
        }
    }
}

TEST(ReadAheadInBatches, pieces_of_small_blocks_and_small_files_are_for_threads) {
    const TemporaryFolder folder;
    const std::string text = random_text(1'000'000, 12);
    TaskThreads runner(3);
    ThreadInflater batches({1, 2, microseconds(0)});
    EXPECT_TRUE(read_all(folder.write("x.gz", bgzf(text, 777)), &runner, &batches).text == text);
    EXPECT_EQ(batches.seen().blocks, 0u);
    // Of 24 pieces the first 16 are for threads, and the others make no batch.
    const std::string more = random_text(6'000'000, 16);
    ThreadInflater large({16, 2, microseconds(0)});
    const std::string path = folder.write("y.gz", bgzf(more));
    {
        ReadAhead input(std::make_unique<InputStream>(path), &runner, &large);
        std::this_thread::sleep_for(std::chrono::milliseconds(200));  // all of them are read
    }
    EXPECT_TRUE(read_all(path, &runner, &large).text == more);
    EXPECT_EQ(large.seen().blocks, 0u);
}

TEST(ReadAheadInBatches, faults_of_a_file_are_as_without) {
    constexpr size_t k_block = 60'000;
    const TemporaryFolder folder;
    const std::string text = random_text(6'000'000, 13);
    const std::string content = bgzf(text, k_block);
    for (const size_t good : {size_t{0}, size_t{5}, size_t{41}, size_t{98}}) {
        size_t offset = 0;
        for (size_t i = 0; i < good; ++i) offset += gzip(text.substr(i * k_block, k_block), true).size();
        std::string flipped = content;
        flipped[offset + 1000] = static_cast<char>(flipped[offset + 1000] ^ 4);
        std::string wrong_size = content;  // in the trailer of the block
        const size_t end = offset + gzip(text.substr(good * k_block, k_block), true).size();
        wrong_size[end - 4] = static_cast<char>(wrong_size[end - 4] ^ 1);
        for (const std::string& damaged : {flipped, wrong_size, content.substr(0, offset + 1000)}) {
            const std::string path = folder.write("x.gz", damaged);
            TaskThreads runner(3);
            const Outcome expected = read_all(path, &runner);
            EXPECT_NE(expected.fault.find("BGZF block " + std::to_string(good + 1)), std::string::npos);
            for (const ThreadInflater::Plan& plan : plans(1)) {
                ThreadInflater batches(plan);
                const Outcome outcome = read_all(path, &runner, &batches);
                EXPECT_TRUE(outcome.text == expected.text) << outcome.text.size();
                EXPECT_EQ(outcome.fault, expected.fault);
            }
        }
    }
}

TEST(ReadAheadInBatches, error_of_the_inflater_is_thrown) {
    const TemporaryFolder folder;
    const std::string path = folder.write("x.gz", bgzf(random_text(6'000'000, 14)));
    for (const unsigned threads : {1u, 4u}) {
        for (const size_t at : {size_t{0}, size_t{1}}) {
            TaskThreads runner(threads);
            ThreadInflater batches({2, 2, microseconds(300), Fault::throws, at});
            ReadAhead input(std::make_unique<InputStream>(path), &runner, &batches);
            const auto read_on = [&] {
                while (!input.next(0).empty()) {
                }
            };
            EXPECT_THROW(read_on(), std::runtime_error);
            EXPECT_THROW(input.next(0), std::runtime_error);
        }
    }
}

TEST(ReadAheadInBatches, memory_is_bounded_and_no_batch_outlives_the_reader) {
    const TemporaryFolder folder;
    const std::string text = random_text(20'000'000, 15);
    const std::string path = folder.write("x.gz", bgzf(text));
    for (const size_t pieces : {size_t{1}, size_t{8}}) {
        for (int repeat = 0; repeat < 20; ++repeat) {
            TaskThreads runner(3);
            ThreadInflater batches({pieces, 3, microseconds(2000)});
            {
                ReadAhead input(std::make_unique<InputStream>(path), &runner, &batches);
                for (int windows = 0; windows < repeat; ++windows) input.next(0);
                const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
                while (repeat == 0 && batches.seen().batches < 3 &&
                       std::chrono::steady_clock::now() < deadline)
                    std::this_thread::sleep_for(std::chrono::milliseconds(1));
                if (repeat == 0) {
                    EXPECT_GE(batches.seen().batches, 3u);  // all three at a time
                }
                EXPECT_LE(input.buffer_bytes(), ReadAhead::max_buffer_bytes(pieces));
            }
            const ThreadInflater::Seen seen = batches.seen();
            EXPECT_EQ(seen.collected, seen.batches);
            EXPECT_TRUE(batches.has_room());
        }
    }
}

}  // namespace
}  // namespace gannet::data
