// SPDX-License-Identifier: MIT
// Provides the text of BAM and VCF headers.
#include "pipeline/jobs/headers.hpp"

#include "variants/caller_model.hpp"

#include <algorithm>
#include <cctype>

namespace gannet::pipeline {
namespace {

/// A word quoted as a shell reads it, without control characters; a tab, which would end a SAM field, becomes
/// the two characters \t that -R accepts.
std::string quoted(std::string_view value) {
    std::string text;
    bool plain = !value.empty();
    for (const char letter : value) {
        if (letter == '\t') {
            text += "\\t";
            plain = false;
        } else if (letter == '\n') {
            text += ' ';
            plain = false;
        } else if (static_cast<unsigned char>(letter) < 0x20 || letter == 0x7f) {
            text += '?';  // headers are printed on terminals
            plain = false;
        } else if (letter == '\'') {
            text += "'\\''";  // ends the quotes, and begins them again
            plain = false;
        } else {
            text += letter;
            plain = plain && (std::isalnum(static_cast<unsigned char>(letter)) != 0 ||
                              std::string_view("_-./:,+=@%").find(letter) != std::string_view::npos);
        }
    }
    return plain ? text : "'" + text + "'";
}

}  // namespace

std::string_view program_version() { return GANNET_VERSION; }
std::string program_name() { return "gannet " + std::string(program_version()); }

CommandText& CommandText::word(std::string_view value) {
    text_ += " " + quoted(value);
    return *this;
}

CommandText& CommandText::option(std::string_view flag, std::string_view value) {
    if (!value.empty()) text_ += " " + std::string(flag) + " " + quoted(value);
    return *this;
}

CommandText& CommandText::flag(std::string_view name, bool set) {
    if (set) text_ += " " + std::string(name);
    return *this;
}

std::string backend_text(const kernels::OpTable& ops) {
    return "backend " + std::string(kernels::name(ops.backend));
}

namespace {

/// @PG of this program; `previous`: ID of the one before it, empty for the first.
std::string program_line(const std::string& id, const std::string& previous, const std::string& command) {
    return "@PG\tID:" + id + "\tPN:gannet" + (previous.empty() ? "" : "\tPP:" + previous) +
           "\tVN:" + std::string(program_version()) + "\tCL:" + command + "\n";
}

/// The value of a field of a header line, such as ID of @PG; empty where it has none.
std::string_view field_of(std::string_view line, std::string_view tag) {
    const size_t at = line.find("\t" + std::string(tag) + ":");
    if (at == std::string_view::npos) return {};
    const std::string_view value = line.substr(at + tag.size() + 2);
    return value.substr(0, value.find('\t'));
}

}  // namespace

std::string bam_header(const data::Reference& reference, const data::ContigClasses& classes,
                       const BamHeaderFacts& facts) {
    std::string text = facts.sorted ? "@HD\tVN:1.6\tSO:coordinate\n" : "@HD\tVN:1.6\tSO:unsorted\tGO:query\n";
    for (uint32_t i = 0; i < reference.contigs().size(); ++i) {
        const data::Contig& contig = reference.contigs()[i];
        text += "@SQ\tSN:" + contig.name + "\tLN:" + std::to_string(contig.length) + "\tM5:" + contig.md5 +
                (classes.is_alternate(i) ? "\tAH:*" : "") + "\n";
    }
    for (const data::ReadGroup& group : facts.read_groups) text += group.to_sam() + "\n";
    text += program_line("gannet", "", facts.command);
    for (const std::string& comment : facts.comments) text += "@CO\t" + comment + "\n";
    return text;
}

std::string sorted_header(std::string_view text, const std::string& command) {
    std::string version = "1.6";
    std::string kept;
    std::string last;  // @PG
    std::vector<std::string> programs;
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(text.size(), line.size() + 1));
        if (line.starts_with("@HD")) {
            if (!field_of(line, "VN").empty()) version = field_of(line, "VN");
            continue;
        }
        if (line.starts_with("@PG")) programs.emplace_back(last = field_of(line, "ID"));
        if (!line.empty()) kept += std::string(line) + "\n";
    }
    std::string id = "gannet";
    for (int i = 1; std::find(programs.begin(), programs.end(), id) != programs.end(); ++i)
        id = "gannet." + std::to_string(i);
    return "@HD\tVN:" + version + "\tSO:coordinate\n" + kept + program_line(id, last, command);
}

data::vcf::HeaderFacts vcf_facts(const std::string& sample, const std::string& command,
                                 const std::string& backend, const std::string& parameters,
                                 const std::string& ploidy, const std::string& sample_profile,
                                 const std::string& scorer, std::vector<data::FilterDescription> filters) {
    data::vcf::HeaderFacts facts;
    facts.filters = std::move(filters);
    facts.sample = sample;
    facts.source = program_name();
    facts.extra_lines = {
        "##gannet_command=" + command,       "##gannet_backend=" + backend,
        "##gannet_parameters=" + parameters, "##gannet_caller_model=" + variants::caller_model_hash(),
        "##gannet_ploidy=" + ploidy,         "##gannet_sample_profile=" + sample_profile};
    if (!scorer.empty()) facts.extra_lines.push_back("##gannet_scorer=" + scorer);
    return facts;
}

std::string metrics_comment(const std::string& sample, const std::string& command) {
    std::string file = sample + ".bam";
    std::replace(file.begin(), file.end(), ' ', '_');  // MultiQC ends the name at a blank
    return "MarkDuplicates INPUT=" + file + " (metrics as of picard MarkDuplicates, by " + program_name() +
           ": " + command + ")";
}

}  // namespace gannet::pipeline
