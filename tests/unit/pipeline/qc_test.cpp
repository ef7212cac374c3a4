// SPDX-License-Identifier: MIT
// Checks the counting of quality control: sums that can be added in any order, and depth that does not depend
// on where the records are cut into chunks.
#include "data/checksum.hpp"
#include "pipeline/qc/adapter_search.hpp"
#include "pipeline/qc/adapters.hpp"
#include "pipeline/qc/base_counter.hpp"
#include "pipeline/qc/good_bases.hpp"
#include "pipeline/qc/quality_control.hpp"
#include "pipeline/qc/quality_counter.hpp"
#include "pipeline/qc/word_counts.hpp"
#include "tests/unit/pipeline/qc_cases.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <span>
#include <string>

namespace gannet::pipeline::qc {
namespace {

using namespace data;

/// Two contigs of random letters with some N.
Reference reference() {
    static const std::vector<uint64_t> packed = [] {
        std::mt19937_64 random(1);
        std::vector<uint64_t> words(8256 / 32);
        for (uint64_t& word : words) word = random();
        return words;
    }();
    static const std::vector<NonAcgtRun> runs = {{0, 64},      {300, 303},   {1200, 1201},
                                                 {5064, 5184}, {5500, 5610}, {8184, 8256}};
    return {"ref.fa", {{"a", 5000, 64, ""}, {"b", 3000, 5184, ""}}, packed, runs, nullptr};
}

constexpr uint16_t k_forward = k_flag_paired | k_flag_proper_pair | k_flag_mate_reverse | k_flag_read1;
constexpr uint16_t k_backward = k_flag_paired | k_flag_proper_pair | k_flag_reverse | k_flag_read2;

uint32_t m(uint32_t bases) { return cigar_element(bases, k_cigar_match); }

/// Pairs of different reads, sorted.
RecordBatch sorted_pairs(size_t pairs) {
    std::mt19937 random(7);
    std::vector<Made> records;
    for (size_t i = 0; i < pairs; ++i) {
        const auto contig = static_cast<int32_t>(random() % 2);
        const auto at = static_cast<int32_t>(random() % 2000);
        const auto apart = static_cast<int32_t>(random() % 150);
        const uint32_t length = 60 + random() % 60;
        const auto duplicate = static_cast<uint16_t>(random() % 5 == 0 ? k_flag_duplicate : 0);
        const std::vector<uint32_t> split = {m(20), cigar_element(400, k_cigar_deletion), m(length - 20)};
        const bool is_split = random() % 10 == 0;
        const std::string mate = std::to_string(length) + "M";
        const std::string name = "r" + std::to_string(i);
        records.push_back({static_cast<uint16_t>(k_forward | duplicate), contig, at,
                           is_split ? split : std::vector{m(length)}, length, mate, at + apart,
                           apart + static_cast<int32_t>(length), name});
        records.push_back({static_cast<uint16_t>(k_backward | duplicate),
                           contig,
                           at + apart,
                           {m(length)},
                           length,
                           is_split ? "20M400D" + std::to_string(length - 20) + "M" : mate,
                           at,
                           -apart - static_cast<int32_t>(length),
                           name});
        if (i % 5 == 0)  // a third alignment of the template
            records.push_back({static_cast<uint16_t>(k_forward | k_flag_supplementary),
                               contig,
                               at + apart / 2,
                               {m(40)},
                               40,
                               mate,
                               at + apart,
                               0,
                               name});
    }
    std::stable_sort(records.begin(), records.end(), [](const Made& a, const Made& b) {
        return std::pair(a.contig, a.position) < std::pair(b.contig, b.position);
    });
    RecordBatch batch;
    for (size_t i = 0; i < records.size(); ++i) append(batch, records[i], static_cast<unsigned>(i));
    return batch;
}

std::span<const RecordEntry> part(const RecordBatch& batch, size_t begin, size_t end) {
    return std::span(batch.entries).subspan(begin, std::min(end, batch.entries.size()) - begin);
}

TEST(QualityControl, chunks_do_not_change_a_byte) {
    const Reference of = reference();
    const RecordBatch batch = sorted_pairs(800);
    const auto texts_of = [&](size_t records_per_chunk) {
        QualityControl counted(of, {{{0, 500, 900}, ""}, {{0, 850, 1700}, "x"}, {{1, 10, 2900}, ""}});
        for (size_t at = 0; at < batch.entries.size(); at += records_per_chunk) {
            ChunkDepths depths;
            const auto entries = part(batch, at, at + records_per_chunk);
            counted.count(batch.bytes, entries, depths);
            counted.append(batch.bytes, entries, depths);
        }
        counted.finish();
        return all_texts(counted, of);
    };
    const auto whole = texts_of(10'000);
    EXPECT_NE(whole.front().find("COV\t"), std::string::npos);
    for (const size_t records : {1, 2, 7, 100}) EXPECT_EQ(texts_of(records), whole) << records;
}

TEST(QualityControl, average_length_is_cut_and_those_of_mates_are_rounded) {  // as samtools 1.16 does
    const Reference of = reference();
    RecordBatch batch;
    for (const uint32_t length : {10, 11, 11})
        append(batch, Made{0, 0, 100, {m(length)}, length, "", 0, 0, "r"}, 1);
    QualityControl counted(of, {});
    ChunkDepths depths;
    counted.count(batch.bytes, batch.entries, depths);
    counted.append(batch.bytes, batch.entries, depths);
    counted.finish();
    const std::string text =
        stats_text(counted.counts(), counted.depth(), counted.gc_depth(), {"gannet", "align", "s"});
    EXPECT_NE(text.find("SN\taverage length:\t10\n"), std::string::npos);
    EXPECT_NE(text.find("SN\taverage first fragment length:\t11\n"), std::string::npos);
}

/// Bins of two contigs, one longer than 20 kb: 40, 60 and 20 %, and the last one, whose sum of fractions
/// stays.
std::vector<GcDepthRead> reads_by_gc() {
    std::vector<GcDepthRead> reads(100, {0, 500, 0.4F});
    reads.insert(reads.end(), 50, {0, 20'500, 0.4F});  // 20,000 after the first: the same bin
    reads.insert(reads.end(), 80, {0, 20'501, 0.6F});
    reads.insert(reads.end(), 30, {1, 20'502, 0.2F});  // another contig
    reads.insert(reads.end(), 60, {1, 50'000, 0.6F});
    reads.insert(reads.end(), 90, {1, 70'001, 0.6F});
    reads.insert(reads.end(), 10, {1, 95'000, 3.0F});
    return reads;
}

TEST(GcDepth, lines_are_percentiles_of_bins_with_the_same_percent) {
    GcDepth depth;
    depth.append(reads_by_gc());
    // Depth 1 is 200 reads of 100 bases. The bin that sorts last, of 90 reads at 60 %, is passed over.
    EXPECT_EQ(depth.lines(100),
              "GCD\t0.0\t28.571\t0.000\t0.000\t0.000\t0.000\t0.000\n"
              "GCD\t20.0\t42.857\t0.150\t0.150\t0.150\t0.150\t0.150\n"
              "GCD\t30.0\t57.143\t0.050\t0.050\t0.050\t0.050\t0.050\n"
              "GCD\t40.0\t71.429\t0.750\t0.750\t0.750\t0.750\t0.750\n"
              "GCD\t60.0\t100.000\t0.300\t0.300\t0.350\t0.400\t0.400\n");
    EXPECT_EQ(GcDepth().lines(100), "");
}

TEST(GcDepth, chunks_do_not_change_a_byte) {
    const std::vector<GcDepthRead> reads = reads_by_gc();
    GcDepth whole;
    whole.append(reads);
    for (const size_t size : {1, 3, 149, 151}) {
        GcDepth parts;
        for (size_t at = 0; at < reads.size(); at += size)
            parts.append(std::span(reads).subspan(at, std::min(size, reads.size() - at)));
        EXPECT_EQ(parts.lines(151), whole.lines(151)) << size;
    }
}

/// A pair that spans a chromosome must not cost a step for each of its bases.
TEST(InsertSizes, width_around_the_median_takes_one_step_per_size) {
    Counts counts(1);
    constexpr size_t k_inward = 0;
    for (const size_t size : {280, 300, 300, 310, 320, 320}) counts.inserts[k_inward].add(size);
    counts.long_inserts[k_inward] = {{3'000'000'000, 1}, {4'000'000'000, 3}};
    const std::string text = insert_size_text(counts, {"gannet", "run", "S", ""});
    // Two of ten are the median of 320, six are at most 40 bases from it.
    EXPECT_NE(text.find("\tFR\t1\t1\t21\t41\t41\t81\t5999999361\t7999999361\t7999999361\t7999999361\t"
                        "7999999361\t"),
              std::string::npos)
        << text;
}

TEST(Counts, are_added_in_any_order) {
    const Reference of = reference();
    const RecordBatch batch = sorted_pairs(900);
    const auto counts_of = [&](size_t begin, size_t end) {
        TargetCoverage targets(of, RegionSet({{0, 100, 900}}));
        ReadCounter counter(of, targets);
        ChunkDepths depths;
        counter.add(batch.bytes, part(batch, begin, end), depths);
        return counter.counts();
    };
    const Counts a = counts_of(0, 500), b = counts_of(500, 1234), c = counts_of(1234, 1800);
    const auto sum = [&](std::initializer_list<const Counts*> parts) {
        Counts all(of.contigs().size());
        for (const Counts* more : parts) all.merge(*more);
        return all;
    };
    const Counts whole = sum({&a, &b, &c});
    EXPECT_EQ(whole, counts_of(0, 1800));
    EXPECT_EQ(whole, sum({&c, &a, &b}));
    Counts right = b;
    right.merge(c);
    EXPECT_EQ(whole, sum({&a, &right}));
    const Counts none(of.contigs().size());
    EXPECT_EQ(sum({&whole, &none}), whole);
}

/// Less than 250 positions lie between the contigs of the whole reference.
TEST(TargetCounter, the_next_contig_is_not_near_a_bait) {
    const Reference of = reference();
    RecordBatch batch;
    append(batch, {k_forward, 0, 4700, {m(50)}, 50, "50M", 4900, 250, "p"}, 1);
    append(batch, {k_backward, 0, 4900, {m(50)}, 50, "50M", 4700, -250, "p"}, 2);
    append(batch, {k_forward, 1, 5, {m(70)}, 70, "70M", 100, 165, "q"}, 3);
    append(batch, {k_backward, 1, 100, {m(70)}, 70, "70M", 5, -165, "q"}, 4);
    struct Expected {
        Region bait;
        uint64_t on, near, off, pairs;
    };
    for (const Expected& expected :
         {Expected{{0, 4980, 5000}, 0, 100, 140, 1}, Expected{{0, 4920, 4930}, 10, 90, 140, 1},
          Expected{{1, 0, 20}, 15, 125, 100, 1}, Expected{{1, 400, 420}, 0, 70, 170, 0}}) {
        TargetCoverage targets(of, RegionSet({expected.bait}));
        ReadCounter counter(of, targets);
        ChunkDepths depths;
        counter.add(batch.bytes, part(batch, 0, 4), depths);
        const TargetCounts& counted = counter.counts().targets;
        EXPECT_EQ(counted.on_bait, expected.on) << expected.bait.begin;
        EXPECT_EQ(counted.near_bait, expected.near) << expected.bait.begin;
        EXPECT_EQ(counted.off_bait, expected.off) << expected.bait.begin;
        EXPECT_EQ(counted.pairs, expected.pairs) << expected.bait.begin;
    }
}

/// Depth by adding up positions one by one.
TEST(DepthRing, is_the_depth_of_each_position) {
    std::mt19937 random(3);
    DepthRing ring;
    for (int repetition = 0; repetition < 20; ++repetition) {
        std::vector<DepthPair> expected(40'000);
        DepthRuns runs;
        uint64_t start = 100;
        for (int i = 0; i < 300; ++i) {
            if (i > 0 && random() % 4 == 0) start += random() % 300;
            ring.advance(start, runs);
            const uint64_t begin = start + random() % 50;
            const uint64_t end = begin + 1 + random() % (i == 150 ? 9000 : 150);
            const DepthPair depth{1, static_cast<int32_t>(random() % 3) - 1};
            ring.add(begin, end, depth);
            for (uint64_t at = begin; at < end; ++at) {
                expected[at].all += depth.all;
                expected[at].fragments += depth.fragments;
            }
        }
        ring.finish(runs);
        EXPECT_EQ(runs.begin, 100u);
        uint64_t at = runs.begin;
        for (const DepthRun& run : runs.runs)
            for (uint32_t i = 0; i < run.length; ++i, ++at) ASSERT_EQ(run.depth, expected[at]) << at;
        for (; at < expected.size(); ++at) ASSERT_EQ(expected[at], DepthPair{}) << at;
    }
}

TEST(WordCounts, are_those_of_single_bytes) {
    std::mt19937 random(5);
    for (size_t bases = 0; bases < 90; ++bases) {
        std::vector<uint8_t> nibbles((bases + 1) / 2), bytes(bases);
        std::vector<bool> is_gc(bases);
        bool unknown = false;
        for (size_t i = 0; i < bases; ++i) {
            const uint8_t nibble = k_nibble_of_base[random() % 50 / 12];
            unknown |= nibble == 15;
            is_gc[i] = nibble == 2 || nibble == 4;
            nibbles[i / 2] |= static_cast<uint8_t>(i % 2 == 0 ? nibble << 4 : nibble);
            bytes[i] = static_cast<uint8_t>(random() % 94);
        }
        EXPECT_EQ(has_unknown(nibbles, bases), unknown);
        const size_t begin = bases == 0 ? 0 : random() % bases;
        EXPECT_EQ(base_sums(nibbles, 0, bases).gc, std::count(is_gc.begin(), is_gc.end(), true));
        EXPECT_EQ(base_sums(nibbles, begin, bases).gc,
                  std::count(is_gc.begin() + static_cast<std::ptrdiff_t>(begin), is_gc.end(), true));
        EXPECT_EQ(count_from(bytes, 20),
                  std::count_if(bytes.begin(), bytes.end(), [](uint8_t byte) { return byte >= 20; }));
        EXPECT_EQ(byte_sum(bytes), std::accumulate(bytes.begin(), bytes.end(), uint64_t{0}));
        std::vector<uint8_t> counts(bases + k_lane, 7), expected(bases + k_lane, 7);
        add_good(bytes, counts.data());
        for (size_t i = 0; i < bases; ++i) expected[i] = static_cast<uint8_t>(7 + (bytes[i] >= 20));
        EXPECT_EQ(counts, expected);
    }
    EXPECT_EQ(byte_sum(std::vector<uint8_t>(5000, 255)), 5000u * 255);
}

TEST(BaseCounter, counts_each_base_at_its_cycle) {
    std::mt19937 random(9);
    BaseCounter counter;
    BaseCounter::Sums expected, counted;
    for (auto& sums : expected) sums.resize(k_max_cycles);
    for (int i = 0; i < 3000; ++i) {
        const bool reverse = random() % 2 == 1;
        const size_t length = i < 100           ? 1 + random() % 40
                              : i % 1000 == 500 ? k_max_cycles + random() % 4
                                                : 1 + random() % 400;
        std::vector<uint8_t> packed((length + 1) / 2 + 40, 0xff);
        for (size_t at = 0; at < (length + 1) / 2; ++at) packed[at] = 0;
        const size_t letters = random() % 2 == 0 ? 60 : 56;
        bool has_unknown = false;
        for (size_t at = 0; at < length; ++at) {
            const size_t base = random() % letters / 14;
            has_unknown |= base == 4;
            packed[at / 2] |= static_cast<uint8_t>(k_nibble_of_base[base] << (at % 2 == 0 ? 4 : 0));
            const size_t cycle = reverse ? length - 1 - at : at;
            if (base < 4 && cycle < k_max_cycles) ++expected[reverse ? 1 : 0][cycle][base];
        }
        const size_t bytes = (length + 1) / 2;
        counter.add(std::span(packed).first(bytes), length, reverse, bytes + random() % 40, has_unknown);
        if (i % 700 == 0) counter.flush(counted);
    }
    counter.flush(counted);
    for (auto& sums : counted) sums.resize(k_max_cycles);  // a table is a little larger than its longest read
    EXPECT_EQ(counted, expected);
}

/// Qualities of sequencers with four and with forty of them, and of none: on every level, and across the
/// first choice of common ones and two fillings of the table.
TEST(QualityCounter, counts_each_quality_at_its_cycle) {
    using kernels::SimdLevel;
    for (const auto level : {SimdLevel::none, SimdLevel::sse42, SimdLevel::avx2, SimdLevel::avx512}) {
        if (level > kernels::detected_simd_level()) continue;
        std::mt19937 random(13);
        QualityCounter counter(level);
        QualityCounter::Sums expected(k_max_cycles), counted;
        const auto add = [&](const std::vector<uint8_t>& qualities, bool reverse) {
            for (size_t at = 0; at < qualities.size(); ++at) {
                const size_t cycle = reverse ? qualities.size() - 1 - at : at;
                if (cycle < k_max_cycles) ++expected[cycle][qualities[at]];
            }
            counter.add(qualities, reverse);
        };
        for (int i = 0; i < 140'000; ++i) {
            const size_t length = i < 200           ? 1 + random() % 70
                                  : i == 3000       ? k_max_cycles + 3
                                  : i % 4000 == 500 ? 1 + random() % 400
                                                    : 36 + (i % 64 == 0 ? random() % 3 : 0);
            std::vector<uint8_t> qualities(length);
            constexpr std::array<uint8_t, 4> k_few = {2, 12, 23, 37};
            for (uint8_t& quality : qualities) {
                const auto drawn = random();
                quality =
                    i < 70'000 ? k_few[drawn % 4] : static_cast<uint8_t>(41 - (drawn & drawn >> 8) % 40);
                if (i % 16 == 3 && drawn % 512 < 20) quality = static_cast<uint8_t>(drawn >> 16);
            }
            if (i % 1000 == 999) std::fill(qualities.begin(), qualities.end(), 255);
            add(qualities, random() % 2 == 1);
            if (i == 50'000) counter.flush(counted);
        }
        counter.flush(counted);
        counted.resize(k_max_cycles);
        EXPECT_TRUE(counted == expected) << kernels::name(level);
    }
}

TEST(AdapterSearch, finds_the_first_of_each) {
    using kernels::SimdLevel;
    std::mt19937 random(17);
    std::vector<AdapterSearch> searches;
    for (const auto level : {SimdLevel::none, SimdLevel::sse42, SimdLevel::avx2, SimdLevel::avx512})
        if (level <= kernels::detected_simd_level()) searches.emplace_back(level);
    std::array<Histogram, k_fastqc_adapters> expected;
    std::vector<std::array<Histogram, k_fastqc_adapters>> found(searches.size());
    size_t finds = 0;
    for (int i = 0; i < 6000; ++i) {
        std::string read(random() % 70 + (i % 5 == 0 ? 120 : 0), 'A');
        for (char& letter : read) letter = "ACGTN"[random() % 41 / 10];
        for (size_t put = random() % 3; put > 0; --put) {
            std::string adapter(k_adapter_list[random() % k_fastqc_adapters].bases);
            if (random() % 2 == 0) adapter[random() % adapter.size()] = "ACGTN"[random() % 5];
            if (read.size() >= adapter.size())
                read.replace(random() % (read.size() - adapter.size() + 1), adapter.size(), adapter);
        }
        for (size_t adapter = 0; adapter < k_fastqc_adapters; ++adapter) {
            const size_t at = read.find(k_adapter_list[adapter].bases);
            if (at == std::string::npos) continue;
            expected[adapter].add(at);
            ++finds;
        }
        const bool reverse = random() % 2 == 1;
        std::vector<Base> bases(read.size());
        to_bases(read, bases);
        if (reverse) {
            std::vector<Base> turned(bases.size());
            reverse_complement(bases, turned);
            bases = turned;
        }
        const std::vector<uint8_t> qualities(bases.size(), 30);
        RecordBatch batch;
        RecordFields fields;
        fields.name = "r";
        fields.bases = bases;
        fields.qualities = qualities;
        { const RecordAppender appender(batch, fields); }
        for (size_t level = 0; level < searches.size(); ++level)
            searches[level].count(batch.view(0), reverse, found[level]);
    }
    EXPECT_GT(finds, 2000u);
    for (const auto& of : found) EXPECT_EQ(of, expected);
}

TEST(Adapters, are_found_at_the_start_with_one_difference) {
    const auto found = [](std::string letters, bool reverse) {
        std::vector<Base> bases(letters.size());
        to_bases(letters, bases);
        if (reverse) {
            std::vector<Base> turned(bases.size());
            reverse_complement(bases, turned);
            bases = turned;
        }
        const std::vector<uint8_t> qualities(bases.size(), 30);
        RecordBatch batch;
        RecordFields fields;
        fields.name = "r";
        fields.bases = bases;
        fields.qualities = qualities;
        { const RecordAppender appender(batch, fields); }
        return begins_with_adapter(batch.view(0), reverse);
    };
    for (const bool reverse : {false, true}) {
        EXPECT_TRUE(found("GATCGGAAGAGCACACGTTTTTTTT", reverse));
        EXPECT_TRUE(found("GATCGGAAGTGCACACGTTTTTTTT", reverse));
        EXPECT_FALSE(found("GATCGGAAGTGCACTCGTTTTTTTT", reverse));
        EXPECT_FALSE(found("GATCGGAAGAGCACA", reverse));  // too short
    }
}

/// Pairs that overlap, of any quality: each template once per position, by names.
TEST(GoodDepth, counts_a_template_once_per_position) {
    const RecordBatch batch = sorted_pairs(800);
    const Reference of = reference();
    std::vector<std::map<std::string_view, int>> good(32 * of.packed().size());
    for (size_t i = 0; i < batch.entries.size(); ++i) {
        const RecordView record = batch.view(i);
        if (record.mapping_quality() < k_min_quality || record.has(k_flag_duplicate)) continue;
        const uint64_t start = of.contigs()[static_cast<size_t>(record.contig())].offset +
                               static_cast<uint64_t>(record.position());
        for_each_block(record, [&](size_t in_read, size_t in_reference, size_t bases) {
            for (size_t base = 0; base < bases; ++base) {
                const uint64_t at = start + in_reference + base;
                if (record.qualities()[in_read + base] < k_min_quality ||
                    record.base(in_read + base) == k_base_n || UnknownBases(of).count(at, at + 1) > 0)
                    continue;
                ++good[at][record.name()];
            }
        });
    }
    std::vector<uint64_t> expected(1);
    uint64_t overlapping = 0;
    for (const auto& names : good) {
        if (names.empty()) continue;
        expected.resize(std::max(expected.size(), names.size() + 1));
        ++expected[names.size()];
        for (const auto& [name, times] : names) overlapping += static_cast<uint64_t>(times) - 1;
    }
    QualityControl qc(of);
    ChunkDepths depths;
    qc.count(batch.bytes, batch.entries, depths);
    qc.append(batch.bytes, batch.entries, depths);
    qc.finish();
    std::vector<uint64_t> counted = qc.good_depth().positions();
    counted.resize(std::max(counted.size(), expected.size()));
    expected.resize(counted.size());
    EXPECT_GT(overlapping, 1000u);
    EXPECT_EQ(counted, expected);
    EXPECT_EQ(qc.good_depth().overlapping(), overlapping);
}

TEST(Checksum, is_that_of_gzip) {
    const std::string text = "123456789";
    EXPECT_EQ(crc32({reinterpret_cast<const uint8_t*>(text.data()), text.size()}), 0xcbf43926u);
}

}  // namespace
}  // namespace gannet::pipeline::qc
