// SPDX-License-Identifier: MIT
// Provides the joint posterior of a father, a mother and their children at one site, with mutations.
#pragma once

#include "variants/cohort/sites.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace gannet::variants::cohort {

/// What one of them has beside the prior: likelihoods of its genotypes. All 1 where nothing is known.
struct FamilyMember {
    int ploidy = 2;
    std::span<const double> likelihoods;
};

struct FamilyResult {
    /// Posterior probabilities of the genotypes of father, mother and children, in this order.
    std::vector<std::vector<double>> posteriors;
    std::vector<double> de_novo;  ///< by child: that a copy was not transmitted as it is, but mutated
    double without = 0;           ///< that no member has an alternate
    double with = 0;              ///< that one has, not as 1 - without
};

/// From which parent the one copy of a haploid child is.
enum class HaploidSource { father, mother };

/// The exact posterior of a nuclear family (as polymutt: Li et al. 2012, PLoS Genet 8:e1002944): parents
/// under Hardy-Weinberg equilibrium, each child with one copy of each parent, a haploid one with a copy of
/// one. A copy is transmitted as it is but for a probability per allele that it becomes that one: 1.2e-8 per
/// base and generation for SNVs (Kong et al. 2012; Roach et al. 2010), a third of it for one base; 1.5e-9 for
/// indels (Besenbacher et al. 2015). Cost: the cube of the number of genotypes, for each child.
class Family {
  public:
    /// `frequency`: of the site's alleles.
    void begin(const Site& site, std::span<const double> frequency);
    void solve(const FamilyMember& father, const FamilyMember& mother, std::span<const FamilyMember> children,
               HaploidSource source, FamilyResult& out);

  private:
    /// Probability of a gamete: of each allele, with mutations and without.
    struct Gamete {
        std::vector<double> all;
        std::vector<double> unchanged;
    };
    using Copies = std::array<size_t, 2>;
    Gamete gamete(const Copies& parent, int ploidy) const;
    std::vector<double> priors(int ploidy) const;
    std::vector<Copies> genotypes(int ploidy) const;
    double transmit(const Gamete& father, const Gamete& mother, const FamilyMember& child,
                    HaploidSource source, std::vector<double>& weights, double& unchanged,
                    double& without) const;

    size_t alleles_ = 0;
    std::vector<bool> is_alternate_;
    std::vector<double> frequency_;
    double mutation_ = 0;
};

/// Whether the child's genotype (a, b) has an allele that neither parent has.
bool has_new_allele(const std::array<int, 2>& child, const std::array<int, 2>& father,
                    const std::array<int, 2>& mother);

/// The order of a diploid child's alleles as paternal, maternal, where only one order can be transmitted;
/// false where none or both can.
bool phase_by_transmission(std::array<int, 2>& child, const std::array<int, 2>& father,
                           const std::array<int, 2>& mother);

}  // namespace gannet::variants::cohort
