// SPDX-License-Identifier: MIT
// Tests the simulated genome and the simulated sample: sizes, truth against the reference, haplotypes against
// the truth.
#include "data/simulate/sample.hpp"

#include "data/simulate/random.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace gannet::data::simulate {
namespace {

const Genome& genome() {
    static const Genome made = make_genome(3'000'000, 5);
    return made;
}
const Truth& truth() {
    static const Truth made = make_variants(genome(), 5);
    return made;
}

std::string letters(const Sequence& sequence, uint64_t begin, uint64_t end) {
    return to_letters({&sequence.bases[begin], end - begin});
}

TEST(SimulateRandom, normal_has_mean_and_deviation) {
    Random random(1, Stream::molecule, 0);
    double sum = 0;
    double squares = 0;
    constexpr int count = 100000;
    for (int i = 0; i < count; ++i) {
        const double z = random.normal() / 65536.0;
        sum += z;
        squares += z * z;
    }
    EXPECT_NEAR(sum / count, 0, 0.015);
    EXPECT_NEAR(squares / count, 1, 0.02);
}

TEST(SimulateRandom, streams_and_indices_differ) {
    std::set<uint64_t> first;
    for (uint64_t index = 0; index < 1000; ++index) {
        first.insert(Random(1, Stream::molecule, index).next());
        first.insert(Random(1, Stream::sequencing, index).next());
        first.insert(Random(2, Stream::molecule, index).next());
    }
    EXPECT_EQ(first.size(), 3000U);
}

TEST(SimulateRandom, pick_follows_weights) {
    Random random(3, Stream::contig, 0);
    constexpr std::array<uint32_t, 3> weights{1, 0, 3};
    std::array<int, 3> seen{};
    for (int i = 0; i < 40000; ++i) ++seen[random.pick(weights)];
    EXPECT_EQ(seen[1], 0);
    EXPECT_NEAR(seen[2], 30000, 600);
}

TEST(SimulateGenome, size_is_exact_and_seed_decides) {
    EXPECT_EQ(genome().size(), 3'000'000U);
    const Genome again = make_genome(3'000'000, 5);
    const Genome other = make_genome(3'000'000, 6);
    ASSERT_EQ(again.sequences.size(), genome().sequences.size());
    for (size_t i = 0; i < again.sequences.size(); ++i) {
        EXPECT_EQ(again.sequences[i].bases, genome().sequences[i].bases);
        EXPECT_NE(other.sequences[i].bases, genome().sequences[i].bases);
    }
}

TEST(SimulateGenome, composition_is_human_like) {
    std::array<uint64_t, 5> count{};
    uint64_t cpg = 0;
    for (const Sequence& sequence : genome().sequences) {
        EXPECT_FALSE(sequence.unknown.empty()) << sequence.name << " has no gap";
        for (size_t i = 0; i < sequence.bases.size(); ++i) {
            ++count[sequence.bases[i]];
            cpg += i > 0 && sequence.bases[i] == 2 && sequence.bases[i - 1] == 1;
        }
    }
    const auto known = static_cast<double>(genome().known_bp());
    EXPECT_GT(known, 0.95 * 3e6);
    EXPECT_EQ(count[4], genome().size() - genome().known_bp());
    const double c = static_cast<double>(count[1]) / known;
    const double g = static_cast<double>(count[2]) / known;
    EXPECT_NEAR(c + g, 0.42, 0.05);
    EXPECT_LT(static_cast<double>(cpg) / known, 0.5 * c * g) << "CpG are not depleted";
}

TEST(SimulateGenome, known_stretches_are_told) {
    const std::vector<BaseRun> runs = unknown_runs({4, 4, 0, 1, 4, 2});
    ASSERT_EQ(runs.size(), 2U);
    EXPECT_EQ(runs[1].begin, 4U);
    EXPECT_FALSE(is_known(runs, 0, 1));
    EXPECT_TRUE(is_known(runs, 2, 4));
    EXPECT_FALSE(is_known(runs, 2, 5));
    EXPECT_TRUE(is_known(runs, 5, 6));
}

TEST(SimulateVariants, ref_matches_and_sites_do_not_overlap) {
    for (size_t i = 0; i < truth().size(); ++i) {
        uint64_t end = 0;
        for (const TruthSite& site : truth()[i]) {
            ASSERT_GE(site.position, end);
            end = site.end();
            EXPECT_EQ(site.alleles[0], letters(genome().sequences[i], site.position, end));
            EXPECT_NE(std::max(site.genotype[0], site.genotype[1]), 0);
            for (const uint8_t allele : site.genotype) EXPECT_LT(allele, site.alleles.size());
            for (size_t a = 1; a < site.alleles.size(); ++a) {
                EXPECT_NE(site.alleles[a], site.alleles[0]);
                EXPECT_EQ(site.alleles[a].find('N'), std::string::npos);
                EXPECT_LE(site.alleles[a].size(), 51U);
            }
        }
    }
}

/// An indel written as anchor and change can be moved left when its last letters are equal.
TEST(SimulateVariants, indels_are_left_aligned_and_parsimonious) {
    uint64_t checked = 0;
    for (const auto& sites : truth())
        for (const TruthSite& site : sites) {
            size_t shortest = site.alleles[0].size();
            size_t longest = shortest;
            bool same_end = true;
            bool same_start = true;
            for (const std::string& allele : site.alleles) {
                shortest = std::min(shortest, allele.size());
                longest = std::max(longest, allele.size());
                same_end &= allele.back() == site.alleles[0].back();
                same_start &= allele[0] == site.alleles[0][0];
            }
            if (longest == 1) continue;
            EXPECT_EQ(shortest, 1U);
            EXPECT_TRUE(same_start) << "at " << site.position;
            EXPECT_FALSE(same_end) << "at " << site.position;
            ++checked;
        }
    EXPECT_GT(checked, 200U);
}

TEST(SimulateVariants, rates_and_ratios_are_as_told) {
    uint64_t snvs = 0, transitions = 0, indels = 0, het = 0, hom = 0, two = 0;
    for (const auto& sites : truth())
        for (const TruthSite& site : sites) {
            (site.genotype[0] == site.genotype[1] ? hom : het) += 1;
            two += site.alleles.size() == 3;
            if (site.alleles[0].size() > 1 || site.alleles[1].size() > 1) {
                ++indels;
            } else {
                ++snvs;
                const std::string change = site.alleles[0] + site.alleles[1];
                transitions += change == "AG" || change == "GA" || change == "CT" || change == "TC";
            }
        }
    const auto known = static_cast<double>(genome().known_bp());
    EXPECT_NEAR(static_cast<double>(snvs) / known, 1e-3, 1.5e-4);
    EXPECT_NEAR(static_cast<double>(indels) / known, 1.25e-4, 3e-5);
    EXPECT_NEAR(static_cast<double>(transitions) / static_cast<double>(snvs - transitions), 2.1, 0.35);
    EXPECT_NEAR(static_cast<double>(het) / static_cast<double>(hom), 2.0, 0.3);
    EXPECT_GT(two, 3U);
}

TEST(SimulateHaplotype, carries_the_truth_and_finds_its_way_back) {
    for (uint32_t i = 0; i < truth().size(); ++i)
        for (uint32_t side = 0; side < 2; ++side) {
            const Sequence& sequence = genome().sequences[i];
            const Haplotype haplotype = make_haplotype(sequence, truth()[i], i, side);
            std::string text;
            std::vector<uint64_t> origin;
            uint64_t at = 0;
            const auto copy = [&](uint64_t end) {
                for (; at < end; ++at) {
                    text += k_letter_of_base[sequence.bases[at]];
                    origin.push_back(at);
                }
            };
            for (const TruthSite& site : truth()[i]) {
                copy(site.position);
                const std::string& allele = site.alleles[site.genotype[side]];
                for (size_t k = 0; k < allele.size(); ++k)
                    origin.push_back(std::min(site.position + k, site.end()));
                text += allele;
                at = site.end();
            }
            copy(sequence.bases.size());
            ASSERT_EQ(to_letters(haplotype.bases), text);
            for (uint64_t k = 0; k < origin.size(); k += 7)
                ASSERT_EQ(haplotype.reference_position(k), origin[k]) << k;
        }
}

}  // namespace
}  // namespace gannet::data::simulate
