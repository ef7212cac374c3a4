// SPDX-License-Identifier: MIT
// Provides the formatter of a cohort's records.
#include "data/vcf/cohort_text.hpp"

#include "data/vcf/record_text.hpp"

#include <algorithm>

namespace gannet::data::vcf {
namespace {

constexpr const char* k_lines =
    "##ALT=<ID=*,Description=\"Alleles beyond the limit of alternates\">\n"
    "##FILTER=<ID=PASS,Description=\"All filters passed\">\n"
    "##INFO=<ID=AC,Number=A,Type=Integer,Description=\"Allele count in genotypes, for each alternate "
    "allele\">\n"
    "##INFO=<ID=AF,Number=A,Type=Float,Description=\"Allele frequency by expectation maximisation over the "
    "genotype likelihoods of samples whose parents are not in the cohort\">\n"
    "##INFO=<ID=AN,Number=1,Type=Integer,Description=\"Total number of alleles in called genotypes\">\n"
    "##INFO=<ID=DP,Number=1,Type=Integer,Description=\"Sum of the samples' DP\">\n"
    "##INFO=<ID=NS,Number=1,Type=Integer,Description=\"Number of samples with a genotype\">\n"
    "##FORMAT=<ID=GT,Number=1,Type=String,Description=\"Genotype of the highest posterior probability\">\n"
    "##FORMAT=<ID=DP,Number=1,Type=Integer,Description=\"Informative reads; of a reference block its "
    "lowest\">\n"
    "##FORMAT=<ID=AD,Number=R,Type=Integer,Description=\"Informative reads of each allele; missing where the "
    "sample's gVCF does not have an allele of the genotype\">\n"
    "##FORMAT=<ID=GQ,Number=1,Type=Integer,Description=\"Genotype quality (Phred), of the posterior "
    "probability\">\n"
    "##FORMAT=<ID=PL,Number=G,Type=Integer,Description=\"Genotype likelihoods (Phred, relative to the best), "
    "without a prior\">\n"
    "##FORMAT=<ID=PS,Number=1,Type=Integer,Description=\"Phase set of the sample's gVCF\">\n";

constexpr const char* k_family_lines =
    "##INFO=<ID=hiConfDeNovo,Number=.,Type=String,Description=\"Children with an allele that neither parent "
    "has, and DQ of at least 20\">\n"
    "##INFO=<ID=loConfDeNovo,Number=.,Type=String,Description=\"Children with an allele that neither parent "
    "has, and DQ of 3 to 19\">\n"
    "##FORMAT=<ID=DQ,Number=1,Type=Integer,Description=\"De novo quality of a child: posterior probability "
    "that its copies were transmitted without mutation (Phred)\">\n"
    "##gannet_phase=genotypes of children with | and no PS are phased by transmission: paternal|maternal\n";

void append_sample(const CohortSample& sample, bool has_de_novo, bool has_phase_set, std::string& text) {
    append_genotype(text, sample.genotype, sample.ploidy, sample.phased);
    text += ':';
    append_known(text, sample.depth);
    text += ':';
    append_list(text, sample.depths);
    text += ':';
    append_known(text, sample.genotype_quality);
    text += ':';
    append_list(text, sample.phred);
    const auto append_if = [&](bool is_there, int32_t value) {
        if (!is_there) return;
        text += ':';
        append_known(text, value);
    };
    append_if(has_de_novo, sample.de_novo_quality);
    append_if(has_phase_set, sample.phase_set);
}

void append_names(const char* key, const std::vector<size_t>& indices, const std::vector<std::string>& names,
                  std::string& text) {
    if (indices.empty()) return;
    text += key;
    for (size_t i = 0; i < indices.size(); ++i) text += (i > 0 ? "," : "") + names[indices[i]];
}

void append_info(const CohortRecord& record, std::string& text) {
    text += "AC=";
    append_list(text, record.allele_counts);
    text += ";AF=";
    for (size_t i = 0; i < record.frequencies_micro.size(); ++i) {
        if (i > 0) text += ',';
        append_decimal(text, record.frequencies_micro[i], 6);
    }
    text += ";AN=";
    append(text, record.called_copies);
    text += ";DP=";
    append(text, record.depth);
    text += ";NS=";
    append(text, record.called_samples);
}

}  // namespace

std::string cohort_header(const Reference& reference, const std::vector<std::string>& samples,
                          const std::string& source, const std::vector<std::string>& extra_lines,
                          bool has_families) {
    std::string text = std::string("##fileformat=VCFv4.2\n") + k_lines;
    if (has_families) text += k_family_lines;
    append_header_end(text, reference, source, extra_lines);
    append_column_line(text, samples);
    return text;
}

void append_text(const CohortRecord& record, const Reference& reference,
                 const std::vector<std::string>& samples, std::string& text) {
    append_position(text, reference, record.contig, record.position);
    text += ".\t";
    append_alleles(text, record.alleles);
    text += '\t';
    append_decimal(text, record.quality_centi, 2);
    text += "\tPASS\t";
    append_info(record, text);
    append_names(";hiConfDeNovo=", record.high_de_novos, samples, text);
    append_names(";loConfDeNovo=", record.low_de_novos, samples, text);
    const bool has_de_novo = std::any_of(record.samples.begin(), record.samples.end(),
                                         [](const CohortSample& s) { return s.de_novo_quality >= 0; });
    const bool has_phase_set = std::any_of(record.samples.begin(), record.samples.end(),
                                           [](const CohortSample& s) { return s.phase_set >= 0; });
    text += "\tGT:DP:AD:GQ:PL";
    if (has_de_novo) text += ":DQ";
    if (has_phase_set) text += ":PS";
    for (const CohortSample& sample : record.samples) {
        text += '\t';
        append_sample(sample, has_de_novo, has_phase_set, text);
    }
    text += '\n';
}

}  // namespace gannet::data::vcf
