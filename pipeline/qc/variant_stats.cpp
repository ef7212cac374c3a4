// SPDX-License-Identifier: MIT
// Provides the counting of variants and the text of bcftools stats.
#include "pipeline/qc/variant_stats.hpp"

#include "pipeline/qc/text.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

namespace gannet::pipeline::qc {
namespace {

constexpr std::string_view k_letters = "ACGT";

/// 0 to 3, or -1.
int code_of(char base) {
    const size_t at = k_letters.find(base);
    return at == std::string_view::npos ? -1 : static_cast<int>(at);
}

/// htslib's classes of alternate alleles, as bits.
enum Kind : unsigned { k_as_reference = 0, k_snp = 1, k_mnp = 2, k_indel = 4, k_other = 8, k_overlap = 16 };

Kind kind_of(std::string_view reference, std::string_view alternate) {
    if (alternate == "*") return k_overlap;
    const size_t shorter = std::min(reference.size(), alternate.size());
    size_t common = 0;
    while (common < shorter && reference[common] == alternate[common]) ++common;
    size_t at_end = 0;
    while (at_end < shorter - common &&
           reference[reference.size() - 1 - at_end] == alternate[alternate.size() - 1 - at_end])
        ++at_end;
    const size_t left = shorter - common - at_end;
    // What is common to both ends covers the shorter one; else it is no indel alone.
    if (alternate.size() != reference.size()) return left == 0 ? k_indel : k_other;
    return left == 0 ? k_as_reference : left == 1 ? k_snp : k_mnp;
}

/// Exact up to five digits; of more, the first five.
uint32_t binned(uint32_t value) {
    uint32_t step = 1;
    while (value / step >= 1'000'000) step *= 10;
    if (value >= 100'000) step *= 10;
    return value / step * step;
}

std::string ratio_text(uint64_t of, uint64_t to) {
    return fixed(to == 0 ? 0 : static_cast<double>(static_cast<float>(of) / static_cast<float>(to)), 2);
}

}  // namespace

struct VariantStats::Site {
    explicit Site(const data::Variant& of) : variant(of), kinds(of.alleles.size()), bins(of.alleles.size()) {
        std::vector<int> copies(kinds.size());
        int number = 0;  // AN
        for (const int8_t allele : of.genotype) {
            if (allele < 0) continue;
            ++copies[static_cast<size_t>(allele)];
            ++number;
        }
        for (size_t i = 1; i < kinds.size(); ++i) {
            kinds[i] = kind_of(of.alleles[0], of.alleles[i]);
            all_kinds |= kinds[i];
            // The float arithmetic is that of bcftools.
            const auto part = static_cast<float>(copies[i]) / static_cast<float>(std::max(number, 1));
            const auto bin = static_cast<size_t>(part * static_cast<float>(k_frequency_bins - 2)) + 1;
            bins[i] = copies[i] == 1 ? 0 : bin;
        }
        const float quality = static_cast<float>(of.quality_centi / 100.0) * 10;
        tenths = binned(1 + static_cast<uint32_t>(quality));
    }
    int64_t length(size_t allele) const {
        const auto longer = static_cast<int64_t>(variant.alleles[allele].size()) -
                            static_cast<int64_t>(variant.alleles[0].size());
        return std::clamp(longer, -k_max_length, k_max_length);
    }
    const data::Variant& variant;
    std::vector<unsigned> kinds;  ///< of each allele
    unsigned all_kinds = 0;
    std::vector<size_t> bins;  ///< by frequency
    uint32_t tenths = 0;       ///< of QUAL, and one
};

void VariantStats::add(std::span<const data::Variant> variants) {
    for (const data::Variant& variant : variants) add(variant);
}

void VariantStats::add(const data::Variant& variant) {
    const Site site(variant);
    ++records_;
    without_alternate_ += site.all_kinds == k_as_reference;
    snps_ += (site.all_kinds & k_snp) != 0;
    mnps_ += (site.all_kinds & k_mnp) != 0;
    indels_ += (site.all_kinds & k_indel) != 0;
    others_ += (site.all_kinds & k_other) != 0;
    if (variant.alleles.size() > 2) {
        ++multiallelic_;
        multiallelic_snps_ += site.all_kinds == k_snp;
    }
    ++depths_[std::min(variant.depth, k_max_depth + 1)];
    depth_sum_ += static_cast<uint64_t>(variant.depth);
    add_alleles(site);
    add_genotype(site);
}

void VariantStats::add_alleles(const Site& site) {
    const std::vector<std::string>& alleles = site.variant.alleles;
    if ((site.all_kinds & k_indel) != 0) ++quality_[site.tenths].indels;
    for (size_t i = 1; i < alleles.size(); ++i) {
        Kinds& frequency = frequency_[site.bins[i]];
        if (site.kinds[i] == k_indel) {
            ++frequency.indels;
            ++lengths_[site.length(i)].sites;
        }
        if (site.kinds[i] != k_snp) continue;
        // Of the first letters, as bcftools: an SNV that is padded on its left is in none of these.
        const int from = code_of(alleles[0][0]);
        const int to = code_of(alleles[i][0]);
        if (from < 0 || to < 0 || from == to) continue;
        ++substitutions_[static_cast<size_t>(from)][static_cast<size_t>(to)];
        const auto kind = std::abs(from - to) == 2 ? &Kinds::transitions : &Kinds::transversions;
        ++(frequency.*kind);
        if (i > 1) continue;
        ++(first_.*kind);
        ++(quality_[site.tenths].*kind);
    }
}

void VariantStats::add_genotype(const Site& site) {
    const data::Variant& variant = site.variant;
    const auto copies = std::span(variant.genotype).first(static_cast<size_t>(variant.ploidy));
    if (std::any_of(copies.begin(), copies.end(), [](int8_t allele) { return allele < 0; })) {
        ++genotypes_.missing;
        return;
    }
    if (copies.size() == 1) {
        ++(copies[0] == 0 ? genotypes_.haploid_reference : genotypes_.haploid_alternate);
        return;
    }
    const auto low = static_cast<size_t>(std::min(copies[0], copies[1]));
    const auto high = static_cast<size_t>(std::max(copies[0], copies[1]));
    // As bcftools names them: the first alternate, and another one or none.
    const size_t one = low == 0 ? high : low;
    const size_t other = low == 0 || low == high ? 0 : high;
    const bool is_reference = high == 0;
    const bool is_heterozygous = low != high;
    ++heterozygous_[variant.alleles.size() > 1 ? site.bins[1] : 0][low == 0 && is_heterozygous];
    if (!is_reference) ++genotypes_.singletons;
    const unsigned kinds = site.kinds[one] | site.kinds[other];
    if ((kinds & k_snp) != 0 || kinds == k_as_reference) {
        ++(is_heterozygous ? genotypes_.heterozygous
           : is_reference  ? genotypes_.reference
                           : genotypes_.alternate);
        add_snv_genotype(site, one);  // since bcftools 1.17 of a second alternate, too
    }
    if ((kinds & k_indel) == 0) return;
    ++genotypes_.indels;
    const bool has_insertion = (site.kinds[one] == k_indel && site.length(one) > 0) ||
                               (site.kinds[other] == k_indel && site.length(other) > 0);
    const bool has_deletion = (site.kinds[one] == k_indel && site.length(one) < 0) ||
                              (site.kinds[other] == k_indel && site.length(other) < 0);
    genotypes_.heterozygous_insertions += is_heterozygous && has_insertion;
    genotypes_.heterozygous_deletions += is_heterozygous && has_deletion;
    genotypes_.insertions += !is_heterozygous && has_insertion;
    genotypes_.deletions += !is_heterozygous && has_deletion;
    if (!is_heterozygous) return;
    if (site.kinds[one] == k_indel) add_fraction(site, one, other);
    if (site.kinds[other] == k_indel) add_fraction(site, other, one);
}

void VariantStats::add_snv_genotype(const Site& site, size_t allele) {
    if (site.kinds[allele] != k_snp) return;
    const int from = code_of(site.variant.alleles[0][0]);
    const int to = code_of(site.variant.alleles[allele][0]);
    if (to < 0) return;
    ++(std::abs(from - to) == 2 ? genotypes_.transitions : genotypes_.transversions);
}

void VariantStats::add_fraction(const Site& site, size_t allele, size_t other) {
    const std::vector<int32_t>& depths = site.variant.allele_depth;
    if (std::max(allele, other) >= depths.size() || depths[allele] + depths[other] == 0) return;
    Length& length = lengths_[site.length(allele)];
    ++length.genotypes;
    length.fractions += static_cast<double>(static_cast<float>(depths[allele]) /
                                            static_cast<float>(depths[allele] + depths[other]));
}

std::string VariantStats::frequencies_text() const {
    std::string text;
    const auto append = [&text](const char* key, const std::string& value, const Kinds& of) {
        append_line(text, {key, 0, value, of.transitions + of.transversions, of.transitions, of.transversions,
                           of.indels, 0, 0, of.indels});
    };
    constexpr const char* k_columns =
        "\t[4]number of SNPs\t[5]number of transitions\t[6]number of transversions\t[7]number of indels\t"
        "[8]repeat-consistent\t[9]repeat-inconsistent\t[10]not applicable\n";
    text += std::string("# SiS, Singleton stats:\n# SiS\t[2]id\t[3]allele count") + k_columns;
    append("SiS", "1", frequency_[0]);
    text += std::string("# AF, Stats by non-reference allele frequency:\n# AF\t[2]id\t[3]allele frequency") +
            k_columns;
    for (size_t bin = 1; bin < frequency_.size(); ++bin) {
        Kinds kinds = frequency_[bin];
        if (bin == 1) {
            kinds.transitions += frequency_[0].transitions;
            kinds.transversions += frequency_[0].transversions;
            kinds.indels += frequency_[0].indels;
        }
        if (kinds.transitions + kinds.transversions + kinds.indels == 0) continue;
        append("AF", fixed(static_cast<double>(bin - 1) / (k_frequency_bins - 1), 6), kinds);
    }
    return text;
}

std::string VariantStats::sample_text(const std::string& sample) const {
    const Genotypes& of = genotypes_;
    std::string text =
        "# PSC, Per-sample counts. Note that the ref/het/hom counts include only SNPs, for indels see PSI. "
        "The "
        "rest include both SNPs and indels.\n"
        "# PSC\t[2]id\t[3]sample\t[4]nRefHom\t[5]nNonRefHom\t[6]nHets\t[7]nTransitions\t[8]nTransversions\t"
        "[9]nIndels\t[10]average depth\t[11]nSingletons\t[12]nHapRef\t[13]nHapAlt\t[14]nMissing\n";
    const float depth = records_ == 0 ? 0 : static_cast<float>(depth_sum_) / static_cast<float>(records_);
    append_line(text, {"PSC", 0, sample, of.reference, of.alternate, of.heterozygous, of.transitions,
                       of.transversions, of.indels, fixed(static_cast<double>(depth), 1), of.singletons,
                       of.haploid_reference, of.haploid_alternate, of.missing});
    text +=
        "# PSI, Per-Sample Indels. Note that alt-het genotypes with both ins and del allele are counted "
        "twice, in both nInsHets and nDelHets.\n"
        "# PSI\t[2]id\t[3]sample\t[4]in-frame\t[5]out-frame\t[6]not applicable\t[7]out/(in+out) ratio\t"
        "[8]nInsHets\t[9]nDelHets\t[10]nInsAltHoms\t[11]nDelAltHoms\n";
    append_line(text, {"PSI", 0, sample, 0, 0, 0, "0.00", of.heterozygous_insertions,
                       of.heterozygous_deletions, of.insertions, of.deletions});
    text +=
        "# HWE\n# HWE\t[2]id\t[3]1st ALT allele frequency\t[4]Number of observations\t[5]25th percentile\t"
        "[6]median\t[7]75th percentile\n";
    for (size_t bin = 1; bin < heterozygous_.size(); ++bin) {
        std::array<uint64_t, 2> records = heterozygous_[bin];
        for (size_t i = 0; bin == 1 && i < records.size(); ++i) records[i] += heterozygous_[0][i];
        const uint64_t total = records[0] + records[1];
        if (total == 0) continue;
        // A single sample's share of heterozygous genotypes is none or all, which is bin 99 of 100.
        const auto none = static_cast<double>(static_cast<float>(records[0]) / static_cast<float>(total));
        text += "HWE\t0\t" + fixed(static_cast<double>(bin - 1) / (k_frequency_bins - 1), 6) + "\t" +
                std::to_string(total);
        for (const double percentile : {0.25, 0.5, 0.75})
            text += none >= percentile ? "\t0.000000" : "\t0.990000";
        text += "\n";
    }
    return text;
}

std::string VariantStats::text(const std::string& file, const Origin& origin) const {
    std::string text = "# This file was produced by bcftools stats (its layout; by " + origin.program + ": " +
                       origin.command + ")\n# ID\t[2]id\t[3]tab-separated file names\nID\t0\t" + file +
                       "\n# SN, Summary numbers:\n# SN\t[2]id\t[3]key\t[4]value\n";
    const auto summary = [&text](const char* key, uint64_t value) {
        append_line(text, {"SN", 0, std::string("number of ") + key + ":", value});
    };
    summary("samples", 1);
    summary("records", records_);
    summary("no-ALTs", without_alternate_);
    summary("SNPs", snps_);
    summary("MNPs", mnps_);
    summary("indels", indels_);
    summary("others", others_);
    summary("multiallelic sites", multiallelic_);
    summary("multiallelic SNP sites", multiallelic_snps_);
    Kinds all;
    for (const Kinds& kinds : frequency_) {
        all.transitions += kinds.transitions;
        all.transversions += kinds.transversions;
    }
    text +=
        "# TSTV, transitions/transversions\n"
        "# TSTV\t[2]id\t[3]ts\t[4]tv\t[5]ts/tv\t[6]ts (1st ALT)\t[7]tv (1st ALT)\t[8]ts/tv (1st ALT)\n";
    append_line(text, {"TSTV", 0, all.transitions, all.transversions,
                       ratio_text(all.transitions, all.transversions), first_.transitions,
                       first_.transversions, ratio_text(first_.transitions, first_.transversions)});
    text += frequencies_text();
    text +=
        "# QUAL, Stats by quality\n# QUAL\t[2]id\t[3]Quality\t[4]number of SNPs\t[5]number of transitions "
        "(1st "
        "ALT)\t[6]number of transversions (1st ALT)\t[7]number of indels\n";
    for (const auto& [tenths, of] : quality_)
        append_line(text, {"QUAL", 0, fixed(static_cast<double>(static_cast<float>(0.1 * (tenths - 1))), 1),
                           of.transitions + of.transversions, of.transitions, of.transversions, of.indels});
    text +=
        "# IDD, InDel distribution:\n# IDD\t[2]id\t[3]length (deletions negative)\t[4]number of sites\t"
        "[5]number of genotypes\t[6]mean VAF\n";
    for (const auto& [length, of] : lengths_) {
        const std::string mean =
            of.genotypes == 0 ? "." : fixed(of.fractions / static_cast<double>(of.genotypes), 2);
        append_line(text, {"IDD", 0, std::to_string(length), of.sites, of.genotypes, mean});
    }
    text += "# ST, Substitution types:\n# ST\t[2]id\t[3]type\t[4]count\n";
    for (size_t from = 0; from < k_letters.size(); ++from) {
        for (size_t to = 0; to < k_letters.size(); ++to) {
            if (from != to)
                append_line(text, {"ST", 0, std::string{k_letters[from], '>', k_letters[to]},
                                   substitutions_[from][to]});
        }
    }
    text +=
        "# DP, Depth distribution\n# DP\t[2]id\t[3]bin\t[4]number of genotypes\t[5]fraction of genotypes "
        "(%)\t"
        "[6]number of sites\t[7]fraction of sites (%)\n";
    for (const auto& [depth, sites] : depths_) {
        const std::string bin =
            depth > k_max_depth ? ">" + std::to_string(k_max_depth) : std::to_string(depth);
        const std::string part = fixed(static_cast<double>(sites) * 100. / static_cast<double>(records_), 6);
        append_line(text, {"DP", 0, bin, sites, part, sites, part});
    }
    return text + sample_text(origin.sample);
}

}  // namespace gannet::pipeline::qc
