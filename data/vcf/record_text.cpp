// SPDX-License-Identifier: MIT
// Provides the common parts of VCFs as text.
#include "data/vcf/record_text.hpp"

namespace gannet::data::vcf {

void append_header_end(std::string& text, const Reference& reference, const std::string& source,
                       const std::vector<std::string>& extra_lines) {
    text += "##source=" + source + "\n##reference=" + reference.path() + '\n';
    for (const std::string& line : extra_lines) text += line + '\n';
    for (const Contig& contig : reference.contigs()) {
        text += "##contig=<ID=" + contig.name + ",length=" + std::to_string(contig.length) +
                (contig.md5.empty() ? "" : ",md5=" + contig.md5) + ">\n";
    }
}

void append_column_line(std::string& text, std::span<const std::string> samples) {
    text += "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT";
    for (const std::string& sample : samples) text += '\t' + sample;
    text += '\n';
}

void append_position(std::string& text, const Reference& reference, uint32_t contig, int64_t position) {
    text += reference.contigs()[contig].name;
    text += '\t';
    append(text, position + 1);
    text += '\t';
}

void append_alleles(std::string& text, const std::vector<std::string>& alleles) {
    text += alleles.at(0);
    text += '\t';
    for (size_t i = 1; i < alleles.size(); ++i) {
        if (i > 1) text += ',';
        text += alleles[i];
    }
}

}  // namespace gannet::data::vcf
