// SPDX-License-Identifier: MIT
// Tests evidence, candidates, active regions and haplotypes on reads made by hand.
#include "tests/unit/variants/caller_support.hpp"
#include "variants/alleles/active_regions.hpp"
#include "variants/alleles/haplotypes.hpp"
#include "variants/alleles/region_alleles.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace gannet::variants {
namespace {

using namespace testing;

class RegionsTest : public ::testing::Test {
  protected:
    void SetUp() override {
        std::mt19937_64 random(9);
        letters_ = random_letters(random, 2'000).replace(1'000, 6, "GTACTG");
    }
    /// A read of 100 bp at `position`: the reference with `edits` (position, letter).
    void add(int64_t position, std::vector<std::pair<int64_t, char>> edits = {}) {
        SimulatedRead read{position,
                           {data::cigar_element(100, data::k_cigar_match)},
                           letters_.substr(static_cast<size_t>(position), 100),
                           "r" + std::to_string(reads_.size()),
                           false};
        for (const auto& [at, letter] : edits) read.letters[static_cast<size_t>(at - position)] = letter;
        reads_.push_back(std::move(read));
    }
    /// The same with `length` bases deleted at `at`.
    void add_deletion(int64_t position, int64_t at, uint32_t length) {
        const auto left = static_cast<uint32_t>(at - position);
        reads_.push_back({position,
                          {data::cigar_element(left, data::k_cigar_match),
                           data::cigar_element(length, data::k_cigar_deletion),
                           data::cigar_element(100 - left, data::k_cigar_match)},
                          letters_.substr(static_cast<size_t>(position), left) +
                              letters_.substr(static_cast<size_t>(at + length), 100 - left),
                          "r" + std::to_string(reads_.size()),
                          false});
    }
    void run() {
        slice_.load(*make_reference(letters_), 0, -1'000, 3'000);
        chunks_ = make_chunks(reads_, 10'000);
        std::vector<data::RecordView> views;
        for (const auto& entry : chunks_[0]->entries)
            views.push_back(data::RecordView({chunks_[0]->bytes.data() + entry.offset, entry.size_bytes}));
        std::vector<int32_t> slots;
        load_reads(views, MappingFilter(20), reported_qualities(), {}, set_, slots);
        gather_evidence(set_, slice_, 0, 2'000, 10, evidence_);
        find_candidates(set_, slice_, evidence_, candidates_);
        find_active_regions(set_, slice_, evidence_, candidates_, regions_);
    }
    RegionHaplotypes haplotypes() {
        std::vector<uint32_t> all;
        for (uint32_t i = 0; i < set_.reads.size(); ++i) all.push_back(i);
        HaplotypeBuilder builder;
        RegionHaplotypes out;
        builder.build({set_, slice_, evidence_, candidates_, all, {}, {}}, regions_.at(0), out);
        return out;
    }
    char other(int64_t position) const { return letters_[static_cast<size_t>(position)] == 'A' ? 'C' : 'A'; }

    std::string letters_;
    std::vector<SimulatedRead> reads_;
    std::vector<std::shared_ptr<const RecordChunk>> chunks_;
    ReferenceSlice slice_;
    ReadSet set_;
    Evidence evidence_;
    std::vector<Candidate> candidates_;
    std::vector<ActiveRegion> regions_;
};

TEST_F(RegionsTest, reference_reads_are_depth_only) {
    for (int i = 0; i < 10; ++i) add(950 + i);
    run();
    EXPECT_EQ(evidence_.depth_at(949), 0);
    EXPECT_EQ(evidence_.depth_at(954), 5);
    EXPECT_EQ(evidence_.depth_at(1'000), 10);
    EXPECT_EQ(evidence_.depth_at(1'058), 1);
    EXPECT_EQ(evidence_.depth_at(1'059), 0);
    EXPECT_TRUE(candidates_.empty());
}

TEST_F(RegionsTest, a_mismatch_counts_wherever_it_lies_in_the_read) {
    for (int64_t begin = 901; begin <= 1'000; ++begin) add(begin, {{1'000, other(1'000)}});
    run();
    const auto& counts = evidence_.mismatches[1'000];
    EXPECT_EQ(counts[0] + counts[1] + counts[2] + counts[3], 100);
}

TEST_F(RegionsTest, lonely_mismatches_are_no_candidates) {
    for (int i = 0; i < 30; ++i)
        add(950, i == 3 ? std::vector<std::pair<int64_t, char>>{{1'000, other(1'000)}}
                        : std::vector<std::pair<int64_t, char>>{});
    run();
    EXPECT_TRUE(candidates_.empty());
}

TEST_F(RegionsTest, snp_alone_is_simple) {
    for (int i = 0; i < 10; ++i) add(950, {{1'000, i % 2 ? other(1'000) : letters_[1'000]}});
    run();
    ASSERT_EQ(regions_.size(), 1u);
    EXPECT_TRUE(regions_[0].is_simple);
    EXPECT_EQ(regions_[0].begin, 1'000);
    EXPECT_EQ(regions_[0].end, 1'001);
}

/// The gap of one read is no candidate, but the read may have it instead of the SNV.
TEST_F(RegionsTest, snp_beside_the_gap_of_one_read_is_not_simple) {
    for (int i = 0; i < 20; ++i) {
        if (i == 7)
            add_deletion(950, 1'008, 3);
        else
            add(950, {{1'000, other(1'000)}});
    }
    run();
    ASSERT_EQ(candidates_.size(), 1u);
    ASSERT_EQ(regions_.size(), 1u);
    EXPECT_FALSE(regions_[0].is_simple);
}

TEST_F(RegionsTest, snp_beside_the_gap_of_a_read_that_has_it_is_simple) {
    for (int i = 0; i < 20; ++i) {
        if (i == 7) {
            add_deletion(950, 1'008, 3);
            reads_.back().letters[50] = other(1'000);
        } else {
            add(950, {{1'000, other(1'000)}});
        }
    }
    run();
    ASSERT_EQ(regions_.size(), 1u);
    EXPECT_TRUE(regions_[0].is_simple);
}

/// One read more or less for the reference does not decide a heterozygous SNV.
TEST_F(RegionsTest, snp_of_half_of_the_reads_beside_a_gap_is_simple) {
    for (int i = 0; i < 20; ++i) {
        if (i == 7)
            add_deletion(950, 1'008, 3);
        else
            add(950, {{1'000, i % 2 ? other(1'000) : letters_[1'000]}});
    }
    run();
    ASSERT_EQ(regions_.size(), 1u);
    EXPECT_TRUE(regions_[0].is_simple);
}

TEST_F(RegionsTest, snp_far_from_the_gap_of_one_read_is_simple) {
    for (int i = 0; i < 20; ++i) {
        if (i == 7)
            add_deletion(950, 1'030, 3);
        else
            add(950, {{1'000, other(1'000)}});
    }
    run();
    ASSERT_EQ(regions_.size(), 1u);
    EXPECT_TRUE(regions_[0].is_simple);
}

/// A gap is known by its leftmost position: this one may lie at any copy of the repeat.
TEST_F(RegionsTest, snp_behind_a_repeat_with_the_gap_of_one_read_is_not_simple) {
    std::string repeat;
    while (repeat.size() < 30) repeat += "GTC";
    letters_.replace(965, 30, repeat);
    letters_[964] = 'A';
    for (int i = 0; i < 20; ++i) {
        if (i == 7)
            add_deletion(950, 992, 3);
        else
            add(950, {{1'003, other(1'003)}});
    }
    run();
    ASSERT_EQ(evidence_.indels.size(), 1u);
    EXPECT_EQ(evidence_.indels[0].allele.position, 965);
    ASSERT_EQ(regions_.size(), 1u);
    EXPECT_FALSE(regions_[0].is_simple);
}

TEST_F(RegionsTest, snp_near_an_indel_joins_its_region) {
    for (int i = 0; i < 10; ++i) {
        if (i % 2)
            add_deletion(950, 1'002, 2);
        else
            add(950, {{1'015, other(1'015)}});
    }
    run();
    ASSERT_EQ(regions_.size(), 1u);
    EXPECT_FALSE(regions_[0].is_simple);
    EXPECT_EQ(regions_[0].begin, 1'001);
    EXPECT_EQ(regions_[0].end, 1'016);
}

/// An indel has a wider margin than the SNV that stands before it in the order of candidates.
TEST_F(RegionsTest, snp_near_an_indel_joins_its_region_across_another_snp) {
    for (int i = 0; i < 10; ++i) {
        if (i % 2)
            add_deletion(950, 1'021, 2);
        else
            add(950, {{1'000, other(1'000)}, {1'020, other(1'020)}});
    }
    run();
    ASSERT_EQ(candidates_.size(), 3u);
    EXPECT_EQ(candidates_[1].kind, CandidateKind::snp);
    ASSERT_EQ(regions_.size(), 1u);
    EXPECT_EQ(regions_[0].begin, 1'000);
    EXPECT_EQ(regions_[0].last, 3u);
}

/// The reads of one are compared over the place of the other, since a segment may not end within a repeat.
TEST_F(RegionsTest, indels_at_both_ends_of_a_repeat_are_one_region) {
    std::string repeat;
    while (repeat.size() < 30) repeat += "CAG";
    for (const bool has_repeat : {false, true}) {
        if (has_repeat) letters_.replace(1'006, 30, repeat);
        letters_.replace(1'001, 5, "GTACT");
        letters_.replace(1'036, 8, "TTGACATC");
        reads_.clear();
        for (int i = 0; i < 10; ++i) add_deletion(950 + i, i % 2 ? 1'002 : 1'038, 2);
        run();
        ASSERT_EQ(candidates_.size(), 2u);
        EXPECT_EQ(regions_.size(), has_repeat ? 1u : 2u);
    }
}

/// Copies of TTCC with one TTTC among them are inserted before a repeat of TTCC.
class InterruptedRepeatTest : public RegionsTest {
  protected:
    static constexpr int64_t k_place = 1'000;

    static std::string copies(int count) {
        std::string letters;
        while (count-- > 0) letters += "TTCC";
        return letters;
    }
    void SetUp() override {
        RegionsTest::SetUp();
        letters_.replace(k_place - 1, 50, "G" + copies(12) + "G");
        sample_ = letters_;
        sample_.insert(k_place, inserted_);
    }
    /// A read of the reference's sequence without the insertion.
    void add_reference(int64_t position) { add(position); }
    /// A read from the left of the insertion that ends among the copies.
    void add_left_of_it(int64_t position) {
        add(position);
        reads_.back().letters = sample_.substr(static_cast<size_t>(position), 100);
    }
    /// A read with the last `clipped` bases of the insertion.
    void add_right_of_it(uint32_t clipped) {
        reads_.push_back({k_place,
                          {data::cigar_element(clipped, data::k_cigar_soft_clip),
                           data::cigar_element(100 - clipped, data::k_cigar_match)},
                          sample_.substr(static_cast<size_t>(k_place) + inserted_.size() - clipped, 100),
                          "r" + std::to_string(reads_.size()),
                          false});
    }
    void add_all() {
        for (int64_t at : {945, 947, 949}) add_left_of_it(at);
        for (int64_t at : {946, 948, 950}) add_reference(at);
        for (uint32_t clipped : {44, 42, 40}) add_right_of_it(clipped);
    }

    /// Every read shows it.
    void expect_the_insertion() {
        ASSERT_EQ(evidence_.indels.size(), 6u);
        for (const IndelEvent& event : evidence_.indels) {
            std::string changed = letters_, bases;
            for (const data::Base base : bases_of(event.allele, evidence_.arena)) bases += "ACGT"[base];
            changed.insert(static_cast<size_t>(event.allele.position), bases);
            EXPECT_EQ(event.allele.reference_length, 0);
            EXPECT_EQ(changed, sample_);
        }
    }

    std::string inserted_ = copies(4) + "TTTC" + copies(7);
    std::string sample_;
};

TEST_F(InterruptedRepeatTest, insertion_is_found_by_reads_that_show_an_snv) {
    add_all();
    run();
    expect_the_insertion();
}

TEST_F(InterruptedRepeatTest, insertion_is_found_from_the_other_side) {
    constexpr int64_t k_end = k_place + 48;
    inserted_ = copies(7) + "TTTC" + copies(4);
    sample_ = letters_;
    sample_.insert(k_end, inserted_);
    for (const uint32_t clipped : {44, 42, 40}) {
        const int64_t begin = k_end + clipped - 100;
        reads_.push_back({begin,
                          {data::cigar_element(100 - clipped, data::k_cigar_match),
                           data::cigar_element(clipped, data::k_cigar_soft_clip)},
                          sample_.substr(static_cast<size_t>(begin), 100),
                          "r" + std::to_string(reads_.size()),
                          false});
    }
    for (const int64_t at : {1'004, 1'006, 1'008}) {  // ungapped, so that they show an SNV
        add(at);
        reads_.back().letters = sample_.substr(static_cast<size_t>(at) + inserted_.size(), 100);
    }
    run();
    expect_the_insertion();
}

/// Their consensus and that of the clips overlap in copies alone, which may be any of them.
TEST_F(InterruptedRepeatTest, no_insertion_where_clips_do_not_reach_the_interruption) {
    for (int64_t at : {945, 947, 949}) add_left_of_it(at);
    for (uint32_t clipped : {28, 26, 24}) add_right_of_it(clipped);
    run();
    EXPECT_TRUE(evidence_.indels.empty());
}

TEST_F(InterruptedRepeatTest, its_interruption_is_no_snv_beside_it) {
    add_all();
    run();
    const auto is_snv = [](const Candidate& candidate) { return candidate.kind == CandidateKind::snp; };
    ASSERT_EQ(std::count_if(candidates_.begin(), candidates_.end(), is_snv), 1);
    ASSERT_EQ(regions_.size(), 1u);
    const RegionHaplotypes found = haplotypes();
    ASSERT_EQ(found.alleles.size(), 2u);
    EXPECT_TRUE(found.alleles[0].is_indel());
    const auto has = [&](AlleleSet set) {
        return std::find(found.haplotypes.begin(), found.haplotypes.end(), set) != found.haplotypes.end();
    };
    EXPECT_TRUE(has(0b01));
    EXPECT_FALSE(has(0b11));
}

TEST_F(RegionsTest, haplotypes_are_what_reads_carry_together) {
    for (int i = 0; i < 12; ++i) {
        if (i % 2)
            add_deletion(950, 1'002, 2);
        else
            add(950, {{1'012, other(1'012)}, {1'015, other(1'015)}});
    }
    run();
    const RegionHaplotypes found = haplotypes();
    ASSERT_EQ(found.alleles.size(), 3u);
    // The reference, both SNPs together, the deletion alone; never one SNP without the other.
    EXPECT_EQ(found.haplotypes.size(), 3u);
    EXPECT_EQ(found.haplotypes[0], 0u);
    EXPECT_NE(std::find(found.haplotypes.begin(), found.haplotypes.end(), 0b110u), found.haplotypes.end());
    EXPECT_NE(std::find(found.haplotypes.begin(), found.haplotypes.end(), 0b001u), found.haplotypes.end());
    EXPECT_EQ(found.longest_change, 2);
}

TEST_F(RegionsTest, long_groups_of_candidates_are_cut_on_the_grid) {
    for (int i = 0; i < 20; ++i) {
        std::vector<std::pair<int64_t, char>> edits;
        if (i % 2) {
            for (int64_t at = 900 + i / 2 * 50; at < 1'000 + i / 2 * 50; at += 5)
                edits.emplace_back(at, other(at));
        }
        add(900 + i / 2 * 50, edits);
    }
    run();
    ASSERT_GT(regions_.size(), 3u);
    for (size_t i = 0; i + 1 < regions_.size(); ++i) {
        EXPECT_LE(regions_[i].end, regions_[i + 1].begin);
        EXPECT_NE(regions_[i].begin / 64, regions_[i + 1].begin / 64);
        EXPECT_LT(regions_[i].end - regions_[i].begin, 320);
    }
}

TEST_F(RegionsTest, records_that_contradict_their_cigar_are_dropped) {
    add(950);
    add(950);
    reads_[1].cigar = {data::cigar_element(5'000, data::k_cigar_match)};
    run();
    EXPECT_EQ(set_.reads.size(), 1u);
}

TEST_F(RegionsTest, huge_indels_are_no_candidates) {
    for (int i = 0; i < 10; ++i) add_deletion(450, 500, 1'000);
    run();
    EXPECT_TRUE(candidates_.empty());
}

/// SNVs at 1000, 1010 and 1020. Reads that span the region have the last two; those with the first one do not
/// span it.
class UncoveredAlleleTest : public RegionsTest {
  protected:
    void add_spanning() {
        for (int i = 0; i < 4; ++i) add(950 + i);
        for (int i = 0; i < 4; ++i) add(954 + i, {{1'020, other(1'020)}});
        for (int i = 0; i < 4; ++i) add(958 + i, {{1'010, other(1'010)}});
    }
    void add_first(int64_t position) { add(position, {{1'000, other(1'000)}}); }
    void add_first_and_second(int64_t position) {
        add(position, {{1'000, other(1'000)}, {1'010, other(1'010)}});
    }
    /// The haplotypes with the allele at 1000; bit 1 is the allele at 1010.
    std::vector<AlleleSet> with_first() {
        run();
        EXPECT_EQ(regions_.size(), 1u);
        const RegionHaplotypes found = haplotypes();
        EXPECT_EQ(found.alleles.size(), 3u);
        std::vector<AlleleSet> sets;
        for (const AlleleSet set : found.haplotypes)
            if ((set & 1) != 0) sets.push_back(set);
        return sets;
    }
};

TEST_F(UncoveredAlleleTest, the_most_frequent_combination_is_taken_not_that_of_the_first_read) {
    add_first_and_second(912);
    add_first(913);
    add_first(914);
    add_spanning();
    EXPECT_EQ(with_first(), std::vector<AlleleSet>{0b001});
}

TEST_F(UncoveredAlleleTest, combinations_may_have_further_alleles) {
    add_first(912);
    add_first_and_second(913);
    add_first_and_second(914);
    add_spanning();
    EXPECT_EQ(with_first(), std::vector<AlleleSet>{0b011});
}

TEST_F(UncoveredAlleleTest, ties_do_not_depend_on_the_order_of_reads) {
    for (const bool is_first_alone : {true, false}) {
        reads_.clear();
        add_first(is_first_alone ? 912 : 913);
        add_first_and_second(is_first_alone ? 913 : 912);
        add_spanning();
        EXPECT_EQ(with_first(), std::vector<AlleleSet>{0b001}) << is_first_alone;
    }
}

TEST_F(UncoveredAlleleTest, combinations_of_two_reads_that_end_in_the_region_are_all_tried) {
    add_first_and_second(912), add_first_and_second(913);
    add_first(914), add_first(915);
    add_spanning();
    EXPECT_EQ(with_first(), (std::vector<AlleleSet>{0b001, 0b011}));
}

TEST_F(RegionsTest, distant_alleles_are_tried_apart_and_together) {
    // A deletion at 1002 and SNVs at 1024 and 1036; no read shows two of them.
    for (int i = 0; i < 3; ++i) add_deletion(928 + i, 1'002, 2);
    for (int i = 0; i < 4; ++i) add(950 + i);
    for (int i = 0; i < 4; ++i) add(954 + i, {{1'024, other(1'024)}});
    for (int i = 0; i < 3; ++i) add(1'010 + i, {{1'036, other(1'036)}});
    run();
    ASSERT_EQ(regions_.size(), 1u);
    const RegionHaplotypes found = haplotypes();
    ASSERT_EQ(found.alleles.size(), 3u);
    const auto has = [&](AlleleSet set) {
        return std::find(found.haplotypes.begin(), found.haplotypes.end(), set) != found.haplotypes.end();
    };
    EXPECT_TRUE(has(0b001));
    EXPECT_TRUE(has(0b100)) << "they may be on the two haplotypes of the sample";
    EXPECT_TRUE(has(0b101) && has(0b111)) << "or on one, with what reads show between them";
}

TEST_F(RegionsTest, only_clipped_reads_lead_to_assembled_alleles_outside_of_the_region) {
    const std::vector<std::pair<int64_t, char>> snvs = {
        {1000, other(1000)}, {1008, other(1008)}, {1016, other(1016)}, {1024, other(1024)}};
    for (int64_t i = 0; i < 16; ++i) {
        std::vector<std::pair<int64_t, char>> edits = snvs;
        if (i >= 14) edits.emplace_back(1060, other(1060));  // too few for a candidate, enough for an edge
        add(965 + 2 * i, edits);
        add(966 + 2 * i);
    }
    run();
    ASSERT_EQ(regions_.size(), 1u);
    WindowAlleles window;
    window.slice = slice_;
    window.reads = set_;
    window.evidence = evidence_;
    window.candidates = candidates_;
    window.regions = regions_;
    ActiveRegion region = regions_[0];
    EXPECT_TRUE(region.needs_assembly && !region.is_clipped);
    const auto positions = [&] {
        kernels::PairHmmBatch jobs;
        const auto built =
            RegionBuilder().build(window, region, window.candidates, usual_gap_qualities(), 250, jobs);
        std::vector<int64_t> out;
        for (const Allele& allele : built->haplotypes.alleles) out.push_back(allele.position);
        return out;
    };
    EXPECT_EQ(positions(), (std::vector<int64_t>{1000, 1008, 1016, 1024}));
    region.is_clipped = true;
    EXPECT_EQ(positions(), (std::vector<int64_t>{1000, 1008, 1016, 1024, 1060}));
    window.regions.push_back({1'040, 1'044, region.last, region.last, true, false});
    EXPECT_EQ(positions(), (std::vector<int64_t>{1000, 1008, 1016, 1024})) << "behind another region";
}

}  // namespace
}  // namespace gannet::variants
