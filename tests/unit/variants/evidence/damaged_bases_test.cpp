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
        damage_.per_million[1][3] = 20'000;
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
    damage_.per_million[1][3] = 30'000;
    cap_damaged_bases(damage_, slice_, set_);
    EXPECT_EQ(quality(0, 30), 10);
    EXPECT_EQ(place_in_read(set_, set_.reads[0], 420).quality, 37);
    EXPECT_EQ(place_in_read(set_, set_.reads[0], 421).quality, 37);
}

}  // namespace
}  // namespace gannet::variants
