// SPDX-License-Identifier: MIT
// Checks the counting of a file's first sequences: compared base by base, and by the order of the reads,
// whatever the order of the batches.
#include "pipeline/qc/tracked_sequences.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <thread>

namespace gannet::pipeline::qc {
namespace {

using namespace data;
using Read = std::vector<Base>;
using Counts = std::vector<std::pair<std::string, uint64_t>>;

Read random_read(std::mt19937& random, size_t length) {
    Read read(length);
    for (Base& base : read) base = static_cast<Base>(random() % 5);
    return read;
}

std::string text_of(std::span<const Base> bases) { return to_letters(bases); }

TEST(ReadStart, is_the_bases_that_fastqc_compares) {
    std::mt19937 random(1);
    for (size_t length = 0; length <= 200; ++length) {
        const Read read = random_read(random, length);
        const ReadStart start(start_of(read));
        EXPECT_EQ(start.letters(), text_of(read).substr(0, length > 75 ? 50 : length)) << length;
        EXPECT_TRUE(start.is_valid());
        EXPECT_EQ(start.hash(), hash_of(start_of(read)));
    }
}

TEST(ReadStart, differs_by_any_base_and_by_length) {
    std::mt19937 random(2);
    for (const size_t length : {1, 7, 8, 20, 21, 22, 42, 50, 63, 75}) {
        const Read read = random_read(random, length);
        for (size_t at = 0; at < length; ++at) {
            for (Base base = 0; base <= k_base_n; ++base) {
                Read other = read;
                other[at] = base;
                EXPECT_EQ(ReadStart(other) == ReadStart(read), base == read[at]) << length << " " << at;
                EXPECT_EQ(hash_of(other) == hash_of(read), base == read[at]) << length << " " << at;
            }
        }
        const Read shorter(read.begin(), read.end() - 1);
        EXPECT_NE(ReadStart(shorter), ReadStart(read));
        Read as_before = shorter;
        as_before.push_back(0);  // A is zero bits
        EXPECT_NE(ReadStart(shorter), ReadStart(as_before));
    }
}

ReadBatch batch_of(uint64_t ordinal, const std::vector<Read>& reads, bool paired) {
    ReadBatch batch;
    batch.clear();
    batch.ordinal = ordinal;
    batch.paired = paired;
    for (const Read& read : reads) {
        batch.bases.insert(batch.bases.end(), read.begin(), read.end());
        batch.base_offset.push_back(static_cast<uint32_t>(batch.bases.size()));
    }
    for (size_t i = 0; i < reads.size(); i += paired ? 2 : 1) batch.name_offset.push_back(0);
    return batch;
}

Counts counts_of(const TrackedSequences& file) {
    Counts counts;
    for (const auto& [start, count] : file.tracked()) counts.emplace_back(start.letters(), count);
    return counts;
}

/// Reads of few different sequences, so that some come before the limit and again after it.
std::vector<ReadBatch> batches() {
    std::mt19937 random(3);
    std::vector<Read> known;
    for (size_t i = 0; i < 300; ++i) known.push_back(random_read(random, i % 3 == 0 ? 40 : 90));
    std::vector<ReadBatch> batches;
    for (uint64_t ordinal = 0; ordinal < 60; ++ordinal) {
        std::vector<Read> reads;
        for (size_t i = 0; i < 40; ++i) {
            const size_t up_to = std::min<size_t>(known.size(), 20 + 7 * ordinal);
            reads.push_back(known[random() % up_to]);
        }
        batches.push_back(batch_of(ordinal, reads, ordinal < 20 || ordinal > 40));
    }
    return batches;
}

/// What FastQC's modules are made of, in the plainest way.
struct Plain {
    std::map<std::string, uint64_t> counts;
    uint64_t reads = 0;
    uint64_t reads_at_limit = 0;

    void add(const std::string& sequence, size_t limit) {
        ++reads;
        const bool takes = counts.size() < limit;
        if (takes) reads_at_limit = reads;
        if (takes || counts.contains(sequence)) ++counts[sequence];
    }
};

std::array<Plain, k_fragments> plain_of(const std::vector<ReadBatch>& batches, size_t limit) {
    std::array<Plain, k_fragments> files;
    for (const ReadBatch& batch : batches)
        for (size_t i = 0; i < batch.reads(); ++i)
            files[batch.paired ? i % 2 : 0].add(text_of(start_of(batch.read_bases(i))), limit);
    return files;
}

void expect_equal(const SequenceTracker& tracker, const std::array<Plain, k_fragments>& wanted) {
    EXPECT_EQ(tracker.waiting(), 0u);
    for (const Fragment fragment : {k_first, k_last}) {
        const TrackedSequences& file = tracker.file(fragment);
        EXPECT_EQ(file.reads(), wanted[fragment].reads);
        EXPECT_EQ(file.reads_at_limit(), wanted[fragment].reads_at_limit);
        Counts counts = counts_of(file);
        std::sort(counts.begin(), counts.end());
        EXPECT_EQ(counts, Counts(wanted[fragment].counts.begin(), wanted[fragment].counts.end()));
    }
}

TEST(SequenceTracker, order_of_arrival_does_not_change_a_count) {
    const std::vector<ReadBatch> all = batches();
    for (const size_t limit : {1, 30, 120, 250, 1000}) {
        const auto wanted = plain_of(all, limit);
        std::mt19937 random(static_cast<unsigned>(limit));
        for (int round = 0; round < 20; ++round) {
            std::vector<size_t> order(all.size());
            for (size_t i = 0; i < order.size(); ++i) order[i] = i;
            // As threads change it: by a few batches, and in one round altogether.
            for (size_t i = 0; i + 1 < order.size(); ++i)
                std::swap(order[i],
                          order[i + random() % std::min<size_t>(round == 0 ? 60 : 5, order.size() - i)]);
            SequenceTracker tracker(limit);
            for (const size_t i : order) tracker.add(all[i]);
            expect_equal(tracker, wanted);
        }
    }
}

/// As many as FastQC tracks: the words of the filter and the slots of the table are shared then.
TEST(SequenceTracker, counts_every_read_of_a_hundred_thousand_sequences) {
    std::mt19937 random(4);
    std::vector<Read> known;
    for (size_t i = 0; i < k_max_tracked; ++i) known.push_back(random_read(random, 30 + i % 60));
    std::vector<ReadBatch> all;
    const auto add_batches = [&](const std::vector<Read>& reads) {
        constexpr size_t k_reads = 1000;
        for (size_t begin = 0; begin < reads.size(); begin += k_reads) {
            const auto from = reads.begin() + static_cast<std::ptrdiff_t>(begin);
            all.push_back(batch_of(all.size(), {from, from + k_reads}, false));
        }
    };
    add_batches(known);
    std::vector<Read> again;
    for (size_t i = 0; i < k_max_tracked; ++i) {
        again.push_back(known[i]);
        again.push_back(i % 2 == 0 ? random_read(random, 60) : known[i / 2]);
    }
    add_batches(again);
    SequenceTracker tracker;
    for (const ReadBatch& batch : all) tracker.add(batch);
    expect_equal(tracker, plain_of(all, k_max_tracked));

    // After a restore too: what is restored makes its own filter.
    StateWriter saved;
    tracker.save(saved);
    StateReader state(saved.bytes(), "manifest");
    SequenceTracker restored;
    restored.restore(state, all.size());
    const size_t first = all.size();
    add_batches(again);
    for (size_t i = first; i < all.size(); ++i) restored.add(all[i]);
    expect_equal(restored, plain_of(all, k_max_tracked));
}

TEST(SequenceTracker, threads_do_not_change_a_count) {
    const std::vector<ReadBatch> all = batches();
    const auto wanted = plain_of(all, 120);
    for (int round = 0; round < 30; ++round) {
        SequenceTracker tracker(120);
        std::atomic<size_t> next{0};
        std::vector<std::thread> threads;
        for (int i = 0; i < 4; ++i)
            threads.emplace_back([&] {
                for (size_t at = next++; at < all.size(); at = next++) tracker.add(all[at]);
            });
        for (std::thread& thread : threads) thread.join();
        expect_equal(tracker, wanted);
    }
}

TEST(SequenceTracker, goes_on_from_where_it_was_saved) {
    const std::vector<ReadBatch> all = batches();
    for (const size_t limit : {30, 250, 1000}) {
        for (const size_t cut : {0, 1, 10, 30, 60}) {
            SequenceTracker before(limit);
            for (size_t i = 0; i < cut; ++i) before.add(all[i]);
            StateWriter saved;
            before.save(saved);
            StateReader state(saved.bytes(), "manifest");
            SequenceTracker tracker(limit);
            tracker.restore(state, cut);
            EXPECT_TRUE(state.empty());
            for (size_t i = all.size(); i-- > cut;) tracker.add(all[i]);
            expect_equal(tracker, plain_of(all, limit));
        }
    }
}

TEST(SequenceTracker, damaged_state_is_refused) {
    const std::vector<ReadBatch> all = batches();
    SequenceTracker tracker(100);
    for (const ReadBatch& batch : all) tracker.add(batch);
    StateWriter saved;
    tracker.save(saved);
    const auto restore = [](std::vector<uint8_t> bytes, size_t limit) {
        StateReader state(bytes, "manifest");
        SequenceTracker(limit).restore(state, 0);
    };
    EXPECT_NO_THROW(restore(saved.bytes(), 100));
    EXPECT_THROW(restore(saved.bytes(), 99), Error);  // more than there is room for
    std::vector<uint8_t> twice = saved.bytes();
    constexpr size_t k_first_sequence = 24;
    constexpr size_t k_sequence = sizeof(TrackedSequences::Tracked);
    std::copy_n(twice.begin() + k_first_sequence, k_sequence, twice.begin() + k_first_sequence + k_sequence);
    EXPECT_THROW(restore(twice, 100), Error);
    std::vector<uint8_t> no_base = saved.bytes();
    no_base[k_first_sequence] |= 7;
    EXPECT_THROW(restore(no_base, 100), Error);
    std::vector<uint8_t> never_read = saved.bytes();
    std::fill_n(never_read.begin() + k_first_sequence + sizeof(ReadStart), sizeof(uint64_t), uint8_t{0});
    EXPECT_THROW(restore(never_read, 100), Error);
}

}  // namespace
}  // namespace gannet::pipeline::qc
