// SPDX-License-Identifier: MIT
// Provides the statistics of called sites and of candidate alleles.
#include "variants/genotype/site_statistics.hpp"

#include "ml/example.hpp"
#include "variants/arithmetic/exact_tests.hpp"
#include "variants/arithmetic/integer_root.hpp"
#include "variants/arithmetic/log_math.hpp"

#include <algorithm>
#include <span>

namespace gannet::variants {

namespace {

constexpr int64_t k_max_quality_centi = 1 << 30;

/// Below the likelihood of any other class: of a class that the ploidy excludes.
constexpr int64_t k_excluded = -100 * int64_t{k_log_scale};

/// log10 of the sums over the genotypes of each class (copy_class), and over all.
struct CopySums {
    std::array<int64_t, k_copy_classes> by_class{k_log_zero, k_log_zero, k_log_zero};
    int64_t total = k_log_zero;

    std::array<int32_t, k_copy_classes> posterior() const {
        std::array<int32_t, k_copy_classes> out{};
        for (size_t c = 0; c < out.size(); ++c)
            out[c] = static_cast<int32_t>(std::clamp<int64_t>(by_class[c] - total, ml::k_min_posterior, 0));
        return out;
    }
};

CopySums sum_copies(const SiteEvidence& evidence, size_t index) {
    CopySums sums;
    for_each_genotype(evidence.alleles, evidence.ploidy, [&](const Genotype& g) {
        const int64_t value = evidence.genotypes[genotype_index(g)] + evidence.prior(g);
        int64_t& sum = sums.by_class[copy_class(g.copies_of(index), g.ploidy)];
        sum = log_add(sum, value);
        sums.total = log_add(sums.total, value);
    });
    return sums;
}

void count_reads(const SiteEvidence& evidence, AlleleStatistics& out) {
    SiteStatistics& site = out.site;
    for (size_t i = 0; i < evidence.alleles; ++i) {
        const std::array<int32_t, 2>& strands = evidence.strands[i];
        const size_t row = i == out.index ? 2 : 0;
        site.strand_counts[row] += strands[0];
        site.strand_counts[row + 1] += strands[1];
        if (i > 0 && i != out.index) out.rival_depth = std::max(out.rival_depth, strands[0] + strands[1]);
    }
    site.reference_depth = site.strand_counts[0] + site.strand_counts[1];
    site.alternate_depth = site.strand_counts[2] + site.strand_counts[3];
    site.depth = site.reference_depth + site.alternate_depth;
    site.strand_bias_centi = strand_bias_centi(site.strand_counts);
    site.mapping_quality = evidence.mapping_quality();
    out.allele_shortage_centi = allele_bias_centi(site.reference_depth, site.alternate_depth);
    out.allele_excess_centi = allele_bias_centi(site.alternate_depth, site.reference_depth);
    out.squared_mapping_quality = evidence.squared_mapping_quality;
}

}  // namespace

SiteStatistics statistics_of(const data::Variant& variant) {
    SiteStatistics site;
    site.is_snp = variant.alleles[0].size() == 1 && variant.alleles[1].size() == 1;
    site.deleted_bp = static_cast<int32_t>(variant.alleles[0].size() -
                                           std::min(variant.alleles[0].size(), variant.alleles[1].size()));
    const auto copies = std::span(variant.genotype).first(static_cast<size_t>(variant.ploidy));
    // A haplotype whose bases were deleted has none of the site's variants: it counts as reference.
    const auto last = static_cast<int8_t>(variant.alleles.size() - 1);
    const bool is_spanned = variant.alleles.back() == "*";
    site.has_reference_allele = std::any_of(copies.begin(), copies.end(), [&](int8_t allele) {
        return allele == 0 || (is_spanned && allele == last);
    });
    site.is_homozygous = copies.front() == copies.back();
    site.is_haploid = variant.ploidy == 1;
    site.quality_centi = variant.quality_centi;
    site.depth = variant.depth;
    site.reference_depth = variant.allele_depth[0] + (is_spanned ? variant.allele_depth.back() : 0);
    site.alternate_depth = variant.allele_depth[1];
    if (!site.has_reference_allele && !site.is_homozygous) site.second_depth = variant.allele_depth[2];
    site.strand_counts = variant.strand_counts;
    site.strand_bias_centi = variant.strand_bias_centi;
    site.mapping_quality = variant.mapping_quality;
    return site;
}

int32_t reference_depth_of(const SiteStatistics& site) {
    const int32_t reach = site.read_bp + site.deleted_bp;
    return (site.reference_depth * site.read_bp + reach / 2) / reach;
}

int32_t allele_bias_centi(const SiteStatistics& site, int32_t reference_depth) {
    return allele_bias_centi(reference_depth / std::max(1, site.own_copies - 1), site.alternate_depth);
}

int64_t AlleleStatistics::genotype_quality_centi() const {
    std::array<int32_t, 3> sorted = posterior;
    std::sort(sorted.begin(), sorted.end());
    return phred_centi(int64_t{sorted[1]} - sorted[2]);
}

std::array<int32_t, k_copy_classes> copies_posterior(const SiteEvidence& evidence, size_t index) {
    return sum_copies(evidence, index).posterior();
}

AlleleStatistics statistics_of(const SiteEvidence& evidence, size_t index, bool is_indel) {
    AlleleStatistics out;
    out.index = index;
    out.alternates = evidence.alleles - 1;
    const CopySums sums = sum_copies(evidence, index);
    out.posterior = sums.posterior();
    out.copies = static_cast<size_t>(std::max_element(out.posterior.begin(), out.posterior.end()) -
                                     out.posterior.begin());
    out.likelihood.fill(k_log_zero);
    for_each_genotype(evidence.alleles, evidence.ploidy, [&](const Genotype& g) {
        int64_t& best = out.likelihood[copy_class(g.copies_of(index), g.ploidy)];
        best = std::max(best, evidence.genotypes[genotype_index(g)]);
    });
    const int64_t best = *std::max_element(out.likelihood.begin(), out.likelihood.end());
    for (int64_t& likelihood : out.likelihood) {
        if (likelihood == k_log_zero) likelihood = best + k_excluded;
    }
    out.site.is_snp = !is_indel;
    out.site.is_homozygous = out.copies == 2;
    out.site.has_reference_allele = !out.site.is_homozygous;
    out.site.is_haploid = evidence.ploidy == 1;
    out.site.quality_centi =
        static_cast<int32_t>(std::min(phred_centi(sums.by_class[0] - sums.total), k_max_quality_centi));
    count_reads(evidence, out);
    return out;
}

}  // namespace gannet::variants
