// SPDX-License-Identifier: MIT
// Tests the phase of heterozygous sites from what fragments show.
#include "variants/records/phase.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace gannet::variants {
namespace {

/// Sites with alleles 0 and 1 unless stated, and fragments that are added one at a time.
class PhaserTest : public ::testing::Test {
  protected:
    explicit PhaserTest() : seen_(k_max_sites) {}

    size_t add_site(int64_t position, std::array<uint8_t, 2> alleles = {0, 1}) {
        sites_.push_back({position, alleles, {}});
        return sites_.size() - 1;
    }
    /// `copies` fragments with these alleles at these sites.
    void add(int copies, const std::map<size_t, uint8_t>& alleles, uint8_t phred = 30) {
        for (; copies > 0; --copies, ++fragment_) {
            for (const auto& [site, allele] : alleles)
                seen_[site].push_back({fragment_ * 0x9e3779b97f4a7c15u, allele, phred});
        }
    }
    /// Of each site: its set, and its genotype in the order of the haplotypes ("0|1:100").
    std::vector<std::string> phases() {
        for (size_t i = 0; i < sites_.size(); ++i) sites_[i].seen = seen_[i];
        std::vector<Phaser::Phase> phases;
        phaser_.run(sites_, phases);
        std::vector<std::string> texts;
        for (size_t i = 0; i < phases.size(); ++i) {
            auto [first, second] = sites_[i].alleles;
            if (phases[i].is_swapped) std::swap(first, second);
            texts.push_back(phases[i].set < 0 ? "/"
                                              : std::to_string(first) + '|' + std::to_string(second) + ':' +
                                                    std::to_string(phases[i].set));
        }
        return texts;
    }
    using Texts = std::vector<std::string>;

    static constexpr size_t k_max_sites = 64;
    std::vector<Phaser::Site> sites_;
    std::vector<std::vector<FragmentAllele>> seen_;
    uint64_t fragment_ = 1;
    Phaser phaser_;
};

TEST_F(PhaserTest, fragments_over_two_sites_join_them) {
    add_site(100);
    add_site(200);
    add_site(300);
    add(2, {{0, 0}, {1, 0}});
    add(1, {{0, 1}, {1, 1}});
    add(2, {{1, 0}, {2, 1}});
    EXPECT_EQ(phases(), (Texts{"0|1:100", "0|1:100", "1|0:100"}));
}

TEST_F(PhaserTest, no_sites_have_no_phase) { EXPECT_EQ(phases(), Texts{}); }

TEST_F(PhaserTest, one_fragment_is_not_enough) {
    add_site(100);
    add_site(200);
    add(1, {{0, 0}, {1, 0}}, 45);
    EXPECT_EQ(phases(), (Texts{"0|1:100", "0|1:200"}));
    add(1, {{0, 0}, {1, 0}}, 10);
    EXPECT_EQ(phases(), (Texts{"0|1:100", "0|1:100"}));  // 20 + 10
}

TEST_F(PhaserTest, contradicting_fragments_end_a_block) {
    add_site(100);
    add_site(200);
    add_site(300);
    add(8, {{0, 0}, {1, 1}});
    add(2, {{0, 0}, {1, 0}});
    add(3, {{1, 0}, {2, 0}});
    EXPECT_EQ(phases(), (Texts{"0|1:100", "1|0:100", "1|0:100"}));  // a quarter is borne
    add(1, {{0, 1}, {1, 1}});
    EXPECT_EQ(phases(), (Texts{"0|1:100", "0|1:200", "0|1:200"}));
}

TEST_F(PhaserTest, a_contradicting_site_is_passed_over) {
    add_site(100);
    add_site(150);
    add_site(200);
    add(3, {{0, 0}, {1, 0}, {2, 0}});
    add(3, {{0, 0}, {1, 1}, {2, 0}});
    EXPECT_EQ(phases(), (Texts{"0|1:100", "0|1:150", "0|1:100"}));
}

TEST_F(PhaserTest, a_site_between_joins_two_blocks) {
    add_site(100);
    add_site(200);
    add_site(300);
    add(3, {{0, 0}, {2, 1}});
    add(2, {{1, 0}, {2, 0}});
    EXPECT_EQ(phases(), (Texts{"0|1:100", "1|0:100", "1|0:100"}));
}

TEST_F(PhaserTest, evidence_of_several_earlier_sites_is_one_vote_of_a_fragment) {
    add_site(100);
    add_site(120);
    add_site(140);
    add(2, {{0, 0}, {1, 0}});
    add(1, {{0, 0}, {1, 0}, {2, 0}});
    EXPECT_EQ(phases(), (Texts{"0|1:100", "0|1:100", "0|1:140"}));
}

TEST_F(PhaserTest, alleles_of_other_genotypes_say_nothing) {
    add_site(100, {1, 2});
    add_site(200);
    add(5, {{0, 0}, {1, 0}});
    EXPECT_EQ(phases(), (Texts{"1|2:100", "0|1:200"}));
    add(2, {{0, 2}, {1, 0}});
    EXPECT_EQ(phases(), (Texts{"1|2:100", "1|0:100"}));
}

TEST_F(PhaserTest, fragments_reach_no_further_than_stated) {
    add_site(100);
    add_site(100 + k_phase_reach_bp);
    add_site(101 + 2 * k_phase_reach_bp);
    add(5, {{0, 0}, {1, 0}, {2, 0}});
    EXPECT_EQ(phases(), (Texts{"0|1:100", "0|1:100", "0|1:2101"}));
}

TEST_F(PhaserTest, reach_counts_from_one_observation_of_a_fragment_to_the_next) {
    for (const int64_t position : {100, 1000, 1900}) add_site(position);
    for (const uint64_t fragment : {1, 2, 3}) {
        seen_[0].push_back({fragment, 0, 30});
        seen_[1].push_back({fragment, 0, 5});  // hardly links, but is between
        seen_[2].push_back({fragment, 0, 30});
    }
    EXPECT_EQ(phases(), (Texts{"0|1:100", "0|1:1000", "0|1:100"}));
}

TEST_F(PhaserTest, blocks_that_begin_together_keep_apart) {
    for (const int64_t position : {100, 100, 200, 300}) add_site(position);
    add(3, {{0, 0}, {2, 0}});
    add(3, {{1, 0}, {3, 0}});
    EXPECT_EQ(phases(), (Texts{"0|1:100", "/", "0|1:100", "0|1:300"}));
}

TEST_F(PhaserTest, a_block_takes_its_position_before_a_single_site) {
    for (const int64_t position : {100, 100, 200}) add_site(position);
    add(3, {{1, 1}, {2, 0}});
    EXPECT_EQ(phases(), (Texts{"/", "0|1:100", "1|0:100"}));
}

TEST_F(PhaserTest, two_haplotypes_are_found_among_errors) {
    // Property: 40 sites, fragments of 400 bp with 2 % wrong alleles; the order of the fragments is of no
    // consequence.
    std::mt19937_64 random(17);
    std::vector<bool> first_has;
    for (int64_t i = 0; i < 40; ++i) {
        add_site(1000 + i * 100 + static_cast<int64_t>(random() % 60));
        first_has.push_back(random() % 2 == 0);
    }
    for (int i = 0; i < 400; ++i) {
        const int64_t begin = 700 + static_cast<int64_t>(random() % 4300);
        const bool side = random() % 2 == 0;
        std::map<size_t, uint8_t> alleles;
        for (size_t s = 0; s < sites_.size(); ++s) {
            if (sites_[s].position < begin || sites_[s].position >= begin + 400) continue;
            const bool wrong = random() % 50 == 0;
            alleles[s] = (side == first_has[s]) != wrong ? 1 : 0;
        }
        add(1, alleles, static_cast<uint8_t>(20 + random() % 20));
    }
    const Texts found = phases();
    for (size_t s = 0; s < found.size(); ++s) {
        const bool same = first_has[s] == first_has[0];
        EXPECT_EQ(found[s], (same ? "0|1:" : "1|0:") + std::to_string(sites_[0].position)) << s;
    }
    for (auto& seen : seen_) std::shuffle(seen.begin(), seen.end(), random);
    EXPECT_EQ(phases(), found);
}

}  // namespace
}  // namespace gannet::variants
