// SPDX-License-Identifier: MIT
// Provides the writing of a comparison's VCF files as BGZF text.
#include "variants/compare/outcome_writer.hpp"

#include "data/bgzf/block.hpp"
#include "data/output_file.hpp"
#include "data/sequence.hpp"

#include <algorithm>
#include <cstdio>
#include <vector>

namespace gannet::variants::compare {
namespace {

constexpr int k_compression_level = 6;

std::string header(const data::Reference& reference, const CallSet& set) {
    std::string text = "##fileformat=VCFv4.3\n##FILTER=<ID=PASS,Description=\"All filters passed\">\n";
    for (const data::Contig& contig : reference.contigs()) {
        text += "##contig=<ID=" + contig.name + ",length=" + std::to_string(contig.length) + ">\n";
    }
    text +=
        "##INFO=<ID=CHANGES,Number=.,Type=String,Description=\"Normalised changes of this outcome: "
        "POS:REF:ALT\">\n"
        "##INFO=<ID=MATCH,Number=.,Type=String,Description=\"Of each change; genotype: sequence and genotype "
        "agree; allele: "
        "sequence "
        "agrees and the genotype differs; none: the other file has no such sequence\">\n"
        "##FORMAT=<ID=GT,Number=1,Type=String,Description=\"Genotype\">\n"
        "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\t";
    return text + (set.sample.empty() ? "sample" : set.sample) + "\n";
}

std::string letters_of(const std::string& codes) {
    std::string letters(codes);
    for (char& letter : letters) {
        letter = data::k_letter_of_base[static_cast<uint8_t>(letter)];
    }
    return letters;
}

std::string change_text(const data::Reference& reference, const Atom& atom) {
    const auto begin = static_cast<uint64_t>(atom.normal_begin);
    const uint64_t end = begin + static_cast<uint64_t>(atom.end - atom.begin);
    const auto anchor = static_cast<uint64_t>(atom.vcf_position());
    std::string ref = reference.letters(atom.contig, anchor, end);
    std::string alt = reference.letters(atom.contig, anchor, begin) + letters_of(atom.normal_bases);
    if (anchor == begin &&
        !atom.is_snp()) {  // no base before the contig's first: anchored after (VCF 4.3, 1.6.1)
        const std::string after = reference.letters(atom.contig, end, end + 1);
        ref += after;
        alt += after;
    }
    return std::to_string(anchor + 1) + ":" + ref + ":" + alt;
}

std::string genotype_text(const Record& record) {
    const auto allele = [](int index) { return index < 0 ? std::string(".") : std::to_string(index); };
    if (record.ploidy == 1) return allele(record.genotype[0]);
    return allele(record.genotype[0]) + (record.phased ? "|" : "/") + allele(record.genotype[1]);
}

std::string quality_text(float quality) {
    if (quality < 0) {
        return ".";
    }
    char text[32];
    std::snprintf(text, sizeof text, "%.9g", static_cast<double>(quality));
    return text;
}

}  // namespace

void write_file(const std::string& path, const std::string& bytes) {
    data::OutputFile file(path);
    file.write(bytes);
    file.commit();
}

void write_outcome(const std::string& path, const data::Reference& reference, const CallSet& set,
                   Outcome outcome) {
    std::vector<const Atom*> atoms;
    for (const Atom& atom : set.atoms) {
        if (atom.inside && atom.matched == (outcome == Outcome::right)) {
            atoms.push_back(&atom);
        }
    }
    std::stable_sort(atoms.begin(), atoms.end(),
                     [](const Atom* a, const Atom* b) { return a->record < b->record; });
    std::string text = header(reference, set);
    for (size_t i = 0; i < atoms.size();) {
        const uint32_t index = atoms[i]->record;
        const Record& record = set.records[index];
        std::string changes;
        std::string matches;
        for (; i < atoms.size() && atoms[i]->record == index; ++i) {
            const char* comma = changes.empty() ? "" : ",";
            changes += comma + change_text(reference, *atoms[i]);
            matches += comma;
            matches += atoms[i]->matched ? "genotype" : (atoms[i]->matched_allele ? "allele" : "none");
        }
        text += reference.contigs()[record.contig].name + '\t' + std::to_string(record.position + 1) +
                "\t.\t" + record.reference_allele + '\t' + record.alternate_alleles + '\t' +
                quality_text(record.quality) + "\tPASS\tCHANGES=" + changes + ";MATCH=" + matches + "\tGT\t" +
                genotype_text(record) + '\n';
    }
    write_file(path, data::bgzf::whole_file(text, k_compression_level));
}

}  // namespace gannet::variants::compare
