// SPDX-License-Identifier: MIT
// Tests haplotypes that overlapping reads show together.
#include "variants/alleles/linked_haplotypes.hpp"

#include "tests/unit/variants/placed_reads.hpp"
#include "variants/alleles/haplotypes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace gannet::variants {
namespace {

using namespace testing;

/// Reads as what they show of the alleles from the first on: '1' has it, '0' has not, '.' does not tell.
class LinkedHaplotypesTest : public ::testing::Test {
  protected:
    void add(int count, const std::string& shown) {
        ReadAlleles read;
        for (size_t i = 0; i < shown.size(); ++i) {
            if (shown[i] != '.') read.known |= AlleleSet{1} << i;
            if (shown[i] == '1') read.carried |= AlleleSet{1} << i;
        }
        reads_.insert(reads_.end(), static_cast<size_t>(count), read);
        alleles_ = shown.size();
    }
    /// In the order in which they are found.
    std::vector<std::string> find(std::vector<std::pair<size_t, size_t>> conflicting = {},
                                  size_t maximum = 16) {
        std::vector<AlleleSet> conflicts(alleles_, 0);
        for (const auto& [a, b] : conflicting) {
            conflicts[a] |= AlleleSet{1} << b;
            conflicts[b] |= AlleleSet{1} << a;
        }
        std::vector<std::string> texts;
        for (const AlleleSet set : linked_.find(reads_, conflicts, maximum)) {
            texts.emplace_back();
            for (size_t i = 0; i < alleles_; ++i) texts.back() += (set >> i & 1) != 0 ? '1' : '0';
        }
        return texts;
    }
    using Texts = std::vector<std::string>;

    std::vector<ReadAlleles> reads_;
    size_t alleles_ = 0;
    LinkedHaplotypes linked_;
};

TEST_F(LinkedHaplotypesTest, reads_that_overlap_show_what_none_spans) {
    for (const char* shown : {"110...", ".101..", "..011.", "...110"}) add(3, shown);
    for (const char* shown : {"001...", ".010..", "..101.", "...011"}) add(2, shown);
    EXPECT_EQ(find(), (Texts{"110110", "001011"}));
}

TEST_F(LinkedHaplotypesTest, alleles_of_two_haplotypes_are_not_mixed) {
    add(10, "111"), add(10, "010");
    add(3, ".11"), add(3, ".10");  // agree with both up to the last allele
    EXPECT_EQ(find(), (Texts{"010", "111"}));
}

TEST_F(LinkedHaplotypesTest, what_one_read_shows_is_no_haplotype_beside_others) {
    add(10, "111"), add(1, "101");
    EXPECT_EQ(find(), Texts{"111"});
}

TEST_F(LinkedHaplotypesTest, where_no_read_links_both_ways_are_tried) {
    add(4, "1."), add(4, "0."), add(4, ".1"), add(4, ".0");
    EXPECT_EQ(find(), (Texts{"00", "10", "01", "11"}));
}

TEST_F(LinkedHaplotypesTest, alleles_that_exclude_each_other_are_on_different_ones) {
    add(5, "10"), add(5, "01"), add(5, "11");
    EXPECT_EQ(find({{0, 1}}), (Texts{"10", "01"}));
}

TEST_F(LinkedHaplotypesTest, the_best_supported_ones_are_kept) {
    add(9, "110"), add(5, "011"), add(3, "101");
    EXPECT_EQ(find({}, 2), (Texts{"110", "011"}));
}

/// Six SNVs in 40 bp; one haplotype has all of them, the other one the last four. No read of the second one
/// spans them.
class LinkedReadsTest : public PlacedReads {
  protected:
    void SetUp() override { make("GTACTGGTACTGGTACTGGTACTGGTACTGGTACTGGTAC"); }

    /// With the SNVs from the first one on, up to before the last one.
    void add_reads(int count, int64_t begin, int64_t end, size_t first_snv, size_t last_snv = k_snvs) {
        std::string bases = letters_.substr(static_cast<size_t>(begin), static_cast<size_t>(end - begin));
        for (size_t i = first_snv; i < last_snv; ++i) {
            const int64_t at = position(i) - begin;
            if (at >= 0 && position(i) < end) bases[static_cast<size_t>(at)] = other(i);
        }
        for (; count > 0; --count) add(bases, begin, {match(static_cast<uint32_t>(bases.size()))});
    }
    static int64_t position(size_t snv) { return 402 + 7 * static_cast<int64_t>(snv); }
    char other(size_t snv) const { return letters_[static_cast<size_t>(position(snv))] == 'A' ? 'C' : 'A'; }
    /// For each haplotype which SNVs it has.
    std::vector<std::string> haplotypes() {
        Evidence evidence;
        gather_evidence(set_, slice_, 0, static_cast<int64_t>(letters_.size()), 10, evidence);
        std::vector<Candidate> candidates;
        std::vector<ActiveRegion> regions;
        find_candidates(set_, slice_, evidence, candidates);
        find_active_regions(set_, slice_, evidence, candidates, regions);
        EXPECT_EQ(regions.size(), 1u);
        std::vector<uint32_t> all;
        for (uint32_t i = 0; i < set_.reads.size(); ++i) all.push_back(i);
        RegionHaplotypes out;
        HaplotypeBuilder().build({set_, slice_, evidence, candidates, all, {}, {}}, regions.at(0), out);
        std::vector<std::string> texts;
        for (const AlleleSet set : out.haplotypes) {
            std::string text(k_snvs, '0');
            for (size_t a = 0; a < out.alleles.size(); ++a) {
                const int64_t from_first = out.alleles[a].position - position(0);
                if ((set >> a & 1) != 0 && !out.alleles[a].is_indel())
                    text[static_cast<size_t>(from_first / 7)] = '1';
            }
            texts.push_back(text);
        }
        return texts;
    }
    static constexpr size_t k_snvs = 6;
};

TEST_F(LinkedReadsTest, a_haplotype_whose_reads_end_within_the_region_is_tried) {
    add_reads(10, 350, 490, 0);
    add_reads(5, 351, 427, 2);
    add_reads(5, 410, 490, 2);
    const auto found = haplotypes();
    EXPECT_NE(std::find(found.begin(), found.end(), "001111"), found.end());
}

/// Reads that end in the repeat show SNVs in place of the gap.
TEST_F(LinkedReadsTest, nothing_is_linked_beside_a_repeat_of_another_length) {
    make("GTACTGGTACTGGTACTGGTACTGAAAAAATACTGGTAC");
    add_reads(10, 350, 490, 0);
    for (int64_t begin = 350; begin < 354; ++begin) {  // without the first of the As
        const std::string bases = letters_.substr(static_cast<size_t>(begin), 140);
        const auto before = static_cast<uint32_t>(424 - begin);
        add(bases.substr(0, before) + bases.substr(before + 1), begin,
            {match(before), data::cigar_element(1, data::k_cigar_deletion), match(139 - before)});
    }
    add_reads(5, 354, 427, 2);
    add_reads(5, 410, 490, 2);
    const auto found = haplotypes();
    EXPECT_EQ(std::find(found.begin(), found.end(), "001111"), found.end());
}

/// Of reads that know the last SNVs only, some have the last one and some have not: either may be with the
/// first.
TEST_F(LinkedReadsTest, what_is_explained_already_is_not_tried) {
    add_reads(4, 350, 490, 0);
    add_reads(4, 350, 490, 1, 5);
    add_reads(6, 351, 427, 0);
    add_reads(6, 351, 427, 1, 5);
    add_reads(6, 410, 490, 0);
    add_reads(6, 410, 490, 1, 5);
    EXPECT_EQ(haplotypes(), (std::vector<std::string>{"000000", "011110", "111111"}));
}

}  // namespace
}  // namespace gannet::variants
