// SPDX-License-Identifier: MIT
// Provides the one formatter of a VCF record and the header's text (VCF specification 4.2).
#include "data/vcf/text.hpp"

#include "data/vcf/writer.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <numeric>
#include <span>
#include <vector>

namespace gannet::data::vcf {
namespace {

struct FilterId {
    VariantFilter bit;
    const char* id;
};
constexpr FilterId k_filters[] = {
    {k_filter_low_quality, "LowQual"},    {k_filter_low_depth, "LowDepth"},
    {k_filter_strand_bias, "StrandBias"}, {k_filter_high_depth, "HighDepth"},
    {k_filter_allele_bias, "AlleleBias"},
};

constexpr const char* k_fields =
    "##INFO=<ID=AC,Number=A,Type=Integer,Description=\"Allele count in genotypes, for each alternate "
    "allele\">\n"
    "##INFO=<ID=AF,Number=A,Type=Float,Description=\"Allele frequency in genotypes (AC/AN), for each "
    "alternate allele\">\n"
    "##INFO=<ID=AN,Number=1,Type=Integer,Description=\"Total number of alleles in called genotypes\">\n"
    "##INFO=<ID=DP,Number=1,Type=Integer,Description=\"Informative reads, overlapping mates counted "
    "once\">\n"
    "##INFO=<ID=FS,Number=1,Type=Float,Description=\"Phred-scaled p-value of Fisher's exact test of strand "
    "bias, from SB\">\n"
    "##INFO=<ID=MQ,Number=1,Type=Integer,Description=\"Root mean square of the reads' mapping quality\">\n"
    "##INFO=<ID=QD,Number=1,Type=Float,Description=\"QUAL divided by the sum of AD\">\n"
    "##INFO=<ID=SB,Number=4,Type=Integer,Description=\"Reads by strand: reference forward, reference "
    "reverse, "
    "alternate forward, alternate reverse\">\n"
    "##FORMAT=<ID=GT,Number=1,Type=String,Description=\"Genotype\">\n"
    "##FORMAT=<ID=GQ,Number=1,Type=Integer,Description=\"Genotype quality (Phred)\">\n"
    "##FORMAT=<ID=DP,Number=1,Type=Integer,Description=\"Informative reads, overlapping mates counted "
    "once\">\n"
    "##FORMAT=<ID=AD,Number=R,Type=Integer,Description=\"Informative reads of each allele\">\n"
    "##FORMAT=<ID=VAF,Number=A,Type=Float,Description=\"Fraction of the reads in AD that have each alternate "
    "allele\">\n"
    "##FORMAT=<ID=PL,Number=G,Type=Integer,Description=\"Genotype likelihoods (Phred, relative to the "
    "best)\">\n";

void append(std::string& text, int64_t value) {
    char digits[24];
    const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
    text.append(digits, end);
}

/// value / 10^decimals, without trailing zeros: the digits that a reader of floats would print again.
void append_decimal(std::string& text, int64_t value, int decimals) {
    int64_t unit = 1;
    for (int i = 0; i < decimals; ++i) unit *= 10;
    append(text, value / unit);
    int64_t rest = value % unit;
    if (rest == 0) return;
    text += '.';
    while (rest != 0) {
        unit /= 10;
        text += static_cast<char>('0' + rest / unit);
        rest %= unit;
    }
}

template <class Values>
void append_list(std::string& text, const Values& values) {
    bool first = true;
    for (const auto value : values) {
        if (!first) text += ',';
        first = false;
        append(text, value);
    }
    if (first) text += '.';
}

void append_filters(std::string& text, uint32_t filters) {
    if (filters == 0) {
        text += "PASS";
        return;
    }
    bool first = true;
    for (const FilterId& filter : k_filters) {
        if ((filters & filter.bit) == 0) continue;
        if (!first) text += ';';
        first = false;
        text += filter.id;
    }
}

/// parts / total, to four decimals; 0 of nothing.
void append_fractions(std::string& text, std::span<const int32_t> parts, int64_t total) {
    if (parts.empty()) text += '.';
    for (size_t i = 0; i < parts.size(); ++i) {
        if (i != 0) text += ',';
        append_decimal(text, total == 0 ? 0 : (int64_t{parts[i]} * 10000 + total / 2) / total, 4);
    }
}

/// INFO: tags with the meanings that the VCF specification (AC AF AN DP MQ SB) and GATK (FS QD) give them.
void append_info(std::string& text, const Variant& variant) {
    const auto alleles = std::max<size_t>(1, variant.alleles.size());
    std::vector<int32_t> counts(alleles - 1, 0);
    int32_t called = 0;
    for (const int8_t allele : variant.genotype) {
        if (allele < 0) continue;
        ++called;
        if (allele > 0) ++counts[static_cast<size_t>(allele) - 1];
    }
    text += "AC=";
    append_list(text, counts);
    text += ";AF=";
    append_fractions(text, counts, called);
    text += ";AN=";
    append(text, called);
    text += ";DP=";
    append(text, variant.depth);
    text += ";FS=";
    append_decimal(text, variant.strand_bias_centi, 2);
    text += ";MQ=";
    append(text, variant.mapping_quality);
    const int64_t depth =
        std::accumulate(variant.allele_depth.begin(), variant.allele_depth.end(), int64_t{0});
    if (depth > 0) {
        text += ";QD=";
        append_decimal(text, (variant.quality_centi + depth / 2) / depth, 2);
    }
    text += ";SB=";
    append_list(text, variant.strand_counts);
}

void append_sample(std::string& text, const Variant& variant) {
    text += "\tGT:GQ:DP:AD:VAF:PL\t";
    for (int i = 0; i < variant.ploidy; ++i) {
        if (i > 0) text += '/';
        const int8_t allele = variant.genotype[static_cast<size_t>(i)];
        if (allele < 0) {
            text += '.';
        } else {
            append(text, allele);
        }
    }
    text += ':';
    append(text, variant.genotype_quality);
    text += ':';
    append(text, variant.depth);
    text += ':';
    append_list(text, variant.allele_depth);
    text += ':';
    const auto& depths = variant.allele_depth;
    append_fractions(text, std::span(depths).subspan(depths.empty() ? 0 : 1),
                     std::accumulate(depths.begin(), depths.end(), int64_t{0}));
    text += ':';
    append_list(text, variant.likelihoods);
}

}  // namespace

void append_text(const Variant& variant, const Reference& reference, std::string& text) {
    text += reference.contigs()[variant.contig].name;
    text += '\t';
    append(text, variant.position + 1);
    text += "\t.\t";
    text += variant.alleles.at(0);
    text += '\t';
    if (variant.alleles.size() < 2) text += '.';
    for (size_t i = 1; i < variant.alleles.size(); ++i) {
        if (i != 1) text += ',';
        text += variant.alleles[i];
    }
    text += '\t';
    append_decimal(text, variant.quality_centi, 2);
    text += '\t';
    append_filters(text, variant.filters);
    text += '\t';
    append_info(text, variant);
    append_sample(text, variant);
}

std::string to_text(const Variant& variant, const Reference& reference) {
    std::string text;
    append_text(variant, reference, text);
    return text;
}

std::string header_text(const Reference& reference, const HeaderFacts& facts) {
    std::string text = "##fileformat=VCFv4.2\n##FILTER=<ID=PASS,Description=\"All filters passed\">\n";
    for (const FilterDescription& description : facts.filters) {
        const auto filter = std::find_if(std::begin(k_filters), std::end(k_filters),
                                         [&](const FilterId& f) { return f.bit == description.filter; });
        text += std::string("##FILTER=<ID=") + filter->id + ",Description=\"" + description.text + "\">\n";
    }
    text += k_fields;
    text += "##source=" + facts.source + '\n';
    text += "##reference=" + reference.path() + '\n';
    for (const std::string& line : facts.extra_lines) text += line + '\n';
    for (const Contig& contig : reference.contigs()) {
        text += "##contig=<ID=" + contig.name + ",length=" + std::to_string(contig.length) +
                (contig.md5.empty() ? "" : ",md5=" + contig.md5) + ">\n";
    }
    text += "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\t" + facts.sample + '\n';
    return text;
}

}  // namespace gannet::data::vcf
