// SPDX-License-Identifier: MIT
// Tests allele frequencies, posteriors and qualities of a cohort, and the logarithms that they are made with.
#include "variants/cohort/frequencies.hpp"

#include "cohort_fixture.hpp"
#include "variants/arithmetic/probability.hpp"
#include "variants/cohort/site_quality.hpp"

#include <cmath>

namespace gannet::variants::cohort {
namespace {

TEST(Probability, logarithms_are_those_of_the_library_within_their_bounds) {
    for (int32_t phred = 0; phred <= k_max_phred; phred += 7) {
        const double p = std::pow(10.0, -phred / 10.0);
        EXPECT_NEAR(probability_of_phred(phred) / p, 1, 1e-12) << phred;
        EXPECT_NEAR(static_cast<double>(phred_fixed(probability_of_phred(phred))) / k_phred_unit, phred,
                    3e-3);
    }
    for (double p = 1e-18; p < 0.5; p *= 1.7) {
        EXPECT_NEAR(static_cast<double>(phred_fixed_of_complement(p)) / k_phred_unit,
                    -10 * std::log1p(-p) / std::log(10.0), 1e-6);
    }
    EXPECT_EQ(phred_fixed(1), 0);
    EXPECT_GT(phred_fixed(0), 2900 * k_phred_unit);
}

/// The likelihood of one frequency of the alternate, natural logarithm.
double log_likelihood(const std::vector<std::vector<int32_t>>& samples, double f) {
    double sum = 0;
    for (const auto& phred : samples) {
        const double prior[] = {(1 - f) * (1 - f), 2 * f * (1 - f), f * f};
        double p = 0;
        for (size_t g = 0; g < 3; ++g) p += prior[g] * std::pow(10.0, -phred[g] / 10.0);
        sum += std::log(p);
    }
    return sum;
}

TEST(Frequencies, the_estimate_is_where_the_likelihood_is_highest) {
    // Shallow samples, whose genotypes are not certain.
    const std::vector<std::vector<int32_t>> samples = {{0, 6, 60}, {0, 9, 80}, {20, 0, 25}, {3, 0, 30},
                                                       {0, 3, 30}, {45, 6, 0}, {0, 12, 90}, {0, 0, 20}};
    Frequencies frequencies;
    frequencies.begin(std::vector<double>{0, 0});
    for (const auto& phred : samples) frequencies.add(2, phred);
    frequencies.estimate();
    double best = 0;
    for (double f = 0.0005; f < 1; f += 0.0005) {
        if (log_likelihood(samples, f) > log_likelihood(samples, best)) best = f;
    }
    EXPECT_NEAR(static_cast<double>(frequencies.frequency_micro(1)) / 1e6, best, 0.002);
}

TEST(Frequencies, certain_genotypes_are_counted) {
    Frequencies frequencies;
    frequencies.begin(std::vector<double>{10, 0.01, 0.01});
    for (int i = 0; i < 7; ++i) frequencies.add(2, std::vector<int32_t>{0, 90, 900, 90, 900, 900});
    frequencies.add(2, std::vector<int32_t>{900, 90, 900, 90, 0, 900});  // 1/2
    frequencies.add(1, std::vector<int32_t>{90, 0, 90});
    frequencies.estimate();
    EXPECT_NEAR(static_cast<double>(frequencies.frequency_micro(1)) / 1e6, 2.0 / 17, 1e-4);
    EXPECT_NEAR(static_cast<double>(frequencies.frequency_micro(2)) / 1e6, 1.0 / 17, 1e-4);
}

TEST(Frequencies, nothing_depends_on_the_order_of_samples) {
    std::vector<std::vector<int32_t>> samples;
    for (int32_t i = 0; i < 50; ++i) samples.push_back({i % 7 * 9, i % 5 * 3, 40 + i});
    Frequencies one;
    Frequencies other;
    one.begin(std::vector<double>{10, 0.01});
    other.begin(std::vector<double>{10, 0.01});
    for (size_t i = 0; i < samples.size(); ++i) {
        one.add(2, samples[i]);
        other.add(2, samples[samples.size() - 1 - i]);
    }
    one.estimate();
    other.estimate();
    EXPECT_EQ(one.prior()[1], other.prior()[1]);
    EXPECT_EQ(one.frequency_micro(1), other.frequency_micro(1));
}

TEST(Frequencies, the_posterior_is_the_likelihood_times_hardy_weinberg) {
    Frequencies frequencies;
    frequencies.begin(std::vector<double>{3, 1});
    frequencies.add(2, std::vector<int32_t>{0, 10, 20});
    frequencies.estimate();
    const double f = frequencies.prior()[1];
    const double weights[] = {(1 - f) * (1 - f), 2 * f * (1 - f) * 0.1, f * f * 0.01};
    std::vector<double> posterior;
    frequencies.posterior(0, posterior);
    const double sum = weights[0] + weights[1] + weights[2];
    for (size_t g = 0; g < 3; ++g) EXPECT_NEAR(posterior[g], weights[g] / sum, 1e-12);
}

/// By all ways to choose the copies that have the alternate.
double quality_of_all(const std::vector<std::array<int32_t, 3>>& samples, const std::vector<int>& ploidies,
                      double theta) {
    size_t copies = 0;
    for (const int ploidy : ploidies) copies += static_cast<size_t>(ploidy);
    std::vector<double> sums(copies + 1, 0);
    std::vector<double> ways(copies + 1, 0);
    for (uint32_t chosen = 0; chosen < (1U << copies); ++chosen) {
        double p = 1;
        uint32_t rest = chosen;
        size_t count = 0;
        for (size_t i = 0; i < samples.size(); ++i) {
            size_t own = rest & 1U;
            if (ploidies[i] == 2) own += rest >> 1U & 1U;
            rest >>= static_cast<uint32_t>(ploidies[i]);
            p *= std::pow(10, -samples[i][own] / 10.0);
            count += own;
        }
        sums[count] += p;
        ++ways[count];
    }
    double with = 0;
    double none = 1;
    for (size_t k = 1; k <= copies; ++k) {
        with += theta / static_cast<double>(k) * sums[k] / ways[k];
        none -= theta / static_cast<double>(k);
    }
    return 10 * std::log10((with + none * sums[0]) / (none * sums[0]));
}

TEST(SiteQuality, is_that_of_all_ways_to_choose_copies) {
    const std::vector<std::vector<std::array<int32_t, 3>>> cohorts = {
        {{0, 30, 300}, {0, 20, 200}, {50, 0, 0}, {0, 6, 60}, {45, 0, 60}},
        {{0, 30, 300}, {0, 20, 200}, {9, 0, 0}, {0, 6, 60}, {0, 3, 30}},
        {{600, 90, 0}, {400, 0, 500}, {500, 0, 0}, {300, 60, 0}, {900, 60, 0}},
        {{0, 60, 600}, {0, 60, 600}, {0, 60, 0}, {0, 60, 600}, {0, 60, 600}}};
    const std::vector<int> ploidies = {2, 2, 1, 2, 2};
    for (const auto& samples : cohorts) {
        SiteQuality forward;
        SiteQuality backward;
        forward.begin(0.001);
        backward.begin(0.001);
        for (size_t i = 0; i < samples.size(); ++i) {
            forward.add(ploidies[i], samples[i]);
            backward.add(ploidies[samples.size() - 1 - i], samples[samples.size() - 1 - i]);
        }
        const int64_t quality = forward.quality();
        EXPECT_NEAR(static_cast<double>(quality) / k_phred_unit, quality_of_all(samples, ploidies, 0.001),
                    0.02);
        EXPECT_EQ(quality, backward.quality());
    }
}

TEST(SiteQuality, many_certain_carriers_are_no_underflow) {
    SiteQuality quality;
    quality.begin(0.001);
    for (int i = 0; i < 2000; ++i)
        quality.add(2, i % 2 == 0 ? std::array{2000, 0, 2000} : std::array{0, 200, 2000});
    EXPECT_NEAR(static_cast<double>(quality.quality()) / k_phred_unit, 2e6, 2e4);
    SiteQuality none;
    none.begin(0.001);
    for (int i = 0; i < 2000; ++i) none.add(2, std::array{0, 40, 400});
    EXPECT_LT(none.quality(), k_phred_unit / 10);
}

TEST(BestGenotype, quality_is_the_phred_of_all_others_and_at_most_99) {
    EXPECT_EQ(best_genotype(std::vector<double>{0.001, 0.99, 0.009}).index, 1U);
    EXPECT_EQ(best_genotype(std::vector<double>{0.001, 0.99, 0.009}).quality, 20);
    EXPECT_EQ(best_genotype(std::vector<double>{1, 1e-30, 0}).quality, 99);
}

// The same reads are a heterozygote where the allele is common, and an error where it is not.
TEST_F(Cohort, the_frequency_decides_where_the_reads_do_not) {
    const auto cohort = [&](int carriers, int others) {
        samples_.clear();
        sample();
        variant({10, "C", "T,<*>", "11", "0/1", "11,0,40,90,100,200"});
        for (int i = 0; i < carriers; ++i) {
            sample();
            variant({10, "C", "T,<*>", "50", "0/1", "200,0,200,300,300,500"});
        }
        for (int i = 0; i < others; ++i) {
            sample();
            block(1, 56, 60);
        }
        return records();
    };
    EXPECT_EQ(cohort(20, 20)[0].samples[0].genotype[1], 1);
    EXPECT_GT(cohort(20, 20)[0].samples[0].genotype_quality, 8);
    EXPECT_EQ(cohort(1, 60)[0].samples[0].genotype[1], 0);
    EXPECT_TRUE(cohort(0, 60).empty());
    // PL is what the reads say in any case.
    EXPECT_EQ(cohort(1, 60)[0].samples[0].phred, (std::vector<int32_t>{11, 0, 40}));
}

TEST_F(Cohort, site_quality_is_the_posterior_that_no_sample_has_an_alternate) {
    sample();
    variant({10, "C", "T,<*>", "90", "0/1", "90,0,90,200,200,300"});
    for (int i = 0; i < 9; ++i) {
        sample();
        block(1, 56, 60);
    }
    const data::CohortRecord record = records()[0];
    // One copy of 20 is the carrier's two: 10^9 x 2 / 20, and one alternate copy has the prior 1/1000.
    EXPECT_NEAR(static_cast<double>(record.quality_centi) / 100, 50, 0.1);
    EXPECT_NEAR(static_cast<double>(record.frequencies_micro[0]) / 1e6, 0.05, 1e-4);
}

}  // namespace
}  // namespace gannet::variants::cohort
