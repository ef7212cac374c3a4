// SPDX-License-Identifier: MIT
// Tests which alleles of samples become sites of a cohort, and what samples have there: cases as joint
// callers meet them, with data of our own.
#include "cohort_fixture.hpp"

namespace gannet::variants::cohort {
namespace {

using Lines = std::vector<std::string>;

// A record of an alternate and <*>: het and hom.
constexpr const char* k_het = "60,0,70,90,100,200";
constexpr const char* k_hom = "200,30,0,210,90,220";

TEST_F(Cohort, one_sample_with_an_alternate_is_genotyped_beside_the_block_of_another) {
    sample();
    variant({10, "C", "T,<*>", "50", "0/1", k_het, "15,14,1"});
    sample();
    block(1, 56, 50);
    EXPECT_EQ(genotypes(), Lines{"10 C T 0/1 0/0"});
    const data::CohortRecord record = records()[0];
    EXPECT_EQ(record.samples[0].phred, (std::vector<int32_t>{60, 0, 70}));
    EXPECT_EQ(record.samples[1].phred, (std::vector<int32_t>{0, 50, 500}));
    EXPECT_EQ(record.samples[0].depths, (std::vector<int32_t>{15, 14}));
    EXPECT_EQ(record.samples[1].depths, (std::vector<int32_t>{20, 0}));
    EXPECT_EQ(record.samples[1].depth, 20);
    EXPECT_EQ(record.allele_counts, std::vector<int64_t>{1});
    EXPECT_EQ(record.called_copies, 4);
    EXPECT_EQ(record.called_samples, 2);
    EXPECT_EQ(record.depth, 50);
}

TEST_F(Cohort, different_bases_of_one_position_are_alleles_of_one_site) {
    sample();
    variant({10, "C", "T,<*>", "50", "0/1", k_het});
    sample();
    variant({10, "C", "G,<*>", "50", "1/1", k_hom});
    EXPECT_EQ(genotypes(), Lines{"10 C G,T 0/2 1/1"});
    // 0/0 0/G G/G 0/T G/T T/T: of G the first sample has what it says of <*>.
    EXPECT_EQ(records()[0].samples[0].phred, (std::vector<int32_t>{60, 90, 200, 0, 100, 70}));
    EXPECT_EQ(records()[0].samples[1].phred, (std::vector<int32_t>{200, 30, 0, 210, 90, 220}));
}

TEST_F(Cohort, deletions_of_different_lengths_share_the_longest_reference) {
    sample();
    variant({19, "AAA", "A,<*>", "50", "0/1", k_het});
    sample();
    variant({18, "TAA", "T,<*>", "50", "0/1", k_het});  // the same, moved to its leftmost place: of the run
    sample();
    variant({18, "TAAA", "T,<*>", "50", "0/1", k_het});
    EXPECT_EQ(genotypes(), Lines{"18 TAAA TA,T 0/1 0/1 0/2"});
}

TEST_F(Cohort, an_insertion_in_a_repeat_is_the_same_wherever_it_is_written) {
    sample();
    variant({32, "G", "GCAG,<*>", "50", "0/1", k_het});
    sample();
    variant({41, "G", "GCAG,<*>", "50", "0/1", k_het});
    sample();
    block(1, 56, 40);
    EXPECT_EQ(genotypes(), Lines{"28 T TGCA 0/1 0/1 0/0"});
}

TEST_F(Cohort, an_snv_and_an_indel_of_one_position_are_two_records) {
    sample();
    variant({10, "C", "T,<*>", "50", "0/1", k_het});
    sample();
    variant({10, "CG", "C,<*>", "50", "0/1", k_het});
    EXPECT_EQ(genotypes(), (Lines{"10 C T 0/1 0/0", "10 CG C 0/0 0/1"}));
}

TEST_F(Cohort, a_record_of_both_kinds_is_split_and_each_is_the_reference_of_the_other) {
    sample();
    variant({10, "CG", "TG,C,<*>", "50", "1/2", "200,100,150,90,0,140,250,210,220,300"});
    sample();
    block(1, 56, 40);
    EXPECT_EQ(genotypes(), (Lines{"10 C T 0/1 0/0", "10 CG C 0/1 0/0"}));
    EXPECT_EQ(records()[0].samples[0].phred, (std::vector<int32_t>{90, 0, 150}));
}

TEST_F(Cohort, a_base_within_the_deletion_of_another_sample_has_a_spanning_allele) {
    sample();
    variant({9, "ACGTT", "A,<*>", "50", "1/1", k_hom});
    sample();
    variant({11, "G", "T,<*>", "50", "0/1", k_het});
    sample();
    block(1, 56, 40);
    EXPECT_EQ(genotypes(), (Lines{"9 ACGTT A 1/1 ./. 0/0", "11 G T,* 2/2 0/1 0/0"}));
    const data::CohortRecord record = records()[1];
    EXPECT_EQ(record.allele_counts, (std::vector<int64_t>{1, 2}));
    // 0/0 0/T T/T 0/* T/* */*: of T the sample says what it says of <*>.
    EXPECT_EQ(record.samples[0].phred, (std::vector<int32_t>{200, 210, 220, 30, 90, 0}));
}

TEST_F(Cohort, the_spanning_allele_of_a_record_keeps_its_likelihoods) {
    sample();
    variant({9, "ACGTT", "A,<*>", "50", "0/1", k_het});
    variant({11, "G", "T,*,<*>", "50", "1/2", "200,100,150,90,0,140,250,210,220,300"});
    sample();
    block(1, 56, 40);
    EXPECT_EQ(genotypes(), (Lines{"9 ACGTT A 0/1 0/0", "11 G T,* 1/2 0/0"}));
    EXPECT_EQ(records()[1].samples[0].phred, (std::vector<int32_t>{200, 100, 150, 90, 0, 140}));
}

TEST_F(Cohort, a_deletion_that_spans_a_site_is_no_alternate_for_its_quality) {
    sample();
    variant({9, "ACGTT", "A,<*>", "50", "1/1", k_hom});
    sample();
    variant({11, "G", "T,<*>", "12", "0/1", "12,0,70,90,100,200"});
    const std::vector<data::CohortRecord> found = records();
    ASSERT_EQ(found.size(), 2U);
    EXPECT_GT(found[0].quality_centi, 10'000);
    EXPECT_LT(found[1].quality_centi, 2'000);
}

TEST_F(Cohort, several_bases_are_sites_of_one_base_each) {
    sample();
    variant({10, "CGT", "TGA,<*>", "50", "0/1", k_het});
    sample();
    variant({12, "T", "A,<*>", "50", "1/1", k_hom});
    EXPECT_EQ(genotypes(), (Lines{"10 C T 0/1 ./.", "12 T A 0/1 1/1"}));
}

TEST_F(Cohort, an_allele_that_no_sample_shows_well_is_no_site) {
    sample();
    variant({10, "C", "T,<*>", "9.9", "0/1", k_het});
    sample();
    variant({14, "G", "T,<*>", "50", "0/1", "9,0,70,90,100,200"});
    sample();
    variant({16, "A", "T,<*>", "50", "0/1", k_het, ".", "StrandBias"});
    EXPECT_EQ(genotypes(), Lines{});
}

TEST_F(Cohort, an_allele_that_one_sample_shows_well_is_genotyped_in_those_that_show_it_badly) {
    sample();
    variant({10, "C", "T,<*>", "50", "0/1", k_het});
    sample();
    variant({10, "C", "T,<*>", "7", "0/1", "25,0,70,90,100,200", ".", "LowQual"});
    EXPECT_EQ(genotypes(), Lines{"10 C T 0/1 0/1"});
}

TEST_F(Cohort, a_sample_with_an_allele_that_is_not_admitted_has_no_genotype) {
    sample();
    variant({10, "C", "T,<*>", "50", "0/1", k_het});
    sample();  // filtered: so G is no allele, and 0/0 would be as wrong as 0/1
    variant({10, "C", "G,<*>", "50", "1/1", k_hom, "0,12,0", "StrandBias"});
    EXPECT_EQ(genotypes(), Lines{"10 C T 0/1 ./."});
    EXPECT_TRUE(records()[0].samples[1].phred.empty());
}

TEST_F(Cohort, alternates_beyond_the_limit_are_one_allele) {
    parameters_.max_alternates = 1;
    for (int i = 0; i < 2; ++i) {
        sample();
        variant({10, "C", "T,<*>", "50", "0/1", k_het});
    }
    sample();
    variant({10, "C", "G,<*>", "50", "0/1", k_het, "9,8,0"});
    EXPECT_EQ(genotypes(), Lines{"10 C T,<*> 0/1 0/1 0/2"});
    EXPECT_EQ(records()[0].samples[2].depths, (std::vector<int32_t>{9, 0, 8}));
}

TEST_F(Cohort, no_coverage_is_no_genotype) {
    sample();
    variant({10, "C", "T,<*>", "50", "0/1", k_het});
    sample();
    block(1, 9, 50);
    sample();
    block(1, 56, 0, 2, 0);
    EXPECT_EQ(genotypes(), Lines{"10 C T 0/1 ./. ./."});
    const data::CohortRecord record = records()[0];
    EXPECT_EQ(record.samples[1].depth, -1);
    EXPECT_EQ(record.samples[2].depth, 0);
    EXPECT_EQ(record.called_copies, 2);
}

TEST_F(Cohort, each_sample_keeps_its_ploidy) {
    sample();
    variant({10, "C", "T,<*>", "50", "1", "60,0,90", "0,9,0"});
    sample();
    block(1, 56, 50, 1);
    sample();
    variant({10, "C", "T,<*>", "50", "0/1", k_het});
    EXPECT_EQ(genotypes(), Lines{"10 C T 1 0 0/1"});
    const data::CohortRecord record = records()[0];
    EXPECT_EQ(record.samples[0].phred, (std::vector<int32_t>{60, 0}));
    EXPECT_EQ(record.called_copies, 4);
    EXPECT_EQ(record.allele_counts, std::vector<int64_t>{2});
}

// The likelihoods of a block are those of any alternate, its AD is not: its reads may have this one.
TEST_F(Cohort, an_alternate_that_the_record_of_a_sample_lacks_has_no_depths) {
    sample();
    block(1, 56, 3);
    for (int i = 0; i < 20; ++i) {
        sample();
        variant({10, "C", "T,<*>", "50", "1/1", k_hom, "0,29,1"});
    }
    const data::CohortRecord record = records()[0];
    EXPECT_EQ(record.samples[0].genotype, (std::array<int, 2>{0, 1}));
    EXPECT_TRUE(record.samples[0].depths.empty());
    EXPECT_EQ(record.samples[0].depth, 20);
    EXPECT_EQ(record.samples[1].depths, (std::vector<int32_t>{0, 29}));
}

class CohortPhase : public Cohort {
  protected:
    void phased(const std::string& place, const std::string& genotype, const std::string& phred) {
        add("c\t" + place + "\t50\tPASS\tDP=30\tGT:GQ:DP:AD:PL:PS\t" + genotype + ":40:30:.:" + phred + ":7");
    }
    std::vector<std::string> phases() {
        std::vector<std::string> lines;
        for (const data::CohortRecord& record : records()) {
            const data::CohortSample& sample = record.samples[0];
            lines.push_back(std::to_string(sample.genotype[0]) + (sample.phased ? "|" : "/") +
                            std::to_string(sample.genotype[1]) + " " + std::to_string(sample.phase_set));
        }
        return lines;
    }
};

TEST_F(CohortPhase, phase_sets_of_a_sample_are_kept) {
    sample();
    phased("10\t.\tC\tT,<*>", "1|0", k_het);
    phased("11\t.\tG\tA,C,<*>", "2|1", "90,70,60,70,0,60,200,200,200,200");
    phased("12\t.\tT\tA,<*>", "0/1", k_het);
    phased("13\t.\tT\tA,<*>", "1|1", k_hom);
    EXPECT_EQ(phases(), (Lines{"1|0 7", "2|1 7", "0/1 -1", "1/1 -1"}));
}

TEST_F(CohortPhase, alleles_keep_their_copies_where_others_stand_before_them) {
    sample();
    phased("10\t.\tC\tT,<*>", "1|0", k_het);
    phased("13\t.\tTG\tCA,<*>", "1|0", k_het);  // a record of its own for each base
    sample();
    variant({10, "C", "A,<*>", "50", "1/1", k_hom});
    EXPECT_EQ(phases(), (Lines{"2|0 7", "1|0 7", "1|0 7"}));
}

TEST_F(CohortPhase, another_genotype_than_that_of_the_record_has_none) {
    sample();
    phased("10\t.\tC\tT,G,<*>", "1|2", "60,3,60,60,0,60,200,200,200,200");
    for (int i = 0; i < 40; ++i) {
        sample();
        variant({10, "C", i > 0 ? "T,<*>" : "G,<*>", "50", "0/1", k_het});
    }
    EXPECT_EQ(phases(), Lines{"0/1 -1"});
}

TEST_F(Cohort, records_that_are_forgotten_leave_what_reaches_beyond_them) {
    sample();
    variant({9, "ACGTT", "A,<*>", "50", "0/1", k_het});
    block(14, 20, 40);
    variant({21, "A", "T,<*>", "50", "1/1", k_hom});
    block(22, 56, 30);
    const Lines all = genotypes();
    samples_[0].drop_before(20);
    EXPECT_EQ(samples_[0].records().size(), 2U);
    EXPECT_EQ(genotypes(), Lines{all.back()});
    EXPECT_EQ(samples_[0].events_at(20).size(), 1U);
    EXPECT_EQ(samples_[0].phred(samples_[0].records()[1])[1], 30);
}

}  // namespace
}  // namespace gannet::variants::cohort
