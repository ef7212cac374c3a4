// SPDX-License-Identifier: MIT
// Tests the indels that explain SNVs at the border of two repeats.
#include "variants/evidence/repeat_end_alleles.hpp"

#include "tests/unit/variants/placed_reads.hpp"
#include "variants/evidence/evidence.hpp"

#include <string>
#include <vector>

namespace gannet::variants {
namespace {

using namespace testing;

/// Ten copies of CCCT, then twenty of TCCT, as at chr20:6233072 of GRCh38, where HG002 has one CCCT less.
class RepeatEndTest : public PlacedReads {
  protected:
    static constexpr int64_t k_first = 401;   // of the repeat of CCCT
    static constexpr int64_t k_border = 441;  // the first base of TCCT
    static constexpr int64_t k_end = 521;

    void SetUp() override {
        std::string middle = "G";
        for (int i = 0; i < 10; ++i) middle += "CCCT";
        for (int i = 0; i < 20; ++i) middle += "TCCT";
        make(middle + "A");
    }
    /// Reads of `length` bases from `begin` on that have a T for the first base of the last CCCT.
    void add_with_snv(int64_t begin, uint32_t length) {
        std::string bases = letters_.substr(static_cast<size_t>(begin), length);
        bases.at(static_cast<size_t>(k_border - 4 - begin)) = 'T';
        add(bases, begin, {match(length)});
    }
    void add_of_reference(int64_t begin, uint32_t length) {
        add(letters_.substr(static_cast<size_t>(begin), length), begin, {match(length)});
    }
    std::vector<Candidate> indels() {
        Evidence evidence;
        std::vector<Candidate> candidates;
        gather_evidence(set_, slice_, 10, 900, 10, evidence);
        find_candidates(set_, slice_, evidence, candidates);
        arena_ = evidence.arena;
        std::erase_if(candidates,
                      [](const Candidate& candidate) { return candidate.kind != CandidateKind::indel; });
        return candidates;
    }
    std::vector<data::Base> arena_;
};

TEST_F(RepeatEndTest, a_copy_less_explains_an_snv_of_reads_that_end_within_the_repeat) {
    for (int64_t begin = 380; begin < 390; begin += 2) add_with_snv(begin, 100);
    for (int64_t begin = 390; begin < 420; begin += 2) add_of_reference(begin, 100);
    const std::vector<Candidate> found = indels();
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].allele.position, k_first);
    EXPECT_EQ(found[0].allele.reference_length, 4);
    EXPECT_EQ(found[0].allele.alternate_length, 0);
    EXPECT_EQ(found[0].support, 5u);
    EXPECT_LE(found[0].begin, k_first - 1);
    EXPECT_GE(found[0].end, k_border);
}

TEST_F(RepeatEndTest, a_read_with_the_snv_that_reaches_beyond_the_repeat_rules_the_indel_out) {
    for (int64_t begin = 380; begin < 390; begin += 2) add_with_snv(begin, 100);
    add_with_snv(423, 100);
    EXPECT_TRUE(indels().empty());
}

/// On the other side: the SNV makes the first TCCT a CCCT, and the reads begin within those.
TEST_F(RepeatEndTest, a_copy_less_explains_an_snv_of_reads_that_begin_within_the_repeat) {
    for (int64_t begin = 405; begin < 415; begin += 2) {
        std::string bases = letters_.substr(static_cast<size_t>(begin), 120);
        bases.at(static_cast<size_t>(k_border - begin)) = 'C';
        add(bases, begin, {match(120)});
    }
    const std::vector<Candidate> found = indels();
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].allele.position, k_border - 3);  // leftmost: CCTT
    EXPECT_EQ(found[0].allele.reference_length, 4);
}

/// A TCCT more: the reads begin within the copies of CCCT and go on beyond those of TCCT.
TEST_F(RepeatEndTest, a_copy_more_explains_an_snv_of_reads_that_begin_within_the_repeat) {
    for (int64_t begin = 405; begin < 415; begin += 2) add_with_snv(begin, 125);
    const std::vector<Candidate> found = indels();
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].allele.position, k_border - 3);
    EXPECT_EQ(found[0].allele.reference_length, 0);
    ASSERT_EQ(found[0].allele.alternate_length, 4);
    const auto inserted = bases_of(found[0].allele, arena_);
    std::string letters;
    for (const data::Base base : inserted) letters += data::k_letter_of_base[base];
    EXPECT_EQ(letters, "CCTT");
}

TEST_F(RepeatEndTest, an_snv_in_unique_sequence_has_no_indel) {
    for (int64_t begin = 250; begin < 270; begin += 2) {
        std::string bases = letters_.substr(static_cast<size_t>(begin), 100);
        bases.at(static_cast<size_t>(300 - begin)) = letters_[300] == 'A' ? 'C' : 'A';
        add(bases, begin, {match(100)});
    }
    EXPECT_TRUE(indels().empty());
}

}  // namespace
}  // namespace gannet::variants
