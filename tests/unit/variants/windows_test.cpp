// SPDX-License-Identifier: MIT
// Tests the window feeder: every window gets exactly the records that reach its padded range.
#include "variants/windows.hpp"

#include "caller_support.hpp"
#include "data/error.hpp"

#include <gtest/gtest.h>

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
    EXPECT_THROW(feed(*reference, reads_at(positions), 1), data::Error);
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

}  // namespace
}  // namespace gannet::variants
