// SPDX-License-Identifier: MIT
// Tests which reads count by their mapping quality.
#include "variants/reads/mapping_filter.hpp"

#include "data/record.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace gannet::variants {
namespace {

class MappingFilterTest : public ::testing::Test {
  protected:
    /// A record of `length` bases at `position`; of its reference bases `skipped` are an intron.
    void add(int32_t position, uint8_t mapping_quality, uint16_t flag = 0, uint32_t skipped = 0) {
        const std::vector<data::Base> bases(100, 1);
        const std::vector<uint8_t> qualities(100, 30);
        std::vector<uint32_t> cigar = {data::cigar_element(50, data::k_cigar_match)};
        if (skipped != 0) cigar.push_back(data::cigar_element(skipped, data::k_cigar_skip));
        cigar.push_back(data::cigar_element(50, data::k_cigar_match));
        data::RecordFields fields;
        fields.contig = 0;
        fields.position = position;
        fields.mapping_quality = mapping_quality;
        fields.flag = flag;
        fields.name = "r";
        fields.cigar = cigar;
        fields.bases = bases;
        fields.qualities = qualities;
        data::RecordAppender appender(batch_, fields);
    }
    /// What the filter says of each record, 1 for those that it keeps.
    std::vector<int> kept(int64_t begin = 0, int64_t end = 10'000) {
        std::vector<data::RecordView> views;
        for (size_t i = 0; i < batch_.entries.size(); ++i) views.push_back(batch_.view(i));
        filter_.load(views, scale_, 20, 5, begin, end);
        std::vector<int> out;
        for (const data::RecordView& view : views) out.push_back(filter_.keeps(view));
        return out;
    }

    data::RecordBatch batch_;
    MappingScale scale_;
    MappingFilter filter_;
};

TEST_F(MappingFilterTest, without_neighbours_only_the_minimum_counts) {
    add(1'000, 19);
    add(1'000, 20);
    const MappingFilter filter(20);
    EXPECT_FALSE(filter.keeps(batch_.view(0)));
    EXPECT_TRUE(filter.keeps(batch_.view(1)));
}

TEST_F(MappingFilterTest, doubtful_reads_count_beside_more_reads_that_are_none) {
    add(1'000, 5);
    add(1'000, 60);
    add(1'000, 0);
    add(1'000, 4);
    EXPECT_EQ(kept(), (std::vector<int>{0, 1, 0, 0}));  // two of four are below: not most
    add(1'000, 19);
    EXPECT_EQ(kept(), (std::vector<int>{1, 1, 0, 0, 1}));
}

TEST_F(MappingFilterTest, qualities_are_those_of_the_scale) {
    scale_ = MappingScale(42);
    add(1'000, 13);
    add(1'000, 14);
    add(1'000, 3);
    for (int i = 0; i < 3; ++i) add(1'000, 0);
    EXPECT_EQ(kept(), (std::vector<int>{0, 1, 0, 0, 0, 0}));  // 14 of 42 is 20 of 60
    for (int i = 0; i < 3; ++i) add(1'000, 42);
    EXPECT_EQ(kept(), (std::vector<int>{1, 1, 0, 0, 0, 0, 1, 1, 1}));  // 3 of 42 is 4 of 60
    EXPECT_EQ(filter_.quality_of(batch_.view(0)), 19);
    EXPECT_EQ(filter_.quality_of(batch_.view(6)), 60);
}

TEST_F(MappingFilterTest, neighbours_are_those_over_the_read) {
    add(1'000, 12);
    add(1'000, 60);
    for (int i = 0; i < 5; ++i) add(1'200, 0);  // 100 bp beyond
    EXPECT_EQ(kept(), (std::vector<int>{1, 1, 0, 0, 0, 0, 0}));
    for (int i = 0; i < 5; ++i) add(1'010, 0);
    EXPECT_EQ(kept()[0], 0);
}

TEST_F(MappingFilterTest, supplementary_records_are_no_neighbours) {
    add(1'000, 12);
    for (int i = 0; i < 5; ++i) add(1'000, 0, data::k_flag_supplementary);
    EXPECT_EQ(kept()[0], 1);
}

TEST_F(MappingFilterTest, records_may_reach_beyond_the_range) {
    add(10, 12);
    add(2'000, 12, 0, 200'000'000);
    add(900'000, 12);
    EXPECT_EQ(kept(1'000, 3'000), (std::vector<int>{0, 1, 0}));
    EXPECT_EQ(kept(1'000, 1'001), (std::vector<int>{0, 0, 0}));
}

}  // namespace
}  // namespace gannet::variants
