// SPDX-License-Identifier: MIT
// Checks what quality control counts by fast paths: texts' checksums, tags, windows by C and G, positions by
// depth.
#include "data/checksum.hpp"
#include "pipeline/qc/depth.hpp"
#include "pipeline/qc/gc_bias.hpp"
#include "pipeline/qc/read_counter.hpp"
#include "pipeline/qc/text_sums.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <span>
#include <string>

namespace gannet::pipeline::qc {
namespace {

using namespace data;

/// Around the lengths of vectors and the longest text that is folded.
TEST(TextSums, are_those_of_whole_texts) {
    using kernels::SimdLevel;
    std::mt19937 random(13);
    std::vector<uint8_t> bytes(4096);
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
    for (const SimdLevel level : {SimdLevel::none, SimdLevel::avx512}) {
        if (level > kernels::detected_simd_level()) continue;
        const TextSums sums(level);
        for (size_t size = 0; size <= k_max_folded_bytes + 70; ++size) {
            TextSums::Texts texts;
            for (auto& text : texts) text = std::span(bytes).subspan(random() % 2048, random() % (size + 1));
            texts[size % 3] = std::span(bytes).subspan(random() % 2048, size);
            for (size_t i = 0; i < texts.size(); ++i)
                ASSERT_EQ(sums.of(texts)[i], crc32(texts[i])) << size << " " << i;
        }
    }
}

/// Tags of all types in any order, with names that differ from those looked for by one letter.
TEST(ReadTags, are_those_of_the_record) {
    std::mt19937 random(15);
    const auto text = [&] { return std::string(random() % 20, static_cast<char>('A' + random() % 20)); };
    for (int i = 0; i < 2000; ++i) {
        RecordBatch batch;
        {
            RecordAppender appender(batch, RecordFields{});
            std::vector<int> order = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
            std::shuffle(order.begin(), order.end(), random);
            order.resize(random() % 11);
            for (const int tag : order) {
                const int64_t number = static_cast<int64_t>(random() >> random() % 32) - (random() % 4 == 0);
                if (tag == 0) appender.tag("NM", number);
                if (tag == 1) appender.tag("MQ", number % 70'000);
                if (tag == 2) appender.tag("SA", text());
                if (tag == 3) appender.tag("MD", text());
                if (tag == 4) appender.tag("MC", text());
                if (tag == 5) appender.tag("NH", number % 256);
                if (tag == 6) appender.tag("RG", text());
                if (tag == 7) appender.tag_char("XM", 'C');
                if (tag == 8) appender.tag_float("MF", 1.5F);
                if (tag == 9) appender.tag("MN", number % 300);
            }
        }
        const RecordView record = batch.view(0);
        const ReadTags tags = ReadTags::of(record);
        EXPECT_EQ(tags.differences, record.integer_tag("NM").value_or(-1));
        EXPECT_EQ(tags.mate_quality, record.integer_tag("MQ").value_or(-1));
        EXPECT_EQ(tags.is_split, record.tag("SA").has_value());
        EXPECT_EQ(tags.mismatches, record.string_tag("MD").value_or(""));
        EXPECT_EQ(tags.mate_cigar, record.string_tag("MC").value_or(""));
    }
}

TEST(GcWindows, are_all_but_the_first_and_the_last_of_each_contig) {
    std::mt19937_64 random(1);
    std::vector<uint64_t> packed(8256 / 32);
    for (uint64_t& word : packed) word = random();
    const std::vector<NonAcgtRun> runs = {{0, 64},      {300, 303},   {1200, 1201},
                                          {5064, 5184}, {5500, 5610}, {8184, 8256}};
    const Reference of("ref.fa", {{"a", 5000, 64, ""}, {"b", 3000, 5184, ""}}, packed, runs, nullptr);
    GcWindows windows(of);
    windows.finish();
    UnknownBases unknown(of);
    GcWindows::Counts expected{};
    for (const Contig& contig : of.contigs()) {
        for (uint64_t at = contig.offset + 1; at < contig.offset + contig.length - k_gc_window_bp; ++at) {
            if (unknown.count(at, at + k_gc_window_bp) <= k_max_unknown_in_window)
                ++expected[gc_of_window(of, at)];
        }
    }
    EXPECT_EQ(windows.counts(), expected);
}

/// Of two contigs, in chunks that overlap, with depths below and beyond those that have counters of their
/// own.
TEST(DepthSum, counts_positions_of_each_contig_by_depth) {
    std::mt19937 random(3);
    const Reference of("ref.fa", {{"a", 5000, 64, ""}, {"b", 3000, 5184, ""}}, {}, {}, nullptr);
    std::vector<DepthPair> depths(8256);
    DepthSum sum(of);
    for (const auto& [begin, last_start, end] : {std::array{64, 3000, 4500}, {3000, 5500, 8184}}) {
        DepthRuns chunk;
        chunk.begin = static_cast<uint64_t>(begin);
        chunk.last_start = static_cast<uint64_t>(last_start);
        for (int at = begin; at < end;) {
            const int to = at < 5064   ? std::min({end, 5064, at + 1 + static_cast<int>(random() % 40)})
                           : at < 5184 ? 5184
                                       : std::min(end, at + 1 + static_cast<int>(random() % 40));
            const int all = at >= 5064 && at < 5184 ? 0 : static_cast<int>(random() % 400);
            const int fragments = all - static_cast<int>(random() % 3 == 0 ? 0 : random() % (all + 1));
            chunk.runs.push_back({static_cast<uint32_t>(to - at), {all, fragments}});
            for (; at < to; ++at) {
                depths[static_cast<size_t>(at)].all += all;
                depths[static_cast<size_t>(at)].fragments += fragments;
            }
        }
        sum.append(chunk);
    }
    sum.finish();
    Histogram all;
    for (const DepthPair& depth : depths)
        if (depth.all > 0) all.add(static_cast<size_t>(depth.all));
    EXPECT_EQ(sum.all(), all);
    for (size_t contig = 0; contig < 2; ++contig) {
        Histogram fragments;
        const Contig& where = of.contigs()[contig];
        for (const DepthPair& depth : std::span(depths).subspan(where.offset, where.length))
            if (depth.fragments > 0) fragments.add(static_cast<size_t>(depth.fragments));
        EXPECT_EQ(sum.fragments()[contig], fragments);
        EXPECT_EQ(sum.bases()[contig], fragments.sum());
        EXPECT_EQ(sum.largest()[contig], fragments.size() - 1);
    }
}

}  // namespace
}  // namespace gannet::pipeline::qc
