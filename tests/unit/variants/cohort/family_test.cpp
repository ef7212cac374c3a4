// SPDX-License-Identifier: MIT
// Tests the posterior of a family against sums over all genotypes, and what follows for its children.
#include "variants/cohort/family.hpp"

#include "cohort_fixture.hpp"

#include <cmath>

namespace gannet::variants::cohort {
namespace {

constexpr double k_rate = 1.2e-8 / 3;

/// The probability that a parent's copies give the allele, of two alleles.
double gives(size_t genotype, size_t allele) {
    const double copies[] = {genotype < 2 ? (genotype == 0 ? 2.0 : 1.0) : 0.0, static_cast<double>(genotype)};
    return copies[allele] / 2 * (1 - k_rate) + copies[1 - allele] / 2 * k_rate;
}

TEST(Family, posterior_is_that_of_all_genotypes) {
    Site site;
    site.alternates = {{"A", "C", 1, 50}};
    const double f[] = {0.9, 0.1};
    const std::vector<double> likelihoods[] = {
        {1, 1e-2, 1e-9}, {1, 0.03, 1e-7}, {1e-4, 1, 1e-3}, {1, 0.2, 1e-5}};
    Family family;
    family.begin(site, f);
    FamilyResult found;
    const FamilyMember children[] = {{2, likelihoods[2]}, {2, likelihoods[3]}};
    family.solve({2, likelihoods[0]}, {2, likelihoods[1]}, children, HaploidSource::mother, found);
    std::vector<std::vector<double>> expected(4, std::vector<double>(3, 0));
    double total = 0;
    double without = 0;
    const double prior[] = {f[0] * f[0], 2 * f[0] * f[1], f[1] * f[1]};
    for (size_t i = 0; i < 81; ++i) {
        const size_t g[] = {i % 3, i / 3 % 3, i / 9 % 3, i / 27};
        double p = prior[g[0]] * prior[g[1]];
        for (size_t who = 0; who < 4; ++who) p *= likelihoods[who][g[who]];
        for (size_t child = 2; child < 4; ++child) {
            const size_t a = g[child] / 2;
            const size_t b = (g[child] + 1) / 2;
            p *= gives(g[0], a) * gives(g[1], b) + (a != b ? gives(g[0], b) * gives(g[1], a) : 0);
        }
        total += p;
        if (g[0] + g[1] + g[2] + g[3] == 0) without = p;
        for (size_t who = 0; who < 4; ++who) expected[who][g[who]] += p;
    }
    for (size_t who = 0; who < 4; ++who) {
        for (size_t g = 0; g < 3; ++g)
            EXPECT_NEAR(found.posteriors[who][g] / (expected[who][g] / total), 1, 1e-9) << who << g;
    }
    EXPECT_NEAR(found.without / (without / total), 1, 1e-9);
    EXPECT_NEAR(found.with + found.without, 1, 1e-12);
}

TEST(Family, a_child_of_certain_parents_without_the_allele_has_a_mutation) {
    Site site;
    site.alternates = {{"A", "C", 1, 50}};
    const double f[] = {0.999, 0.001};
    const std::vector<double> without = {1, 1e-20, 1e-90};
    const std::vector<double> certain = {1e-40, 1, 1e-40};
    const std::vector<double> weak = {1e-7, 1, 1e-20};
    Family family;
    family.begin(site, f);
    FamilyResult found;
    const FamilyMember sure[] = {{2, certain}};
    family.solve({2, without}, {2, without}, sure, HaploidSource::mother, found);
    EXPECT_GT(found.de_novo[0], 0.999);
    EXPECT_GT(found.posteriors[2][1], 0.999);
    const FamilyMember doubtful[] = {{2, weak}};  // a mutation is less likely than ten wrong reads
    family.solve({2, without}, {2, without}, doubtful, HaploidSource::mother, found);
    EXPECT_GT(found.posteriors[2][0], 0.9);
    EXPECT_LT(found.de_novo[0], 0.1);
}

TEST(Family, a_haploid_child_has_a_copy_of_one_parent) {
    Site site;
    site.alternates = {{"A", "C", 1, 50}};
    const double f[] = {0.5, 0.5};
    const std::vector<double> has = {1e-30, 1};
    const std::vector<double> has_not = {1, 1e-30, 1e-30};
    const std::vector<double> unknown = {1, 1};
    Family family;
    family.begin(site, f);
    FamilyResult found;
    const FamilyMember son[] = {{1, unknown}};
    family.solve({1, has}, {2, has_not}, son, HaploidSource::mother, found);
    EXPECT_GT(found.posteriors[2][0], 0.999);
    family.solve({1, has}, {2, has_not}, son, HaploidSource::father, found);
    EXPECT_GT(found.posteriors[2][1], 0.999);
    const std::vector<double> unknown_daughter = {1, 1, 1};  // has the one copy of her father
    const FamilyMember daughter[] = {{2, unknown_daughter}};
    family.solve({1, has}, {2, has_not}, daughter, HaploidSource::mother, found);
    EXPECT_GT(found.posteriors[2][1], 0.999);
}

TEST(Transmission, phase_is_known_where_one_order_is_possible) {
    const auto phased = [](std::array<int, 2> child, std::array<int, 2> father, std::array<int, 2> mother) {
        return phase_by_transmission(child, father, mother)
                   ? std::to_string(child[0]) + "|" + std::to_string(child[1])
                   : std::string("-");
    };
    EXPECT_EQ(phased({0, 1}, {0, 1}, {0, 0}), "1|0");
    EXPECT_EQ(phased({0, 1}, {0, 0}, {0, 1}), "0|1");
    EXPECT_EQ(phased({0, 1}, {1, 1}, {0, 1}), "1|0");
    EXPECT_EQ(phased({0, 1}, {0, 1}, {0, 1}), "-");
    EXPECT_EQ(phased({0, 1}, {0, 0}, {0, 0}), "-");
    EXPECT_EQ(phased({1, 2}, {0, 2}, {1, 1}), "2|1");
    EXPECT_EQ(phased({1, 1}, {0, 1}, {1, 1}), "1|1");
    EXPECT_EQ(phased({1, 1}, {0, 1}, {0, 0}), "-");
}

/// A trio: father, mother, child.
class Trio : public Cohort {
  protected:
    std::vector<Kinship> families_ = {{0, 1, {2}}};
    data::CohortRecord call(const Inheritance& inheritance = {}) {
        SiteCaller caller(families_);
        data::CohortRecord record;
        const std::vector<Site> sites = unify(samples_, 0, 1000, parameters_);
        EXPECT_EQ(sites.size(), 1U);
        EXPECT_TRUE(caller.call(samples_, sites[0], record, inheritance));
        return record;
    }
};

TEST_F(Trio, a_doubtful_genotype_of_a_child_is_what_its_parents_allow) {
    sample();
    variant({10, "C", "T,<*>", "50", "1/1", "300,90,0,400,300,500"});
    sample();
    variant({10, "C", "T,<*>", "50", "1/1", "300,90,0,400,300,500"});
    sample();
    variant({10, "C", "T,<*>", "30", "0/1", "30,0,9,90,100,200"});
    EXPECT_EQ(records()[0].samples[2].genotype, (std::array<int, 2>{0, 1}));
    const data::CohortRecord record = call();
    EXPECT_EQ(record.samples[2].genotype, (std::array<int, 2>{1, 1}));
    EXPECT_TRUE(record.samples[2].phased);
    EXPECT_EQ(record.samples[2].phred, (std::vector<int32_t>{30, 0, 9}));
    EXPECT_EQ(record.samples[2].de_novo_quality, 0);
    EXPECT_TRUE(record.high_de_novos.empty());
}

TEST_F(Trio, a_new_allele_of_a_child_is_reported) {
    sample();
    block(1, 56, 99);
    sample();
    block(1, 56, 99);
    sample();
    variant({10, "C", "T,<*>", "50", "0/1", "400,0,400,500,500,900"});
    const data::CohortRecord record = call();
    EXPECT_EQ(record.high_de_novos, std::vector<size_t>{2});
    EXPECT_GE(record.samples[2].de_novo_quality, 20);
    EXPECT_FALSE(record.samples[2].phased);
    EXPECT_EQ(record.samples[0].de_novo_quality, -1);
}

TEST_F(Trio, a_child_with_an_allele_of_a_parent_of_few_reads_is_none) {
    sample();
    block(1, 56, 9, 2, 3);
    sample();
    block(1, 56, 99);
    sample();
    variant({10, "C", "T,<*>", "50", "0/1", "400,0,400,500,500,900"});
    const data::CohortRecord record = call();
    EXPECT_TRUE(record.high_de_novos.empty());
    EXPECT_TRUE(record.low_de_novos.empty());
    EXPECT_EQ(record.samples[0].genotype, (std::array<int, 2>{0, 1}));
    EXPECT_EQ(record.samples[2].genotype, (std::array<int, 2>{1, 0}));
    EXPECT_TRUE(record.samples[2].phased);
}

TEST_F(Trio, an_order_that_rests_on_a_doubtful_parent_is_not_told) {
    sample();
    block(1, 56, 12, 2, 3);
    sample();
    block(1, 56, 9, 2, 3);
    sample();
    variant({10, "C", "T,<*>", "50", "0/1", "400,0,400,500,500,900"});
    const data::CohortRecord record = call();
    EXPECT_EQ(record.samples[1].genotype, (std::array<int, 2>{0, 1}));
    EXPECT_LT(record.samples[1].genotype_quality, 10);
    EXPECT_FALSE(record.samples[2].phased);
}

TEST_F(Trio, a_son_has_the_x_of_his_mother_and_the_y_of_his_father) {
    sample();
    variant({10, "C", "T,<*>", "50", "1", "200,0,300"});
    sample();
    block(1, 56, 60);
    sample();
    variant({10, "C", "T,<*>", "12", "1", "12,0,90"});
    EXPECT_EQ(call().samples[2].genotype[0], 0);
    const Inheritance y = {false, true, true};
    EXPECT_EQ(call(y).samples[2].genotype[0], 1);
    EXPECT_EQ(call(y).samples[2].ploidy, 1);
}

TEST_F(Trio, of_males_with_two_copies_of_x_nothing_is_transmitted) {
    families_ = {{0, 1, {2}, {2}}};
    sample();
    variant({10, "C", "T,<*>", "50", "1/1", "900,90,0,900,300,900"});
    sample();
    block(1, 56, 60);
    sample();
    block(1, 56, 30);
    const Inheritance autosome;
    EXPECT_EQ(call(autosome).samples[2].genotype, (std::array<int, 2>{1, 0}));
    const Inheritance x = {false, false, true};
    const data::CohortRecord record = call(x);
    EXPECT_EQ(record.samples[0].genotype, (std::array<int, 2>{1, 1}));
    EXPECT_EQ(record.samples[2].genotype, (std::array<int, 2>{0, 0}));
    EXPECT_EQ(record.samples[2].de_novo_quality, -1);
    EXPECT_TRUE(record.high_de_novos.empty());
}

/// Of a site whose samples have these PL.
struct SiteOfPhred {
    Site site;
    data::CohortRecord record;
    explicit SiteOfPhred(const std::vector<std::vector<int32_t>>& phred) {
        site.alternates = {{"A", "C", 1, 50}};
        for (const std::vector<int32_t>& values : phred) record.samples.emplace_back().phred = values;
    }
};

TEST(KinshipCheck, opposite_homozygotes_of_a_parent_contradict) {
    const std::vector<Kinship> families = {{0, 1, {2}}};
    const std::vector<int32_t> none = {0, 60, 600};
    const std::vector<int32_t> both = {600, 60, 0};
    const std::vector<int32_t> one = {300, 0, 300};
    const std::vector<int32_t> doubtful = {200, 29, 0};
    KinshipCheck check(families);
    const auto add = [&](const std::vector<std::vector<int32_t>>& phred, int times) {
        const SiteOfPhred at(phred);
        for (int i = 0; i < times; ++i) check.add(at.site, at.record);
    };
    add({both, both, both}, 400);
    add({none, none, one}, 1'000);            // a new mutation, at no informative site
    add({none, doubtful, both}, 21);          // opposite in the father
    EXPECT_FALSE(check.contradiction(true));  // 5 %, and few
    add({none, none, none}, 1'000);
    add({none, one, both}, 100);
    ASSERT_TRUE(check.contradiction(true));
    EXPECT_EQ(check.contradiction(true)->parent, 0U);
    EXPECT_EQ(check.contradiction(true)->child, 2U);
    EXPECT_EQ(check.contradiction(true)->sites, 521U);
    EXPECT_EQ(check.contradiction(true)->opposite, 121U);
    EXPECT_FALSE(check.contradiction(false));
}

TEST_F(Trio, one_parent_is_enough) {
    families_ = {{std::nullopt, 0, {1}}};
    sample();
    variant({10, "C", "T,<*>", "50", "1/1", "300,90,0,400,300,500"});
    sample();
    variant({10, "C", "T,<*>", "50", "0/1", "7,0,90,190,200,400"});
    const data::CohortRecord record = call();
    EXPECT_EQ(record.samples[1].genotype, (std::array<int, 2>{0, 1}));
    EXPECT_GT(record.samples[1].genotype_quality, 30);
}

}  // namespace
}  // namespace gannet::variants::cohort
