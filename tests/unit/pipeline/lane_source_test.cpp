// SPDX-License-Identifier: MIT
// Checks that a lane's batches are numbered densely and cut exactly at the limit of the insert-size sample.
#include "pipeline/stages/lane_source.hpp"

#include <gtest/gtest.h>

namespace gannet::pipeline::stages {
namespace {

/// `templates` pairs of lengths 3 and 4, `size` per batch; template t is named by its number, its bases are t
/// % 4.
class FakeLane : public data::fastq::LaneReader {
  public:
    FakeLane(uint32_t templates, uint32_t size) : LaneReader({}), templates_(templates), size_(size) {}
    bool read(data::ReadBatch& batch) override {
        batch.clear();
        batch.paired = true;
        for (uint32_t n = 0; n < size_ && next_ < templates_; ++n, ++next_) {
            const std::string name = std::to_string(next_);
            batch.names.insert(batch.names.end(), name.begin(), name.end());
            batch.name_offset.push_back(static_cast<uint32_t>(batch.names.size()));
            for (const size_t length : {size_t{3}, size_t{4}}) {
                batch.bases.insert(batch.bases.end(), length, static_cast<data::Base>(next_ % 4));
                batch.qualities.insert(batch.qualities.end(), length, static_cast<uint8_t>(next_ % 40));
                batch.base_offset.push_back(static_cast<uint32_t>(batch.bases.size()));
            }
        }
        return batch.templates() > 0;
    }

  private:
    uint32_t templates_;
    uint32_t size_;
    uint32_t next_ = 0;
};

void expect_templates(const data::ReadBatch& batch, uint64_t& next) {
    EXPECT_EQ(batch.first_template, next);
    ASSERT_EQ(batch.reads(), 2 * batch.templates());
    for (size_t t = 0; t < batch.templates(); ++t, ++next) {
        EXPECT_EQ(batch.name(t), std::to_string(next));
        EXPECT_EQ(batch.read_bases(2 * t).size(), 3u);
        EXPECT_EQ(batch.read_bases(2 * t + 1).size(), 4u);
        EXPECT_EQ(batch.read_bases(2 * t + 1)[3], next % 4);
        EXPECT_EQ(batch.read_qualities(2 * t)[0], next % 40);
    }
}

class LaneSourceTest : public testing::TestWithParam<uint32_t> {};

TEST_P(LaneSourceTest, cut_lies_at_the_limit_whatever_the_batches) {
    InputNumbers numbers;
    LaneSource source(std::make_unique<FakeLane>(1000, GetParam()), 7, numbers);
    data::ReadBatch batch;
    uint64_t next = 0;
    uint64_t ordinal = 0;
    while (source.next(batch, 300)) {
        expect_templates(batch, next);
        EXPECT_EQ(batch.ordinal, ordinal++);
    }
    EXPECT_EQ(next, 300u);
    while (source.next(batch)) {
        expect_templates(batch, next);
        EXPECT_EQ(batch.ordinal, ordinal++);
        EXPECT_EQ(batch.read_group, 7u);
        EXPECT_TRUE(batch.paired);
    }
    EXPECT_EQ(next, 1000u);
    EXPECT_EQ(numbers.reads, 2000u);
    EXPECT_EQ(numbers.bases, 7000u);
    EXPECT_EQ(numbers.next_template, 1000u);
}

INSTANTIATE_TEST_SUITE_P(BatchSizes, LaneSourceTest, testing::Values(1, 7, 100, 128, 300, 301, 5000));

TEST(LaneSource, numbers_go_on_in_the_next_lane) {
    InputNumbers numbers;
    data::ReadBatch batch;
    LaneSource first(std::make_unique<FakeLane>(10, 4), 0, numbers);
    while (first.next(batch)) {
    }
    LaneSource second(std::make_unique<FakeLane>(3, 4), 1, numbers);
    ASSERT_TRUE(second.next(batch));
    EXPECT_EQ(batch.ordinal, 3u);
    EXPECT_EQ(batch.first_template, 10u);
}

}  // namespace
}  // namespace gannet::pipeline::stages
