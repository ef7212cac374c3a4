// SPDX-License-Identifier: MIT
// Tests the counting of reads that show an indel as mismatches because they begin or end within a repeat.
#include "variants/evidence/explained_reads.hpp"

#include "tests/unit/variants/placed_reads.hpp"
#include "variants/evidence/evidence.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace gannet::variants {
namespace {

using namespace testing;

/// Twenty copies of AG. Both haplotypes have GGGA instead of the last ones, and one has four more copies, as
/// at chr20:10009876 of hg19 in NA12878. From within the copies on, reads of both are alike.
class ExplainedReadsTest : public PlacedReads {
  protected:
    static constexpr int64_t k_first = 401;     // of the copies
    static constexpr int64_t k_inserted = 432;  // as aligners place it, leftmost
    static constexpr uint32_t k_length = 90;

    void SetUp() override {
        std::string middle = "C";
        for (int i = 0; i < 20; ++i) middle += "AG";
        make(middle + "AACCT");
        other_ = letters_;
        for (const size_t position : {427u, 431u, 435u, 439u}) other_.at(position) = 'G';
        longer_ = other_;
        longer_.insert(static_cast<size_t>(k_first), "AGAGAGAG");
    }
    void add_longer_with_gap(int64_t begin) {
        const auto left = static_cast<uint32_t>(k_inserted - begin);
        add(longer_.substr(static_cast<size_t>(begin), k_length), begin,
            {match(left), data::cigar_element(8, data::k_cigar_insertion), match(k_length - 8 - left)});
    }
    void add_without_gap(const std::string& haplotype, int64_t begin) {
        add(haplotype.substr(static_cast<size_t>(begin), k_length), begin, {match(k_length)});
    }
    /// Three reads with the gap, and 37 that span the copies.
    void add_spanning() {
        for (int64_t begin = 360; begin < 363; ++begin) add_longer_with_gap(begin);
        for (int64_t begin = 363; begin < 400; ++begin) add_without_gap(other_, begin);
    }
    size_t indels() {
        Evidence evidence;
        std::vector<Candidate> candidates;
        gather_evidence(set_, slice_, 10, 800, 10, evidence);
        find_candidates(set_, slice_, evidence, candidates);
        return static_cast<size_t>(
            std::count_if(candidates.begin(), candidates.end(),
                          [](const Candidate& c) { return c.kind == CandidateKind::indel; }));
    }

    std::string other_, longer_;
};

TEST_F(ExplainedReadsTest, reads_that_begin_within_the_copies_speak_for_the_insertion_by_their_mismatches) {
    add_spanning();
    EXPECT_EQ(indels(), 0u);  // 3 of 40
    for (int64_t begin = 402; begin < 406; ++begin) add_without_gap(other_, begin);
    EXPECT_EQ(indels(), 1u);
}

TEST_F(ExplainedReadsTest, reads_without_the_mismatches_do_not) {
    add_spanning();
    for (int64_t begin = 402; begin < 406; ++begin) add_without_gap(letters_, begin);
    EXPECT_EQ(indels(), 0u);
}

TEST_F(ExplainedReadsTest, either_side_of_a_deletion_may_be_moved) {
    const Allele deletion{300, 8, 0, 0};
    std::string without = letters_;
    without.erase(300, 8);
    add(without.substr(250, k_length), 250, {match(k_length)});
    add(letters_.substr(260, k_length), 260, {match(k_length)});
    add(without.substr(272, k_length), 280, {match(k_length)});
    EXPECT_EQ(count_explained_reads(set_, slice_, {}, deletion), 2);
}

}  // namespace
}  // namespace gannet::variants
