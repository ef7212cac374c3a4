// SPDX-License-Identifier: MIT
// Provides what `bcftools stats` says of a file of variants, counted while they are written.
#pragma once

#include "data/variant.hpp"
#include "pipeline/qc/quality_control.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>

namespace gannet::pipeline::qc {

/// Counts of one sample's records as bcftools 1.16 has them with `-s -`. Not thread-safe. Cost: the letters
/// of the alleles.
class VariantStats {
  public:
    /// The records of a VCF, in its order.
    void add(std::span<const data::Variant> variants);
    /// In the layout of bcftools stats. `file`: the VCF, by whose name MultiQC calls the sample.
    std::string text(const std::string& file, const Origin& origin) const;

  private:
    struct Kinds {
        uint64_t transitions = 0;
        uint64_t transversions = 0;
        uint64_t indels = 0;
    };
    struct Length {
        uint64_t sites = 0;
        uint64_t genotypes = 0;
        double fractions = 0;  ///< sum over the genotypes of the allele's share of the reads
    };
    struct Genotypes {
        uint64_t reference = 0, alternate = 0, heterozygous = 0;  ///< of SNVs
        uint64_t transitions = 0, transversions = 0, indels = 0, singletons = 0;
        uint64_t haploid_reference = 0, haploid_alternate = 0, missing = 0;
        uint64_t heterozygous_insertions = 0, heterozygous_deletions = 0, insertions = 0, deletions = 0;
    };
    static constexpr size_t k_frequency_bins = 101;  ///< the first one: alleles that were seen once
    static constexpr int32_t k_max_depth = 500;
    static constexpr int64_t k_max_length = 60;

    struct Site;  // a record's alleles by kind
    void add(const data::Variant& variant);
    void add_alleles(const Site& site);
    void add_genotype(const Site& site);
    void add_snv_genotype(const Site& site, size_t allele);
    void add_fraction(const Site& site, size_t allele, size_t other);
    std::string frequencies_text() const;
    std::string sample_text(const std::string& sample) const;

    uint64_t records_ = 0, without_alternate_ = 0, snps_ = 0, mnps_ = 0, indels_ = 0, others_ = 0;
    uint64_t multiallelic_ = 0, multiallelic_snps_ = 0;
    Kinds first_;                                      ///< of first alternates
    std::array<Kinds, k_frequency_bins> frequency_{};  ///< of alleles
    /// Records by the frequency of their first alternate: homozygous and heterozygous ones.
    std::array<std::array<uint64_t, 2>, k_frequency_bins> heterozygous_{};
    std::array<std::array<uint64_t, 4>, 4> substitutions_{};
    std::map<uint32_t, Kinds> quality_;   ///< by tenths of QUAL: first alternates; indels: records
    std::map<int64_t, Length> lengths_;   ///< of indels, deletions negative
    std::map<int32_t, uint64_t> depths_;  ///< records by DP
    uint64_t depth_sum_ = 0;
    Genotypes genotypes_;
};

}  // namespace gannet::pipeline::qc
