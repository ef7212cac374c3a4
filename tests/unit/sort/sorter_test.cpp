// SPDX-License-Identifier: MIT
// Tests the coordinate sort: order, independence of threads and memory, and what happens when space ends.
#include "align/sort/sorter.hpp"

#include "data/error.hpp"
#include "tests/unit/sort/sort_cases.hpp"

#include <gtest/gtest.h>

#include <random>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <tuple>
#include <unistd.h>

namespace gannet::align::sort {
namespace {

const std::vector<uint64_t> k_lengths = {100000, 300, 5000000, 64, 700000};

struct Output {
    std::vector<uint8_t> bytes;
    std::vector<std::tuple<uint32_t, uint32_t, uint64_t>> keys;  // as uint32_t, no contig sorts last
};

Output drain(Sorter& sorter) {
    sorter.finish_input();
    Output output;
    uint64_t expected_bytes = 0;
    SortedBucket bucket;  // as the graph does, with the memory of another one
    for (size_t i = 0; i < sorter.buckets(); ++i) {
        expected_bytes += sorter.bucket_bytes(i);
        sorter.load(i, 0, bucket);
        EXPECT_EQ(bucket.index, i);
        uint64_t at = 0;
        for (const data::RecordEntry& entry : bucket.entries) {
            const data::RecordView view({bucket.bytes.data() + entry.offset, entry.size_bytes});
            EXPECT_EQ(entry.offset, at);
            EXPECT_EQ(view.contig(), entry.contig);
            EXPECT_EQ(view.position(), entry.position);
            EXPECT_EQ(view.flag(), entry.flag);
            at += entry.size_bytes;
            output.keys.emplace_back(static_cast<uint32_t>(entry.contig),
                                     static_cast<uint32_t>(entry.position) + 1u, entry.ordinal);
        }
        EXPECT_EQ(at, bucket.bytes.size());
        output.bytes.insert(output.bytes.end(), bucket.bytes.begin(), bucket.bytes.end());
    }
    EXPECT_EQ(output.bytes.size(), expected_bytes);
    EXPECT_EQ(output.keys.size(), sorter.records());
    return output;
}

std::vector<data::RecordBatch> batches() {
    std::vector<data::RecordBatch> all;
    for (uint64_t i = 0; i < 40; ++i) all.push_back(random_batch(k_lengths, i * 500, 500, i));
    return all;
}

TEST(Sorter, order_is_contig_position_ordinal_and_unplaced_last) {
    const data::Reference reference = blank_reference(k_lengths);
    Sorter sorter(reference, {});
    std::vector<std::tuple<uint32_t, uint32_t, uint64_t>> expected;
    for (const data::RecordBatch& batch : batches()) {
        sorter.add(batch);
        for (const data::RecordEntry& e : batch.entries) {
            expected.emplace_back(static_cast<uint32_t>(e.contig), static_cast<uint32_t>(e.position) + 1u,
                                  e.ordinal);
        }
    }
    std::sort(expected.begin(), expected.end());
    const Output output = drain(sorter);
    EXPECT_EQ(output.keys, expected);
    EXPECT_EQ(std::get<0>(output.keys.back()), ~0u);
    EXPECT_EQ(sorter.spilled_bytes(), 0u);
}

TEST(Sorter, bytes_do_not_depend_on_threads_memory_or_order_of_batches) {
    const data::Reference reference = blank_reference(k_lengths);
    const ScratchFolder folder;
    std::vector<data::RecordBatch> all = batches();
    uint64_t total_bytes = 0;
    Sorter plain(reference, {});
    for (const data::RecordBatch& batch : all) {
        plain.add(batch);
        total_bytes += batch.bytes.size();
    }
    const Output expected = drain(plain);

    for (const uint64_t memory_bytes : {uint64_t{0}, uint64_t{100000}, uint64_t{3000000}}) {
        Sorter sorter(reference, {memory_bytes, folder.path()});
        std::reverse(all.begin(), all.end());
        std::vector<std::thread> threads;
        std::atomic<size_t> next{0};
        for (int t = 0; t < 4; ++t) {
            threads.emplace_back([&] {
                for (size_t i = next++; i < all.size(); i = next++) sorter.add(all[i]);
            });
        }
        for (std::thread& thread : threads) thread.join();
        EXPECT_GT(sorter.spilled_bytes(), total_bytes / 40);
        EXPECT_TRUE(folder.is_empty()) << "the spill file must have no name";
        EXPECT_EQ(drain(sorter).bytes, expected.bytes) << memory_bytes;
    }
}

TEST(Sorter, pile_up_in_one_bucket_and_record_longer_than_a_chunk) {
    const data::Reference reference = blank_reference({1u << 22});
    const ScratchFolder folder;
    Sorter sorter(reference, {100000, folder.path()});
    const std::vector<data::Base> bases(200000, 1);
    uint64_t ordinal = 0;
    for (int i = 0; i < 20; ++i) {
        data::RecordBatch batch;
        for (int k = 0; k < 200; ++k) {
            data::RecordFields fields;
            fields.contig = 0;
            fields.position = 1000;
            fields.flag = 0;
            fields.name = "x";
            fields.bases = std::span(bases).first(k == 7 ? 200000 : 100);
            fields.ordinal = ordinal++;
            data::RecordAppender appender(batch, fields);
        }
        sorter.add(batch);
    }
    const Output output = drain(sorter);
    ASSERT_EQ(output.keys.size(), ordinal);
    for (uint64_t i = 0; i < ordinal; ++i) EXPECT_EQ(std::get<2>(output.keys[i]), i);
}

/// Records of 1,000 bases in batches: `spread` over the first 10,000 positions, `deep` at position 5000.
std::vector<data::RecordBatch> pile_up(size_t spread, size_t deep) {
    const std::vector<data::Base> bases(1000, 1);
    const std::vector<uint8_t> qualities(1000, 30);
    std::mt19937_64 random(5);
    std::vector<data::RecordBatch> batches;
    for (uint64_t ordinal = 0; ordinal < spread + deep; ++ordinal) {
        if (ordinal % 1000 == 0) batches.emplace_back();
        data::RecordFields fields;
        fields.contig = 0;
        fields.position = ordinal < spread ? static_cast<int32_t>(random() % 10'000) : 5000;
        fields.flag = 0;
        fields.name = "x";
        fields.bases = bases;
        fields.qualities = qualities;
        fields.ordinal = ordinal;
        data::RecordAppender appender(batches.back(), fields);
    }
    return batches;
}

TEST(Sorter, large_buckets_are_cut_into_parts_that_do_not_depend_on_memory) {
    const data::Reference reference = blank_reference({1u << 22});
    const ScratchFolder folder;
    std::vector<data::RecordBatch> batches = pile_up(30'000, 50'000);  // 120 MB, most of it at one position
    uint64_t total_bytes = 0;
    for (const data::RecordBatch& batch : batches) total_bytes += batch.bytes.size();
    ASSERT_GT(total_bytes, 2 * k_min_cut_bytes);
    std::vector<std::vector<uint64_t>> sizes;
    for (const uint64_t memory_bytes : {uint64_t{1} << 30, uint64_t{4'000'000}}) {
        Sorter sorter(reference, {memory_bytes, folder.path()});
        for (const data::RecordBatch& batch : batches) sorter.add(batch);
        sorter.finish_input();
        std::vector<std::tuple<int32_t, uint64_t>> keys;
        sizes.emplace_back();
        for (size_t bucket = 0; bucket < sorter.buckets(); ++bucket) {
            const size_t parts = sorter.parts(bucket);
            ASSERT_EQ(sorter.parts(bucket), parts);
            for (size_t part = 0; part < parts; ++part) {
                const SortedBucket sorted = sorter.load(bucket, part);
                EXPECT_LE(sorted.bytes.size(), k_max_part_bytes);
                if (!sorted.bytes.empty()) sizes.back().push_back(sorted.bytes.size());
                for (const data::RecordEntry& entry : sorted.entries)
                    keys.emplace_back(entry.position, entry.ordinal);
            }
        }
        EXPECT_EQ(keys.size(), 80'000u);
        EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end()));
        std::reverse(batches.begin(), batches.end());
    }
    EXPECT_EQ(sizes[0], sizes[1]);
    EXPECT_GE(sizes[0].size(), 15u);
    EXPECT_LE(sizes[0].size(), 20u);
}

TEST(Sorter, visited_records_are_those_that_begin_in_the_interval_and_stay) {
    const data::Reference reference = blank_reference({1u << 20, 1u << 20});
    const ScratchFolder folder;
    for (const uint64_t memory_bytes : {uint64_t{1} << 30, uint64_t{200'000}}) {
        Sorter sorter(reference, {memory_bytes, folder.path()});
        const data::RecordBatch batch = random_batch({1u << 20, 1u << 20}, 0, 3000, 4);
        sorter.add(batch);
        sorter.finish_input();
        std::vector<uint64_t> expected, visited;
        for (const data::RecordEntry& entry : batch.entries) {
            if (entry.contig == 1 && entry.position >= 100'000 && entry.position < 400'000)
                expected.push_back(entry.ordinal);
        }
        sorter.visit(1, 100'000, 400'000, [&](const data::RecordView& record, uint64_t ordinal) {
            EXPECT_EQ(record.contig(), 1);
            visited.push_back(ordinal);
        });
        std::sort(visited.begin(), visited.end());
        std::sort(expected.begin(), expected.end());
        EXPECT_GT(expected.size(), 100u);
        EXPECT_EQ(visited, expected);
        EXPECT_EQ(drain(sorter).keys.size(), batch.entries.size());
    }
}

TEST(Sorter, genome_beyond_32_bits_keeps_its_order) {
    // A reference of 6 Gb in three contigs, of which only the look-up is real.
    std::vector<data::Contig> contigs(3);
    for (size_t i = 0; i < 3; ++i) {
        contigs[i].name = "c" + std::to_string(i);
        contigs[i].length = 2000000000;
        contigs[i].offset = 64 + i * 2000000128;
    }
    static const uint64_t word = 0;
    const std::span<const uint64_t> claimed(&word, (64 + 3 * 2000000128ull) / 32);
    const data::Reference reference("big.fa", contigs, claimed, {}, nullptr);
    Sorter sorter(reference, {});
    sorter.add(random_batch({2000000000, 2000000000, 2000000000}, 1ull << 36, 2000, 3));
    const Output output = drain(sorter);
    EXPECT_TRUE(std::is_sorted(output.keys.begin(), output.keys.end()));
}

TEST(Sorter, record_on_an_unknown_contig_is_refused) {
    const data::Reference reference = blank_reference({1000});
    Sorter sorter(reference, {});
    try {
        sorter.add(random_batch({1000, 1000, 1000}, 0, 50, 1));
        FAIL() << "not refused";
    } catch (const data::Error& error) {
        EXPECT_EQ(error.kind(), data::ErrorKind::internal);
    }
}

TEST(Sorter, records_saved_by_a_killed_run_are_continued_with) {
    const data::Reference reference = blank_reference(k_lengths);
    const ScratchFolder folder;
    const std::vector<data::RecordBatch> all = batches();
    Sorter plain(reference, {});
    for (const data::RecordBatch& batch : all) plain.add(batch);
    const Output expected = drain(plain);
    for (const uint64_t memory_bytes : {uint64_t{100000}, uint64_t{1} << 30}) {
        data::StateWriter state;
        uint64_t spilled = 0;
        {
            Sorter first(reference, {memory_bytes, folder.path(), "records"});
            for (size_t i = 0; i < all.size() / 2; ++i) first.add(all[i]);
            first.save(state, 3);
            spilled = first.spilled_bytes();
            // What came after the checkpoint is aligned again.
            for (size_t i = all.size() / 2; i < all.size() - 3; ++i) first.add(all[i]);
        }
        for (int attempt = 0; attempt < 2;
             ++attempt) {  // the second continues a run that was killed at its end
            Sorter second(reference, {uint64_t{1} << 30, folder.path(), "records"});
            data::StateReader reader(state.bytes(), "state");
            second.restore(reader, 2);
            EXPECT_TRUE(reader.empty());
            EXPECT_EQ(second.spilled_bytes(), spilled);
            for (size_t i = all.size() / 2; i < all.size(); ++i) second.add(all[i]);
            EXPECT_EQ(drain(second).bytes, expected.bytes) << memory_bytes;
        }
        std::filesystem::resize_file(folder.path() + "/records", spilled - 1);
        Sorter third(reference, {memory_bytes, folder.path(), "records"});
        data::StateReader reader(state.bytes(), "state");
        EXPECT_THROW(third.restore(reader, 2), data::Error);
        std::filesystem::remove(folder.path() + "/records");
    }
}

TEST(Sorter, missing_temporary_folder_is_an_error_that_names_it) {
    const data::Reference reference = blank_reference(k_lengths);
    Sorter sorter(reference, {0, "/nonexistent/folder"});
    try {
        sorter.add(random_batch(k_lengths, 0, 50, 1));
        FAIL() << "not refused";
    } catch (const data::Error& error) {
        EXPECT_EQ(error.kind(), data::ErrorKind::output_failed);
        EXPECT_NE(std::string(error.what()).find("/nonexistent/folder"), std::string::npos);
    }
}

/// In a child with a file size limit, as a full disk would do. Exit code: the error's kind.
TEST(Sorter, end_of_temporary_space_is_a_disk_space_error) {
    const ScratchFolder folder;
    const pid_t child = fork();
    if (child == 0) {
        signal(SIGXFSZ, SIG_IGN);
        const rlimit limit = {100000, 100000};
        setrlimit(RLIMIT_FSIZE, &limit);
        const data::Reference reference = blank_reference(k_lengths);
        try {
            Sorter sorter(reference, {0, folder.path()});
            for (const data::RecordBatch& batch : batches()) sorter.add(batch);
        } catch (const data::Error& error) {
            const std::string text = error.what();
            _exit(text.find("--tmp") != std::string::npos ? static_cast<int>(error.kind()) : 99);
        }
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), static_cast<int>(data::ErrorKind::disk_space));
    EXPECT_TRUE(folder.is_empty());
}

TEST(Sorter, killed_run_leaves_no_temporary_file) {
    const ScratchFolder folder;
    const pid_t child = fork();
    if (child == 0) {
        const data::Reference reference = blank_reference(k_lengths);
        Sorter sorter(reference, {0, folder.path()});
        for (const data::RecordBatch& batch : batches()) sorter.add(batch);
        raise(SIGKILL);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status));
    EXPECT_TRUE(folder.is_empty());
}

}  // namespace
}  // namespace gannet::align::sort
