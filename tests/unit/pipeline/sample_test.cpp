// SPDX-License-Identifier: MIT
// Tests which part of the alignments a sample is measured from.
#include "pipeline/jobs/sample.hpp"

#include "tests/unit/variants/caller_support.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

namespace gannet::pipeline {
namespace {

/// Reads of 100 bases that equal the reference, `depth` times over [begin, end).
class MadeUpReads : public stages::ChunkSource {
  public:
    MadeUpReads(const std::string& letters, int64_t begin, int64_t end, int depth)
        : letters_(letters), begin_(begin), end_(end), depth_(depth) {}

    bool visit(std::span<const data::Region> windows, unsigned, const VisitRecord& visit) override {
        ++visits;
        for (size_t i = 0; i < windows.size(); ++i) {
            for (int64_t at = (windows[i].begin + 99) / 100 * 100; at < windows[i].end; at += 100) {
                if (at < begin_ || at + 100 > end_) continue;
                bases += 100 * depth_;
                add(at, i, visit);
            }
        }
        return true;
    }
    bool next(stages::ChunkTask&) override { return false; }
    void load(stages::ChunkTask&) override {}
    bool expected_records(uint64_t&) const override { return false; }

    int visits = 0;
    int64_t bases = 0;

  private:
    void add(int64_t at, size_t window, const VisitRecord& visit) const {
        data::RecordBatch batch;
        variants::testing::append_match(batch, letters_, at);
        for (int i = 0; i < depth_; ++i) visit(window, batch.view(0), 0);
    }

    const std::string& letters_;
    int64_t begin_, end_;
    int depth_;
};

class SampleTest : public ::testing::Test {
  protected:
    MeasuredSample measure(MadeUpReads& reads) const {
        Tracer tracer(false);
        return measure_sample({}, reads, *reference_, {}, 1, tracer);
    }

    static constexpr int64_t k_size = 16'000'000;
    std::mt19937_64 random_{5};
    std::string letters_ = variants::testing::random_letters(random_, k_size);
    std::shared_ptr<const data::Reference> reference_ = variants::testing::make_reference(letters_);
};

TEST(ContaminationText, says_what_the_estimate_does_not_explain) {
    variants::ContaminationEstimate estimate{200, 6'000, 100, 0};
    EXPECT_EQ(contamination_text(estimate),
              "0.00 % (measured: 100 of 6000 fragments at 200 homozygous SNPs have the reference base)");
    estimate.reference_fragments = 241;
    EXPECT_EQ(
        contamination_text(estimate),
        "0 (not measured: 241 of 6000 fragments at 200 homozygous SNPs have the reference base, but not as "
        "few fragments of another individual would: a mixture, or DNA of few cells?)");
    estimate.parts_per_million = 50'000;
    EXPECT_EQ(contamination_text(estimate),
              "5.00 % (measured: 241 of 6000 fragments at 200 homozygous SNPs have the reference base)");
}

TEST_F(SampleTest, two_million_bases_of_a_complete_genome_are_enough) {
    MadeUpReads reads(letters_, 0, k_size, 25);
    const MeasuredSample sample = measure(reads);
    EXPECT_EQ(reads.visits, 1);
    EXPECT_LT(reads.bases, 25 * 2'100'000);
    ASSERT_TRUE(sample.model.depth.is_known());
    EXPECT_NEAR(sample.model.depth.by_gc[10], 25 * 256, 128);
}

TEST_F(SampleTest, a_shallow_sample_is_measured_in_more_of_the_genome) {
    MadeUpReads half(letters_, 0, k_size, 13);
    measure(half);
    EXPECT_GE(half.bases, variants::k_profile_bases);
    EXPECT_LT(half.bases, 13 * 4'200'000);
    MadeUpReads shallow(letters_, 0, k_size, 2);
    const MeasuredSample sample = measure(shallow);
    EXPECT_GT(shallow.bases, 2 * 7'800'000);
    EXPECT_LT(shallow.bases, 2 * 8'200'000);
    EXPECT_NEAR(sample.model.depth.by_gc[10], 2 * 256, 128);
}

TEST_F(SampleTest, alignments_of_a_part_of_the_genome_are_measured_where_they_are) {
    MadeUpReads reads(letters_, 3'000'000, 5'000'000, 8);
    const MeasuredSample sample = measure(reads);
    EXPECT_GT(reads.visits, 1);
    EXPECT_GE(reads.bases, 8 * 800'000);
    ASSERT_TRUE(sample.model.depth.is_known()) << sample.text;
    EXPECT_NEAR(sample.model.depth.by_gc[10], 8 * 256, 128);
}

TEST_F(SampleTest, no_reads_end_the_search) {
    MadeUpReads reads(letters_, 0, 0, 8);
    EXPECT_FALSE(measure(reads).model.depth.is_known());
    EXPECT_LE(reads.visits, 9);
}

}  // namespace
}  // namespace gannet::pipeline
