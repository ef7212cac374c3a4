// SPDX-License-Identifier: MIT
// Checks that reads which the op inflate inflates are those of the file, whatever of it is damaged.
#include "pipeline/stages/read_inflater.hpp"

#include "data/error.hpp"
#include "data/read_ahead.hpp"
#include "pipeline/stages/stream_sizes.hpp"
#include "tests/support/task_threads.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/unit/data/compress.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace gannet::pipeline::stages {
namespace {

std::string random_text(size_t bytes) {
    std::mt19937 random(3);
    std::string text(bytes, '\0');
    for (char& letter : text) letter = "ACGT\n"[random() % 5];
    return text;
}

struct Outcome {
    std::string text;
    std::string fault;
    uint64_t batches = 0;  ///< of the op
};

Outcome read_all(const std::string& path, kernels::Backend backend, unsigned threads) {
    Outcome outcome;
    Tracer tracer(false);
    tests::TaskThreads runner(threads);
    ReadInflater inflater(kernels::make_op_table(backend, std::nullopt), 20'000, tracer);
    EXPECT_EQ(inflater.batch_pieces(), 1u);
    EXPECT_TRUE(inflater.works());
    EXPECT_FALSE(inflater.has_room());  // not before start()
    inflater.start();
    {
        data::ReadAhead input(std::make_unique<data::InputStream>(path), &runner, &inflater);
        try {
            for (;;) {
                const std::span<const char> window = input.next(0);
                if (window.empty()) break;
                outcome.text.append(window.data(), window.size());
            }
        } catch (const data::Error& error) {
            outcome.fault = error.what();
        }
    }
    EXPECT_TRUE(inflater.has_room());
    for (const StageTimes& stage : tracer.times())
        if (stage.name == "align.inflate") outcome.batches = stage.batches;
    return outcome;
}

TEST(ReadInflater, text_is_that_of_the_file) {
    const tests::TemporaryFolder folder;
    const std::string text = random_text(2'000'000);
    const std::string content = tests::bgzf(text);
    const size_t at = content.size() * 2 / 3;
    std::string damaged = content;
    damaged[at] = static_cast<char>(damaged[at] ^ 16);
    const std::string good = folder.write("good.gz", content);
    const std::string bad = folder.write("bad.gz", damaged);
    std::string fault;
    for (const kernels::Backend backend : {kernels::Backend::reference, kernels::Backend::emulated}) {
        for (const unsigned threads : {1u, 3u}) {
            const Outcome outcome = read_all(good, backend, threads);
            EXPECT_TRUE(outcome.text == text);
            EXPECT_EQ(outcome.fault, "");
            EXPECT_GT(outcome.batches, 0u);
            const Outcome other = read_all(bad, backend, threads);
            EXPECT_TRUE(text.starts_with(other.text));
            EXPECT_GT(other.text.size(), text.size() / 2);
            EXPECT_NE(other.fault.find("does not match its size or checksum"), std::string::npos)
                << other.fault;
            if (!fault.empty()) {
                EXPECT_EQ(other.fault, fault);
            }
            fault = other.fault;
        }
    }
}

TEST(ReadInflater, batches_have_about_the_text_of_a_batch_of_reads) {
    EXPECT_EQ(inflate_batch_pieces(1), 1u);
    EXPECT_EQ(inflate_batch_pieces(100'000), 1u);
    EXPECT_EQ(inflate_batch_pieces(400'000), 4u);
    EXPECT_EQ(inflate_batch_pieces(1'600'000), 16u);
    EXPECT_EQ(inflate_batch_pieces(UINT64_MAX), 16u);
    // A stream holds what a batch can have at most: 256 kB of text of each piece, and its 64 blocks.
    EXPECT_GE(inflate_stream_size(16).pinned_bytes, 16u * (192 + 256) * 1024);
    EXPECT_LE(inflate_stream_size(16).pinned_bytes, 8u << 20);
    EXPECT_EQ(inflate_device_bytes(16, 1), 6 * inflate_stream_size(16).device_bytes);
    EXPECT_EQ(inflate_device_bytes(16, 3), 2 * inflate_stream_size(16).device_bytes);
    EXPECT_EQ(inflate_device_bytes(16, 9), inflate_stream_size(16).device_bytes);
}

}  // namespace
}  // namespace gannet::pipeline::stages
