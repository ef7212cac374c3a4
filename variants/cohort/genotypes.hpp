// SPDX-License-Identifier: MIT
// Provides the order of genotypes in lists of likelihoods (VCF 4.3, section 1.6.2, GL).
#pragma once

#include <cstddef>

namespace gannet::variants::cohort {

/// Of the diploid genotype of alleles a <= b.
constexpr size_t genotype_index(size_t a, size_t b) { return b * (b + 1) / 2 + a; }
constexpr size_t genotype_count(size_t alleles, int ploidy) {
    return ploidy == 1 ? alleles : alleles * (alleles + 1) / 2;
}

/// Calls visit(index, a, b) for each genotype in order; of one copy with a == b.
template <class Visit>
void for_each_genotype(size_t alleles, int ploidy, Visit&& visit) {
    if (ploidy == 1) {
        for (size_t a = 0; a < alleles; ++a) visit(a, a, a);
        return;
    }
    size_t index = 0;
    for (size_t b = 0; b < alleles; ++b) {
        for (size_t a = 0; a <= b; ++a) visit(index++, a, b);
    }
}

}  // namespace gannet::variants::cohort
