// SPDX-License-Identifier: MIT
// Tests the labels of candidates against small truths.
#include "variants/compare/labels.hpp"

#include "compare_support.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

namespace gannet::variants::compare::test {
namespace {

//                       1234567890123456789012345678901234567890
const std::string k_seq = "GATTACAGCTCACACACAGGTTTTTTTCGATCGGATCCATGCAAGTCTGACCTTAGACGT" +
                          std::string("ACGGTCATTGCAGTCCATGAACTGGTACTTGACGTACCAGTTGACATGCTAGGATCCATTG") +
                          "TCAGGCATTACGGATACCGTTAGCATGCAATCGGTATCCAGTTACGGATTCAGGCATTACG";

struct Change {
    int64_t begin;  ///< 0-based
    int64_t removed;
    std::string bases;
    uint8_t called;
};

/// Labels of the candidates against truth lines "POS REF ALT GT".
std::vector<int> labels(const std::vector<std::string>& truth, const std::vector<Change>& candidates,
                        const data::RegionSet& targets = {}, Labeller::Missing* missing = nullptr) {
    const tests::TemporaryFolder folder;
    const data::Reference reference = make_reference(k_seq);
    std::string text =
        "##fileformat=VCFv4.2\n##contig=<ID=c>\n##FORMAT=<ID=GT,Number=1,Type=String,Description=\"\">\n"
        "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ts\n";
    for (const std::string& line : truth) {
        std::string fields[4];
        size_t field = 0;
        for (const char letter : line) {
            if (letter == ' ')
                ++field;
            else
                fields[field] += letter;
        }
        text += "c\t" + fields[0] + "\t.\t" + fields[1] + "\t" + fields[2] + "\t50\tPASS\t.\tGT\t" +
                fields[3] + "\n";
    }
    if (!truth.empty()) folder.write("truth.vcf", text);
    std::vector<int> out;
    Labeller labeller(reference, truth.empty() ? "" : folder.path("truth.vcf"),
                      [&](uint64_t ordinal, uint8_t label) {
                          EXPECT_EQ(ordinal, out.size());
                          out.push_back(label);
                      });
    for (const Change& change : candidates) {
        std::vector<data::Base> bases(change.bases.size());
        data::to_bases(change.bases, bases);
        labeller.add(0, change.begin, change.removed, bases, change.called);
    }
    labeller.finish();
    if (missing != nullptr) *missing = labeller.without_candidate(targets);
    return out;
}

TEST(Labels, truth_without_a_candidate_is_counted_in_the_targets) {
    const std::vector<std::string> truth{"2 A C 0/1", "29 GATC ATCC 1/1", "60 T TAAGG 0/1", "150 A C 0/1"};
    // The first is a candidate, the second two candidates in another form, the others none.
    const std::vector<Change> candidates{{1, 1, "C", 1}, {28, 1, "", 2}, {32, 0, "C", 2}, {64, 1, "T", 0}};
    Labeller::Missing missing;
    labels(truth, candidates, {}, &missing);
    EXPECT_EQ(missing.snp, 1U);
    EXPECT_EQ(missing.indel, 1U);
    labels(truth, candidates, data::RegionSet({{0, 0, 100}}), &missing);
    EXPECT_EQ(missing.snp, 0U);
    EXPECT_EQ(missing.indel, 1U);
}

TEST(Labels, equal_changes_have_the_copies_of_the_truth) {
    EXPECT_EQ(labels({"2 A C 0/1", "5 A G 1/1"},
                     {{1, 1, "C", 2}, {1, 1, "G", 0}, {4, 1, "G", 1}, {150, 1, "T", 1}}),
              (std::vector<int>{1, 0, 2, 0}));
}

TEST(Labels, the_truth_is_normalised) {
    // The CA repeat at 11-18: the truth takes its last copy, the candidate its first.
    EXPECT_EQ(labels({"16 ACA A 0/1"}, {{10, 2, "", 1}}), (std::vector<int>{1}));
}

TEST(Labels, haplotypes_that_say_the_same_are_matched) {
    // ATT > A and A > ATT-like rewritings: an MNP of the truth as an insertion and a deletion of the caller.
    // Reference 29-34 GATCGG; truth GAT > ATC (three SNPs); called: G deleted, C inserted after ATC.
    const auto found = labels({"29 GATC ATCC 1/1"}, {{28, 1, "", 2}, {32, 0, "C", 2}});
    EXPECT_EQ(found, (std::vector<int>{2, 2}));
}

TEST(Labels, beside_unexplained_truth_nothing_is_known) {
    EXPECT_EQ(labels({"60 T TAAGG 0/1"}, {{64, 1, "T", 0}, {110, 1, "C", 1}}), (std::vector<int>{255, 0}));
}

TEST(Labels, without_a_truth_all_are_unknown) {
    EXPECT_EQ(labels({}, {{64, 1, "T", 1}, {110, 1, "C", 1}}), (std::vector<int>{255, 255}));
}

}  // namespace
}  // namespace gannet::variants::compare::test
