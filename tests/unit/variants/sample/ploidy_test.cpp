// SPDX-License-Identifier: MIT
// Tests the ploidy of a sample by position, and the order of genotypes.
#include "variants/sample/ploidy.hpp"

#include "variants/arithmetic/genotype_order.hpp"

#include <gtest/gtest.h>

#include <random>
#include <utility>
#include <vector>

namespace gannet::variants {
namespace {

using Stretches = std::vector<std::pair<int64_t, int>>;

Stretches stretches_of(const PloidyMap& map, uint32_t contig) {
    Stretches out;
    for (const PloidyMap::Stretch& stretch : map.stretches(contig))
        out.emplace_back(stretch.begin, stretch.ploidy);
    return out;
}

TEST(PloidyMap, is_diploid_where_nothing_was_set) {
    PloidyMap map;
    EXPECT_EQ(map.at(0, 0), 2);
    map.set({3, 0, 100}, 1);
    EXPECT_EQ(map.at(2, 50), 2);
    EXPECT_EQ(map.at(4, 50), 2);
    EXPECT_TRUE(map.stretches(2).empty());
}

TEST(PloidyMap, regions_are_half_open_and_later_ones_replace_earlier_ones) {
    PloidyMap map;
    map.set({1, 0, 1000}, 1);
    map.set({1, 100, 200}, 2);
    EXPECT_EQ(stretches_of(map, 1), (Stretches{{0, 1}, {100, 2}, {200, 1}, {1000, 2}}));
    EXPECT_EQ(map.at(1, 99), 1);
    EXPECT_EQ(map.at(1, 100), 2);
    EXPECT_EQ(map.at(1, 199), 2);
    EXPECT_EQ(map.at(1, 200), 1);
    EXPECT_EQ(map.at(1, 1000), 2);
    map.set({1, 150, 1000}, 0);
    EXPECT_EQ(stretches_of(map, 1), (Stretches{{0, 1}, {100, 2}, {150, 0}, {1000, 2}}));
    map.set({1, 0, 2000}, 2);
    EXPECT_EQ(stretches_of(map, 1), (Stretches{{0, 2}}));
    map.set({1, 5, 5}, 0);
    EXPECT_EQ(stretches_of(map, 1), (Stretches{{0, 2}}));
}

TEST(PloidyMap, agrees_with_an_array_of_positions) {
    std::mt19937 random(7);
    for (int round = 0; round < 200; ++round) {
        PloidyMap map;
        std::vector<uint8_t> expected(60, 2);
        for (int i = 0; i < 8; ++i) {
            const auto begin = static_cast<int64_t>(random() % 50);
            const auto end = begin + static_cast<int64_t>(random() % 12);
            const auto ploidy = static_cast<uint8_t>(random() % 3);
            map.set({0, begin, end}, ploidy);
            for (int64_t at = begin; at < end && at < 60; ++at) expected[static_cast<size_t>(at)] = ploidy;
            for (size_t at = 0; at < expected.size(); ++at)
                ASSERT_EQ(map.at(0, static_cast<int64_t>(at)), expected[at]) << round << ' ' << at;
        }
        const auto stretches = map.stretches(0);
        for (size_t i = 1; i < stretches.size(); ++i) {
            EXPECT_LT(stretches[i - 1].begin, stretches[i].begin);
            EXPECT_NE(stretches[i - 1].ploidy, stretches[i].ploidy);
        }
    }
}

TEST(GenotypeOrder, is_that_of_the_vcf_specification) {
    // VCF 4.3, 1.6.2: two copies of three alleles are 00 01 11 02 12 22; one copy has the order of the
    // alleles.
    std::vector<std::pair<size_t, size_t>> pairs;
    for_each_genotype(3, 2, [&](const Genotype& g) { pairs.emplace_back(g.alleles[0], g.alleles[1]); });
    EXPECT_EQ(pairs,
              (std::vector<std::pair<size_t, size_t>>{{0, 0}, {0, 1}, {1, 1}, {0, 2}, {1, 2}, {2, 2}}));
    std::vector<size_t> single;
    for_each_genotype(4, 1, [&](const Genotype& g) { single.push_back(g.alleles[0]); });
    EXPECT_EQ(single, (std::vector<size_t>{0, 1, 2, 3}));
}

TEST(GenotypeOrder, index_and_count_agree_with_the_order) {
    for (size_t ploidy = 1; ploidy <= k_max_ploidy; ++ploidy) {
        for (size_t alleles = 1; alleles < 8; ++alleles) {
            size_t next = 0;
            for_each_genotype(alleles, ploidy, [&](const Genotype& g) {
                EXPECT_EQ(genotype_index(g), next++);
                EXPECT_EQ(g.ploidy, ploidy);
            });
            EXPECT_EQ(genotype_count(alleles, ploidy), next);
        }
    }
    EXPECT_EQ(genotype_count(5, 1), 5u);
    EXPECT_EQ(genotype_count(5, 2), 15u);
}

TEST(GenotypeOrder, copies_are_counted_within_the_ploidy) {
    EXPECT_EQ(haploid(0).copies_of(0), 1u);
    EXPECT_EQ(haploid(3).copies_of(0), 0u);
    EXPECT_EQ(diploid(3, 1).lowest(), 1u);
    EXPECT_EQ(diploid(2, 2).copies_of(2), 2u);
    EXPECT_FALSE(diploid(0, 2).is_uniform());
    EXPECT_TRUE(haploid(2).is_uniform());
}

}  // namespace
}  // namespace gannet::variants
