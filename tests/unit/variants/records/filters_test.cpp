// SPDX-License-Identifier: MIT
// Tests the filters of called sites, the exact tests behind them, and the filter of diverged extra copies.
#include "variants/records/filters.hpp"

#include "variants/alleles/extra_copy_filter.hpp"
#include "variants/arithmetic/exact_tests.hpp"
#include "variants/arithmetic/integer_root.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <string>
#include <vector>

namespace gannet::variants {
namespace {

// Stated in exact_tests.hpp.
constexpr double k_strand_error_centi = 5;
constexpr double k_allele_error_centi = 10;
constexpr long double k_equally_likely = 1e-3L;

long double log_choose(int n, int k) {
    return std::lgamma(n + 1.0L) - std::lgamma(k + 1.0L) - std::lgamma(n - k + 1.0L);
}

/// Fisher's exact test as R's fisher.test does it, Phred x 100. Tables count that are more likely than the
/// observed one by `tolerance` at most.
double exact_strand_bias_centi(const std::array<int32_t, 4>& n, long double tolerance) {
    const int forward = n[0] + n[2], reverse = n[1] + n[3], alternate = n[2] + n[3];
    const auto probability = [&](int k) {
        return std::exp(log_choose(forward, k) + log_choose(reverse, alternate - k) -
                        log_choose(forward + reverse, alternate));
    };
    const long double observed = probability(n[2]);
    long double sum = 0;
    for (int k = std::max(0, alternate - reverse); k <= std::min(alternate, forward); ++k)
        if (probability(k) <= observed * (1 + tolerance)) sum += probability(k);
    return static_cast<double>(-1000 * std::log10(std::min(1.0L, sum)));
}

void expect_strand_bias(const std::array<int32_t, 4>& table) {
    const int32_t found = strand_bias_centi(table);
    constexpr long double k_rounding = 1e-9L;
    EXPECT_LE(found, exact_strand_bias_centi(table, k_rounding) + k_strand_error_centi)
        << table[0] << ' ' << table[1] << ' ' << table[2] << ' ' << table[3];
    EXPECT_GE(found, exact_strand_bias_centi(table, k_equally_likely) - k_strand_error_centi)
        << table[0] << ' ' << table[1] << ' ' << table[2] << ' ' << table[3];
}

double exact_allele_bias_centi(int reference, int alternate) {
    long double sum = 0;
    for (int k = 0; k <= alternate; ++k)
        sum += std::exp(log_choose(reference + alternate, k) - (reference + alternate) * std::log(2.0L));
    return static_cast<double>(-1000 * std::log10(std::min(1.0L, sum)));
}

TEST(ExactTests, all_small_strand_tables_are_within_the_stated_error) {
    for (int a = 0; a <= 9; ++a)
        for (int b = 0; b <= 9; ++b)
            for (int c = 0; c <= 9; ++c)
                for (int d = 0; d <= 9; ++d) expect_strand_bias({a, b, c, d});
}

TEST(ExactTests, random_strand_tables_are_within_the_stated_error) {
    std::mt19937_64 random(1);
    for (int round = 0; round < 4'000; ++round) {
        std::array<int32_t, 4> table{};
        const uint64_t limit = round % 2 == 0 ? 60 : 500;
        for (int32_t& count : table) count = static_cast<int32_t>(random() % (limit + 1));
        expect_strand_bias(table);
    }
}

TEST(ExactTests, large_strand_tables_are_those_of_the_scaled_counts) {
    EXPECT_EQ(strand_bias_centi(std::array{50'000, 40'000, 100, 30'000}),
              strand_bias_centi(std::array{500, 400, 1, 300}));
    EXPECT_EQ(strand_bias_centi(std::array{2'000'000'000, 0, 0, 2'000'000'000}),
              strand_bias_centi(std::array{500, 0, 0, 500}));
}

TEST(ExactTests, allele_bias_is_within_the_stated_error) {
    for (int reference = 0; reference <= 500; reference += 1 + reference / 20)
        for (int alternate = 0; alternate <= 500; alternate += 1 + alternate / 20)
            ASSERT_NEAR(allele_bias_centi(reference, alternate),
                        exact_allele_bias_centi(reference, alternate), k_allele_error_centi)
                << reference << ' ' << alternate;
}

/// A heterozygous SNP that fails nothing.
SiteStatistics good_site() {
    SiteStatistics site;
    site.is_snp = true;
    site.has_reference_allele = true;
    site.quality_centi = 5000;
    site.depth = 30;
    site.reference_depth = site.alternate_depth = 15;
    site.strand_counts = {7, 8, 8, 7};
    site.mapping_quality = 60;
    return site;
}
uint32_t filters(const SiteStatistics& site, uint32_t region_filters = 0) {
    return filters_of(CallerParameters(), site, region_filters);
}

TEST(Filters, a_good_site_passes) { EXPECT_EQ(filters(good_site()), 0u); }

TEST(Filters, thresholds_are_where_the_header_states_them) {
    SiteStatistics site = good_site();
    site.quality_centi = 999;
    EXPECT_EQ(filters(site), data::k_filter_low_quality);
    site = good_site();
    site.depth = 1;
    EXPECT_EQ(filters(site), data::k_filter_low_depth);
    site = good_site();
    site.strand_bias_centi = 20'000;
    EXPECT_EQ(filters(site), 0u);
    site.strand_bias_centi = 20'001;
    EXPECT_EQ(filters(site), data::k_filter_strand_bias);
    site.strand_counts = {14, 1, 1, 14};
    site.strand_bias_centi = 4'500;
    EXPECT_EQ(filters(site), 0u);
    site.strand_bias_centi = 4'501;
    EXPECT_EQ(filters(site), data::k_filter_strand_bias);
}

TEST(Filters, a_probable_systematic_error_has_strand_bias_if_it_is_a_heterozygous_snv) {
    SiteStatistics site = good_site();
    site.systematic_error_odds = 0;
    EXPECT_EQ(filters(site), 0u);
    site.systematic_error_odds = 1;
    EXPECT_EQ(filters(site), data::k_filter_strand_bias);
    site.is_snp = false;
    EXPECT_EQ(filters(site), 0u);
    site.is_snp = true;
    site.has_reference_allele = false;
    EXPECT_EQ(filters(site), 0u);
}

TEST(Filters, allele_bias_depends_on_kind_and_mapping_quality) {
    SiteStatistics site = good_site();
    // 2^-10.x: the tail of 22 reads without the allele is Phred 66, of 14 Phred 42, of 10 Phred 30.
    const auto with_reads = [&](int32_t reference, int32_t alternate) {
        site.reference_depth = reference;
        site.alternate_depth = alternate;
        return filters(site) & data::k_filter_allele_bias;
    };
    EXPECT_NE(with_reads(22, 0), 0u);
    EXPECT_EQ(with_reads(14, 0), 0u);
    site.strand_counts = {7, 7, 0, 4};  // errors of a place in the genome are of one strand
    EXPECT_NE(with_reads(14, 0), 0u);
    EXPECT_EQ(with_reads(10, 0), 0u);
    site.strand_counts = {7, 7, 1, 4};
    EXPECT_EQ(with_reads(14, 0), 0u);
    site.mapping_quality = 59;
    EXPECT_EQ(with_reads(14, 0), 0u);
    site.mapping_quality = 58;
    EXPECT_NE(with_reads(10, 0), 0u);
    site.is_snp = false;
    EXPECT_EQ(with_reads(10, 0), 0u);
    EXPECT_EQ(with_reads(19, 0), 0u);
    EXPECT_NE(with_reads(22, 0), 0u);
    site.has_reference_allele = false;
    EXPECT_EQ(with_reads(22, 0), 0u);
}

TEST(Filters, a_third_of_the_reads_is_no_bias_among_three_copies) {
    SiteStatistics site = good_site();
    site.mapping_quality = 60;
    site.reference_depth = 100;
    site.alternate_depth = 50;
    EXPECT_NE(filters(site) & data::k_filter_allele_bias, 0u);
    site.own_copies = 3;
    EXPECT_EQ(filters(site) & data::k_filter_allele_bias, 0u);
    site.alternate_depth = 10;
    EXPECT_NE(filters(site) & data::k_filter_allele_bias, 0u);
}

TEST(Filters, reads_that_are_probably_foreign_are_allele_bias_of_heterozygous_snvs) {
    SiteStatistics site = good_site();
    const auto is_biased = [&] { return (filters(site) & data::k_filter_allele_bias) != 0; };
    site.is_snp = site.has_reference_allele = true;
    site.foreign_reads_odds = 0;
    EXPECT_FALSE(is_biased());
    site.foreign_reads_odds = 1;
    EXPECT_TRUE(is_biased());
    site.has_reference_allele = false;
    EXPECT_FALSE(is_biased());
    site.has_reference_allele = true;
    site.is_snp = false;
    EXPECT_FALSE(is_biased());
}

TEST(Filters, deletions_are_scaled_by_the_length_of_the_reads) {
    SiteStatistics site = good_site();
    site.is_snp = false;
    site.has_reference_allele = true;
    site.reference_depth = 100;
    site.alternate_depth = 20;
    site.deleted_bp = 100;
    site.read_bp = 1000;
    EXPECT_NE(filters(site) & data::k_filter_allele_bias, 0u);
    site.read_bp = 50;
    EXPECT_EQ(filters(site) & data::k_filter_allele_bias, 0u);
}

TEST(Filters, high_depth_is_for_heterozygous_genotypes) {
    SiteStatistics site = good_site();
    EXPECT_EQ(filters(site, data::k_filter_high_depth), data::k_filter_high_depth);
    site.is_homozygous = true;
    site.has_reference_allele = false;
    EXPECT_EQ(filters(site, data::k_filter_high_depth), 0u);
}

TEST(Filters, high_depth_is_for_haploid_alleles_that_a_part_of_the_reads_has) {
    SiteStatistics site = good_site();
    site.has_reference_allele = false;
    site.is_homozygous = site.is_haploid = true;
    site.alternate_depth = 17;
    site.reference_depth = 3;  // 85 %: the allele of one of two copies, perhaps
    EXPECT_EQ(filters(site, data::k_filter_high_depth), data::k_filter_high_depth);
    EXPECT_EQ(filters(site), 0u);
    site.alternate_depth = 18;
    EXPECT_EQ(filters(site, data::k_filter_high_depth), 0u);
    site.alternate_depth = 17;
    site.is_haploid = false;
    EXPECT_EQ(filters(site, data::k_filter_high_depth), 0u);
}

TEST(Filters, descriptions_follow_the_parameters) {
    const auto text_of = [](const std::vector<data::FilterDescription>& filters, data::VariantFilter filter) {
        for (const data::FilterDescription& description : filters)
            if (description.filter == filter) return description.text;
        return std::string("none");
    };
    CallerParameters parameters;
    parameters.minimum_quality_centi = 1250;
    const auto filters = describe_filters(parameters);
    EXPECT_EQ(filters.size(), 5u);
    EXPECT_EQ(text_of(filters, data::k_filter_low_quality), "QUAL below 12.5");
    EXPECT_EQ(text_of(filters, data::k_filter_low_depth), "Fewer than 2 informative reads (DP)");
    EXPECT_NE(text_of(filters, data::k_filter_strand_bias).find("FS above 45 "), std::string::npos);
    EXPECT_NE(text_of(filters, data::k_filter_allele_bias)
                  .find("Phred 45 (33 with at most 10% of the alternate reads on one "
                        "strand, 29 where MQ is below 59, 60"),
              std::string::npos);
    for (const data::FilterDescription& description : filters)
        EXPECT_EQ(description.text.find_first_of("\"\\"), std::string::npos);
}

constexpr int64_t k_end = 10'000;

class ExtraCopyFilterTest : public ::testing::Test {
  protected:
    ExtraCopyFilterTest() {
        evidence_.begin = 0;
        evidence_.end = k_end;
        evidence_.arena.assign(1, data::Base{2});
        set_depth(0, k_end, 30);
    }
    void set_depth(int64_t begin, int64_t end, int32_t depth) {
        evidence_.depth.resize(static_cast<size_t>(k_end) + 1);
        std::fill(evidence_.depth.begin() + begin, evidence_.depth.begin() + end, depth);
    }
    void add_snps(int64_t begin, int count, uint32_t support) {
        for (int64_t i = 0; i < count; ++i) {
            const int64_t at = begin + 30 * i;
            candidates_.push_back({at, at + 1, CandidateKind::snp, {at, 1, 0, 1}, support});
        }
    }
    void sort_snps() { std::ranges::sort(candidates_, {}, &Candidate::begin); }
    uint32_t at(int64_t position) {
        filter_.load(evidence_, candidates_);
        return filter_.at(position).filters;
    }
    /// Where two copies of the sample are known to have a depth of 30.
    uint32_t at_known_depth(int64_t position) {
        const std::vector<int64_t> expected(static_cast<size_t>((k_end + k_copy_bin_bp - 1) / k_copy_bin_bp),
                                            30 * 256);
        filter_.load(evidence_, candidates_, {expected});
        return filter_.at(position).filters;
    }

    Evidence evidence_;
    std::vector<Candidate> candidates_;
    ExtraCopyFilter filter_;
};

TEST_F(ExtraCopyFilterTest, deep_cluster_of_partial_alleles_is_filtered) {
    set_depth(4'000, 6'000, 60);
    add_snps(5'000, 8, 20);
    EXPECT_EQ(at(5'100), data::k_filter_high_depth);
    EXPECT_EQ(filter_.at(4'200).filters, data::k_filter_high_depth);  // of the same copy
    EXPECT_EQ(filter_.at(3'700).filters, 0u);
    EXPECT_EQ(filter_.at(8'000).filters, 0u);
}

TEST_F(ExtraCopyFilterTest, cluster_in_usual_depth_is_not) {
    add_snps(5'000, 8, 10);
    EXPECT_EQ(at(5'100), 0u);
}

TEST_F(ExtraCopyFilterTest, few_alleles_in_deep_sequence_are_not) {
    set_depth(4'000, 6'000, 60);
    add_snps(5'000, 3, 20);
    EXPECT_EQ(at(5'100), 0u);
    add_snps(5'090, 1, 20);
    EXPECT_EQ(at(5'100), data::k_filter_high_depth);
}

TEST_F(ExtraCopyFilterTest, alleles_of_all_reads_do_not_count) {
    set_depth(4'000, 6'000, 60);
    add_snps(5'000, 8, 55);
    EXPECT_EQ(at(5'100), 0u);
}

TEST_F(ExtraCopyFilterTest, sparse_alleles_of_an_identical_copy_are_not) {
    set_depth(1'024, 9'216, 60);
    add_snps(2'000, 6, 20);
    add_snps(7'000, 6, 20);
    EXPECT_EQ(at_known_depth(2'100), 0u);  // 12 in 8 kb: the sample's own heterozygous sites
    add_snps(4'000, 2, 20);
    sort_snps();
    EXPECT_EQ(at_known_depth(2'100), data::k_filter_high_depth);
}

TEST_F(ExtraCopyFilterTest, copies_that_fill_the_window_show_in_the_depth_of_the_sample) {
    set_depth(0, k_end, 60);
    add_snps(3'000, 100, 30);
    EXPECT_EQ(at(5'000), 0u);  // half of the reads, in even depth
    const std::vector<int64_t> expected(static_cast<size_t>((k_end + k_copy_bin_bp - 1) / k_copy_bin_bp),
                                        30 * 256);
    filter_.load(evidence_, candidates_, {expected});
    EXPECT_EQ(filter_.at(5'000).filters, data::k_filter_high_depth);
    // Of a sample whose depth varies by a half, so much is no evidence.
    filter_.load(evidence_, candidates_, {expected, false, 16});
    EXPECT_EQ(filter_.at(5'000).filters, data::k_filter_high_depth);
    filter_.load(evidence_, candidates_, {expected, false, 50});
    EXPECT_EQ(filter_.at(5'000).filters, 0u);
    EXPECT_EQ(filter_.copy_number().at(5'000), 2);
    // A contig of another depth altogether.
    const std::vector<int64_t> shallow(expected.size(), 3 * 256);
    filter_.load(evidence_, candidates_, {shallow});
    EXPECT_EQ(filter_.at(5'000).filters, 0u);
}

TEST_F(ExtraCopyFilterTest, deep_target_of_captured_reads_is_no_extra_copy) {
    set_depth(4'900, 5'300, 240);
    add_snps(4'950, 8, 110);
    EXPECT_EQ(at(5'000), data::k_filter_high_depth);  // by the depth around it
    filter_.load(evidence_, candidates_, {{}, true});
    EXPECT_EQ(filter_.at(5'000).filters, 0u);
    EXPECT_EQ(filter_.copy_number().at(5'000), 2);
}

TEST_F(ExtraCopyFilterTest, a_duplication_of_one_haplotype_is_of_the_samples_own_copies) {
    set_depth(0, k_end, 45);
    add_snps(3'000, 8, 15);
    add_snps(4'000, 8, 30);
    add_snps(5'000, 10, 44);
    EXPECT_EQ(at_known_depth(3'500), 0u);
    EXPECT_EQ(filter_.at(3'500).own, 3);
    EXPECT_EQ(filter_.copy_number().at(3'500), 2);
    filter_.load_remaining(evidence_, candidates_);
    EXPECT_EQ(filter_.copy_number().at(3'500), 2);
    // Alleles of one copy alone are those of a diverged one.
    add_snps(6'000, 60, 15);
    EXPECT_EQ(at_known_depth(3'500), data::k_filter_high_depth);
    EXPECT_EQ(filter_.at(3'500).own, 2);
}

TEST_F(ExtraCopyFilterTest, a_duplication_may_have_most_alleles_on_one_copy) {
    set_depth(0, k_end, 45);
    add_snps(3'000, 12, 15);  // of the haplotype that is there once
    add_snps(4'000, 4, 30);
    add_snps(5'000, 4, 44);
    EXPECT_EQ(at_known_depth(3'500), 0u);
    EXPECT_EQ(filter_.at(3'500).own, 3);
    add_snps(6'000, 20, 15);
    EXPECT_EQ(at_known_depth(3'500), data::k_filter_high_depth);
    EXPECT_EQ(filter_.at(3'500).own, 2);
}

TEST_F(ExtraCopyFilterTest, a_duplication_has_no_more_alleles_than_the_sequence_beside_it) {
    set_depth(5'120, k_end, 45);
    add_snps(5'500, 12, 15);
    add_snps(6'500, 8, 30);
    EXPECT_EQ(at_known_depth(5'600), data::k_filter_high_depth);  // of a diverged copy
    EXPECT_EQ(filter_.at(5'600).own, 2);
    add_snps(2'000, 20, 15);
    sort_snps();
    EXPECT_EQ(at_known_depth(5'600), 0u);
    EXPECT_EQ(filter_.at(5'600).own, 3);
}

TEST_F(ExtraCopyFilterTest, a_duplication_may_have_no_alleles_on_all_copies) {
    set_depth(0, k_end, 45);
    add_snps(3'000, 30, 15);
    add_snps(4'000, 20, 30);
    EXPECT_EQ(at_known_depth(3'500), 0u);
    EXPECT_EQ(filter_.at(3'500).own, 3);
}

TEST_F(ExtraCopyFilterTest, alleles_of_two_further_copies_may_be_of_both_haplotypes) {
    set_depth(0, k_end, 60);
    add_snps(4'000, 16, 31);
    add_snps(5'000, 10, 59);
    EXPECT_EQ(at_known_depth(4'200), data::k_filter_high_depth);
}

TEST_F(ExtraCopyFilterTest, a_short_stretch_is_no_duplication) {
    set_depth(4'000, 7'000, 45);
    add_snps(4'500, 8, 15);
    add_snps(5'000, 8, 30);
    add_snps(5'500, 10, 44);
    EXPECT_EQ(at_known_depth(4'600), data::k_filter_high_depth);
}

TEST_F(ExtraCopyFilterTest, alleles_in_a_third_of_the_reads_need_a_quarter_more_depth) {
    set_depth(0, k_end, 36);
    add_snps(3'000, 100, 12);
    EXPECT_EQ(at_known_depth(5'000), 0u);
    candidates_.clear();
    set_depth(0, k_end, 39);
    add_snps(3'000, 100, 13);
    EXPECT_EQ(at_known_depth(5'000), data::k_filter_high_depth);
}

TEST_F(ExtraCopyFilterTest, sites_without_the_extra_reads_pass) {
    set_depth(4'000, 6'000, 60);
    add_snps(5'000, 8, 15);
    EXPECT_EQ(at_known_depth(5'600), data::k_filter_high_depth);
    set_depth(5'300, 6'000, 40);  // 20 of the 30 reads of the extra copies were taken out: too few
    filter_.load_remaining(evidence_, candidates_);
    EXPECT_EQ(filter_.at(5'600).filters, data::k_filter_high_depth);
    set_depth(5'300, 6'000, 38);
    filter_.load_remaining(evidence_, candidates_);
    EXPECT_EQ(filter_.at(5'600).filters, 0u);
    EXPECT_EQ(filter_.at(5'100).filters, data::k_filter_high_depth);  // none was here
}

TEST_F(ExtraCopyFilterTest, usual_depth_is_robust_against_the_copy) {
    filter_.load(evidence_, {});
    const int64_t even = filter_.usual_depth();
    EXPECT_NEAR(static_cast<double>(even), 30, 5);
    set_depth(0, 7'000, 60);  // most of the window
    filter_.load(evidence_, {});
    EXPECT_EQ(filter_.usual_depth(), even);
}

TEST_F(ExtraCopyFilterTest, usual_depth_is_that_of_the_lower_quartile_of_covered_positions) {
    std::mt19937 random(5);
    for (const auto& [least, most] : {std::pair(0, 1), {0, 3}, {1, 1}, {5, 60}, {0, 5'000}}) {
        std::vector<int32_t> covered;
        for (int64_t i = 0; i < k_end; ++i) {
            const auto depth =
                least + static_cast<int32_t>(random() % static_cast<unsigned>(most - least + 1));
            set_depth(i, i + 1, depth);
            if (depth > 0) covered.push_back(depth);
        }
        std::sort(covered.begin(), covered.end());
        const int64_t quartile = covered[covered.size() / 4];
        filter_.load(evidence_, {});
        EXPECT_EQ(filter_.usual_depth(), quartile + integer_root(quartile * 4 / 9)) << least << ' ' << most;
    }
}

TEST_F(ExtraCopyFilterTest, window_after_one_that_lost_reads_has_all_of_its_own) {
    set_depth(4'000, 6'000, 120);
    add_snps(5'000, 8, 15);
    filter_.load(evidence_, candidates_);
    filter_.load_remaining(evidence_, candidates_);
    set_depth(4'000, 6'000, 60);
    EXPECT_EQ(at_known_depth(5'600), data::k_filter_high_depth);
}

TEST_F(ExtraCopyFilterTest, sums_end_at_the_window) {
    add_snps(100, 3, 10);
    filter_.load(evidence_, candidates_);
    EXPECT_EQ(filter_.depth_within(5'000, 10), (std::pair<int64_t, int64_t>{600, 20}));
    EXPECT_EQ(filter_.depth_within(0, 10), (std::pair<int64_t, int64_t>{300, 10}));
    EXPECT_EQ(filter_.depth_within(k_end + 50, 10), (std::pair<int64_t, int64_t>{0, 0}));
    EXPECT_EQ(filter_.partial_alleles_within(130, 29), 1);
    EXPECT_EQ(filter_.partial_alleles_within(130, 30), 3);
}

TEST_F(ExtraCopyFilterTest, no_reads_give_no_filter) {
    set_depth(0, k_end, 0);
    EXPECT_EQ(at(5'000), 0u);
    EXPECT_EQ(filter_.usual_depth(), 0);
}

}  // namespace
}  // namespace gannet::variants
