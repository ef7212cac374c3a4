// SPDX-License-Identifier: MIT
// Tests the filter of linked SNVs that are more probably of a copy that the reference lacks.
#include "tests/unit/variants/caller_support.hpp"
#include "variants/records/window_records.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace gannet::variants {
namespace {

using testing::make_reference;

/// Heterozygous SNVs, and fragments over them.
class ForeignGroupsTest : public ::testing::Test {
  protected:
    ForeignGroupsTest() { sample_.depth.by_gc.fill(30 * 256); }

    void add_site(int64_t position, std::string alternate = "C", uint32_t filters = 0) {
        CalledRecord record;
        record.is_written = true;
        record.variant.position = position;
        record.variant.alleles = {"A", std::move(alternate)};
        record.variant.genotype = {0, 1};
        record.variant.filters = filters;
        record.alleles = {0, 1};
        records_.push_back(std::move(record));
    }
    /// Fragments with this allele of each of the sites.
    void add_fragments(int count, uint8_t allele, size_t first, size_t last) {
        for (; count > 0; --count, ++fragment_) {
            for (size_t site = first; site < last; ++site)
                records_[site].seen.push_back({fragment_ * 0x9e3779b97f4a7c15u, allele, 30});
        }
    }
    /// "100:-", "200:AlleleBias" and so on; the set is that of the phase.
    std::vector<std::string> filters() {
        std::vector<data::Variant> out;
        RecordPhaser phaser;
        phaser.finish({*reference_, parameters_, sample_}, records_, out);
        std::vector<std::string> texts;
        for (const data::Variant& v : out)
            texts.push_back(std::to_string(v.position) + (v.filters == 0 ? ":-"
                                                          : v.filters == uint32_t{data::k_filter_allele_bias}
                                                              ? ":AlleleBias"
                                                              : ":?"));
        return texts;
    }
    using Texts = std::vector<std::string>;

    std::shared_ptr<const data::Reference> reference_ = make_reference(std::string(2000, 'A'));
    CallerParameters parameters_;
    SampleModel sample_;
    std::vector<CalledRecord> records_;
    uint64_t fragment_ = 1;
};

TEST_F(ForeignGroupsTest, alleles_on_top_of_two_copies_are_foreign) {
    for (const int64_t p : {400, 500, 600}) add_site(p);
    add_fragments(30, 0, 0, 2), add_fragments(30, 0, 1, 3);
    add_fragments(12, 1, 0, 2), add_fragments(12, 1, 1, 3);
    EXPECT_EQ(filters(), (Texts{"400:AlleleBias", "500:AlleleBias", "600:AlleleBias"}));
}

TEST_F(ForeignGroupsTest, alleles_of_one_of_three_copies_are_not) {
    for (const int64_t p : {400, 500, 600}) add_site(p);
    for (CalledRecord& record : records_) record.own_copies = 3;
    add_fragments(30, 0, 0, 2), add_fragments(30, 0, 1, 3);
    add_fragments(12, 1, 0, 2), add_fragments(12, 1, 1, 3);
    EXPECT_EQ(filters(), (Texts{"400:-", "500:-", "600:-"}));
}

TEST_F(ForeignGroupsTest, alleles_of_half_the_depth_are_not) {
    for (const int64_t p : {400, 500, 600}) add_site(p);
    add_fragments(15, 0, 0, 2), add_fragments(15, 0, 1, 3);
    add_fragments(15, 1, 0, 2), add_fragments(15, 1, 1, 3);
    EXPECT_EQ(filters(), (Texts{"400:-", "500:-", "600:-"}));
}

TEST_F(ForeignGroupsTest, a_haplotype_that_lost_reads_is_not) {
    for (const int64_t p : {400, 500, 600}) add_site(p);
    add_fragments(14, 0, 0, 2), add_fragments(14, 0, 1, 3);
    add_fragments(2, 1, 0, 2), add_fragments(2, 1, 1, 3);
    EXPECT_EQ(filters(), (Texts{"400:-", "500:-", "600:-"}));
}

TEST_F(ForeignGroupsTest, a_site_alone_is_left_to_its_own_odds) {
    add_site(400), add_site(800);
    add_fragments(30, 0, 0, 1), add_fragments(30, 0, 1, 2);
    add_fragments(12, 1, 0, 1), add_fragments(12, 1, 1, 2);
    EXPECT_EQ(filters(), (Texts{"400:-", "800:-"}));
}

TEST_F(ForeignGroupsTest, groups_end_where_a_read_does_and_are_of_one_haplotype) {
    for (const int64_t p : {400, 500, 1000}) add_site(p);
    add_site(1050);
    // Fragments over all, of which those with the alternate bases of 400 and 500 have the reference's of
    // 1050.
    add_fragments(60, 0, 0, 3), add_fragments(30, 1, 0, 2);
    for (size_t i = 0; i < 60; ++i) records_[3].seen.push_back({records_[0].seen[i].fragment, 1, 30});
    for (size_t i = 60; i < 90; ++i) records_[3].seen.push_back({records_[0].seen[i].fragment, 0, 30});
    for (size_t i = 60; i < 90; ++i) records_[2].seen.push_back({records_[0].seen[i].fragment, 1, 30});
    EXPECT_EQ(filters(), (Texts{"400:AlleleBias", "500:AlleleBias", "1000:-", "1050:-"}));
}

TEST_F(ForeignGroupsTest, an_indel_is_what_the_group_on_its_haplotype_is) {
    // The reads of the copy show 450 and 600; 500 is on the other haplotype, 900 beyond the reads of the
    // SNVs.
    for (const int64_t p : {400, 450, 500, 550, 600, 900}) add_site(p, p == 400 || p == 550 ? "C" : "AC");
    add_fragments(60, 0, 0, 6), add_fragments(24, 1, 0, 6);
    for (FragmentAllele& seen : records_[2].seen) seen.allele = 1 - seen.allele;
    EXPECT_EQ(filters(), (Texts{"400:AlleleBias", "450:AlleleBias", "500:-", "550:AlleleBias",
                                "600:AlleleBias", "900:-"}));
}

TEST_F(ForeignGroupsTest, an_indel_beside_a_haplotype_is_kept) {
    for (const int64_t p : {400, 450, 500}) add_site(p, p == 450 ? "AC" : "C");
    add_fragments(15, 0, 0, 3), add_fragments(15, 1, 0, 3);
    EXPECT_EQ(filters(), (Texts{"400:-", "450:-", "500:-"}));
}

TEST_F(ForeignGroupsTest, an_indel_of_the_fragments_of_a_filtered_snv_is_filtered) {
    // 500 is of the other fragments, 900 beyond the reads of the SNV.
    for (const int64_t p : {400, 450, 500, 900})
        add_site(p, p == 400 ? "C" : "AC", p == 400 ? uint32_t{data::k_filter_allele_bias} : 0);
    add_fragments(30, 0, 0, 4), add_fragments(12, 1, 0, 4);
    for (FragmentAllele& seen : records_[2].seen) seen.allele = 1 - seen.allele;
    EXPECT_EQ(filters(), (Texts{"400:AlleleBias", "450:AlleleBias", "500:-", "900:-"}));
}

TEST_F(ForeignGroupsTest, an_indel_of_a_haplotype_that_lost_reads_is_kept_beside_filtered_snvs) {
    for (const int64_t p : {400, 450, 500})
        add_site(p, p == 450 ? "AC" : "C", p == 450 ? 0 : uint32_t{data::k_filter_allele_bias});
    add_fragments(15, 0, 0, 3), add_fragments(4, 1, 0, 3);
    EXPECT_EQ(filters(), (Texts{"400:AlleleBias", "450:-", "500:AlleleBias"}));
}

TEST_F(ForeignGroupsTest, an_indel_of_more_fragments_than_a_filtered_snv_is_kept) {
    for (const int64_t p : {400, 450})
        add_site(p, p == 450 ? "AC" : "C", p == 450 ? 0 : uint32_t{data::k_filter_allele_bias});
    // Four fragments of the SNV are of the indel's too, eleven of the indel's are not of the SNV.
    add_fragments(30, 0, 0, 2), add_fragments(4, 1, 0, 2);
    for (size_t i = 0; i < 11; ++i) records_[1].seen[i].allele = 1;
    EXPECT_EQ(filters(), (Texts{"400:AlleleBias", "450:-"}));
}

TEST_F(ForeignGroupsTest, an_indel_is_kept_where_as_many_snvs_of_its_haplotype_pass) {
    for (const int64_t p : {400, 450, 500})
        add_site(p, p == 450 ? "AC" : "C", p == 400 ? uint32_t{data::k_filter_allele_bias} : 0);
    add_fragments(30, 0, 0, 3), add_fragments(12, 1, 0, 3);
    EXPECT_EQ(filters(), (Texts{"400:AlleleBias", "450:-", "500:-"}));
}

TEST_F(ForeignGroupsTest, an_snv_of_another_filter_takes_no_indel_along) {
    for (const int64_t p : {400, 450})
        add_site(p, p == 450 ? "AC" : "C", p == 450 ? 0 : uint32_t{data::k_filter_low_quality});
    add_fragments(30, 0, 0, 2), add_fragments(12, 1, 0, 2);
    EXPECT_EQ(filters(), (Texts{"400:?", "450:-"}));
}

TEST_F(ForeignGroupsTest, indels_alone_and_unknown_depth_are_left_alone) {
    for (const int64_t p : {400, 500, 600}) add_site(p, "AC");
    add_fragments(60, 0, 0, 3), add_fragments(24, 1, 0, 3);
    EXPECT_EQ(filters(), (Texts{"400:-", "500:-", "600:-"}));
    records_.clear();
    for (const int64_t p : {400, 500, 600}) add_site(p);
    add_fragments(60, 0, 0, 3), add_fragments(24, 1, 0, 3);
    sample_.depth = {};
    EXPECT_EQ(filters(), (Texts{"400:-", "500:-", "600:-"}));
}

TEST_F(ForeignGroupsTest, what_is_filtered_joins_no_others) {
    for (const int64_t p : {400, 500, 1400}) add_site(p);
    add_fragments(30, 0, 0, 2), add_fragments(12, 1, 0, 2);
    add_fragments(15, 0, 1, 3), add_fragments(12, 1, 1, 3);
    std::vector<data::Variant> out;
    RecordPhaser phaser;
    phaser.finish({*reference_, parameters_, sample_}, records_, out);
    ASSERT_EQ(out.size(), 3u);
    EXPECT_EQ(out[0].filters, uint32_t{data::k_filter_allele_bias});
    EXPECT_EQ(out[2].filters, 0u);
    EXPECT_EQ(out[2].phase_set, out[2].position);
}

}  // namespace
}  // namespace gannet::variants
