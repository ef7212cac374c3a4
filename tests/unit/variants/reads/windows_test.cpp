// SPDX-License-Identifier: MIT
// Tests the window feeder: every window gets exactly the records that reach its padded range.
#include "variants/reads/windows.hpp"

#include "data/error.hpp"
#include "tests/unit/variants/caller_support.hpp"
#include "variants/reads/read_set.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

namespace gannet::variants {
namespace {

using namespace testing;

std::vector<SimulatedRead> reads_at(std::span<const int64_t> positions) {
    std::vector<SimulatedRead> reads;
    for (const int64_t position : positions) {
        reads.push_back({position,
                         {data::cigar_element(100, data::k_cigar_match)},
                         std::string(100, 'A'),
                         "r" + std::to_string(reads.size()),
                         false});
    }
    return reads;
}

std::vector<WindowReads> feed(const data::Reference& reference, std::span<const SimulatedRead> reads,
                              size_t per_chunk, const data::RegionSet& regions = {}) {
    std::vector<WindowReads> windows;
    WindowFeeder feeder(reference, regions,
                        [&](WindowReads&& window) { windows.push_back(std::move(window)); });
    for (const auto& chunk : make_chunks(reads, per_chunk)) feeder.push(chunk);
    feeder.finish();
    return windows;
}

TEST(WindowFeeder, records_near_seams_go_to_all_windows_that_they_overlap) {
    const auto reference = make_reference(std::string(40'000, 'A'));
    const int64_t seam = k_window_bp, pad = k_window_padding_bp;
    // The last base of a read at `seam + pad - 1` is still within the first window's padding; one at seam -
    // pad - 100 ends before the second's.
    const int64_t positions[] = {0, seam - pad - 100, seam - pad - 99, seam + pad - 1, seam + pad, 30'000};
    const auto reads = reads_at(positions);
    for (const size_t per_chunk : {1, 2, 100}) {
        const auto windows = feed(*reference, reads, per_chunk);
        ASSERT_EQ(windows.size(), 3u);
        const auto names = [&](size_t i) {
            std::string text;
            for (const auto& record : windows[i].records) text += std::string(record.name()) + " ";
            return text;
        };
        EXPECT_EQ(names(0), "r0 r1 r2 r3 ");
        EXPECT_EQ(names(1), "r2 r3 r4 ");
        EXPECT_EQ(names(2), "r5 ");
        EXPECT_EQ(windows[0].window, (data::Region{0, 0, seam}));
        EXPECT_EQ(windows[2].window, (data::Region{0, 3 * seam, 4 * seam}));
        for (size_t i = 0; i < 3; ++i) EXPECT_EQ(windows[i].ordinal, i);
    }
}

TEST(WindowFeeder, last_window_is_cut_to_the_contig) {
    const auto reference = make_reference(std::string(10'000, 'A'));
    const int64_t positions[] = {9'800};
    const auto windows = feed(*reference, reads_at(positions), 1);
    ASSERT_EQ(windows.size(), 1u);
    EXPECT_EQ(windows[0].window, (data::Region{0, k_window_bp, 10'000}));
}

TEST(WindowFeeder, regions_choose_windows) {
    const auto reference = make_reference(std::string(40'000, 'A'));
    const int64_t positions[] = {100, 9'000, 20'000, 30'000};
    const auto windows = feed(*reference, reads_at(positions), 2, data::RegionSet({{0, 17'000, 17'001}}));
    ASSERT_EQ(windows.size(), 1u);
    EXPECT_EQ(windows[0].window.begin, 2 * k_window_bp);
    EXPECT_EQ(windows[0].records.size(), 1u);
}

TEST(WindowFeeder, unsorted_records_are_refused) {
    const auto reference = make_reference(std::string(40'000, 'A'));
    const int64_t positions[] = {100, 99};
    for (const size_t per_chunk : {1, 2})
        EXPECT_THROW(feed(*reference, reads_at(positions), per_chunk), data::Error);
}

TEST(WindowFeeder, unusable_records_are_dropped) {
    const auto reference = make_reference(std::string(1'000, 'A'));
    data::RecordBatch batch;
    const std::vector<uint32_t> cigar{data::cigar_element(4, data::k_cigar_match)};
    const std::vector<data::Base> bases(4, 0);
    const std::vector<uint8_t> qualities(4, 30);
    for (const uint16_t flag : {data::k_flag_duplicate, data::k_flag_secondary, data::k_flag_qc_fail,
                                data::k_flag_unmapped, data::k_flag_reverse}) {
        data::RecordFields fields;
        fields.contig = 0;
        fields.position = 10;
        fields.flag = flag;
        fields.name = "r";
        fields.cigar = cigar;
        fields.bases = bases;
        fields.qualities = qualities;
        data::RecordAppender appender(batch, fields);
    }
    auto chunk = std::make_shared<RecordChunk>();
    chunk->bytes = batch.bytes;
    chunk->entries = batch.entries;
    size_t records = 0;
    WindowFeeder feeder(*reference, {}, [&](WindowReads&& window) { records += window.records.size(); });
    feeder.push(chunk);
    feeder.finish();
    EXPECT_EQ(records, 1u);
}

/// 400 reads of 100 bases per depth bin over [0, 20000), and two pile-ups: 30,000 reads that begin within 500
/// bases, and 60,000 at one position beside the seam of two windows; sorted.
std::vector<SimulatedRead> deep_reads() {
    std::vector<int64_t> positions;
    uint64_t state = 1;
    const auto below = [&state](uint64_t n) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        return static_cast<int64_t>((state >> 33) % n);
    };
    for (size_t i = 0; i < 60'000; ++i) positions.push_back(below(20'000));
    for (size_t i = 0; i < 30'000; ++i) positions.push_back(3'000 + below(500));
    for (size_t i = 0; i < 60'000; ++i) positions.push_back(k_window_bp - k_window_padding_bp - 50);
    std::sort(positions.begin(), positions.end());
    return reads_at(positions);
}

std::vector<std::string> names_of(const WindowReads& window) {
    std::vector<std::string> names;
    for (const auto& record : window.records) names.emplace_back(record.name());
    return names;
}

/// The rule of k_max_reads_per_depth_bin, by the book.
std::vector<std::string> expected_names(std::span<const SimulatedRead> reads, int64_t window_begin,
                                        int64_t window_end) {
    std::map<int64_t, std::vector<std::pair<uint64_t, size_t>>> bins;
    for (size_t i = 0; i < reads.size(); ++i) {
        const int64_t begin = std::max(reads[i].position, window_begin - k_window_padding_bp);
        if (reads[i].position + 100 <= window_begin - k_window_padding_bp ||
            begin >= window_end + k_window_padding_bp)
            continue;
        bins[(begin - window_begin + k_window_padding_bp) / k_depth_bin_bp].emplace_back(
            hash_name(reads[i].name), i);
    }
    std::set<size_t> chosen;
    for (auto& [bin, ranked] : bins) {
        std::sort(ranked.begin(), ranked.end());
        ranked.resize(std::min(ranked.size(), k_max_reads_per_depth_bin));
        for (const auto& [hash, index] : ranked) chosen.insert(index);
    }
    std::vector<std::string> names;
    for (const size_t index : chosen) names.push_back(reads[index].name);
    return names;
}

TEST(WindowFeeder, deep_pileups_keep_the_smallest_hashes_however_the_stream_is_cut) {
    const auto reference = make_reference(std::string(40'000, 'A'));
    const auto reads = deep_reads();
    for (const size_t per_chunk : {size_t{700}, size_t{20'000}, reads.size()}) {
        const auto windows = feed(*reference, reads, per_chunk);
        ASSERT_EQ(windows.size(), 3u);
        for (const WindowReads& window : windows) {
            EXPECT_EQ(names_of(window), expected_names(reads, window.window.begin, window.window.end))
                << per_chunk;
        }
    }
    EXPECT_LT(feed(*reference, reads, 20'000)[0].records.size(), 60'000u);
}

TEST(WindowFeeder, deep_pileups_are_the_same_in_a_shard) {
    const auto reference = make_reference(std::string(40'000, 'A'));
    const auto reads = deep_reads();
    const auto all = feed(*reference, reads, 20'000);
    // What `call --regions` reads for the second window: the records that reach its padded range.
    std::vector<SimulatedRead> shard;
    for (const SimulatedRead& read : reads) {
        if (read.position + 100 > k_window_bp - k_window_padding_bp &&
            read.position < 2 * k_window_bp + k_window_padding_bp)
            shard.push_back(read);
    }
    const auto windows = feed(*reference, shard, 20'000, data::RegionSet({{0, 9'000, 9'001}}));
    ASSERT_EQ(windows.size(), 1u);
    EXPECT_EQ(names_of(windows[0]), names_of(all[1]));
}

TEST(WindowFeeder, thinned_chunks_give_the_same_windows) {
    const auto reference = make_reference(std::string(40'000, 'A'));
    const auto reads = deep_reads();
    std::vector<WindowReads> expected;
    WindowFeeder complete(*reference, {},
                          [&](WindowReads&& window) { expected.push_back(std::move(window)); });
    for (const auto& chunk : make_chunks(reads, reads.size())) complete.push(chunk);
    complete.finish();
    std::vector<WindowReads> windows;
    WindowFeeder feeder(*reference, {}, [&](WindowReads&& window) { windows.push_back(std::move(window)); });
    size_t left = 0;
    for (const auto& chunk : make_chunks(reads, 90'000)) {
        auto thinned = std::make_shared<RecordChunk>(*chunk);
        thin(*thinned);
        left += thinned->entries.size();
        feeder.push(std::move(thinned));
    }
    feeder.finish();
    EXPECT_LT(left, reads.size() / 2);
    EXPECT_EQ(feeder.reads_left_out(), complete.reads_left_out());
    ASSERT_EQ(windows.size(), expected.size());
    for (size_t i = 0; i < windows.size(); ++i) EXPECT_EQ(names_of(windows[i]), names_of(expected[i]));
}

/// Reads of 100 bases, some with skipped bases up to eight windows wide, sorted; in places few, so that
/// windows have nothing but a skip over them.
std::vector<SimulatedRead> spliced_reads() {
    uint64_t state = 7;
    const auto below = [&state](uint64_t n) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        return static_cast<int64_t>((state >> 33) % n);
    };
    std::vector<int64_t> positions;
    for (size_t i = 0; i < 300; ++i)
        positions.push_back(i % 3 == 0 ? below(190'000) : 60'000 + below(30'000));
    std::sort(positions.begin(), positions.end());
    auto reads = reads_at(positions);
    for (SimulatedRead& read : reads) {
        if (below(6) != 0) continue;
        const auto skip = static_cast<uint32_t>(1 + below(65'000));
        read.cigar = {data::cigar_element(50, data::k_cigar_match),
                      data::cigar_element(skip, data::k_cigar_skip),
                      data::cigar_element(50, data::k_cigar_match)};
    }
    return reads;
}

TEST(WindowFeeder, skips_over_many_windows_reach_each_in_stream_order) {
    const auto reference = make_reference(std::string(200'000, 'A'));
    const auto reads = spliced_reads();
    for (const data::RegionSet& regions :
         {data::RegionSet(), data::RegionSet({{0, 20'000, 21'000}, {0, 120'000, 140'000}})}) {
        std::map<int64_t, std::vector<std::string>> expected;
        for (const SimulatedRead& read : reads) {
            int64_t end = read.position;
            for (const uint32_t element : read.cigar) end += data::cigar_length(element);
            for (int64_t begin = 0; begin < 200'000; begin += k_window_bp) {
                const int64_t window_end = std::min<int64_t>(begin + k_window_bp, 200'000);
                if (!regions.empty() && !regions.overlaps(0, begin, window_end)) continue;
                if (read.position < window_end + k_window_padding_bp && end > begin - k_window_padding_bp)
                    expected[begin].push_back(read.name);
            }
        }
        for (const size_t per_chunk : {1, 2, 7, 50, 1000}) {
            std::map<int64_t, std::vector<std::string>> seen;
            uint64_t ordinal = 0;
            for (const WindowReads& window : feed(*reference, reads, per_chunk, regions)) {
                EXPECT_EQ(window.ordinal, ordinal++);
                seen[window.window.begin] = names_of(window);
            }
            EXPECT_EQ(seen, expected) << per_chunk;
        }
    }
}

TEST(WindowFeeder, deep_pileups_release_the_chunks_that_they_came_in) {
    const auto reference = make_reference(std::string(40'000, 'A'));
    std::vector<int64_t> positions(400'000, 5'000);
    const auto reads = reads_at(positions);
    uint64_t held = 0;
    WindowFeeder feeder(*reference, {}, [&](WindowReads&& window) {
        for (const auto& chunk : window.chunks) held += chunk->bytes.size();
    });
    uint64_t bytes = 0;
    for (auto& chunk : make_chunks(reads, 50'000)) {
        bytes += chunk->bytes.size();
        feeder.push(std::move(chunk));
    }
    feeder.finish();
    EXPECT_GT(bytes, 60u << 20);
    EXPECT_LT(held, 24u << 20);
    EXPECT_GE(feeder.reads_left_out(), 400'000 - k_max_reads_per_depth_bin);
}

TEST(WindowFeeder, copies_of_deep_pileups_are_held_by_one_window_each) {
    const auto reference = make_reference(std::string(40'000, 'A'));
    std::vector<int64_t> positions;
    for (int64_t i = 0; i < 300'000; ++i) positions.push_back(6'000 + i * 3'500 / 300'000);
    const auto chunks = make_chunks(reads_at(positions), 50'000);
    std::vector<std::set<const RecordChunk*>> copies;  // of each window: its chunks that were not given
    WindowFeeder feeder(*reference, {}, [&](WindowReads&& window) {
        copies.emplace_back();
        for (const auto& chunk : window.chunks) {
            if (std::find(chunks.begin(), chunks.end(), chunk) == chunks.end())
                copies.back().insert(chunk.get());
        }
    });
    for (const auto& chunk : chunks) feeder.push(chunk);
    feeder.finish();
    ASSERT_EQ(copies.size(), 2u);
    EXPECT_FALSE(copies[0].empty());
    EXPECT_FALSE(copies[1].empty());
    for (const RecordChunk* chunk : copies[0]) EXPECT_FALSE(copies[1].contains(chunk));
}

}  // namespace
}  // namespace gannet::variants
