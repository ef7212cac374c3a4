// SPDX-License-Identifier: MIT
// Tests corrections of a site's alleles: of one, of several together, and against marginals worked out with
// libm.
#include "variants/scorer/corrected_evidence.hpp"

#include "variants/arithmetic/log_math.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

namespace gannet::variants {
namespace {

constexpr int32_t decades(double value) { return static_cast<int32_t>(value * k_log_scale); }

/// A site with these log10 posteriors of its genotypes, in VCF's order.
SiteEvidence with_posteriors(size_t alleles, size_t ploidy, const std::vector<double>& posteriors) {
    SiteEvidence evidence;
    evidence.reset(alleles, ploidy);
    for (size_t i = 1; i < alleles; ++i) evidence.priors[i] = decades(-3);
    for_each_genotype(alleles, ploidy, [&](const Genotype& g) {
        evidence.genotypes[genotype_index(g)] = decades(posteriors[genotype_index(g)]) - evidence.prior(g);
    });
    return evidence;
}

/// Posteriors of the genotypes, which sum to one.
std::vector<double> posteriors_of(const SiteEvidence& evidence) {
    std::vector<double> out(evidence.genotypes.size());
    double total = 0;
    for_each_genotype(evidence.alleles, evidence.ploidy, [&](const Genotype& g) {
        const auto log = static_cast<double>(evidence.genotypes[genotype_index(g)] + evidence.prior(g));
        total += out[genotype_index(g)] = std::pow(10, log / k_log_scale);
    });
    for (double& value : out) value /= total;
    return out;
}

/// Of three alleles: the posterior of 0, 1, 2 copies of one of them.
std::array<double, 3> copies_of(const std::vector<double>& genotypes, size_t allele) {
    std::array<double, 3> sums{};
    for_each_genotype(3, 2,
                      [&](const Genotype& g) { sums[g.copies_of(allele)] += genotypes[genotype_index(g)]; });
    return sums;
}

// Genotypes of three alleles: 0/0 0/1 1/1 0/2 1/2 2/2.
constexpr size_t k_both = 4;
const std::vector<double> k_two_alternates = {-20, -4, -5, -4, 0, -5};

TEST(CorrectEvidence, one_allele_adds_its_change_to_each_genotype) {
    const SiteEvidence evidence = with_posteriors(2, 2, {-3, -0.001, -2});
    SiteEvidence corrected;
    correct_evidence(evidence, std::vector<CopyChange>{{}, {0, decades(-4), decades(-1.5)}}, corrected);
    const auto change = [&](size_t i) { return corrected.genotypes[i] - evidence.genotypes[i]; };
    EXPECT_EQ(change(1) - change(0), decades(-4));
    EXPECT_EQ(change(2) - change(0), decades(-1.5));
}

TEST(CorrectEvidence, haploid_copy_has_the_correction_of_all_copies) {
    const SiteEvidence evidence = with_posteriors(2, 1, {-1, -0.05});
    SiteEvidence corrected;
    correct_evidence(evidence, std::vector<CopyChange>{{}, {0, decades(-90), decades(-2)}}, corrected);
    EXPECT_EQ(corrected.genotypes[1] - corrected.genotypes[0],
              evidence.genotypes[1] - evidence.genotypes[0] + decades(-2));
}

TEST(CorrectEvidence, posteriors_count_as_a_millionth_at_least) {
    const SiteEvidence evidence = with_posteriors(2, 2, {-40, 0, -40});
    SiteEvidence corrected;
    correct_evidence(evidence, std::vector<CopyChange>{{}, {0, decades(-7), decades(-7)}}, corrected);
    EXPECT_GT(posteriors_of(corrected)[0], 0.89);
}

TEST(CorrectEvidence, rejecting_one_of_two_alternates_leaves_the_other) {
    SiteEvidence corrected;
    correct_evidence(with_posteriors(3, 2, {-20, -4, -20, -20, 0, -20}),
                     std::vector<CopyChange>{{}, {}, {0, decades(-9), decades(-9)}}, corrected);
    EXPECT_GT(posteriors_of(corrected)[1], 0.5);
}

TEST(CorrectEvidence, no_change_keeps_the_posteriors) {
    const SiteEvidence evidence = with_posteriors(3, 2, {-5, -4, -5, -3, -0.001, -4});
    SiteEvidence corrected;
    correct_evidence(evidence, std::vector<CopyChange>(3), corrected);
    const auto before = posteriors_of(evidence), after = posteriors_of(corrected);
    for (size_t i = 0; i < before.size(); ++i) EXPECT_NEAR(after[i], before[i], 1e-5) << i;
}

/// Each allele has nine tenths left. The products of the odds would give the site to no variant at all.
TEST(CorrectEvidence, doubt_about_two_alternates_does_not_add_up) {
    const CopyChange doubt = {decades(3), 0, 0};
    SiteEvidence corrected;
    correct_evidence(with_posteriors(3, 2, k_two_alternates), std::vector<CopyChange>{{}, doubt, doubt},
                     corrected);
    const auto after = posteriors_of(corrected);
    EXPECT_GT(after[k_both], 0.7);
    EXPECT_LT(after[0], 0.1);
}

TEST(CorrectEvidence, corrected_alleles_have_the_copies_that_their_corrections_state) {
    const SiteEvidence evidence = with_posteriors(3, 2, k_two_alternates);
    const std::vector<CopyChange> change = {{}, {decades(3.5), 0, decades(1)}, {decades(2), 0, decades(2.5)}};
    SiteEvidence corrected;
    correct_evidence(evidence, change, corrected);
    const auto before = posteriors_of(evidence), after = posteriors_of(corrected);
    for (size_t allele = 1; allele <= 2; ++allele) {
        std::array<double, 3> stated = copies_of(before, allele);
        double total = 0;
        for (size_t c = 0; c < stated.size(); ++c)
            total += stated[c] *= std::pow(10, static_cast<double>(change[allele][c]) / k_log_scale);
        const auto copies = copies_of(after, allele);
        for (size_t c = 0; c < stated.size(); ++c)
            EXPECT_NEAR(copies[c], stated[c] / total, 0.01) << "allele " << allele << ", " << c << " copies";
    }
}

}  // namespace
}  // namespace gannet::variants
