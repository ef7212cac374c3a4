// SPDX-License-Identifier: MIT
// Tests the loading of reads: adapters beyond the end of a fragment, and the order that their removal leaves.
#include "variants/reads/read_set.hpp"

#include "tests/unit/variants/caller_support.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gannet::variants {
namespace {

using namespace testing;

constexpr uint32_t match(uint32_t length) { return data::cigar_element(length, data::k_cigar_match); }
constexpr uint32_t clip(uint32_t length) { return data::cigar_element(length, data::k_cigar_soft_clip); }
constexpr uint32_t insertion(uint32_t length) { return data::cigar_element(length, data::k_cigar_insertion); }

class ReadSetTest : public ::testing::Test {
  protected:
    struct Placed {
        int32_t position = 0;
        std::vector<uint32_t> cigar;
        bool reverse = false;
        int32_t mate_position = 0;
        int32_t template_length = 0;
        uint16_t other_flags = 0;
        std::string mate_sequence = {};  ///< R2
    };
    void load(const std::vector<Placed>& reads) {
        data::RecordBatch batch;
        for (const Placed& read : reads) {
            size_t length = 0;
            for (const uint32_t element : read.cigar) {
                if (data::cigar_consumes_query(data::cigar_op(element)))
                    length += data::cigar_length(element);
            }
            std::vector<data::Base> bases(length);
            for (size_t i = 0; i < length; ++i) bases[i] = static_cast<data::Base>(i % 3);
            const std::vector<uint8_t> qualities(length, 30);
            data::RecordFields fields;
            fields.contig = 0;
            fields.position = read.position;
            fields.mapping_quality = 60;
            fields.flag =
                static_cast<uint16_t>(data::k_flag_paired | read.other_flags |
                                      (read.reverse ? data::k_flag_reverse : data::k_flag_mate_reverse));
            fields.mate_contig = 0;
            fields.mate_position = read.mate_position;
            fields.template_length = read.template_length;
            fields.name = "fragment";
            fields.cigar = read.cigar;
            fields.bases = bases;
            fields.qualities = qualities;
            data::RecordAppender appender(batch, fields);
            if (!read.mate_sequence.empty()) appender.tag("R2", read.mate_sequence);
        }
        std::vector<data::RecordView> views;
        for (const auto& entry : batch.entries)
            views.push_back(data::RecordView({batch.bytes.data() + entry.offset, entry.size_bytes}));
        std::vector<int32_t> slots;
        load_reads(views, MappingFilter(20), reported_qualities(), primers_, set_, slots);
    }
    std::vector<uint32_t> cigar(size_t read) const {
        const auto elements = set_.cigar(set_.reads.at(read));
        return {elements.begin(), elements.end()};
    }
    data::Base first_base(size_t read) const { return set_.bases.at(set_.reads.at(read).bases); }

    ReadSet set_;
    Primers primers_;
};

TEST_F(ReadSetTest, of_mates_that_begin_at_one_position_the_first_of_the_template_is_first) {
    const Placed first{1'000, {match(100)}, false, 1'000, 100, data::k_flag_read1};
    const Placed second{1'000, {match(100)}, true, 1'000, -100, data::k_flag_read2};
    for (const auto& reads : {std::vector{first, second}, std::vector{second, first}}) {
        load(reads);
        ASSERT_EQ(set_.reads.size(), 2u);
        EXPECT_FALSE(set_.reads[0].reverse);
        EXPECT_TRUE(set_.reads[1].reverse);
        EXPECT_EQ(set_.reads[0].mate, 1);
        EXPECT_EQ(set_.reads[1].mate, 0);
    }
}

TEST_F(ReadSetTest, a_position_has_its_place_in_the_read_as_it_was_sequenced) {
    const uint32_t deletion = data::cigar_element(10, data::k_cigar_deletion);
    load({{1'000,
           {clip(5), match(50), insertion(3), match(20), deletion, match(20), clip(2)},
           false,
           5'000,
           4'100}});
    const auto distance = [&](int64_t position) {
        const ReadPlace place = place_in_read(set_, set_.reads[0], position);
        return place.exists() ? int{place.end_distance} : -1;
    };
    EXPECT_EQ(distance(1'000), 5);  // after the clip
    EXPECT_EQ(distance(995), 0);    // where the first clipped base would be
    EXPECT_EQ(distance(994), -1);
    EXPECT_EQ(distance(1'049), 45);  // of 100 bases: 54 before it, 45 after
    EXPECT_EQ(distance(1'050), 41);  // three inserted bases further
    EXPECT_EQ(distance(1'075), -1);  // deleted
    EXPECT_EQ(distance(1'080), 21);
    EXPECT_EQ(distance(1'099), 2);  // the last before the clip
    EXPECT_EQ(distance(1'101), 0);
    EXPECT_EQ(distance(1'102), -1);
    EXPECT_EQ(place_in_read(set_, set_.reads[0], 1'000).quality, 30);
}

TEST_F(ReadSetTest, bases_of_an_adapter_count_for_the_place_in_a_read) {
    // 10 bases into a fragment of 60, of reads that go on with 40 bases of adapter.
    load({{1'000, {match(62), clip(38)}, false, 997, 60}});
    EXPECT_EQ(int{place_in_read(set_, set_.reads.at(0), 1'010).end_distance}, 10);
    load({{997, {clip(37), match(63)}, true, 1'000, -60}});
    EXPECT_EQ(int{place_in_read(set_, set_.reads.at(0), 1'010).end_distance}, 49);
}

TEST_F(ReadSetTest, overlapping_mates_share_their_quality_and_have_none_where_they_differ) {
    load({{1'000, {match(50)}, false, 1'000, 50}, {1'000, {match(50)}, true, 1'000, -50}});
    ASSERT_EQ(set_.reads.size(), 2u);
    ASSERT_EQ(set_.reads[0].mate, 1);
    for (const CallRead& read : set_.reads) {
        EXPECT_EQ(place_in_read(set_, read, 1'010).quality, 20);
        EXPECT_EQ(int{place_in_read(set_, read, 1'010).end_distance}, 10);
    }
    load({{1'000, {match(50)}, false, 1'001, 51}, {1'001, {match(50)}, true, 1'000, -51}});
    ASSERT_EQ(set_.reads[0].mate, 1);  // shifted by a base, so that no two are the same
    EXPECT_EQ(place_in_read(set_, set_.reads[0], 1'010).quality, 0);
    EXPECT_TRUE(place_in_read(set_, set_.reads[0], 1'010).mate_differs);
    EXPECT_EQ(place_in_read(set_, set_.reads[0], 1'000).quality, 30);  // before the mate
}

TEST_F(ReadSetTest, what_haplotype_caller_leaves_out_has_no_place) {
    load({{1'000, {match(50)}, false, 5'000, 4'050}});
    const auto exists = [&](int64_t position) {
        return place_in_read(set_, set_.reads.at(0), position).exists();
    };
    // Poor bases up to an end of the read, and one between better ones.
    for (const size_t offset : {0, 1, 20, 48, 49}) set_.qualities[set_.reads[0].bases + offset] = 9;
    EXPECT_FALSE(exists(1'000));
    EXPECT_FALSE(exists(1'001));
    EXPECT_TRUE(exists(1'002));
    EXPECT_TRUE(exists(1'020));
    EXPECT_TRUE(exists(1'047));
    EXPECT_FALSE(exists(1'048));
    EXPECT_FALSE(exists(1'049));
    set_.qualities[set_.reads[0].bases + 49] = 10;
    EXPECT_TRUE(exists(1'048));
    set_.reads[0].mapping_quality = 19;
    EXPECT_FALSE(exists(1'010));
    // Clipped bases count where the ends of the fragment are known.
    load({{1'000, {clip(5), match(45)}, false, 5'000, 4'050}});
    EXPECT_TRUE(exists(998));
    set_.reads[0].template_length = 0;
    EXPECT_FALSE(exists(998));
    EXPECT_TRUE(exists(1'000));
}

TEST_F(ReadSetTest, adapters_on_both_ends_of_a_short_fragment_are_left_out) {
    // A fragment of [1000, 1060): each read ends in 40 bases of adapter, of which 3 and 2 fit by chance.
    load({{997, {clip(37), match(63)}, true, 1'000, -60}, {1'000, {match(62), clip(38)}, false, 997, 60}});
    ASSERT_EQ(set_.reads.size(), 2u);
    for (size_t i = 0; i < 2; ++i) {
        EXPECT_EQ(set_.reads[i].begin, 1'000) << i;
        EXPECT_EQ(set_.reads[i].end, 1'060) << i;
        EXPECT_EQ(set_.reads[i].length, 60u) << i;
        EXPECT_EQ(cigar(i), std::vector<uint32_t>{match(60)}) << i;
        EXPECT_EQ(set_.reads[i].mate, 1 - static_cast<int32_t>(i));
    }
    EXPECT_EQ(first_base(0), 40 % 3);
    EXPECT_EQ(first_base(1), 0);
    EXPECT_EQ(set_.longest_span, 60);
}

TEST_F(ReadSetTest, a_clip_that_begins_where_the_fragment_ends_is_left_out) {
    load({{1'000, {match(60), clip(40)}, false, 1'000, 60}});
    EXPECT_EQ(cigar(0), std::vector<uint32_t>{match(60)});
}

TEST_F(ReadSetTest, gaps_within_the_adapter_go_with_it) {
    load({{1'000, {match(60), insertion(2), match(5), clip(33)}, false, 1'000, 60}});
    EXPECT_EQ(cigar(0), std::vector<uint32_t>{match(60)});
    EXPECT_EQ(set_.reads[0].length, 60u);
    EXPECT_EQ(set_.reads[0].end, 1'060);
}

TEST_F(ReadSetTest, clips_within_the_fragment_stay) {
    const std::vector<uint32_t> whole{clip(20), match(80)};
    load({{1'000, whole, true, 900, -180}});
    EXPECT_EQ(cigar(0), whole);
    load({{1'000, {match(80), clip(20)}, false, 1'050, 150}});
    EXPECT_EQ(set_.reads[0].length, 100u);
    load({{1'005, whole, true, 1'000, -85}});  // clipped before the mate's first base
    EXPECT_EQ(cigar(0), whole);
}

/// Of a tandem duplication, mates point away from each other, and much more of them lies beyond the mate.
TEST_F(ReadSetTest, mates_that_point_away_from_each_other_stay_whole) {
    load({{1'000, {match(100)}, true, 1'050, -50}, {1'050, {match(100)}, false, 1'000, 50}});
    EXPECT_EQ(set_.reads[0].length, 100u);
    EXPECT_EQ(set_.reads[1].length, 100u);
}

/// An amplicon of [1'000, 1'200) with primers of 20 bp.
class PrimersOfReads : public ReadSetTest {
  protected:
    PrimersOfReads() {
        const std::vector<Primer> ends{{{0, 1'000, 1'020}, '+'}, {{0, 1'180, 1'200}, '-'}};
        primers_ = Primers(ends);
    }
};

TEST_F(PrimersOfReads, are_left_out_at_both_ends) {
    load({{1'000, {match(200)}, false, 5'000, 0},
          {1'003, {match(100)}, false, 5'000, 0},
          {1'090, {match(100)}, true, 5'000, 0},
          {996, {match(100)}, true, 5'000, 0}});
    ASSERT_EQ(set_.reads.size(), 4u);
    EXPECT_EQ(cigar(0), std::vector<uint32_t>{match(160)});
    EXPECT_EQ(set_.reads[0].begin, 1'020);
    EXPECT_EQ(set_.reads[0].end, 1'180);
    EXPECT_EQ(set_.reads[0].length, 160u);
    EXPECT_EQ(first_base(0), 20 % 3);
    EXPECT_EQ(cigar(1), std::vector<uint32_t>{match(83)});
    EXPECT_EQ(cigar(2), std::vector<uint32_t>{match(76)}) << "begins four bases before the primer";
    EXPECT_EQ(cigar(3), std::vector<uint32_t>{match(90)}) << "ends within the right primer";
}

TEST_F(PrimersOfReads, are_left_out_where_they_or_what_is_beyond_them_are_clipped) {
    load({{1'020, {clip(20), match(80)}, false, 5'000, 0},
          {1'001, {clip(40), match(60)}, false, 5'000, 0},
          {1'100, {match(80), clip(20)}, true, 5'000, 0},
          {1'110, {match(90), clip(10)}, true, 5'000, 0}});
    ASSERT_EQ(set_.reads.size(), 4u);
    const auto of = [&](int64_t begin) {
        for (size_t i = 0; i < set_.reads.size(); ++i) {
            if (set_.reads[i].begin == begin) return cigar(i);
        }
        return std::vector<uint32_t>();
    };
    EXPECT_EQ(set_.reads[0].begin, 1'020);
    EXPECT_EQ(set_.reads[1].begin, 1'020);
    EXPECT_EQ(set_.reads[0].length + set_.reads[1].length, 80u + 41);
    EXPECT_EQ(of(1'100), std::vector<uint32_t>{match(80)});
    EXPECT_EQ(of(1'110), std::vector<uint32_t>{match(70)});
}

TEST_F(PrimersOfReads, of_other_places_and_other_ends_leave_reads_whole) {
    load({{994, {match(100)}, false, 5'000, 0},      // begins six bases before it
          {1'020, {match(100)}, false, 5'000, 0},    // begins behind it
          {1'070, {match(110)}, false, 5'000, 0},    // ends where the right one begins
          {1'185, {match(100)}, false, 5'000, 0}});  // begins in the right one
    ASSERT_EQ(set_.reads.size(), 4u);
    for (size_t i = 0; i < 4; ++i) EXPECT_EQ(set_.reads[i].length, i == 2 ? 110u : 100u) << i;
}

TEST_F(PrimersOfReads, that_are_all_of_a_read_take_it_away) {
    load({{1'002, {match(15)}, false, 5'000, 0}, {1'100, {match(50)}, false, 5'000, 0}});
    ASSERT_EQ(set_.reads.size(), 1u);
    EXPECT_EQ(set_.reads[0].begin, 1'100);
}

TEST_F(PrimersOfReads, of_unknown_strand_are_those_of_both_ends) {
    const std::vector<Primer> ends{{{0, 1'000, 1'020}, '.'}, {{0, 1'180, 1'200}, '.'}};
    primers_ = Primers(ends);
    load({{1'000, {match(200)}, false, 5'000, 0}, {1'185, {match(100)}, false, 5'000, 0}});
    EXPECT_EQ(cigar(0), std::vector<uint32_t>{match(160)});
    EXPECT_EQ(set_.reads[1].begin, 1'200);
}

/// Gaps beside the inner end of a primer go with it.
TEST_F(PrimersOfReads, are_cut_through_gaps) {
    const uint32_t deletion = data::cigar_element(10, data::k_cigar_deletion);
    load({{1'000, {match(15), deletion, match(75)}, false, 5'000, 0},
          {1'000, {match(20), insertion(4), match(70)}, false, 5'000, 0}});
    ASSERT_EQ(set_.reads.size(), 2u);
    EXPECT_EQ(set_.reads[0].begin + set_.reads[1].begin, 1'025 + 1'020);
    EXPECT_EQ(set_.reads[0].length + set_.reads[1].length, 75u + 70);
}

TEST_F(ReadSetTest, reads_without_a_mate_on_the_other_strand_stay_whole) {
    const std::vector<uint32_t> whole{clip(37), match(63)};
    load({{997, whole, true, 1'000, -60, data::k_flag_mate_unmapped}});
    EXPECT_EQ(cigar(0), whole);
    load({{997, whole, true, 1'000, -60, data::k_flag_mate_reverse}});
    EXPECT_EQ(cigar(0), whole);
}

/// Three bases less on the left of the first read: the second now begins first.
TEST_F(ReadSetTest, reads_are_in_the_order_of_what_is_left_of_them) {
    load({{997, {clip(37), match(63)}, true, 1'000, -60},
          {998, {match(100)}, true, 700, -400},
          {1'000, {match(60), clip(40)}, false, 997, 60}});
    ASSERT_EQ(set_.reads.size(), 3u);
    EXPECT_EQ(set_.reads[0].begin, 998);
    EXPECT_EQ(set_.reads[1].begin, 1'000);
    EXPECT_TRUE(set_.reads[1].reverse);
    EXPECT_EQ(set_.reads[2].begin, 1'000);
}

TEST_F(ReadSetTest, operations_of_length_zero_and_the_kinds_of_match_do_not_matter) {
    const auto of = [](data::CigarOp op, uint32_t length) { return data::cigar_element(length, op); };
    load({{100, {match(25), of(data::k_cigar_deletion, 0), match(25)}, false, 300, 250},
          {100, {clip(0), match(20), insertion(0), match(30), clip(0)}, false, 300, 250},
          {100,
           {of(data::k_cigar_equal, 20), of(data::k_cigar_diff, 1), insertion(2), of(data::k_cigar_equal, 9)},
           false,
           300,
           250}});
    ASSERT_EQ(set_.reads.size(), 3u);
    EXPECT_EQ(cigar(0), std::vector<uint32_t>{match(50)});
    EXPECT_EQ(cigar(1), std::vector<uint32_t>{match(50)});
    EXPECT_EQ(cigar(2), (std::vector<uint32_t>{match(21), insertion(2), match(9)}));
}

TEST_F(ReadSetTest, remote_mates_are_as_on_the_forward_strand) {
    load({{100, {match(50)}, false, 90'000, 0, 0, "AACG"},
          {110, {match(50)}, true, 90'000, 0, 0, "AACG"},
          {120, {match(50)}, false, 300, 230}});
    ASSERT_EQ(set_.reads.size(), 3u);
    EXPECT_EQ(data::to_letters(set_.remote_mate(set_.reads[0])), "CGTT");
    EXPECT_EQ(data::to_letters(set_.remote_mate(set_.reads[1])), "AACG");
    EXPECT_TRUE(set_.remote_mate(set_.reads[2]).empty());
}

TEST_F(ReadSetTest, mates_of_proper_pairs_are_not_remote) {
    load({{100, {match(50)}, false, 300, 230, data::k_flag_proper_pair, "AACG"}});
    ASSERT_EQ(set_.reads.size(), 1u);
    EXPECT_TRUE(set_.remote_mate(set_.reads[0]).empty());
}

}  // namespace
}  // namespace gannet::variants
