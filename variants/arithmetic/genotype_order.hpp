// SPDX-License-Identifier: MIT
// Provides genotypes of any number of alleles and of one or two copies, in the order that VCF gives them.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

namespace gannet::variants {

/// The most copies of a position that genotypes are called for.
inline constexpr size_t k_max_ploidy = 2;

/// The alleles of all copies, ascending (unphased); entries from `ploidy` on are 0.
struct Genotype {
    size_t ploidy = k_max_ploidy;
    std::array<size_t, k_max_ploidy> alleles{};

    size_t lowest() const { return alleles[0]; }
    size_t highest() const { return alleles[ploidy - 1]; }
    /// All copies have the same allele; always true of one copy.
    bool is_uniform() const { return lowest() == highest(); }
    size_t copies_of(size_t allele) const {
        return static_cast<size_t>(
            std::count(alleles.begin(), alleles.begin() + static_cast<std::ptrdiff_t>(ploidy), allele));
    }
    void sort() { std::sort(alleles.begin(), alleles.begin() + static_cast<std::ptrdiff_t>(ploidy)); }
};

constexpr Genotype haploid(size_t allele) { return {1, {allele}}; }
constexpr Genotype diploid(size_t a, size_t b) { return {2, {std::min(a, b), std::max(a, b)}}; }

/// The number of genotypes of `ploidy` copies with `alleles` alleles: C(alleles + ploidy - 1, ploidy).
constexpr size_t genotype_count(size_t alleles, size_t ploidy) {
    size_t count = 1;
    for (size_t i = 0; i < ploidy; ++i) count = count * (alleles + i) / (i + 1);
    return count;
}

/// Index of a genotype in VCF's order (VCF 4.3, section 1.6.2): the number of genotypes before it.
constexpr size_t genotype_index(const Genotype& genotype) {
    size_t index = 0;
    for (size_t i = 0; i < genotype.ploidy; ++i) index += genotype_count(genotype.alleles[i], i + 1);
    return index;
}

/// Calls visit(genotype) for each genotype, in VCF's order. `alleles` and `ploidy` are at least 1.
template <class Visit>
constexpr void for_each_genotype(size_t alleles, size_t ploidy, Visit visit) {
    Genotype genotype{ploidy, {}};
    for (;;) {
        visit(static_cast<const Genotype&>(genotype));
        size_t i = 0;
        while (i + 1 < ploidy && genotype.alleles[i] == genotype.alleles[i + 1]) genotype.alleles[i++] = 0;
        if (++genotype.alleles[i] == alleles && i + 1 == ploidy) return;
    }
}

}  // namespace gannet::variants
