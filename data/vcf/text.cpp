// SPDX-License-Identifier: MIT
// Provides the one formatter of a VCF record and the header's text (VCF specification 4.2).
#include "data/vcf/text.hpp"

#include "data/vcf/record_text.hpp"
#include "data/vcf/writer.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <optional>
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

constexpr int32_t k_max_quality = 99;  // GQ

/// Lines of the header by dialect.
constexpr unsigned k_in_vcf = 1, k_in_gvcf = 2, k_in_gatk = 4, k_in_all = 7;
constexpr unsigned bit_of(GvcfDialect dialect) { return 1u << static_cast<unsigned>(dialect); }
struct HeaderLine {
    unsigned dialects;
    const char* text;
};
constexpr HeaderLine k_lines[] = {
    {k_in_gvcf, "##ALT=<ID=*,Description=\"Any allele that was not observed\">\n"},
    {k_in_gatk, "##ALT=<ID=NON_REF,Description=\"Any allele that was not observed\">\n"},
    {k_in_vcf | k_in_gvcf,
     "##INFO=<ID=AC,Number=A,Type=Integer,Description=\"Allele count in genotypes, for each alternate "
     "allele\">\n"},
    {k_in_vcf | k_in_gvcf,
     "##INFO=<ID=AF,Number=A,Type=Float,Description=\"Allele frequency in genotypes (AC/AN), for each "
     "alternate allele\">\n"},
    {k_in_vcf | k_in_gvcf,
     "##INFO=<ID=AN,Number=1,Type=Integer,Description=\"Total number of alleles in called genotypes\">\n"},
    {k_in_vcf | k_in_gvcf,
     "##INFO=<ID=AS_SB_TABLE,Number=1,Type=String,Description=\"Reads of each allele by strand, forward and "
     "reverse, separated by |\">\n"},
    {k_in_all,
     "##INFO=<ID=BaseQRankSum,Number=1,Type=Float,Description=\"Z-score of the rank-sum test of alternate "
     "against reference base qualities\">\n"},
    {k_in_all,
     "##INFO=<ID=DP,Number=1,Type=Integer,Description=\"Informative reads, overlapping mates counted "
     "once\">\n"},
    {k_in_gvcf | k_in_gatk,
     "##INFO=<ID=END,Number=1,Type=Integer,Description=\"Last position of a reference block\">\n"},
    {k_in_vcf | k_in_gvcf,
     "##INFO=<ID=FS,Number=1,Type=Float,Description=\"Phred-scaled p-value of Fisher's exact test of strand "
     "bias, from SB\">\n"},
    {k_in_vcf | k_in_gvcf,
     "##INFO=<ID=MQ,Number=1,Type=Float,Description=\"Root mean square of the reads' mapping "
     "quality\">\n"},
    {k_in_all,
     "##INFO=<ID=MQRankSum,Number=1,Type=Float,Description=\"Z-score of the rank-sum test of alternate "
     "against reference mapping qualities\">\n"},
    {k_in_vcf | k_in_gvcf,
     "##INFO=<ID=QD,Number=1,Type=Float,Description=\"QUAL before its limit divided by the sum of AD\">\n"},
    {k_in_gatk,
     "##INFO=<ID=RAW_MQandDP,Number=2,Type=Integer,Description=\"Sum of the squared mapping qualities of the "
     "informative reads, and their number\">\n"},
    {k_in_all,
     "##INFO=<ID=ReadPosRankSum,Number=1,Type=Float,Description=\"Z-score of the rank-sum test of alternate "
     "against reference distances from the nearer end of the read\">\n"},
    {k_in_vcf | k_in_gvcf,
     "##INFO=<ID=SB,Number=4,Type=Integer,Description=\"Reads by strand: reference forward, reference "
     "reverse, alternate forward, alternate reverse\">\n"},
    {k_in_vcf | k_in_gvcf,
     "##INFO=<ID=SOR,Number=1,Type=Float,Description=\"Symmetric odds ratio of strand bias, from SB\">\n"},
    {k_in_all, "##FORMAT=<ID=GT,Number=1,Type=String,Description=\"Genotype\">\n"},
    {k_in_all, "##FORMAT=<ID=GQ,Number=1,Type=Integer,Description=\"Genotype quality (Phred)\">\n"},
    {k_in_all,
     "##FORMAT=<ID=DP,Number=1,Type=Integer,Description=\"Informative reads, overlapping mates counted "
     "once\">\n"},
    {k_in_gvcf | k_in_gatk,
     "##FORMAT=<ID=MIN_DP,Number=1,Type=Integer,Description=\"Lowest DP of any position of a reference "
     "block\">\n"},
    {k_in_all, "##FORMAT=<ID=AD,Number=R,Type=Integer,Description=\"Informative reads of each allele\">\n"},
    {k_in_vcf | k_in_gvcf,
     "##FORMAT=<ID=VAF,Number=A,Type=Float,Description=\"Fraction of the reads in AD that have each "
     "alternate allele\">\n"},
    {k_in_all,
     "##FORMAT=<ID=PL,Number=G,Type=Integer,Description=\"Genotype likelihoods (Phred, relative to the "
     "best)\">\n"},
    {k_in_gatk,
     "##FORMAT=<ID=PGT,Number=1,Type=String,Description=\"Which haplotype of the phase set PID has the "
     "alternate allele\">\n"},
    {k_in_gatk, "##FORMAT=<ID=PID,Number=1,Type=String,Description=\"Phase set: as PS\">\n"},
    {k_in_all,
     "##FORMAT=<ID=PS,Number=1,Type=Integer,Description=\"Phase set: POS of its first site; of a site that "
     "is "
     "phased with no other, its own POS\">\n"},
    {k_in_gatk,
     "##FORMAT=<ID=SB,Number=4,Type=Integer,Description=\"Reads by strand: reference forward, reference "
     "reverse, alternate forward, alternate reverse\">\n"},
};

void append_filters(std::string& text, uint32_t filters) {
    if (filters == 0) {
        text += "PASS";
        return;
    }
    if (filters == k_filter_not_applied) {
        text += '.';
        return;
    }
    text += filter_names(filters, ";");
}

/// parts / total, to four decimals; 0 of nothing.
void append_fractions(std::string& text, std::span<const int32_t> parts, int64_t total) {
    if (parts.empty()) text += '.';
    for (size_t i = 0; i < parts.size(); ++i) {
        if (i != 0) text += ',';
        append_decimal(text, total == 0 ? 0 : (int64_t{parts[i]} * 10000 + total / 2) / total, 4);
    }
}

/// The alternate allele that a dialect adds to each record.
const char* unobserved_allele(GvcfDialect dialect) {
    return dialect == GvcfDialect::vcf ? "<*>" : dialect == GvcfDialect::gatk ? "<NON_REF>" : "";
}

/// The values of a record by allele, with those of the dialect's allele.
struct AlleleValues {
    AlleleValues(const Variant& variant, GvcfDialect dialect) : depths(variant.allele_depth) {
        const size_t added = dialect == GvcfDialect::none ? 0 : 1;
        counts.assign(std::max<size_t>(1, variant.alleles.size()) - 1 + added, 0);
        for (const int8_t allele : variant.genotype) {
            if (allele < 0) continue;
            ++called;
            if (allele > 0) ++counts[static_cast<size_t>(allele) - 1];
        }
        depth_sum = std::accumulate(depths.begin(), depths.end(), int64_t{0});
        shown_sum = depth_sum;
        if (added > 0) {
            depths.push_back(static_cast<int32_t>(std::max<int64_t>(0, variant.depth - depth_sum)));
            shown_sum += depths.back();
        }
    }
    std::vector<int32_t> counts;  // AC
    int32_t called = 0;           // AN
    std::vector<int32_t> depths;  // AD
    int64_t depth_sum = 0;        // of the alleles of the variant
    int64_t shown_sum = 0;        // of AD
};

void append_rank_sum(std::string& text, const char* tag, const std::optional<int32_t>& milli) {
    if (!milli) return;
    text += tag;
    append_decimal(text, *milli, 3);
}

void append_strands_by_allele(std::string& text, const Variant& variant) {
    if (variant.allele_strands.empty()) return;
    text += ";AS_SB_TABLE=";
    for (size_t i = 0; i < variant.allele_strands.size(); ++i) {
        if (i != 0) text += '|';
        append_list(text, variant.allele_strands[i]);
    }
}

/// INFO: tags with the meanings that the VCF specification (AC AF AN DP MQ SB) and GATK (the others) give
/// them.
void append_info(std::string& text, const Variant& variant, const AlleleValues& values) {
    text += "AC=";
    append_list(text, values.counts);
    text += ";AF=";
    append_fractions(text, values.counts, values.called);
    text += ";AN=";
    append(text, values.called);
    append_strands_by_allele(text, variant);
    append_rank_sum(text, ";BaseQRankSum=", variant.rank_sums.base_quality_milli);
    text += ";DP=";
    append(text, variant.depth);
    text += ";FS=";
    append_decimal(text, variant.strand_bias_centi, 2);
    text += ";MQ=";
    append(text, variant.mapping_quality);
    append_rank_sum(text, ";MQRankSum=", variant.rank_sums.mapping_quality_milli);
    if (values.depth_sum > 0) {
        text += ";QD=";
        const int32_t quality =
            variant.uncapped_quality_centi >= 0 ? variant.uncapped_quality_centi : variant.quality_centi;
        append_decimal(text, (quality + values.depth_sum / 2) / values.depth_sum, 2);
    }
    append_rank_sum(text, ";ReadPosRankSum=", variant.rank_sums.read_position_milli);
    text += ";SB=";
    append_list(text, variant.strand_counts);
    text += ";SOR=";
    append_decimal(text, variant.strand_odds_milli, 3);
}

/// What GenotypeGVCFs makes its own INFO of; it computes the other tags from FORMAT.
void append_gatk_info(std::string& text, const Variant& variant) {
    text += "DP=";
    append(text, variant.depth);
    append_rank_sum(text, ";BaseQRankSum=", variant.rank_sums.base_quality_milli);
    append_rank_sum(text, ";MQRankSum=", variant.rank_sums.mapping_quality_milli);
    text += ";RAW_MQandDP=";
    append(text, int64_t{variant.mapping_quality} * variant.mapping_quality * variant.depth);
    text += ',';
    append(text, variant.depth);
    append_rank_sum(text, ";ReadPosRankSum=", variant.rank_sums.read_position_milli);
}

void append_likelihoods(std::string& text, const Variant& variant, GvcfDialect dialect) {
    append_list(text, variant.likelihoods);
    if (dialect == GvcfDialect::none) return;
    for (const int32_t value : variant.unobserved_likelihoods) {
        text += ',';
        append(text, value);
    }
}

void append_sample(std::string& text, const Variant& variant, const AlleleValues& values,
                   GvcfDialect dialect) {
    text += variant.phase_set >= 0 ? "\tGT:GQ:DP:AD:VAF:PL:PS\t" : "\tGT:GQ:DP:AD:VAF:PL\t";
    append_genotype(text, variant.genotype, variant.ploidy, variant.phase_set >= 0);
    text += ':';
    append(text, variant.genotype_quality);
    text += ':';
    append(text, variant.depth);
    text += ':';
    append_list(text, values.depths);
    text += ':';
    append_fractions(text, std::span(values.depths).subspan(values.depths.empty() ? 0 : 1), values.shown_sum);
    text += ':';
    append_likelihoods(text, variant, dialect);
    if (variant.phase_set < 0) return;
    text += ':';
    append(text, variant.phase_set + 1);
}

/// GT is not phased: GenotypeGVCFs puts its alleles in order and keeps the bar, but leaves PGT as it is. PGT
/// does not name alleles, so it cannot tell two alternate ones apart.
void append_gatk_sample(std::string& text, const Variant& variant, const AlleleValues& values) {
    auto genotype = variant.genotype;
    if (variant.ploidy == 2) std::sort(genotype.begin(), genotype.end());
    const bool is_phased = variant.phase_set >= 0 && genotype[0] == 0 && genotype[1] > 0;
    text += is_phased ? "\tGT:AD:DP:GQ:PL:SB:PGT:PID:PS\t" : "\tGT:AD:DP:GQ:PL:SB\t";
    append_genotype(text, genotype, variant.ploidy, false);
    text += ':';
    append_list(text, values.depths);
    text += ':';
    append(text, variant.depth);
    text += ':';
    append(text, variant.genotype_quality);
    text += ':';
    append_likelihoods(text, variant, GvcfDialect::gatk);
    text += ':';
    append_list(text, variant.strand_counts);
    if (!is_phased) return;
    text += variant.genotype[0] > 0 ? ":1|0" : ":0|1";
    for (int field = 0; field < 2; ++field) {
        text += ':';
        append(text, variant.phase_set + 1);
    }
}

/// The bands as GATK states them.
void append_bands(std::string& text, const HeaderFacts& facts) {
    if (facts.dialect == GvcfDialect::none) return;
    std::vector<int32_t> bounds = {0, 1};
    for (const int32_t band : facts.bands) {
        if (band > 1) bounds.push_back(band);
    }
    bounds.push_back(k_max_quality + 1);
    for (size_t i = 1; i < bounds.size(); ++i) {
        const std::string low = std::to_string(bounds[i - 1]);
        const std::string high = std::to_string(bounds[i]);
        text += "##GVCFBlock" + low + "-" + high + "=minGQ=" + low + "(inclusive),maxGQ=" + high +
                "(exclusive)\n";
    }
}

}  // namespace

void append_text(const Variant& variant, const Reference& reference, std::string& text, GvcfDialect dialect) {
    append_position(text, reference, variant.contig, variant.position);
    text += variant.id.empty() ? "." : variant.id.c_str();
    text += '\t';
    append_alleles(text, variant.alleles);
    if (dialect != GvcfDialect::none) {
        if (variant.alleles.size() > 1) text += ',';
        text += unobserved_allele(dialect);
    } else if (variant.alleles.size() < 2) {
        text += '.';
    }
    text += '\t';
    append_decimal(text, variant.quality_centi, 2);
    text += '\t';
    append_filters(text, variant.filters);
    text += '\t';
    const AlleleValues values(variant, dialect);
    if (dialect == GvcfDialect::gatk) {
        append_gatk_info(text, variant);
        append_gatk_sample(text, variant, values);
    } else {
        append_info(text, variant, values);
        append_sample(text, variant, values, dialect);
    }
}

void append_text(const ReferenceBlock& block, const Reference& reference, std::string& text,
                 GvcfDialect dialect) {
    append_position(text, reference, block.contig, block.begin);
    text += ".\t";
    const auto begin = static_cast<uint64_t>(block.begin);
    const char base = reference.letters(block.contig, begin, begin + 1)[0];
    text += k_base_of_letter[static_cast<uint8_t>(base)] > 3 ? 'N' : base;
    text += '\t';
    text += unobserved_allele(dialect);
    text += "\t.\t.\tEND=";
    append(text, block.end);
    const bool gatk = dialect == GvcfDialect::gatk;
    text += gatk ? "\tGT:DP:GQ:MIN_DP:PL\t" : "\tGT:GQ:DP:MIN_DP:AD:PL\t";
    // Without evidence no genotype is known. GATK writes 0/0 there, and its readers go by the likelihoods.
    const char copy = block.quality == 0 && !gatk ? '.' : '0';
    text += copy;
    if (block.ploidy > 1) {
        text += '/';
        text += copy;
    }
    for (const int32_t value :
         {gatk ? block.depth : block.quality, gatk ? block.quality : block.depth, block.minimum_depth}) {
        text += ':';
        append(text, value);
    }
    if (!gatk) {  // what GATK and GLnexus give genotypes from blocks, which no later step could add
        text += ':';
        append(text, block.minimum_depth);
        text += ",0";
    }
    text += ":0";
    for (size_t i = block.ploidy > 1 ? 0 : 1; i < block.likelihoods.size(); ++i) {
        text += ',';
        append(text, block.likelihoods[i]);
    }
}

std::string to_text(const Variant& variant, const Reference& reference) {
    std::string text;
    append_text(variant, reference, text);
    return text;
}

std::string filter_names(uint32_t filters, const char* separator) {
    std::string names;
    for (const FilterId& filter : k_filters) {
        if ((filters & filter.bit) != 0) names += (names.empty() ? "" : separator) + std::string(filter.id);
    }
    return names;
}

std::string header_text(const Reference& reference, const HeaderFacts& facts) {
    std::string text = "##fileformat=VCFv4.2\n##FILTER=<ID=PASS,Description=\"All filters passed\">\n";
    for (const FilterDescription& description : facts.filters) {
        const auto filter = std::find_if(std::begin(k_filters), std::end(k_filters),
                                         [&](const FilterId& f) { return f.bit == description.filter; });
        text += std::string("##FILTER=<ID=") + filter->id + ",Description=\"" + description.text + "\">\n";
    }
    for (const HeaderLine& line : k_lines) {
        if ((line.dialects & bit_of(facts.dialect)) != 0) text += line.text;
    }
    append_bands(text, facts);
    append_header_end(text, reference, facts.source, facts.extra_lines);
    append_column_line(text, {&facts.sample, 1});
    return text;
}

}  // namespace gannet::data::vcf
