// SPDX-License-Identifier: MIT
// Provides the one formatter of a VCF record and the header's text (VCF specification 4.2).
#include "data/vcf/text.hpp"

#include "data/vcf/writer.hpp"

#include <charconv>
#include <numeric>

namespace gannet::data::vcf {
namespace {

struct FilterWord {
    VariantFilter bit;
    const char* id;
    const char* description;
};
constexpr FilterWord k_filters[] = {
    {k_filter_low_quality, "LowQual", "Quality too low"},
    {k_filter_low_depth, "LowDepth", "Too few informative reads"},
    {k_filter_strand_bias, "StrandBias", "Alternate allele seen on one strand where both were expected"},
    {k_filter_high_depth, "HighDepth", "Depth far above the sample's"},
    {k_filter_allele_bias, "AlleleBias", "Allele fraction far from the genotype's"},
};

constexpr const char* k_fields =
    "##INFO=<ID=MQ,Number=1,Type=Integer,Description=\"Root mean square of the reads' mapping quality\">\n"
    "##INFO=<ID=SB,Number=4,Type=Integer,Description=\"Reads by strand: reference forward, reference "
    "reverse, "
    "alternate forward, alternate reverse\">\n"
    "##FORMAT=<ID=GT,Number=1,Type=String,Description=\"Genotype\">\n"
    "##FORMAT=<ID=GQ,Number=1,Type=Integer,Description=\"Genotype quality (Phred)\">\n"
    "##FORMAT=<ID=DP,Number=1,Type=Integer,Description=\"Informative reads\">\n"
    "##FORMAT=<ID=AD,Number=R,Type=Integer,Description=\"Informative reads of each allele\">\n"
    "##FORMAT=<ID=VAF,Number=A,Type=Float,Description=\"Fraction of the reads in AD that bear each alternate "
    "allele\">\n"
    "##FORMAT=<ID=PL,Number=G,Type=Integer,Description=\"Genotype likelihoods (Phred, relative to the "
    "best)\">\n"
    "##FORMAT=<ID=PS,Number=1,Type=Integer,Description=\"Phase set\">\n";

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
    for (const FilterWord& filter : k_filters) {
        if ((filters & filter.bit) == 0) continue;
        if (!first) text += ';';
        first = false;
        text += filter.id;
    }
}

void append_fractions(std::string& text, const std::vector<int32_t>& depths) {
    const int64_t total = std::accumulate(depths.begin(), depths.end(), int64_t{0});
    if (depths.size() < 2) text += '.';
    for (size_t i = 1; i < depths.size(); ++i) {
        if (i != 1) text += ',';
        append_decimal(text, total == 0 ? 0 : (int64_t{depths[i]} * 10000 + total / 2) / total, 4);
    }
}

void append_sample(std::string& text, const Variant& variant) {
    const bool phase_set = variant.phased && variant.phase_set >= 0;
    text += phase_set ? "\tGT:GQ:DP:AD:VAF:PL:PS\t" : "\tGT:GQ:DP:AD:VAF:PL\t";
    for (int i = 0; i < 2; ++i) {
        if (i == 1) text += variant.phased ? '|' : '/';
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
    append_fractions(text, variant.allele_depth);
    text += ':';
    append_list(text, variant.likelihoods);
    if (!phase_set) return;
    text += ':';
    append(text, variant.phase_set + 1);
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
    text += "\tMQ=";
    append(text, variant.mapping_quality);
    text += ";SB=";
    append_list(text, variant.strand_counts);
    append_sample(text, variant);
}

std::string to_text(const Variant& variant, const Reference& reference) {
    std::string text;
    append_text(variant, reference, text);
    return text;
}

std::string header_text(const Reference& reference, const HeaderFacts& facts) {
    std::string text = "##fileformat=VCFv4.2\n##FILTER=<ID=PASS,Description=\"All filters passed\">\n";
    for (const FilterWord& filter : k_filters) {
        text += std::string("##FILTER=<ID=") + filter.id + ",Description=\"" + filter.description + "\">\n";
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
