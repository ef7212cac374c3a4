// SPDX-License-Identifier: MIT
// Tests the normal form of alleles and the naming of a haplotype's differences.
#include "variants/sequence/allele.hpp"

#include "tests/unit/variants/caller_support.hpp"
#include "variants/alleles/haplotypes.hpp"
#include "variants/genotype/allele_prior.hpp"

#include <gtest/gtest.h>

namespace gannet::variants {
namespace {

using namespace testing;

class AlleleTest : public ::testing::Test {
  protected:
    void use(const std::string& letters) {
        slice_.load(*make_reference(letters), 0, -50, static_cast<int64_t>(letters.size()) + 50);
    }
    Allele insertion(int64_t position, const std::string& letters) {
        Allele allele{position, 0, static_cast<uint32_t>(arena_.size()),
                      static_cast<int32_t>(letters.size())};
        arena_.resize(arena_.size() + letters.size());
        data::to_bases(letters, std::span(arena_).last(letters.size()));
        return allele;
    }
    std::string text(const Allele& allele) const {
        return std::to_string(allele.position) + "-" + std::to_string(allele.reference_length) + "+" +
               data::to_letters(bases_of(allele, arena_));
    }
    std::string aligned(Allele allele) {
        left_align(slice_, allele, arena_);
        return text(allele);
    }
    /// Differences of `haplotype` from the whole slice.
    std::string differences(const std::string& letters, const std::string& haplotype) {
        use(letters);
        std::vector<data::Base> bases(haplotype.size());
        data::to_bases(haplotype, bases);
        std::vector<Allele> alleles;
        HaplotypeAligner().differences(slice_, 0, static_cast<int64_t>(letters.size()), bases, arena_,
                                       alleles);
        std::string all;
        for (const Allele& allele : alleles) all += text(allele) + " ";
        return all;
    }

    ReferenceSlice slice_;
    std::vector<data::Base> arena_;
    const GapQualityTable usual_ = usual_gap_qualities();
};

TEST_F(AlleleTest, copies_of_a_slice_have_n_beyond_it) {
    use("ACGT");  // from -50 to 54
    std::vector<data::Base> bases;
    slice_.copy(-60, 60, bases);
    ASSERT_EQ(bases.size(), 120u);
    for (int64_t i = 0; i < 120; ++i) EXPECT_EQ(bases[static_cast<size_t>(i)], slice_.at(i - 60)) << i;
    slice_.copy(1, 3, bases);
    EXPECT_EQ(data::to_letters(bases), "CG");
    slice_.copy(60, 70, bases);
    EXPECT_EQ(data::to_letters(bases), "NNNNNNNNNN");
    slice_.copy(-90, -70, bases);
    EXPECT_EQ(data::to_letters(bases), "NNNNNNNNNNNNNNNNNNNN");
}

TEST_F(AlleleTest, indels_of_repeats_move_to_the_left) {
    // The five ways to write one event in Tan 2015, figure 1: a CA too few in GGGCACACACAGGG.
    use("GGGCACACACAGGG");
    for (int64_t position = 3; position <= 9; ++position)
        EXPECT_EQ(aligned({position, 2, 0, 0}), "3-2+") << position;
    EXPECT_EQ(aligned(insertion(11, "CA")), "3-0+CA");
    EXPECT_EQ(aligned(insertion(10, "AC")), "3-0+CA");
    EXPECT_EQ(aligned(insertion(4, "AC")), "3-0+CA");
    EXPECT_EQ(aligned(insertion(14, "G")), "11-0+G");
}

TEST_F(AlleleTest, indels_outside_repeats_stay) {
    use("ACGTTGCA");
    EXPECT_EQ(aligned({2, 2, 0, 0}), "2-2+");
    EXPECT_EQ(aligned(insertion(4, "CC")), "4-0+CC");
}

TEST_F(AlleleTest, part_of_a_repeat_rotates) {
    use("TTACGACGTT");
    EXPECT_EQ(aligned(insertion(8, "GACG")), "4-0+GACG");
    EXPECT_EQ(aligned({5, 3, 0, 0}), "2-3+");
}

TEST_F(AlleleTest, shifts_end_at_the_contig_and_at_n) {
    use("AAAANAAAAC");
    EXPECT_EQ(aligned({3, 1, 0, 0}), "0-1+");
    EXPECT_EQ(aligned({8, 1, 0, 0}), "5-1+");
}

TEST_F(AlleleTest, shifts_reach_the_start_of_a_repeat_of_any_length) {
    use("C" + std::string(5000, 'A') + "C");
    EXPECT_EQ(aligned({5000, 1, 0, 0}), "1-1+");
    EXPECT_EQ(aligned(insertion(5001, "AAA")), "1-0+AAA");
    std::string satellite = "T";
    for (int i = 0; i < 20; ++i) satellite += "GACCATTCAGGCATTAGCCA";
    use(satellite + "CT");
    EXPECT_EQ(aligned({381, 20, 0, 0}), "1-20+");
    EXPECT_EQ(aligned(insertion(401, "GACCATTCAGGCATTAGCCA")), "1-0+GACCATTCAGGCATTAGCCA");
}

TEST_F(AlleleTest, rightward_shift_is_the_repeat_after_the_allele) {
    use("GGGCACACACAGGG");
    EXPECT_EQ(rightward_shift_bp(slice_, {3, 2, 0, 0}, arena_), 6);
    EXPECT_EQ(rightward_shift_bp(slice_, insertion(3, "CA"), arena_), 8);
    EXPECT_EQ(rightward_shift_bp(slice_, insertion(3, "TT"), arena_), 0);
}

TEST_F(AlleleTest, repeat_context_counts_copies_of_the_unit) {
    use("GGGCACACACAGGGTTTTTTTTA");
    EXPECT_EQ(repeat_of(slice_, {3, 4, 0, 0}, arena_).period, 2);
    EXPECT_EQ(repeat_of(slice_, {3, 4, 0, 0}, arena_).copies, 4);
    EXPECT_EQ(repeat_of(slice_, insertion(14, "TT"), arena_).period, 1);
    EXPECT_EQ(repeat_of(slice_, insertion(14, "TT"), arena_).copies, 8);
    EXPECT_EQ(repeat_of(slice_, insertion(3, "TG"), arena_).copies, 0);
}

TEST_F(AlleleTest, priors_follow_the_repeat_that_an_allele_changes) {
    const auto decades = [&](const Allele& allele) {
        return static_cast<double>(allele_prior(slice_, allele, arena_, usual_).one) / k_log_scale;
    };
    use("GGGCACACACAGGGTTTTTTTTA");                 // four copies of CA, eight of T
    EXPECT_DOUBLE_EQ(decades({5, 1, 0, 1}), -3.0);  // an SNV
    EXPECT_NEAR(decades({3, 2, 0, 0}), -3.2, 1e-4);
    EXPECT_NEAR(decades(insertion(3, "CA")), -3.2, 1e-4);
    EXPECT_NEAR(decades({3, 4, 0, 0}), -3.5, 1e-4);
    EXPECT_NEAR(decades({14, 1, 0, 0}), -1.8, 1e-4);
    EXPECT_NEAR(decades(insertion(14, "TT")), -2.8, 1e-4);
    EXPECT_NEAR(decades(insertion(14, "TTT")), -2.8, 1e-4);
    // What is no copy of the unit is as rare as anywhere.
    EXPECT_NEAR(decades(insertion(14, "G")), -3.9, 1e-4);
    EXPECT_NEAR(decades(insertion(14, "TG")), -3.9, 1e-4);
    EXPECT_NEAR(decades(insertion(3, "CATG")), -3.9, 1e-4);
    // An allele is never rarer for being in a short repeat.
    EXPECT_NEAR(decades({0, 2, 0, 0}), -3.9, 1e-4);
}

TEST_F(AlleleTest, priors_rise_with_the_copies_up_to_one_in_eight) {
    const std::vector<std::string> units{"A", "CA", "GAT", "TTCACG"};
    for (const std::string& unit : units) {
        double last = -3.9;
        for (size_t copies = 2; copies < 30; ++copies) {
            std::string letters = "G";
            for (size_t i = 0; i < copies; ++i) letters += unit;
            use(letters + "GGC");
            const double prior =
                static_cast<double>(
                    allele_prior(slice_, {1, static_cast<int32_t>(unit.size()), 0, 0}, arena_, usual_).one) /
                k_log_scale;
            EXPECT_GE(prior, last - 1e-4) << unit << copies;
            EXPECT_EQ(allele_prior(slice_, insertion(1, unit), arena_, usual_).one,
                      allele_prior(slice_, {1, static_cast<int32_t>(unit.size()), 0, 0}, arena_, usual_).one);
            last = prior;
        }
        EXPECT_GT(last, -1.1) << unit;
        EXPECT_LT(last, -0.8) << unit;
    }
    // Seven bases: more copies of a unit of which too few were counted.
    std::string letters = "G";
    for (int i = 0; i < 6; ++i) letters += "TTCACGA";
    use(letters + "GGC");
    EXPECT_NEAR(static_cast<double>(allele_prior(slice_, {1, 7, 0, 0}, arena_, usual_).one) / k_log_scale,
                -3.3, 1e-4);
}

TEST_F(AlleleTest, both_haplotypes_change_a_long_repeat) {
    GapQualityTable gaps = usual_;
    gaps.is_measured = true;
    const auto both = [&](const std::string& unit, size_t copies) {
        std::string letters = "G";
        for (size_t i = 0; i < copies; ++i) letters += unit;
        use(letters + "GGC");
        const AllelePrior prior =
            allele_prior(slice_, {1, static_cast<int32_t>(unit.size()), 0, 0}, arena_, gaps);
        EXPECT_EQ(prior.both, allele_prior(slice_, insertion(1, unit + unit), arena_, gaps).both);
        return static_cast<double>(prior.both) / k_log_scale;
    };
    EXPECT_NEAR(both("A", 15), -1.0, 1e-4);
    EXPECT_NEAR(both("A", 16), -0.4, 1e-4);
    EXPECT_NEAR(both("CA", 11), -1.0, 1e-4);
    EXPECT_NEAR(both("CA", 12), -0.4, 1e-4);
    EXPECT_NEAR(both("GAT", 8), -0.4, 1e-4);
    EXPECT_NEAR(both("TTCACGA", 6), -1.0, 1e-4);  // seven bases: too few were counted
    // Not where the library changes repeats itself, or may do so.
    for (uint8_t& quality : gaps.homopolymer) quality = static_cast<uint8_t>(quality - 5);
    EXPECT_NEAR(both("A", 20), -1.0, 1e-4);
    EXPECT_NEAR(both("CA", 12), -1.0, 1e-4);
    gaps = usual_;
    EXPECT_NEAR(both("A", 20), -1.0, 1e-4);
    use("GGGCACACACAGGG");
    EXPECT_EQ(allele_prior(slice_, {5, 1, 0, 1}, arena_, gaps).both, AllelePrior::k_rarely_both);
}

TEST_F(AlleleTest, differences_are_snps_and_indels) {
    const std::string reference = "ACGATCTTAGCAGGATTACAGCTTCAGGAT";
    EXPECT_EQ(differences(reference, reference), "");
    EXPECT_EQ(differences(reference, "ACGATCTTAGCAGCATTACAGCTTCAGGAT"), "13-1+C ");
    EXPECT_EQ(differences(reference, "ACGATCTTAGCAGGATCAGCTTCAGGAT"), "16-2+ ");
    EXPECT_EQ(differences(reference, "ACGATCTTAGCAGGGGGCATTACAGCTTCAGGAT"), "14-0+GGGC ");
}

TEST_F(AlleleTest, differences_within_repeats_are_left_aligned) {
    EXPECT_EQ(differences("GTCAGGGCACACACACAGGGTTCAGC", "GTCAGGGCACACACAGGGTTCAGC"), "7-2+ ");
}

TEST_F(AlleleTest, of_an_insertion_and_a_deletion_at_one_place_the_deletion_comes_first) {
    EXPECT_EQ(differences("GATTGCCGTACAAAAAACTGGATTCAGC", "GATTGCCGTACGTGTGTAAAACTGGATTCAGC"),
              "11-2+ 13-0+GTGTGT ");
}

TEST_F(AlleleTest, differences_on_the_reference_give_the_haplotype) {
    std::mt19937_64 random(3);
    const auto draw = [&](size_t most) { return random() % most; };
    size_t with_several = 0;
    for (int round = 0; round < 2'000; ++round) {
        const std::string unit = random_letters(random, 1 + draw(3));
        std::string reference = random_letters(random, 30);
        while (reference.size() < 60) reference += unit;
        reference += random_letters(random, 30);
        std::string haplotype = reference;
        for (size_t change = 0; change < 4; ++change) {
            const size_t at = 25 + draw(35);
            if (draw(2) == 0)
                haplotype[at] = "ACGT"[draw(4)];
            else if (draw(2) == 0)
                haplotype.insert(at, random_letters(random, 1 + draw(4)));
            else
                haplotype.erase(at, 1 + draw(4));
        }
        use(reference);
        std::vector<data::Base> bases(haplotype.size()), written;
        data::to_bases(haplotype, bases);
        std::vector<Allele> alleles;
        const auto end = static_cast<int64_t>(reference.size());
        HaplotypeAligner().differences(slice_, 0, end, bases, arena_, alleles);
        with_several += alleles.size() > 1 ? 1 : 0;
        write_haplotype(slice_, 0, end, alleles, (AlleleSet{1} << alleles.size()) - 1, arena_, written);
        ASSERT_EQ(data::to_letters(written), haplotype) << reference;
    }
    EXPECT_GT(with_several, 1'500u);
}

TEST_F(AlleleTest, two_short_gaps_beat_a_gap_with_a_mismatch) {
    // As truth sets have it: CA>C twice, not AAC>A and A>C.
    const std::string reference = "GATGTTGCCAAAAAAAAACAAAAAAGTCCTGT";
    EXPECT_EQ(differences(reference, "GATGTTGCCAAAAAAAACAAAAAGTCCTGT"), "9-1+ 19-1+ ");
}

}  // namespace
}  // namespace gannet::variants
