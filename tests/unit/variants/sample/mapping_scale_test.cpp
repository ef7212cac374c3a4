// SPDX-License-Identifier: MIT
// Tests the scale of mapping qualities and its estimate.
#include "variants/sample/mapping_scale.hpp"

#include "data/record.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace gannet::variants {
namespace {

void count(ReadCounts& reads, size_t times, uint8_t mapping_quality, size_t length = 100, uint16_t flag = 0) {
    const std::vector<data::Base> bases(length, 1);
    const std::vector<uint8_t> qualities(length, 30);
    const std::vector<uint32_t> cigar = {
        data::cigar_element(static_cast<uint32_t>(length), data::k_cigar_match)};
    data::RecordFields fields;
    fields.flag = flag;
    fields.contig = 0;
    fields.position = 10;
    fields.mapping_quality = mapping_quality;
    fields.name = "r";
    fields.cigar = cigar;
    fields.bases = bases;
    fields.qualities = qualities;
    data::RecordBatch batch;
    { data::RecordAppender appender(batch, fields); }
    for (size_t i = 0; i < times; ++i) reads.count(batch.view(0));
}

TEST(MappingScale, usual_ceiling_changes_nothing_up_to_it) {
    const MappingScale scale;
    for (int q = 0; q <= 60; ++q) EXPECT_EQ(scale.of(static_cast<uint8_t>(q)), q);
    for (int q = 61; q < 256; ++q) EXPECT_EQ(scale.of(static_cast<uint8_t>(q)), 60);
}

TEST(MappingScale, lower_ceiling_is_stretched_to_the_usual_one) {
    const MappingScale scale(42);
    EXPECT_EQ(scale.of(uint8_t{0}), 0);
    EXPECT_EQ(scale.of(uint8_t{1}), 1);
    EXPECT_EQ(scale.of(uint8_t{14}), 20);
    EXPECT_EQ(scale.of(uint8_t{40}), 57);
    EXPECT_EQ(scale.of(uint8_t{42}), 60);
    EXPECT_EQ(scale.of(uint8_t{255}), 60);
    for (int q = 1; q < 256; ++q)
        EXPECT_GE(scale.of(static_cast<uint8_t>(q)), scale.of(static_cast<uint8_t>(q - 1)));
}

TEST(MappingScale, higher_ceiling_keeps_probabilities) {
    const MappingScale scale(250);
    EXPECT_EQ(scale.of(uint8_t{20}), 20);
    EXPECT_EQ(scale.of(uint8_t{250}), 60);
}

TEST(ReadCounts, ceiling_is_the_highest_quality_that_many_reads_have) {
    ReadCounts reads;
    count(reads, 700, 42);
    count(reads, 200, 24);
    EXPECT_EQ(reads.scale().ceiling(), 60) << "of few reads";
    count(reads, 100, 0);
    EXPECT_EQ(reads.scale().ceiling(), 42);
    EXPECT_EQ(to_text(reads.scale()), "mapping qualities up to 42, used as up to 60");
    count(reads, 1, 60);
    EXPECT_EQ(reads.scale().ceiling(), 60) << "one read shows that the aligner gives more";
    EXPECT_EQ(to_text(reads.scale()), "mapping qualities up to 60");
}

TEST(ReadCounts, best_of_doubtful_reads_is_no_ceiling) {
    ReadCounts copies;  // every place of the reference is there twice
    count(copies, 2000, 0);
    EXPECT_EQ(copies.scale().ceiling(), 60);
    count(copies, 400, 27);
    EXPECT_EQ(copies.scale().ceiling(), 60);
    ReadCounts few;
    count(few, 2000, 3);
    count(few, 200, 40);
    EXPECT_EQ(few.scale().ceiling(), 60) << "less than a tenth have the highest";
    count(few, 50, 40);
    EXPECT_EQ(few.scale().ceiling(), 40);
}

TEST(ReadCounts, sums_of_parts_are_those_of_all) {
    ReadCounts first;
    ReadCounts second;
    ReadCounts all;
    count(first, 600, 42, 101);
    count(second, 600, 3, 76);
    count(all, 600, 42, 101);
    count(all, 600, 3, 76);
    first.add(second);
    EXPECT_EQ(first, all);
    EXPECT_EQ(first.scale().ceiling(), 42);
}

TEST(ReadCounts, pairs_are_improper_where_few_of_them_are_proper) {
    constexpr uint16_t k_proper = data::k_flag_paired | data::k_flag_proper_pair;
    ReadCounts reads;
    EXPECT_FALSE(reads.has_improper_pairs());
    count(reads, 40, 60, 100, data::k_flag_paired);
    EXPECT_TRUE(reads.has_improper_pairs());
    ReadCounts proper;
    count(proper, 50, 60, 100, k_proper);
    reads.add(proper);
    EXPECT_FALSE(reads.has_improper_pairs());
    ReadCounts single;
    count(single, 60, 60, 100);
    count(single, 50, 60, 100, data::k_flag_paired);
    EXPECT_FALSE(single.has_improper_pairs()) << "most reads have no mates";
}

TEST(ReadCounts, usual_length_is_the_median) {
    ReadCounts reads;
    EXPECT_EQ(reads.usual_read_bp(), 150);
    count(reads, 10, 60, 250);
    EXPECT_EQ(reads.usual_read_bp(), 250);
    count(reads, 11, 60, 30);
    EXPECT_EQ(reads.usual_read_bp(), 30);
    count(reads, 30, 60, 5000);
    EXPECT_EQ(reads.usual_read_bp(), 1023) << "the table ends there";
}

}  // namespace
}  // namespace gannet::variants
