// SPDX-License-Identifier: MIT
// Provides the quality of a site: how probable it is that no sample has an alternate.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace gannet::variants::cohort {

/// The exact posterior over the number of alternate copies in all samples (Li 2011, Bioinformatics 27:2987,
/// equations 20 to 24), under the neutral spectrum: a count of k has the prior theta / k. So the evidence
/// that makes one carrier certain grows with the number of samples that could be it. Sums begin with the
/// least likely carriers whatever the order of samples. Cost: samples x counts that are not negligible.
class SiteQuality {
  public:
    /// A new site. `theta`: heterozygosity expected for its kind.
    void begin(double theta);
    /// The next sample: PL of its best genotypes with no, one and two alternate copies; a haploid one has the
    /// first two.
    void add(int ploidy, const std::array<int32_t, 3>& phred);
    /// Phred in k_phred_unit.
    int64_t quality();

  private:
    struct Sample {
        int ploidy = 2;
        std::array<int32_t, 3> phred{};
        auto operator<=>(const Sample&) const = default;
    };
    void extend(const Sample& sample);
    void narrow();

    double theta_ = 0;
    std::vector<Sample> samples_;
    std::vector<double> weights_;  ///< by count: the likelihood, over the ways to choose the copies, scaled
    size_t first_ = 0;             ///< counts that are not negligible
    size_t last_ = 0;
    size_t copies_ = 0;
    int64_t scalings_ = 0;
};

}  // namespace gannet::variants::cohort
