// SPDX-License-Identifier: MIT
// Tests the one way from a genotype to a finished record.
#include "variants/records/record.hpp"

#include "tests/unit/variants/caller_support.hpp"
#include "variants/records/quality_caps.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace gannet::variants {
namespace {

using testing::make_reference;

class FinishRecordTest : public ::testing::Test {
  protected:
    /// A heterozygous SNV of a few alternate reads, so certain by its likelihoods that only a limit can lower
    /// it.
    static data::Variant few_reads() {
        data::Variant record;
        record.position = 10;
        record.alleles = {"A", "C"};
        record.genotype = {0, 1};
        record.quality_centi = 9'000;
        record.genotype_quality = 90;
        record.depth = 6;
        record.allele_depth = {4, 2};
        record.strand_counts = {2, 2, 1, 1};
        record.mapping_quality = 60;
        return record;
    }
    data::Variant finished(DecidedBy decided, data::Variant record, uint32_t region_filters = 0) const {
        finish_record({*reference_, parameters_, sample_}, decided, {region_filters, 2}, 0, record);
        return record;
    }

    std::shared_ptr<const data::Reference> reference_ = make_reference(std::string(40, 'A'));
    CallerParameters parameters_;
    SampleModel sample_;
};

TEST_F(FinishRecordTest, limits_hold_whoever_decided) {
    const QualityCaps caps = quality_caps(statistics_of(few_reads()));
    ASSERT_LT(caps.quality, 40);  // of a call that nothing speaks against
    for (const DecidedBy decided : {DecidedBy::caller, DecidedBy::network}) {
        const data::Variant record = finished(decided, few_reads());
        EXPECT_EQ(record.quality_centi, caps.quality * 100);
        EXPECT_EQ(record.genotype_quality, caps.genotype_quality);
        EXPECT_EQ(record.uncapped_quality_centi, 9'000);
    }
}

TEST_F(FinishRecordTest, filters_of_the_place_are_the_callers_alone) {
    EXPECT_EQ(finished(DecidedBy::caller, few_reads(), data::k_filter_high_depth).filters,
              uint32_t{data::k_filter_high_depth});
    EXPECT_EQ(finished(DecidedBy::network, few_reads(), data::k_filter_high_depth).filters, 0u);
    data::Variant low = few_reads();
    low.quality_centi = 900;
    EXPECT_EQ(finished(DecidedBy::caller, low).filters, uint32_t{data::k_filter_low_quality});
    EXPECT_EQ(finished(DecidedBy::network, low).filters, uint32_t{data::k_filter_low_quality});
}

TEST_F(FinishRecordTest, high_depth_stays_where_the_site_has_more_than_two_copies) {
    sample_.depth.by_gc.fill(30 * 256);
    const auto is_filtered = [&](std::vector<int32_t> depths, std::vector<int8_t> genotype) {
        data::Variant record = few_reads();
        record.genotype = {genotype[0], genotype[1]};
        if (depths.size() > 2) record.alleles.emplace_back("G");
        record.allele_depth = depths;
        return finished(DecidedBy::caller, record, data::k_filter_high_depth).filters != 0;
    };
    EXPECT_FALSE(is_filtered({15, 14}, {0, 1}));
    EXPECT_TRUE(is_filtered({30, 29}, {0, 1}));
    EXPECT_FALSE(is_filtered({0, 15, 14}, {1, 2}));
    EXPECT_TRUE(is_filtered({0, 30, 29}, {1, 2}));
}

TEST_F(FinishRecordTest, records_without_an_alternate_allele_have_neither) {
    data::Variant record = few_reads();
    record.genotype = {0, 0};
    record = finished(DecidedBy::caller, record, data::k_filter_high_depth);
    EXPECT_EQ(record.filters, uint32_t{data::k_filter_not_applied});
    EXPECT_EQ(record.quality_centi, 9'000);
    EXPECT_EQ(record.genotype_quality, 90);
}

TEST(WriteAlleles, reference_ends_with_the_longest_deletion_that_is_called) {
    const auto reference = make_reference("ACGTACGTAC");
    const std::vector<data::Base> arena = {3, 3};  // TT
    const std::vector<Allele> alleles = {
        {3, 4, 0, 0}, {3, 1, 0, 0}, {3, 0, 0, 2}};  // behind the G of position 2
    data::Variant record;
    const auto texts = [&](std::vector<size_t> called) {
        write_alleles(*reference, 0, alleles, arena, called, record);
        EXPECT_EQ(record.position, 2);
        return record.alleles;
    };
    EXPECT_EQ(texts({0, 1, 2, 3}), (std::vector<std::string>{"GTACG", "G", "GACG", "GTTTACG"}));
    EXPECT_EQ(texts({0, 2}), (std::vector<std::string>{"GT", "G"}));
    EXPECT_EQ(texts({0, 3}), (std::vector<std::string>{"G", "GTT"}));
    EXPECT_EQ(texts({0, 2, 4}), (std::vector<std::string>{"GT", "G", "*"}));
}

}  // namespace
}  // namespace gannet::variants
