// SPDX-License-Identifier: MIT
// Provides allele frequencies of a site from the likelihoods of all samples, and the genotypes that follow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace gannet::variants::cohort {

/// Frequencies by expectation maximisation over genotype likelihoods (Li 2011, Bioinformatics 27:2987), with
/// pseudo-counts of each allele as GATK's AlleleFrequencyCalculator has them; genotype posteriors under
/// Hardy-Weinberg equilibrium at these frequencies. Sums over samples are integers, so that nothing depends
/// on their order. Reused from site to site. Cost: rounds x samples x genotypes.
class Frequencies {
  public:
    /// A new site. `pseudo_counts`: copies, by allele.
    void begin(std::span<const double> pseudo_counts);
    /// The next sample: PL of all its genotypes. Not `counted`: a sample whose copies are those of others.
    void add(int ploidy, std::span<const int32_t> phred, bool counted = true);
    void estimate();

    size_t samples() const { return samples_.size(); }
    /// Share of an allele among all copies, as expected: without pseudo-counts. In millionths.
    int64_t frequency_micro(size_t allele) const;
    /// As used as the prior: with pseudo-counts.
    std::span<const double> prior() const { return frequency_; }
    /// Of a sample, without a prior.
    std::span<const double> likelihoods(size_t sample) const {
        return {likelihoods_.data() + samples_[sample].first, samples_[sample].count};
    }
    /// Posterior probabilities of a sample's genotypes, in VCF's order.
    void posterior(size_t sample, std::vector<double>& out) const;

  private:
    struct Sample {
        int ploidy = 2;
        size_t first = 0;
        size_t count = 0;
        bool counted = true;
    };
    void weigh(const Sample& sample, std::vector<double>& out) const;
    void count_copies(std::vector<int64_t>& copies);

    size_t alleles_ = 0;
    std::vector<double> pseudo_;
    std::vector<double> frequency_;
    std::vector<int64_t> copies_;  ///< expected, in 2^-k_copy_bits
    std::vector<Sample> samples_;
    std::vector<double> likelihoods_;
    std::vector<double> weights_;  ///< scratch
    std::vector<double> prior_;    ///< scratch: of the diploid genotypes
};

/// The most likely genotype, the first of equal ones, and how certain it is.
struct BestGenotype {
    size_t index = 0;
    int32_t quality = 0;  ///< GQ, 0 to 99
};
BestGenotype best_genotype(std::span<const double> posterior);

}  // namespace gannet::variants::cohort
