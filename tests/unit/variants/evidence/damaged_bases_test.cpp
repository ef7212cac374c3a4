// SPDX-License-Identifier: MIT
// Tests the lower qualities of bases that may be damage.
#include "variants/evidence/damaged_bases.hpp"

#include "tests/unit/variants/placed_reads.hpp"
#include "variants/reads/run_end_quality.hpp"

#include <gtest/gtest.h>

namespace gannet::variants {
namespace {

class DamagedBases : public testing::PlacedReads {
  protected:
    static constexpr int64_t k_begin = 380;
    static constexpr uint32_t k_length = 60;
    static constexpr size_t k_c_at = 25, k_g_at = 35;  // in the read

    DamagedBases() {
        make("TTTTTCTTTTATTTTGTTTT");
        for (auto& rates : damage_.per_million) rates[1][3] = 20'000;
    }
    /// A read of the reference but for `base` at `at`.
    void add_read(size_t at, char base, bool reverse, uint16_t flags = 0) {
        std::string bases = letters_.substr(k_begin, k_length);
        bases[at] = base;
        add(bases, k_begin, {match(k_length)}, 37, reverse);
        set_.reads.back().flags = flags;
    }
    uint8_t quality(size_t read, size_t at) const { return set_.qualities[set_.reads[read].bases + at]; }

    BaseDamage damage_;
};

TEST_F(DamagedBases, change_of_mate_1s_strand_gets_a_low_quality) {
    add_read(k_c_at, 'T', false);                      // C>T
    add_read(k_c_at, 'T', true);                       // G>A of the other strand
    add_read(k_g_at, 'A', true);                       // C>T of the other strand
    add_read(k_c_at, 'T', true, data::k_flag_read2);   // its mate 1 is forward
    add_read(k_c_at, 'T', false, data::k_flag_read2);  // its mate 1 is reverse
    add_read(k_c_at, 'A', false);                      // another change
    cap_damaged_bases(damage_, slice_, set_);
    EXPECT_EQ(quality(0, k_c_at), 12);
    EXPECT_EQ(quality(1, k_c_at), 37);
    EXPECT_EQ(quality(2, k_g_at), 12);
    EXPECT_EQ(quality(3, k_c_at), 12);
    EXPECT_EQ(quality(4, k_c_at), 37);
    EXPECT_EQ(quality(5, k_c_at), 37);
    EXPECT_EQ(quality(0, k_c_at + 1), 37);
    EXPECT_EQ(set_.capped.size(), 3u);
}

TEST_F(DamagedBases, reference_base_counts_for_less_beside_what_it_may_have_been) {
    constexpr size_t k_at = k_c_at + 1;  // T; the sample has C
    add_read(k_at, 'T', false);
    add_read(k_at, 'T', true);
    add_read(k_at, 'C', false);
    Evidence evidence;
    evidence.arena = {1};
    Candidate candidate;
    candidate.allele = {k_begin + static_cast<int64_t>(k_at), 1, 0, 1};
    cap_damaged_bases(damage_, slice_, set_);
    EXPECT_TRUE(set_.capped.empty());
    cap_damaged_alternates(damage_, slice_, evidence, {&candidate, 1}, set_);
    EXPECT_EQ(quality(0, k_at), 12);
    EXPECT_EQ(quality(1, k_at), 37);
    EXPECT_EQ(quality(2, k_at), 37);
    EXPECT_EQ(quality(0, k_at + 1), 37);
}

/// Of ancient DNA: C>T at the begin of fragments, G>A at their end.
class DamagedEnds : public DamagedBases {
  protected:
    DamagedEnds() {
        make("TTTC" + std::string(76, 'T') + "GTTT");
        damage_ = {};
        for (const size_t end_class : {0, 1, 2, 3}) {
            damage_.per_million[begin_place(end_class)][1][3] = 20'000;
            damage_.per_million[end_place(end_class)][2][0] = 20'000;
        }
    }
    /// Of the reference from the first of these 84 bases on, with T for C and A for G.
    void add_damaged(bool reverse, uint16_t flags = 0, int32_t template_length = 0) {
        std::string bases = letters_.substr(400, 84);
        bases[k_c_begin] = 'T';
        bases[k_g_end] = 'A';
        add(bases, 400, {match(84)}, 37, reverse);
        set_.reads.back().flags = static_cast<uint16_t>(flags | (reverse ? data::k_flag_reverse : 0));
        set_.reads.back().template_length = template_length;
    }
    static constexpr size_t k_c_begin = 3, k_g_end = 80;
};

TEST_F(DamagedEnds, are_those_of_the_fragment) {
    constexpr uint16_t k_pair = data::k_flag_paired;
    add_damaged(false);                                    // a single read is a fragment
    add_damaged(true);                                     // the other strand, C>T at its begin
    add_damaged(false, k_pair, 300);                       // the end is of its mate
    add_damaged(true, k_pair | data::k_flag_read2, -300);  // the begin is of its mate
    add_damaged(false, k_pair, 84);                        // the same fragment
    add_damaged(false, k_pair | data::k_flag_read2,
                300);  // its mate 1 is reverse: G>A at its end
    cap_damaged_bases(damage_, slice_, set_);
    const std::vector<std::pair<int, int>> expected{{12, 12}, {12, 12}, {12, 37},
                                                    {37, 12}, {12, 12}, {12, 37}};
    for (size_t read = 0; read < expected.size(); ++read) {
        EXPECT_EQ(quality(read, k_c_begin), expected[read].first) << read;
        EXPECT_EQ(quality(read, k_g_end), expected[read].second) << read;
    }
}

TEST_F(DamagedEnds, are_where_the_read_was_sequenced_not_where_it_was_cut) {
    add_damaged(false);
    set_.reads.back().cut_left = 2;
    cap_damaged_bases(damage_, slice_, set_);
    EXPECT_EQ(quality(0, k_c_begin), 37) << "the sixth base";
}

TEST_F(DamagedBases, nothing_is_changed_without_damage) {
    add_read(k_c_at, 'T', false);
    cap_damaged_bases({}, slice_, set_);
    EXPECT_EQ(quality(0, k_c_at), 37);
    EXPECT_TRUE(set_.capped.empty());
}

TEST_F(DamagedBases, annotations_see_the_quality_before_all_caps) {
    make(std::string(20, 'A') + "CTTT");  // the base after the run is capped by both
    std::string bases = letters_.substr(390, k_length);
    bases[30] = 'T';
    add(bases, 390, {match(k_length)});
    set_.reads.back().mapping_quality = 60;
    cap_qualities_after_runs(set_);
    for (auto& rates : damage_.per_million) rates[1][3] = 30'000;
    cap_damaged_bases(damage_, slice_, set_);
    EXPECT_EQ(quality(0, 30), 10);
    EXPECT_EQ(place_in_read(set_, set_.reads[0], 420).quality, 37);
    EXPECT_EQ(place_in_read(set_, set_.reads[0], 421).quality, 37);
}

}  // namespace
}  // namespace gannet::variants
