// SPDX-License-Identifier: MIT
// Checks that spliced reads are divided into their exons, and that overlapping exons of mates stay linked.
#include "variants/reads/spliced_reads.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gannet::variants {
namespace {

constexpr int64_t k_everything = 1'000'000;

uint32_t element(uint32_t length, data::CigarOp op) { return data::cigar_element(length, op); }

void add(ReadSet& set, int64_t begin, const std::vector<uint32_t>& cigar, uint64_t name = 1,
         uint16_t flags = data::k_flag_paired | data::k_flag_read1) {
    CallRead read;
    read.begin = read.end = begin;
    read.bases = static_cast<uint32_t>(set.bases.size());
    read.cigar = static_cast<uint32_t>(set.cigars.size());
    read.cigar_count = static_cast<uint32_t>(cigar.size());
    read.name_hash = name;
    read.flags = flags;
    for (const uint32_t one : cigar) {
        if (data::cigar_consumes_reference(data::cigar_op(one))) read.end += data::cigar_length(one);
        if (data::cigar_consumes_query(data::cigar_op(one))) read.length += data::cigar_length(one);
    }
    set.cigars.insert(set.cigars.end(), cigar.begin(), cigar.end());
    set.bases.resize(set.bases.size() + read.length);
    set.longest_span = std::max(set.longest_span, read.end - read.begin);
    set.reads.push_back(read);
}

/// "begin-end bases+length cut_left,cut_right operations" of each read.
std::vector<std::string> texts(const ReadSet& set) {
    std::vector<std::string> all;
    for (const CallRead& read : set.reads) {
        std::string text = std::to_string(read.begin) + "-" + std::to_string(read.end) + " " +
                           std::to_string(read.bases) + "+" + std::to_string(read.length) + " " +
                           std::to_string(read.cut_left) + "," + std::to_string(read.cut_right) + " ";
        for (const uint32_t one : set.cigar(read))
            text += std::to_string(data::cigar_length(one)) + "MIDNSHP=X"[data::cigar_op(one)];
        all.push_back(text);
    }
    return all;
}

TEST(SplicedReads, exons_are_reads_of_their_own) {
    using namespace data;
    ReadSet set;
    add(set, 100,
        {element(9, k_cigar_soft_clip), element(20, k_cigar_match), element(300, k_cigar_skip),
         element(2, k_cigar_deletion), element(10, k_cigar_match), element(1, k_cigar_insertion),
         element(10, k_cigar_match), element(3, k_cigar_insertion), element(500, k_cigar_skip),
         element(15, k_cigar_match), element(4, k_cigar_soft_clip)});
    add(set, 200, {element(7, k_cigar_soft_clip), element(50, k_cigar_match)}, 2);
    split_spliced_reads(0, k_everything, set);
    // What is clipped, inserted or deleted beside an intron or at an end of the read is left out.
    EXPECT_EQ(texts(set),
              (std::vector<std::string>{"100-120 9+20 9,43 20M", "200-250 72+57 0,0 7S50M",
                                        "422-442 29+21 29,22 10M1I10M", "942-957 53+15 53,4 15M"}));
    EXPECT_EQ(set.longest_span, 50);
}

TEST(SplicedReads, exons_outside_of_the_window_are_left_out) {
    using namespace data;
    ReadSet set;
    add(set, 100,
        {element(20, k_cigar_match), element(300, k_cigar_skip), element(10, k_cigar_match),
         element(500, k_cigar_skip), element(15, k_cigar_match)});
    split_spliced_reads(120, 930, set);
    EXPECT_EQ(texts(set), (std::vector<std::string>{"420-430 20+10 20,15 10M"}));
}

TEST(SplicedReads, overhangs_beyond_an_intron_of_another_read_are_left_out) {
    using namespace data;
    ReadSet set;
    const uint32_t clip = element(14, k_cigar_soft_clip), aligned = element(50, k_cigar_match);
    add(set, 100, {aligned, element(300, k_cigar_skip), aligned});  // the intron is 150-450
    add(set, 100, {aligned, clip}, 2);                              // ends at it
    add(set, 104, {aligned, clip}, 3);                              // 4 bases are aligned beyond
    add(set, 111, {aligned, clip}, 4);                              // too far beyond
    add(set, 440, {clip, aligned}, 5);                              // 10 bases before it ends
    add(set, 450, {clip, aligned, clip}, 6);
    add(set, 460, {clip, aligned}, 7);  // begins within the exon, at 10 bases
    add(set, 461, {clip, aligned}, 8);
    split_spliced_reads(0, k_everything, set);
    EXPECT_EQ(texts(set),
              (std::vector<std::string>{
                  "100-150 100+50 0,14 50M", "100-150 0+50 0,50 50M", "104-150 164+46 0,18 46M",
                  "111-161 228+64 0,0 50M14S", "450-490 316+40 24,0 40M", "450-500 370+50 14,14 50M",
                  "450-500 50+50 50,0 50M", "460-510 448+50 14,0 50M", "461-511 498+64 0,0 14S50M"}));
}

TEST(SplicedReads, overlapping_exons_of_mates_are_linked) {
    using namespace data;
    constexpr uint16_t k_second = k_flag_paired | k_flag_read2;
    ReadSet set;
    const std::vector<uint32_t> spliced = {element(50, k_cigar_match), element(300, k_cigar_skip),
                                           element(50, k_cigar_match)};
    add(set, 100, spliced, 7);                       // 100-150, 450-500
    add(set, 110, {element(30, k_cigar_match)}, 8);  // of another template
    add(set, 120, spliced, 7, k_second);             // 120-170, 470-520
    add(set, 130, {element(30, k_cigar_match)}, 9);  // 130-160, mate of the next one
    add(set, 140, {element(30, k_cigar_match)}, 9, k_second);
    set.reads[0].mate = 2, set.reads[2].mate = 0;
    set.reads[3].mate = 4, set.reads[4].mate = 3;
    split_spliced_reads(0, k_everything, set);
    std::vector<int32_t> mates;
    for (const CallRead& read : set.reads) mates.push_back(read.mate);
    // 100, 110, 120, 130, 140, 450, 470
    EXPECT_EQ(mates, (std::vector<int32_t>{2, -1, 0, 4, 3, 6, 5}));
}

TEST(SplicedReads, a_spliced_mate_of_an_unspliced_read_is_linked_by_one_exon) {
    using namespace data;
    ReadSet set;
    add(set, 100, {element(60, k_cigar_match)}, 7);
    add(set, 120, {element(50, k_cigar_match), element(300, k_cigar_skip), element(50, k_cigar_match)}, 7,
        k_flag_paired | k_flag_read2);
    set.reads[0].mate = 1, set.reads[1].mate = 0;
    split_spliced_reads(0, k_everything, set);
    ASSERT_EQ(set.reads.size(), 3u);
    EXPECT_EQ(set.reads[0].mate, 1);
    EXPECT_EQ(set.reads[1].mate, 0);
    EXPECT_EQ(set.reads[2].mate, -1);
}

TEST(SplicedReads, other_reads_stay_as_they_are) {
    ReadSet set;
    add(set, 100, {element(5, data::k_cigar_soft_clip), element(60, data::k_cigar_match)});
    add(set, 90, {element(60, data::k_cigar_match)});  // not sorted: nothing touches them
    split_spliced_reads(0, 50, set);
    EXPECT_EQ(texts(set), (std::vector<std::string>{"100-160 0+65 0,0 5S60M", "90-150 65+60 0,0 60M"}));
}

}  // namespace
}  // namespace gannet::variants
