// SPDX-License-Identifier: MIT
// Tests the counts of reads that change the length of a repeat.
#include "variants/sample/repeat_stutter.hpp"

#include "data/record.hpp"
#include "variants/sample/gap_quality.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>

namespace gannet::variants {
namespace {

constexpr size_t k_short = 0, k_middle = 1, k_period_2 = 4;

/// Reads on 40 plain bases, a repeat, and 40 plain bases.
class StutterWindowTest : public ::testing::Test {
  protected:
    void set_repeat(const std::string& repeat, int64_t begin = 0, int64_t counted_from = 0) {
        const std::string letters =
            "GATCGTACTGCATGACTCGATGCTACGTCAGTCTAGCATG" + repeat + "GCATGCTAGTCATCGATGCAGTACTGATCGTCATGACGTC";
        bases_.resize(letters.size());
        data::to_bases(letters, bases_);
        begin_ = begin;
        length_ = static_cast<int64_t>(repeat.size());
        window_.emplace(bases_, begin, counted_from);
    }
    /// From `from` to `to`, in bases beside the repeat, with its length changed by `change` at its left end.
    void add(int times, int change, int left = 20, int right = 20) {
        std::vector<uint32_t> cigar{data::cigar_element(static_cast<uint32_t>(left), data::k_cigar_match)};
        int64_t rest = length_ + right;
        if (change > 0)
            cigar.push_back(data::cigar_element(static_cast<uint32_t>(change), data::k_cigar_insertion));
        if (change < 0) {
            cigar.push_back(data::cigar_element(static_cast<uint32_t>(-change), data::k_cigar_deletion));
            rest += change;
        }
        cigar.push_back(data::cigar_element(static_cast<uint32_t>(rest), data::k_cigar_match));
        const auto bp = static_cast<size_t>(left + std::max(change, 0) + rest);
        const std::vector<data::Base> bases(bp, 0);
        const std::vector<uint8_t> qualities(bp, 30);
        data::RecordFields fields;
        fields.contig = 0;
        fields.position = static_cast<int32_t>(begin_ + 40 - left);
        fields.mapping_quality = 60;
        fields.name = "r";
        fields.cigar = cigar;
        fields.bases = bases;
        fields.qualities = qualities;
        data::RecordBatch batch;
        { data::RecordAppender appender(batch, fields); }
        for (int i = 0; i < times; ++i) window_->add(batch.view(0));
    }
    StutterCounts finish() const {
        StutterCounts counts;
        window_->finish(counts);
        return counts;
    }

    std::vector<data::Base> bases_;
    int64_t begin_ = 0;
    int64_t length_ = 0;
    std::optional<StutterWindow> window_;
};

TEST_F(StutterWindowTest, reads_of_another_length_are_counted_by_class) {
    set_repeat("AAAAAAAA", 5000);
    add(18, 0);
    add(1, -1);
    add(1, 2);
    StutterCounts counts = finish();
    EXPECT_EQ(counts.reads[k_short], 20u);
    EXPECT_EQ(counts.changed[k_short], 2u);
    set_repeat("TTTTTTTTTTT");
    add(10, 0);
    counts = finish();
    EXPECT_EQ(counts.reads[k_middle], 10u);
    EXPECT_EQ(counts.changed[k_middle], 0u);
    EXPECT_EQ(counts.reads[k_short], 0u);
    set_repeat("CACACACACACA");
    add(9, 0);
    add(1, -2);
    counts = finish();
    EXPECT_EQ(counts.reads[k_period_2], 10u);
    EXPECT_EQ(counts.changed[k_period_2], 1u);
}

TEST_F(StutterWindowTest, variants_of_the_sample_are_no_stutter) {
    set_repeat("AAAAAAAA");
    add(10, 0);
    add(8, -1);
    EXPECT_EQ(finish().reads, StutterCounts().reads) << "heterozygous";
    set_repeat("AAAAAAAA");
    add(19, 1);
    add(1, 0);
    EXPECT_EQ(finish().reads[k_short], 20u) << "homozygous";
    EXPECT_EQ(finish().changed[k_short], 1u);
}

TEST_F(StutterWindowTest, reads_that_end_near_the_repeat_do_not_count) {
    set_repeat("AAAAAAAA");
    add(10, 0, 4, 20);
    add(10, 0, 20, 4);
    EXPECT_EQ(finish(), StutterCounts());
    add(8, 0, 5, 5);
    EXPECT_EQ(finish().reads[k_short], 8u);
}

TEST_F(StutterWindowTest, short_repeats_and_those_before_the_counted_part_are_left_out) {
    set_repeat("AAAAA");
    add(20, 0);
    EXPECT_EQ(finish(), StutterCounts());
    set_repeat("NNNNNNNN");
    add(20, 0);
    EXPECT_EQ(finish(), StutterCounts());
    set_repeat("AAAAAAAA", 1000, 1041);
    add(20, 0);
    EXPECT_EQ(finish(), StutterCounts());
}

TEST_F(StutterWindowTest, reads_of_one_length_are_counted_by_it_for_the_qualities_of_gaps) {
    const auto usual = [](int64_t length, size_t period) {
        return 20 * stutter_per_billion(usual_gap_qualities(), length, period);
    };
    set_repeat("AAAAAAAAAA");
    add(20, 0);
    EXPECT_EQ(finish().gaps.homopolymer[10], (GapCounts::Count{0, usual(10, 1)}));
    set_repeat("AAAAAAAAAA");
    add(20, -1);
    EXPECT_EQ(finish().gaps.homopolymer[9], (GapCounts::Count{0, usual(9, 1)}));
    set_repeat("CACACACACACACA");
    add(20, 2);
    EXPECT_EQ(finish().gaps.period_2[8], (GapCounts::Count{0, usual(16, 2)}));
    set_repeat("ACTGAACTGAACTGA");
    add(20, -5);
    EXPECT_EQ(finish().gaps.longer[2], (GapCounts::Count{0, usual(10, 5)})) << "more than 4 bp are a copy";
}

TEST_F(StutterWindowTest, repeats_of_several_lengths_are_kept_for_the_qualities_of_gaps) {
    set_repeat("ACTACTACTACTACT");
    add(19, 0);
    add(1, 3);
    const StutterCounts counts = finish();
    ASSERT_EQ(counts.gaps.varied.size(), 1u);
    EXPECT_EQ(counts.gaps.varied[0], (GapCounts::Varied{3, 15, {0, 0, 0, 0, 19, 0, 0, 1, 0}}));
    EXPECT_EQ(counts.gaps.longer, GapCounts().longer);
    EXPECT_EQ(counts.reads, StutterCounts().reads) << "the classes have no such repeats";
    StutterCounts sum;
    sum.add(counts);
    sum.add(counts);
    EXPECT_EQ(sum.gaps.varied.size(), 2u);
}

TEST_F(StutterWindowTest, repeats_of_few_reads_or_with_changes_of_unknown_length_say_nothing_of_gaps) {
    set_repeat("AAAAAAAAAA");
    add(5, 0);
    EXPECT_EQ(finish().gaps, GapCounts());
    set_repeat("AAAAAAAAAA");
    add(15, 0);
    add(4, -5);
    EXPECT_EQ(finish().gaps, GapCounts());
    EXPECT_EQ(finish().changed[k_middle], 4u);
}

TEST(StutterCounts, share_is_stated_in_phred_and_percent) {
    StutterCounts counts;
    EXPECT_EQ(counts.to_text(), "not measured");
    counts.reads[k_middle] = 10000;
    counts.changed[k_middle] = 100;
    StutterCounts sum;
    sum.add(counts);
    sum.add(counts);
    EXPECT_EQ(sum.to_text(), "9-11 bp 1.00 %");
    EXPECT_FALSE(sum.is_known(k_short));
    EXPECT_NEAR(static_cast<double>(sum.phred_centi(k_middle)), 2000, 3);
}

}  // namespace
}  // namespace gannet::variants
