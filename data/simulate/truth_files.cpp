// SPDX-License-Identifier: MIT
// Provides FASTA, truth and BED of a simulation.
#include "data/simulate/truth_files.hpp"

#include "data/error.hpp"
#include "data/line_reader.hpp"
#include "data/output_file.hpp"
#include "data/simulate/read_files.hpp"

#include <htslib/tbx.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <memory>

namespace gannet::data::simulate {

namespace {

constexpr uint64_t k_confident_margin_bp = 500;
constexpr std::string_view k_source = "##source=gannet simulate";
constexpr std::string_view k_reference = "##reference=";
constexpr std::string_view k_contig = "##contig=<ID=";
constexpr std::string_view k_length = ",length=";

}  // namespace

void write_file(const std::string& path, std::string_view text) {
    OutputFile file(path);
    file.write(text);
    file.commit();
}

void write_fasta(const Genome& genome, const std::string& path) {
    constexpr size_t line_bp = 60;
    std::string text;
    std::string index;
    OutputFile file(path);
    uint64_t written = 0;
    for (const Sequence& sequence : genome.sequences) {
        text = ">" + sequence.name + "\n";
        index += sequence.name + "\t" + std::to_string(sequence.bases.size()) + "\t" +
                 std::to_string(written + text.size()) + "\t60\t61\n";
        for (size_t i = 0; i < sequence.bases.size(); i += line_bp) {
            text += to_letters({&sequence.bases[i], std::min(line_bp, sequence.bases.size() - i)});
            text += '\n';
        }
        file.write(text);
        written += text.size();
    }
    remove_old_file(path + ".fai");
    file.commit();
    write_file(path + ".fai", index);
}

namespace {

std::string truth_text(const Genome& genome, const Truth& truth, const std::string& reference) {
    std::string text = "##fileformat=VCFv4.3\n" + std::string(k_source) + "\n";
    if (!reference.empty()) text += std::string(k_reference) + reference + "\n";
    for (const Sequence& sequence : genome.sequences)
        text += std::string(k_contig) + sequence.name + std::string(k_length) +
                std::to_string(sequence.bases.size()) + ">\n";
    text +=
        "##FILTER=<ID=PASS,Description=\"All filters passed\">\n"
        "##FORMAT=<ID=GT,Number=1,Type=String,Description=\"Genotype\">\n"
        "##FORMAT=<ID=PS,Number=1,Type=Integer,Description=\"Phase set\">\n"
        "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\tsample\n";
    for (size_t i = 0; i < truth.size(); ++i)
        for (const TruthSite& site : truth[i]) {
            text += genome.sequences[i].name + "\t" + std::to_string(site.position + 1) + "\t.\t" +
                    site.alleles[0];
            for (size_t a = 1; a < site.alleles.size(); ++a) text += (a == 1 ? "\t" : ",") + site.alleles[a];
            text += "\t.\tPASS\t.\tGT:PS\t" + std::to_string(site.genotype[0]);
            if (site.ploidy == 2) text += "|" + std::to_string(site.genotype[1]);
            text += ":1\n";
        }
    return text;
}

}  // namespace

void write_truth(const Genome& genome, const Truth& truth, const std::string& reference,
                 const std::string& path) {
    const std::string text = truth_text(genome, truth, reference);
    bgzf::BlockCompressor compressor(6);
    std::vector<uint8_t> blocks;
    append_blocks(compressor, {reinterpret_cast<const uint8_t*>(text.data()), text.size()}, blocks);
    OutputFile file(path);
    file.write(blocks);
    file.write(bgzf::k_end_of_file);
    constexpr uint64_t longest_tbi = uint64_t{1} << 29;
    const bool needs_csi = std::any_of(genome.sequences.begin(), genome.sequences.end(),
                                       [](const Sequence& s) { return s.bases.size() > longest_tbi; });
    PartialFile index(path + (needs_csi ? ".csi" : ".tbi"));
    errno = 0;
    if (tbx_index_build3(file.name_to_open().c_str(), index.name_to_open().c_str(), needs_csi ? 14 : 0, 0,
                         &tbx_conf_vcf) != 0)
        throw_output_failed(index.path(), errno);
    file.commit(&index);
}

void write_confident(const Genome& genome, const std::string& path) {
    std::string text;
    for (const Sequence& sequence : genome.sequences) {
        if (sequence.role != Role::primary) continue;
        std::vector<BaseRun> stops = sequence.unknown;
        stops.push_back({sequence.bases.size(), sequence.bases.size()});
        uint64_t begin = 0;
        for (const BaseRun& stop : stops) {
            if (stop.begin > begin + 2 * k_confident_margin_bp)
                text += sequence.name + "\t" + std::to_string(begin + k_confident_margin_bp) + "\t" +
                        std::to_string(stop.begin - k_confident_margin_bp) + "\n";
            begin = stop.end;
        }
    }
    write_file(path, text);
}

std::optional<TruthGenome> genome_of_truth(const std::string& path) {
    try {
        LineReader lines(std::make_unique<InputStream>(path));
        std::string_view line;
        if (!lines.read(line) || !lines.read(line) || line != k_source) return std::nullopt;
        TruthGenome genome;
        while (lines.read(line) && line.starts_with("##")) {
            if (line.starts_with(k_reference)) genome.reference = line.substr(k_reference.size());
            const size_t at = line.rfind(k_length);
            if (!line.starts_with(k_contig) || at == std::string_view::npos) continue;
            uint64_t length = 0;
            std::from_chars(line.data() + at + k_length.size(), line.data() + line.size(), length);
            genome.contigs.emplace_back(line.substr(k_contig.size(), at - k_contig.size()), length);
        }
        return genome;
    } catch (const Error&) {
        return std::nullopt;  // not there, or no text
    }
}

bool has_simulated_reads(const std::string& path) {
    try {
        LineReader lines(std::make_unique<InputStream>(path));
        std::string_view line;
        return !lines.read(line) || line.starts_with("@sim.");
    } catch (const Error&) {
        return false;
    }
}

void write_strata(const Genome& genome, const std::string& path) {
    constexpr std::array<const char*, 3> names{"repeat", "duplication", "satellite"};
    OutputFile file(path);
    for (const Sequence& sequence : genome.sequences) {
        std::vector<MarkedRun> runs = sequence.marked;
        std::stable_sort(runs.begin(), runs.end(),
                         [](const MarkedRun& a, const MarkedRun& b) { return a.begin < b.begin; });
        std::string text;
        for (const MarkedRun& run : runs)
            text += sequence.name + "\t" + std::to_string(run.begin) + "\t" + std::to_string(run.end) + "\t" +
                    names[static_cast<size_t>(run.stratum)] + "\n";
        file.write(text);
    }
    file.commit();
}

void write_missing(const Genome& genome, const std::vector<Paralogue>& missing, const std::string& path) {
    std::string text;
    for (const Paralogue& p : missing)
        text += genome.sequences[p.contig].name + "\t" + std::to_string(p.begin) + "\t" +
                std::to_string(p.end) + "\t" + genome.sequences[p.other_contig].name + ":" +
                std::to_string(p.other_begin + 1) + "\n";
    write_file(path, text);
}

}  // namespace gannet::data::simulate
