// SPDX-License-Identifier: MIT
// Tests sites of a cohort on cases that GLnexus publishes as hard ones (github.com/dnanexus-rnd/GLnexus,
// test/data/gvcf_test_cases): the alleles, genotypes and likelihoods of their samples, with positions counted
// from the beginning of the few bases of reference that they need. Where gannet answers otherwise than
// GLnexus, the test says why.
#include "cohort_fixture.hpp"

namespace gannet::variants::cohort {
namespace {

using Lines = std::vector<std::string>;

/// inconsistent_trim: insertions and deletions in a run of A, padded differently in each sample.
class InconsistentTrim : public Cohort {
  protected:
    InconsistentTrim() : Cohort("GCTAAAAAAGCGTC") {}
};

TEST_F(InconsistentTrim, one_insertion_is_one_allele_however_it_is_padded) {
    sample();
    variant({3, "TA", "T,TAA,TAAA,<NON_REF>", "5.26", "0/3",
             "271,239,886,41,216,360,0,219,319,540,101,306,314,325,374"});
    sample();
    variant({3, "TAA", "T,TA,TAAA,<NON_REF>", "189.73", "2/3",
             "272,227,1118,234,645,642,26,5,0,127,246,322,307,63,318"});
    sample();
    variant({3, "TAA", "T,TA,TAAA,<NON_REF>", "178.73", "0/3",
             "253,271,1347,216,794,735,0,148,64,207,250,486,398,153,430"});
    sample();
    variant({3, "TAAA", "T,TAAAA,<NON_REF>", "530.87", "2/2", "568,711,2775,15,142,0,581,805,97,662"});
    // The insertion of one A is in three samples. The first sample's two A (QUAL 5) and the second's deletion
    // (5 Phred better than without it) are below what is admitted, so those two have no genotype; GLnexus
    // admits both.
    EXPECT_EQ(genotypes(), Lines{"3 T TA ./. ./. 0/1 1/1"});
}

/// rs11429009: beside a deletion and an insertion of one position, an insertion one base later.
class Rs11429009 : public Cohort {
  protected:
    Rs11429009() : Cohort("GTCAAAAAAGGTGC") {}
};

TEST_F(Rs11429009, alleles_of_neighbouring_positions_are_records_of_their_own) {
    sample();
    variant({3, "CA", "C,CAA,<NON_REF>", "1047.73", "0/1", "1085,0,781,1220,723,2322,1182,805,2018,1979"});
    sample();
    variant({3, "CA", "C,CAA,<NON_REF>", "871.73", "0/1", "909,0,756,1046,774,2146,996,828,1865,1813"});
    sample();
    variant({3, "CA", "C,CAA,<NON_REF>", "25.74", "0/2", "63,212,1978,0,1577,1628,259,1865,1639,1897"});
    sample();
    block(1, 3, 66);
    variant({4, "A", "AC,<NON_REF>", "354.73", "0/1", "392,0,1494,537,1560,2096"});
    // GLnexus joins all four alleles to CA C,CAC,CAA with the same genotypes.
    EXPECT_EQ(genotypes(), (Lines{"3 CA C,CAA 0/1 0/1 0/2 0/0", "4 A AC,* 0/2 0/2 0/0 0/1"}));
}

/// rs141305015: two of three samples with a deletion also have records without an alternate around it.
class Rs141305015 : public Cohort {
  protected:
    Rs141305015() : Cohort("TTAACGAGAGCCTG") {}
};

TEST_F(Rs141305015, records_without_an_alternate_beside_it_do_not_hide_a_deletion) {
    sample();
    variant({3, "AACG", "A,<NON_REF>", "0", "0/0", "0,48,2757,132,2763,2847"});
    variant({6, "GAGA", "G,<NON_REF>", "591.73", "0/1", "629,0,1026,695,1078,1773"});
    variant({9, "A", "G,<NON_REF>", "0", "0/0", "0,36,2639,120,2645,2729"});
    sample();
    variant({5, "CGAG", "C,<NON_REF>", "0", "0/0", "0,122,2011,165,2017,2060"});
    variant({6, "GAGA", "G,<NON_REF>", "1851.73", "1/1", "1890,113,0,1896,156,1940"});
    variant({9, "A", "T,<NON_REF>", "0", "0/0", "0,116,1949,159,1955,1999"});
    sample();
    add("c\t5\t.\tC\t<NON_REF>\t.\t.\tEND=14\tGT:DP:GQ:MIN_DP:PL\t0/0:58:0:58:0,0,1608");
    // Of the block, 0/0 and 0/1 are equally likely: the frequency of one half decides. GLnexus takes the
    // block's own genotype.
    const Lines found = genotypes();
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].substr(0, found[0].rfind(' ')), "6 GAGA G 0/1 1/1");
}

/// lost_deletion: a deletion of 24 bases over two shorter ones and an SNV of other samples.
class LostDeletion : public Cohort {
  protected:
    LostDeletion() : Cohort("CTAGGGACTGGGGCCGGGACCGGGACCGGGACTGGGAC") {}
};

TEST_F(LostDeletion, a_long_deletion_is_a_record_and_spans_the_others) {
    sample();
    variant({9, "TGGGGCCG", "T,<NON_REF>", "960.73", "1/1", "1003,69,0,1003,69,1003"});
    variant({19, "ACCGGGACCGGGACTGGG", "A,<NON_REF>", "788.73", "1/1", "831,57,0,831,57,831"});
    sample();
    block(1, 11, 15);
    variant({12, "G", "A,<NON_REF>", "686.77", "1/1", "720,48,0,720,48,720"});
    block(13, 38, 15);
    sample();
    variant({9, "TGGGGCCG", "T,<NON_REF>", "757.73", "1/1", "800,54,0,800,54,800"});
    variant({19, "ACCGGGACCGGGACTGGG", "A,<NON_REF>", "757.73", "1/1", "800,54,0,800,54,800"});
    sample();
    variant({3, "AGGGACTGGGGCCGGGACCGGGACC", "A,<NON_REF>", "108", "1/1", "150,15,0,150,15,150"});
    // GLnexus loses the long one, and gives the last sample no genotype at the others.
    const Lines found = genotypes();
    ASSERT_EQ(found.size(), 4U);
    EXPECT_EQ(found[0], "3 AGGGACTGGGGCCGGGACCGGGACC A ./. 0/0 ./. 1/1");
    EXPECT_EQ(found[1], "9 TGGGGCCG T,* 1/1 0/0 1/1 2/2");
    EXPECT_EQ(found[2], "12 G A,* 2/2 1/1 2/2 2/2");
    EXPECT_EQ(found[3], "19 ACCGGGACCGGGACTGGG A,* 1/1 0/0 1/1 2/2");
}

/// dv_1000G_chr17_8375536: two deletions of one sample beside SNVs of others at each of their bases.
class Chr17At8375536 : public Cohort {
  protected:
    Chr17At8375536() : Cohort("GCATTTCGGA") {}
};

TEST_F(Chr17At8375536, snvs_within_deletions_of_another_sample_keep_their_genotypes) {
    sample();
    block(1, 2, 50);
    variant({3, "ATT", "A,AT,<*>", "64.6", "1/2", "64,44,55,44,0,26,990,990,990,990"});
    block(6, 10, 48);
    sample();
    block(1, 2, 50);
    variant({3, "A", "G,<*>", "56.7", "1/1", "56,42,0,990,990,990"});
    block(4, 10, 50);
    sample();
    block(1, 3, 50);
    variant({4, "T", "G,<*>", "56.7", "1/1", "56,42,0,990,990,990"});
    variant({5, "T", "C,<*>", "56.7", "1/1", "56,42,0,990,990,990"});
    block(6, 10, 50);
    // GLnexus has the deletions in two records of one allele each, and no genotype for the first sample
    // at the SNVs.
    EXPECT_EQ(genotypes(), (Lines{"3 A G 0/0 1/1 0/0", "3 ATT AT,A 1/2 0/0 0/0", "4 T G,* 2/2 0/0 1/1",
                                  "5 T C,* 0/2 0/0 1/1"}));
}

}  // namespace
}  // namespace gannet::variants::cohort
