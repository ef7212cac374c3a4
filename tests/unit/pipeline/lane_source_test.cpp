// SPDX-License-Identifier: MIT
// Checks that lanes are opened early but reported in their order, and that a lane's batches are numbered
// densely and end exactly at the limit of the insert-size sample.
#include "pipeline/stages/lane_source.hpp"

#include "data/error.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <future>
#include <sys/stat.h>

namespace gannet::pipeline::stages {
namespace {

/// `templates` pairs of lengths 3 and 4, `size` per batch; template t is named by its number, its bases are t
/// % 4.
class FakeLane : public data::fastq::LaneReader {
  public:
    FakeLane(uint32_t templates, uint32_t size) : LaneReader({}), templates_(templates), size_(size) {}
    size_t cut(data::fastq::TextBatch& text, data::ReadBatch& batch, size_t most_templates) override {
        text.clear();
        batch.clear();
        batch.paired = true;
        for (uint32_t n = 0; n < size_ && n < most_templates && next_ < templates_; ++n, ++next_) {
            const std::string name = std::to_string(next_);
            batch.names.insert(batch.names.end(), name.begin(), name.end());
            batch.name_offset.push_back(static_cast<uint32_t>(batch.names.size()));
            for (const size_t length : {size_t{3}, size_t{4}}) {
                batch.bases.insert(batch.bases.end(), length, static_cast<data::Base>(next_ % 4));
                batch.qualities.insert(batch.qualities.end(), length, static_cast<uint8_t>(next_ % 40));
                batch.base_offset.push_back(static_cast<uint32_t>(batch.bases.size()));
            }
        }
        return batch.templates();
    }
    void parse(const data::fastq::TextBatch&, data::ReadBatch&) const override {}

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
    data::fastq::TextBatch text;
    data::ReadBatch batch;
    uint64_t next = 0;
    uint64_t ordinal = 0;
    while (source.next(text, batch, 300)) {
        expect_templates(batch, next);
        EXPECT_EQ(batch.ordinal, ordinal++);
    }
    EXPECT_EQ(next, 300u);
    while (source.next(text, batch)) {
        expect_templates(batch, next);
        EXPECT_EQ(batch.ordinal, ordinal++);
        EXPECT_EQ(batch.read_group, 7u);
        EXPECT_TRUE(batch.paired);
    }
    EXPECT_EQ(next, 1000u);
    EXPECT_EQ(numbers.reads, 2000u);
    EXPECT_EQ(numbers.next_template, 1000u);
}

INSTANTIATE_TEST_SUITE_P(BatchSizes, LaneSourceTest, testing::Values(1, 7, 100, 128, 300, 301, 5000));

TEST(LaneSource, numbers_go_on_in_the_next_lane) {
    InputNumbers numbers;
    data::fastq::TextBatch text;
    data::ReadBatch batch;
    LaneSource first(std::make_unique<FakeLane>(10, 4), 0, numbers);
    while (first.next(text, batch)) {
    }
    LaneSource second(std::make_unique<FakeLane>(3, 4), 1, numbers);
    ASSERT_TRUE(second.next(text, batch));
    EXPECT_EQ(batch.ordinal, 3u);
    EXPECT_EQ(batch.first_template, 10u);
}

std::string only_name(data::fastq::LaneReader& reader) {
    data::ReadBatch batch;
    EXPECT_TRUE(reader.read(batch));
    return std::string(batch.name(0));
}

TEST(LaneReaders, next_lane_is_open_while_one_is_read) {
    const tests::TemporaryFolder folder;
    std::vector<data::fastq::Lane> lanes;
    for (const char* const name : {"a", "b", "c"})
        lanes.push_back({folder.write(name, std::string("@") + name + "\nACGT\n+\nIIII\n"), "", false, 0});
    LaneReaders readers(lanes, {}, nullptr);
    const auto first = readers.next();
    std::filesystem::remove(folder.path("b"));
    EXPECT_EQ(only_name(*first), "a");
    EXPECT_EQ(only_name(*readers.next()), "b");
    EXPECT_EQ(only_name(*readers.next()), "c");
}

TEST(LaneReaders, lane_that_cannot_be_opened_is_reported_in_its_turn) {
    const tests::TemporaryFolder folder;
    const std::string good = folder.write("good", "@a\nACGT\n+\nIIII\n");
    const std::string bad = folder.write("bad", "BZh91AY&SY");
    const std::vector<data::fastq::Lane> lanes = {{good, "", false, 0}, {bad, "", false, 0}};
    LaneReaders readers(lanes, {}, nullptr);
    EXPECT_EQ(only_name(*readers.next()), "a");
    try {
        readers.next();
        FAIL();
    } catch (const data::Error& error) {
        EXPECT_EQ(error.kind(), data::ErrorKind::malformed_input);
        EXPECT_NE(std::string(error.what()).find("bzip2"), std::string::npos) << error.what();
    }
}

TEST(LaneReaders, named_pipe_is_not_opened_before_its_turn) {
    const tests::TemporaryFolder folder;
    const std::string text = "@a\nACGT\n+\nIIII\n";
    const std::string pipe = folder.path("pipe");
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    const std::vector<data::fastq::Lane> lanes = {{folder.write("file", text), "", false, 0},
                                                  {pipe, "", false, 0}};
    LaneReaders readers(lanes, {}, nullptr);
    auto first = std::async(std::launch::async, [&] { return only_name(*readers.next()); });
    const bool waits = first.wait_for(std::chrono::seconds(10)) == std::future_status::timeout;
    EXPECT_FALSE(waits) << "the first lane waits for the writer of the second";
    auto writer = std::async(std::launch::async, [&] { std::ofstream(pipe) << text; });
    EXPECT_EQ(first.get(), "a");
    EXPECT_EQ(only_name(*readers.next()), "a");
}

}  // namespace
}  // namespace gannet::pipeline::stages
