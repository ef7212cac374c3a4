// SPDX-License-Identifier: MIT
// Tests the copy numbers along a window, and the choice of the reads of copies that the reference lacks.
#include "variants/alleles/copy_number.hpp"

#include "data/record.hpp"
#include "variants/alleles/hidden_copies.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace gannet::variants {
namespace {

constexpr int64_t k_end = 40 * k_copy_bin_bp;
constexpr int32_t k_depth = 30;  // of two copies

class CopyNumberTest : public ::testing::Test {
  protected:
    CopyNumberTest() {
        evidence_.begin = 0;
        evidence_.end = k_end;
        evidence_.depth.assign(static_cast<size_t>(k_end) + 1, k_depth);
        expected_.assign(static_cast<size_t>(k_end / k_copy_bin_bp), int64_t{k_depth} * 256);
    }
    /// Alleles every `step` bp that 10 of 30 reads have, in the usual depth.
    void add_dense_alleles(int64_t begin, int64_t end, int64_t step) {
        for (int64_t at = begin; at < end; at += step) alleles_.push_back({at, 10, k_depth, 0});
    }
    void set_depth(int64_t begin, int64_t end, int32_t depth) {
        std::fill(evidence_.depth.begin() + begin, evidence_.depth.begin() + end, depth);
    }
    /// Alleles every 100 bp that `support` reads have.
    void add_alleles(int64_t begin, int64_t end, int32_t support) {
        for (int64_t at = begin; at < end; at += 100)
            alleles_.push_back({at, support, evidence_.depth[static_cast<size_t>(at)], 0});
    }
    const CopyNumber& load(int32_t usual_copies = 2) {
        copies_.load(evidence_, alleles_, {expected_, depth_is_of_sample_}, usual_copies);
        return copies_;
    }

    Evidence evidence_;
    std::vector<AlleleFraction> alleles_;
    std::vector<int64_t> expected_;
    bool depth_is_of_sample_ = true;
    CopyNumber copies_;
};

TEST_F(CopyNumberTest, usual_depth_has_two_copies) {
    load();
    for (int64_t at = 0; at < k_end; at += 100) EXPECT_EQ(copies_.at(at), 2);
    EXPECT_EQ(copies_.extra_around(5'000), (std::pair<int64_t, int64_t>{5'000, 5'000}));
}

TEST_F(CopyNumberTest, twice_the_depth_has_four_copies) {
    set_depth(2'560, 7'680, 2 * k_depth);
    load();
    EXPECT_EQ(copies_.at(2'559), 2);
    EXPECT_EQ(copies_.at(2'560), 4);
    EXPECT_EQ(copies_.at(7'679), 4);
    EXPECT_EQ(copies_.at(7'680), 2);
    EXPECT_EQ(copies_.extra_around(5'000), (std::pair<int64_t, int64_t>{2'560, 7'680}));
}

/// A haplotype that fewer fragments happen to show is no copy, however many alleles it has.
TEST_F(CopyNumberTest, alleles_of_the_same_reads_say_no_more_than_a_few) {
    add_dense_alleles(5'120, 6'400, 60);
    evidence_.read_span = 60;  // one allele per read: 22 that are independent
    EXPECT_EQ(load().at(5'700), 3);
    evidence_.read_span = 150;
    EXPECT_EQ(load().at(5'700), 3);
    evidence_.read_span = 500;
    EXPECT_EQ(load().at(5'700), 2);
}

/// Haplotypes of the MHC differ by as much: how dense alleles are says nothing, depth does.
TEST_F(CopyNumberTest, very_dense_alleles_are_of_two_copies_in_the_usual_depth) {
    add_dense_alleles(5'120, 6'400, 40);
    evidence_.read_span = 500;
    EXPECT_EQ(load().at(5'700), 2);
    set_depth(5'120, 6'400, k_depth * 3 / 2);
    for (AlleleFraction& allele : alleles_) allele = {allele.position, 15, k_depth * 3 / 2, 0};
    EXPECT_EQ(load().at(5'700), 3);
}

TEST_F(CopyNumberTest, copies_may_fill_the_window) {
    set_depth(0, k_end, 2 * k_depth);
    load();
    EXPECT_EQ(copies_.extra_around(100), (std::pair<int64_t, int64_t>{0, k_end}));
    EXPECT_EQ(copies_.at(-5), 4);
    EXPECT_EQ(copies_.at(k_end + 5), 4);
}

TEST_F(CopyNumberTest, moderate_excess_depends_on_the_fractions) {
    set_depth(2'560, 7'680, 42);
    add_alleles(2'600, 7'600, 14);  // a third
    EXPECT_EQ(load().at(5'000), 3);
    alleles_.clear();
    add_alleles(2'600, 7'600, 28);  // two thirds: also on the copy
    EXPECT_EQ(load().at(5'000), 3);
    alleles_.clear();
    add_alleles(2'600, 7'600, 21);  // half: a dense stretch of the sample's own
    EXPECT_EQ(load().at(5'000), 2);
}

TEST_F(CopyNumberTest, a_copy_of_both_haplotypes_is_found_at_low_depth) {
    std::fill(evidence_.depth.begin(), evidence_.depth.end(), 8);
    std::fill(expected_.begin(), expected_.end(), 8 * 256);
    set_depth(2'560, 7'680, 16);
    for (int64_t at = 2'600; at < 7'600; at += 60) {
        // As reads are drawn: 5 to 11 of 16; and a few sites that are the sample's own, on one of the copies.
        const auto support = static_cast<int32_t>(at % 900 < 60 ? 4 : 5 + at / 60 % 7);
        alleles_.push_back({at, support, 16, 0});
    }
    EXPECT_EQ(load().at(5'000), 4);
    EXPECT_EQ(copies_.at(1'000), 2);
}

TEST_F(CopyNumberTest, alleles_in_half_of_the_reads_are_of_two_copies_if_the_depth_is_the_windows_own) {
    set_depth(2'560, 7'680, 48);
    add_alleles(2'600, 7'600, 24);
    EXPECT_EQ(load().at(5'000), 4);
    depth_is_of_sample_ = false;
    EXPECT_EQ(load().at(5'000), 2);
}

TEST_F(CopyNumberTest, dense_alleles_in_usual_low_depth_are_of_two_copies) {
    std::fill(evidence_.depth.begin(), evidence_.depth.end(), 9);
    std::fill(expected_.begin(), expected_.end(), 8 * 256);
    for (int64_t at = 2'600; at < 7'600; at += 60)
        alleles_.push_back({at, static_cast<int32_t>(3 + at / 60 % 4), 9, 0});
    EXPECT_EQ(load().at(5'000), 2);
}

TEST_F(CopyNumberTest, dense_alleles_in_usual_depth_are_of_two_copies) {
    add_alleles(0, k_end, 15);
    EXPECT_EQ(load().at(5'000), 2);
}

TEST_F(CopyNumberTest, lost_copies_are_not_extra) {
    set_depth(2'560, 7'680, k_depth / 2);
    load();
    EXPECT_EQ(copies_.at(5'000), 1);
    EXPECT_EQ(copies_.extra_around(5'000).first, copies_.extra_around(5'000).second);
}

TEST_F(CopyNumberTest, a_haploid_window_has_one_copy) {
    set_depth(0, k_end, k_depth / 2);
    set_depth(2'560, 7'680, k_depth);
    load(1);
    EXPECT_EQ(copies_.at(1'000), 1);
    EXPECT_EQ(copies_.extra_around(5'000), (std::pair<int64_t, int64_t>{2'560, 7'680}));
}

TEST_F(CopyNumberTest, more_depth_than_the_highest_number_is_that_number) {
    set_depth(2'560, 7'680, 40 * k_depth);
    EXPECT_EQ(load().at(5'000), k_max_copies);
}

TEST_F(CopyNumberTest, unknown_depth_leaves_the_fractions) {
    expected_.assign(expected_.size(), 0);
    set_depth(2'560, 7'680, 10 * k_depth);
    EXPECT_EQ(load().at(5'000), 2);
    add_alleles(2'560, 7'680, 75);  // a quarter
    EXPECT_EQ(load().at(5'000), 4);
}

TEST_F(CopyNumberTest, depth_is_told_in_thousandths_of_two_copies) {
    set_depth(2'560, 5'120, k_depth * 3 / 2);
    load();
    EXPECT_EQ(copies_.depth_permille(2'560, 5'120), 1500);
    EXPECT_EQ(copies_.depth_permille(3'000, 3'001), 1500);
    EXPECT_EQ(copies_.depth_permille(0, 5'120), 1250);
    expected_[12] = 0;  // its depth says nothing
    load();
    EXPECT_EQ(copies_.depth_permille(2'560, 5'120), 1500);
    EXPECT_EQ(copies_.depth_permille(12 * k_copy_bin_bp, 13 * k_copy_bin_bp), 1000 * k_max_copies);
    depth_is_of_sample_ = false;
    load();
    EXPECT_EQ(copies_.depth_permille(0, k_end), 1000 * k_max_copies);
}

TEST_F(CopyNumberTest, the_bin_at_the_end_of_a_contig_counts_its_own_bases) {
    evidence_.end = k_end - 156;
    evidence_.depth.resize(static_cast<size_t>(evidence_.end) + 1);
    load();
    EXPECT_EQ(copies_.diploid_depth_x256(k_end - k_copy_bin_bp, evidence_.end), k_depth * 256);
    EXPECT_EQ(copies_.diploid_depth_x256(0, evidence_.end), k_depth * 256);
    EXPECT_EQ(copies_.depth_permille(k_end - k_copy_bin_bp, evidence_.end), 1000);
}

/// Reads of three sequences over 6 kb, a third of them each: the reference, one with few alleles of the
/// sample, and a copy with many.
class HiddenCopiesTest : public ::testing::Test {
  protected:
    static constexpr int64_t k_span = 6'000;
    static constexpr uint32_t k_read = 150;

    HiddenCopiesTest() {
        for (int64_t at = 50; at < k_span; at += 60) copy_.insert(at);
        for (int64_t at = 95; at < k_span; at += 900) own_.insert(at);
        uint64_t name = 0;
        for (int64_t at = 0; at + 450 <= k_span; at += 7, ++name) {
            const auto haplotype = static_cast<size_t>(name % 3);
            add_read(at, name, haplotype);
            add_read(at + 180 + static_cast<int64_t>(name * 37 % 120), name, haplotype);
        }
        std::stable_sort(set_.reads.begin(), set_.reads.end(),
                         [](const CallRead& a, const CallRead& b) { return a.begin < b.begin; });
        set_.longest_span = k_read;
        for (const std::set<int64_t>& positions : {copy_, own_}) {
            for (const int64_t at : positions) alleles_.push_back(fraction_at(at));
        }
        std::sort(alleles_.begin(), alleles_.end(),
                  [](const AlleleFraction& a, const AlleleFraction& b) { return a.position < b.position; });
    }
    void add_read(int64_t begin, uint64_t name, size_t haplotype) {
        CallRead read;
        read.begin = begin;
        read.end = begin + k_read;
        read.bases = static_cast<uint32_t>(set_.bases.size());
        read.length = k_read;
        read.cigar = static_cast<uint32_t>(set_.cigars.size());
        read.cigar_count = 1;
        read.name_hash = hash_name("read" + std::to_string(name));
        read.template_length = static_cast<int32_t>(haplotype);  // the truth
        set_.cigars.push_back(k_read << 4 | data::k_cigar_match);
        for (int64_t at = begin; at < read.end; ++at) {
            const bool differs =
                (haplotype == 1 && own_.count(at) != 0) || (haplotype == 2 && copy_.count(at) != 0);
            set_.bases.push_back(differs ? 2 : 0);
            set_.qualities.push_back(40);
        }
        set_.reads.push_back(read);
    }
    AlleleFraction fraction_at(int64_t position) const {
        AlleleFraction allele{position, 0, 0, 2};
        for (const CallRead& read : set_.reads) {
            if (read.begin > position || read.end <= position) continue;
            ++allele.depth;
            if (set_.bases[read.bases + static_cast<size_t>(position - read.begin)] == 2) ++allele.support;
        }
        return allele;
    }
    template <class Predicate>
    void keep_reads(Predicate keeps) {
        std::erase_if(set_.reads, [&](const CallRead& read) { return !keeps(read); });
        for (AlleleFraction& allele : alleles_) allele = fraction_at(allele.position);
        std::erase_if(alleles_, [](const AlleleFraction& allele) { return allele.support == 0; });
    }
    /// Copies of the sequence by what the depth says.
    void find(int32_t copies) { find({0, k_span}, copies); }
    /// Two copies outside of the stretch.
    void find(std::pair<int64_t, int64_t> stretch, int32_t copies) {
        Evidence evidence;
        evidence.begin = 0;
        evidence.end = k_span;
        evidence.depth.assign(static_cast<size_t>(k_span) + 1, 15 * 2);
        std::fill(evidence.depth.begin() + stretch.first, evidence.depth.begin() + stretch.second,
                  15 * copies);
        const std::vector<int64_t> expected(static_cast<size_t>((k_span + k_copy_bin_bp - 1) / k_copy_bin_bp),
                                            30 * 256);
        copies_.load(evidence, alleles_, {expected}, 2);
        hidden_.find(set_, copies_, alleles_, 2, 44, 10);
    }
    size_t extra_of(int32_t haplotype) const {
        const auto extra = hidden_.extra_reads();
        return static_cast<size_t>(std::count_if(extra.begin(), extra.end(), [&](uint32_t read) {
            return set_.reads[read].template_length == haplotype;
        }));
    }

    std::set<int64_t> copy_, own_;
    ReadSet set_;
    std::vector<AlleleFraction> alleles_;
    CopyNumber copies_;
    HiddenCopies hidden_;
};

TEST_F(HiddenCopiesTest, reads_of_the_dense_copy_are_found) {
    find(3);
    ASSERT_EQ(copies_.at(3'000), 3);
    EXPECT_EQ(extra_of(0), 0u);
    EXPECT_EQ(extra_of(1), 0u);
    const auto all = static_cast<size_t>(std::count_if(
        set_.reads.begin(), set_.reads.end(), [](const CallRead& r) { return r.template_length == 2; }));
    EXPECT_GE(extra_of(2), all * 95 / 100);
    EXPECT_TRUE(std::is_sorted(hidden_.extra_reads().begin(), hidden_.extra_reads().end()));
}

TEST_F(HiddenCopiesTest, two_copies_have_no_extra_reads) {
    for (AlleleFraction& allele : alleles_) allele.support = allele.depth / 2;
    find(2);
    EXPECT_TRUE(hidden_.extra_reads().empty());
}

/// The number of copies says that there is a third one, but without the dense group one copy is left.
TEST_F(HiddenCopiesTest, a_dense_haplotype_that_lost_reads_stays) {
    keep_reads([](const CallRead& read) {
        return read.template_length == 0 || (read.template_length == 2 && read.name_hash % 2 == 0);
    });
    find(3);
    ASSERT_EQ(copies_.at(3'000), 3);
    EXPECT_TRUE(hidden_.extra_reads().empty());
}

/// Of foreign reads over a part of it the depth says that there is a third copy, but not that it is the
/// dense one: beside that part the dense one has half of the reads of two.
TEST_F(HiddenCopiesTest, a_dense_haplotype_with_foreign_reads_in_a_part_of_it_stays) {
    const std::pair<int64_t, int64_t> part{2 * 1'024, 4 * 1'024};
    keep_reads([&](const CallRead& read) {
        return read.template_length != 1 || (read.begin >= part.first && read.end <= part.second);
    });
    find(part, 3);
    ASSERT_EQ(copies_.at(3'000), 3);
    ASSERT_EQ(copies_.at(1'500), 2);
    EXPECT_EQ(extra_of(2), 0u);
}

TEST_F(HiddenCopiesTest, both_mates_of_a_fragment_are_taken_out) {
    find(3);
    std::set<uint64_t> names;
    for (const uint32_t read : hidden_.extra_reads()) names.insert(set_.reads[read].name_hash);
    const size_t before = set_.reads.size();
    remove_reads(set_, hidden_.extra_reads());
    EXPECT_EQ(set_.reads.size(), before - 2 * names.size());
    for (const CallRead& read : set_.reads) EXPECT_EQ(names.count(read.name_hash), 0u);
}

TEST_F(HiddenCopiesTest, fragments_that_cover_no_allele_of_the_copy_stay) {
    std::erase_if(alleles_,
                  [](const AlleleFraction& a) { return a.position >= 2'000 && a.position < 2'700; });
    find(3);
    ASSERT_FALSE(hidden_.extra_reads().empty());
    std::set<uint64_t> informative;
    for (const CallRead& read : set_.reads) {
        for (const AlleleFraction& allele : alleles_) {
            if (read.begin <= allele.position && allele.position < read.end)
                informative.insert(read.name_hash);
        }
    }
    for (const uint32_t read : hidden_.extra_reads())
        EXPECT_TRUE(informative.contains(set_.reads[read].name_hash)) << set_.reads[read].begin;
}

TEST(RemoveReads, mates_keep_their_links) {
    ReadSet set;
    set.reads.resize(5);
    set.reads[1].mate = 4;
    set.reads[4].mate = 1;
    set.reads[0].mate = 2;
    set.reads[2].mate = 0;
    const std::vector<uint32_t> removed{0, 2};
    remove_reads(set, removed);
    ASSERT_EQ(set.reads.size(), 3u);
    EXPECT_EQ(set.reads[0].mate, 2);
    EXPECT_EQ(set.reads[2].mate, 0);
    EXPECT_EQ(set.reads[1].mate, -1);
}

}  // namespace
}  // namespace gannet::variants
