// SPDX-License-Identifier: MIT
// Tests haplotype-aware matching with cases made by hand and with random re-representations of the same
// haplotypes.
#include "compare_support.hpp"

#include <gtest/gtest.h>

#include <random>

namespace gannet::variants::compare::test {
namespace {

//                       1234567890123456789012345678901234567890
const std::string k_seq = "GATTACAGCTCACACACAGGTTTTTTTCGATCGGATCCATGCAAGTCTGACCTTAGACGT";

TEST(Atoms, mnp_and_complex_alleles_split_like_atomised_records) {
    const data::Reference reference = make_reference(k_seq);
    // ATT (2-4) > GTC: two SNPs; TTACA (3-7) > TG: after the shared T one SNP and a deletion of three.
    const CallSet mnp = call_set(reference, {site(2, {"ATT", "GTC"}, "0/1")});
    ASSERT_EQ(mnp.atoms.size(), 2U);
    EXPECT_TRUE(mnp.atoms[0].is_snp() && mnp.atoms[1].is_snp());
    EXPECT_EQ(mnp.atoms[1].begin, 3);
    const CallSet complex = call_set(reference, {site(3, {"TTACA", "TG"}, "1/1")});
    ASSERT_EQ(complex.atoms.size(), 2U);
    EXPECT_TRUE(complex.atoms[0].is_snp());
    EXPECT_EQ(complex.atoms[0].begin, 3);
    EXPECT_EQ(complex.atoms[1].end - complex.atoms[1].begin, 3);
    EXPECT_EQ(complex.atoms[1].copies, 2);
}

TEST(Atoms, indels_move_left_through_their_repeat) {
    const data::Reference reference = make_reference(k_seq);
    // CA repeat at 11-18 (1-based): the last CA taken out or one put in is anchored at T10 when normalised.
    const CallSet set = call_set(reference, {site(16, {"ACA", "A"}, "0/1"), site(18, {"A", "ACA"}, "0/1")});
    ASSERT_EQ(set.atoms.size(), 2U);
    EXPECT_EQ(set.atoms[0].vcf_position(), 9);
    EXPECT_EQ(set.atoms[1].vcf_position(), 9);
}

TEST(Atoms, left_alignment_reaches_the_contig_start_and_crosses_windows) {
    const data::Reference reference = make_reference(std::string(200, 'A') + "CGT");
    const CallSet set = call_set(reference, {site(200, {"A", "AAA"}, "0/1")});
    ASSERT_EQ(set.atoms.size(), 1U);
    EXPECT_EQ(set.atoms[0].normal_begin, 0);
    EXPECT_EQ(set.atoms[0].vcf_position(), 0);
}

TEST(Atoms, equal_changes_merge_and_alleles_not_carried_are_left_out) {
    const data::Reference reference = make_reference(k_seq);
    const CallSet set = call_set(reference, {site(2, {"A", "C"}, "0/1"), site(2, {"A", "C", "T"}, "0/1"),
                                             site(2, {"A", "<DEL>", "*"}, "1/2")});
    ASSERT_EQ(set.atoms.size(), 1U);
    EXPECT_EQ(set.atoms[0].copies, 2);
    EXPECT_EQ(set.skipped_alleles, 2U);
}

TEST(Matcher, equal_records_match_and_a_missing_and_an_extra_do_not) {
    const data::Reference reference = make_reference(k_seq);
    EXPECT_EQ(compare(reference, {site(2, {"A", "C"}, "0/1"), site(9, {"C", "G"}, "1/1")},
                      {site(2, {"A", "C"}, "1|0"), site(30, {"T", "C"}, "0/1")}),
              (Tally{2, 1, 1, 2, 1, 1}));
}

TEST(Matcher, split_mnp_matches) {
    const data::Reference reference = make_reference(k_seq);
    EXPECT_EQ(compare(reference, {site(2, {"ATT", "GTC"}, "0/1")},
                      {site(2, {"A", "G"}, "0/1"), site(4, {"T", "C"}, "0/1")}),
              (Tally{2, 2, 2, 2, 2, 2}));
}

TEST(Matcher, shifted_indel_matches) {
    const data::Reference reference = make_reference(k_seq);
    EXPECT_EQ(compare(reference, {site(10, {"TCA", "T"}, "0/1")}, {site(16, {"ACA", "A"}, "0/1")}),
              (Tally{1, 1, 1, 1, 1, 1}));
}

TEST(Matcher, long_deletion_equals_its_parts) {
    const data::Reference reference = make_reference(k_seq);
    // Four bases out of the CA repeat at once, or two and two.
    EXPECT_EQ(compare(reference, {site(10, {"TCACA", "T"}, "1/1")},
                      {site(10, {"TCA", "T"}, "1/1"), site(16, {"ACA", "A"}, "1/1")}),
              (Tally{1, 1, 1, 2, 2, 2}));
}

TEST(Matcher, snp_next_to_a_homopolymer_equals_an_insertion_and_a_deletion) {
    const data::Reference reference = make_reference(k_seq);
    // G20>T lengthens the T run from 21: the same haplotype as G20 deleted and one T more put in.
    EXPECT_EQ(compare(reference, {site(20, {"G", "T"}, "0/1")},
                      {site(19, {"GG", "G"}, "0/1"), site(21, {"T", "TT"}, "0/1")}),
              (Tally{1, 1, 1, 2, 2, 2}));
}

TEST(Matcher, insertions_behind_neighbouring_bases_equal_one_that_holds_both) {
    const data::Reference reference = make_reference("TTACGCATTACATTGA");
    const Tally all{2, 2, 2, 1, 1, 1};
    EXPECT_EQ(compare(reference, {site(4, {"C", "CA"}, "1/1"), site(5, {"G", "GG"}, "1/1")},
                      {site(4, {"CG", "CAGG"}, "1/1")}),
              all);
}

TEST(Matcher, complex_equals_atomised_with_both_phases_unknown) {
    const data::Reference reference = make_reference(k_seq);
    // TCGATC (27-32) > TGA..: truth writes one complex allele, calls a SNP and a deletion.
    EXPECT_EQ(compare(reference, {site(28, {"CGAT", "GA"}, "0/1")},
                      {site(27, {"TC", "T"}, "0/1"), site(30, {"AT", "A"}, "1|0")}),
              (Tally{3, 3, 3, 2, 2, 2}));
}

TEST(Matcher, joined_and_split_multiallelic_sites_match) {
    const data::Reference reference = make_reference(k_seq);
    EXPECT_EQ(compare(reference, {site(10, {"TCA", "T", "TCACA"}, "1/2")},
                      {site(10, {"T", "TCA"}, "0/1"), site(16, {"ACA", "A"}, "0/1")}),
              (Tally{2, 2, 2, 2, 2, 2}));
}

TEST(Matcher, wrong_genotype_matches_by_allele_only) {
    const data::Reference reference = make_reference(k_seq);
    EXPECT_EQ(compare(reference, {site(2, {"A", "C"}, "1/1"), site(10, {"TCA", "T"}, "0/1")},
                      {site(2, {"A", "C"}, "0/1"), site(16, {"ACA", "A"}, "1/1")}),
              (Tally{2, 0, 2, 2, 0, 2}));
}

TEST(Matcher, indel_of_another_length_does_not_match) {
    const data::Reference reference = make_reference(k_seq);
    EXPECT_EQ(compare(reference, {site(10, {"TCACA", "T"}, "0/1")}, {site(10, {"TCA", "T"}, "0/1")}),
              (Tally{1, 0, 0, 1, 0, 0}));
}

TEST(Matcher, calls_that_cancel_out_are_not_right) {
    const data::Reference reference = make_reference(k_seq);
    EXPECT_EQ(compare(reference, {}, {site(10, {"T", "TCA"}, "0/1"), site(16, {"ACA", "A"}, "0/1")}),
              (Tally{0, 0, 0, 2, 0, 0}));
}

TEST(Matcher, two_hets_called_as_one_hom_are_wrong_in_genotype) {
    const data::Reference reference = make_reference(k_seq);
    // 1/2 of two lengths against hom of one: the shared allele matches by presence, nothing by genotype.
    EXPECT_EQ(compare(reference, {site(10, {"TCACA", "T", "TCA"}, "1/2")}, {site(10, {"TCA", "T"}, "1/1")}),
              (Tally{2, 0, 1, 1, 0, 1}));
}

TEST(Matcher, overlapping_records_of_one_file_match_their_equals) {
    const data::Reference reference = make_reference(k_seq);
    // A hom deletion over a hom SNP cannot be replayed together; the same records on both sides still agree.
    EXPECT_EQ(compare(reference, {site(10, {"TCACA", "T"}, "1/1"), site(12, {"A", "G"}, "1/1")},
                      {site(10, {"TCACA", "T"}, "1/1"), site(12, {"A", "G"}, "1/1")}),
              (Tally{2, 2, 2, 2, 2, 2}));
}

TEST(Matcher, representation_reaches_through_a_repeat_longer_than_any_window) {
    const data::Reference reference = make_reference("GATC" + std::string(3000, 'A') + "CGT");
    const std::string run(10, 'A');
    EXPECT_EQ(compare(reference, {site(4, {"C" + run, "C"}, "0/1")}, {site(2990, {"A" + run, "A"}, "0/1")}),
              (Tally{1, 1, 1, 1, 1, 1}));
}

/// A haplotype as atoms that neither touch nor overlap; each is then written down differently.
struct RandomCase {
    std::string letters;
    std::vector<data::vcf::Site> plain;
    std::vector<data::vcf::Site> rewritten;
};

std::string apply(const std::string& letters, const std::vector<data::vcf::Site>& sites, size_t first,
                  size_t last, int64_t begin, int64_t end) {
    std::string out;
    int64_t at = begin;
    for (size_t i = first; i < last; ++i) {
        out += letters.substr(static_cast<size_t>(at), static_cast<size_t>(sites[i].position - at)) +
               sites[i].alleles[1];
        at = sites[i].position + static_cast<int64_t>(sites[i].alleles[0].size());
    }
    return out + letters.substr(static_cast<size_t>(at), static_cast<size_t>(end - at));
}

RandomCase random_case(uint32_t seed) {
    std::mt19937 random(seed);
    const auto below = [&](uint32_t n) { return random() % n; };
    const std::string alphabet = seed % 2 == 0 ? "AC" : "ACGT";  // two letters make repeats
    RandomCase out;
    for (int i = 0; i < 160; ++i) {
        out.letters += alphabet[below(static_cast<uint32_t>(alphabet.size()))];
    }
    out.letters.back() = 'T';
    for (int64_t at = 5; at < 145; at += 4 + static_cast<int64_t>(below(12))) {
        std::string ref = out.letters.substr(static_cast<size_t>(at), 1);
        std::string alt = ref;
        switch (below(3)) {
            case 0:
                alt = ref == "A" ? "C" : "A";
                break;
            case 1:
                alt += alphabet[below(2)];
                break;
            default:
                ref = out.letters.substr(static_cast<size_t>(at), 2 + below(2));
                break;
        }
        out.plain.push_back(site(at + 1, {ref, alt}, "1/1"));
    }
    // Neighbours are joined into one complex record of the whole stretch, with a base of context on each
    // side.
    for (size_t first = 0; first < out.plain.size();) {
        const size_t last = std::min(out.plain.size(), first + 1 + below(3));
        const int64_t begin = out.plain[first].position - 1;
        const int64_t end =
            out.plain[last - 1].position + static_cast<int64_t>(out.plain[last - 1].alleles[0].size()) + 1;
        const std::string ref =
            out.letters.substr(static_cast<size_t>(begin), static_cast<size_t>(end - begin));
        const std::string alt = apply(out.letters, out.plain, first, last, begin, end);
        if (ref != alt) {
            out.rewritten.push_back(site(begin + 1, {ref, alt}, "1/1"));
        }
        first = last;
    }
    return out;
}

TEST(Matcher, random_haplotypes_written_differently_agree_and_a_changed_base_is_noticed) {
    for (uint32_t seed = 1; seed <= 300; ++seed) {
        const RandomCase random = random_case(seed);
        const data::Reference reference = make_reference(random.letters);
        const Tally same = compare(reference, random.plain, random.rewritten);
        ASSERT_EQ(same.truth_matched, same.truth) << "seed " << seed;
        ASSERT_EQ(same.calls_matched, same.calls) << "seed " << seed;
        std::vector<data::vcf::Site> more = random.rewritten;
        more.push_back(site(160, {"T", "G"}, "0/1"));
        const Tally extra = compare(reference, random.plain, more);
        ASSERT_EQ(extra.calls_matched + 1, extra.calls) << "seed " << seed;
        std::vector<data::vcf::Site> het = random.rewritten;
        het[0].genotype = {0, 1};
        const Tally wrong = compare(reference, random.plain, het);
        ASSERT_LT(wrong.truth_matched, wrong.truth) << "seed " << seed;
    }
}

}  // namespace
}  // namespace gannet::variants::compare::test
