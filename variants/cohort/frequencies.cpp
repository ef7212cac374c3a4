// SPDX-License-Identifier: MIT
// Provides expectation maximisation over genotype likelihoods.
#include "variants/cohort/frequencies.hpp"

#include "variants/arithmetic/probability.hpp"
#include "variants/cohort/genotypes.hpp"
#include "variants/model/cohort.hpp"
#include "variants/model/genotype.hpp"

#include <algorithm>
#include <cstdlib>

namespace gannet::variants::cohort {
namespace {

constexpr int64_t k_copy_unit = int64_t{1} << 36;
constexpr double k_micro_unit = 1e6;
constexpr double k_half = 0.5;
constexpr int64_t k_rounds = cohort_number("em_max_rounds");
constexpr double k_tolerance = static_cast<double>(cohort_number("em_tolerance_micro")) / k_micro_unit;
constexpr int32_t k_max_quality = genotype_number("gq_max");

}  // namespace

void Frequencies::begin(std::span<const double> pseudo_counts) {
    alleles_ = pseudo_counts.size();
    pseudo_.assign(pseudo_counts.begin(), pseudo_counts.end());
    frequency_.assign(alleles_, 1 / static_cast<double>(alleles_));
    copies_.assign(alleles_, 0);
    samples_.clear();
    likelihoods_.clear();
}

void Frequencies::add(int ploidy, std::span<const int32_t> phred, bool counted) {
    samples_.push_back({ploidy, likelihoods_.size(), phred.size(), counted});
    for (const int32_t value : phred) likelihoods_.push_back(probability_of_phred(value));
}

/// Likelihood times prior of each genotype, divided by their sum.
void Frequencies::weigh(const Sample& sample, std::vector<double>& out) const {
    out.resize(sample.count);
    double sum = 0;
    for_each_genotype(alleles_, sample.ploidy, [&](size_t index, size_t a, size_t b) {
        double prior = frequency_[a];
        if (sample.ploidy > 1) prior *= a == b ? frequency_[b] : 2 * frequency_[b];
        out[index] = likelihoods_[sample.first + index] * prior;
        sum += out[index];
    });
    for (double& value : out) value /= sum;
}

void Frequencies::count_copies(std::vector<int64_t>& copies) {
    copies.assign(alleles_, 0);
    for (const Sample& sample : samples_) {
        if (!sample.counted) continue;
        weigh(sample, weights_);
        for_each_genotype(alleles_, sample.ploidy, [&](size_t index, size_t a, size_t b) {
            const auto share =
                static_cast<int64_t>(weights_[index] * static_cast<double>(k_copy_unit) + k_half);
            copies[a] += share;
            if (sample.ploidy > 1) copies[b] += share;
        });
    }
}

void Frequencies::estimate() {
    if (samples_.empty()) return;
    std::vector<int64_t> before(alleles_, 0);
    for (int64_t round = 0; round < k_rounds; ++round) {
        before.swap(copies_);
        count_copies(copies_);
        double total = 0;
        for (size_t i = 0; i < alleles_; ++i) {
            frequency_[i] = static_cast<double>(copies_[i]) / static_cast<double>(k_copy_unit) + pseudo_[i];
            total += frequency_[i];
        }
        for (double& value : frequency_) value /= total;
        int64_t change = 0;
        for (size_t i = 0; i < alleles_; ++i)
            change = std::max<int64_t>(change, std::abs(copies_[i] - before[i]));
        if (static_cast<double>(change) <= k_tolerance * static_cast<double>(k_copy_unit)) return;
    }
}

int64_t Frequencies::frequency_micro(size_t allele) const {
    int64_t total = 0;
    for (const int64_t copies : copies_) total += copies;
    if (total == 0) return 0;
    return static_cast<int64_t>(
        static_cast<double>(copies_[allele]) / static_cast<double>(total) * k_micro_unit + k_half);
}

void Frequencies::posterior(size_t sample, std::vector<double>& out) const { weigh(samples_[sample], out); }

BestGenotype best_genotype(std::span<const double> posterior) {
    BestGenotype best;
    for (size_t i = 1; i < posterior.size(); ++i) {
        if (posterior[i] > posterior[best.index]) best.index = i;
    }
    double others = 0;
    for (size_t i = 0; i < posterior.size(); ++i) {
        if (i != best.index) others += posterior[i];
    }
    const int64_t quality = (phred_fixed(others) + k_phred_unit / 2) / k_phred_unit;
    best.quality = static_cast<int32_t>(std::min<int64_t>(quality, k_max_quality));
    return best;
}

}  // namespace gannet::variants::cohort
