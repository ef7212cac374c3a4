// SPDX-License-Identifier: MIT
// Provides a complete simulation: checks the options, makes genome, truth and reads, writes the files.
#include "data/simulate/simulate.hpp"

#include "data/error.hpp"
#include "data/fasta/reader.hpp"
#include "data/output_file.hpp"
#include "data/simulate/read_files.hpp"

#include <htslib/tbx.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>

namespace gannet::data::simulate {

namespace {

constexpr uint64_t k_confident_margin_bp = 500;

void require(bool holds, const std::string& complaint) {
    if (!holds) throw Error(ErrorKind::usage, "simulate: " + complaint);
}

/// Written so that a NaN is refused too.
bool within(double value, double low, double high) { return value >= low && value <= high; }

void check(const Options& options) {
    require(!options.output.empty(), "an output folder is needed (-o DIR)");
    require((options.size_mb != 0) != !options.reference.empty(), "give either --size or --reference");
    require(!options.reference.empty() || within(options.size_mb, 0.02, 4000),
            "--size must be 0.02 to 4000 Mb");
    require(within(options.coverage, 0, 10000), "--coverage must be 0 to 10000");
    require(within(options.read_length, 36, 500), "--read-length must be 36 to 500 bp");
    require(within(options.fragment_mean, 60, 100000), "--fragment-mean must be 60 to 100000 bp");
    require(within(options.fragment_sd, 0, options.fragment_mean),
            "--fragment-sd must be 0 to the fragment mean");
    require(within(options.duplicate_share, 0, 0.9), "--duplicates must be 0 to 0.9");
    require(options.threads >= 1, "--threads must be 1 or more");
}

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

std::string truth_text(const Genome& genome, const Truth& truth) {
    std::string text = "##fileformat=VCFv4.3\n##source=gannet simulate\n";
    for (const Sequence& sequence : genome.sequences)
        text += "##contig=<ID=" + sequence.name + ",length=" + std::to_string(sequence.bases.size()) + ">\n";
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

void write_truth(const Genome& genome, const Truth& truth, const std::string& path) {
    const std::string text = truth_text(genome, truth);
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

void count_variants(const Truth& truth, Summary& summary) {
    for (const std::vector<TruthSite>& sites : truth)
        for (const TruthSite& site : sites) {
            const bool snv = std::all_of(site.alleles.begin(), site.alleles.end(),
                                         [](const std::string& allele) { return allele.size() == 1; });
            ++(snv ? summary.snvs : summary.indels);
            const auto [a, b] = site.genotype;
            ++(site.ploidy == 1 ? summary.haploid : a == b ? summary.homozygous : summary.heterozygous);
            summary.multi_allelic += a != b && a != 0 && b != 0;
        }
}

/// Enough digits to distinguish any two options in practice; the shortest form that printf has.
std::string number(double value) {
    std::array<char, 32> buffer;
    std::snprintf(buffer.data(), buffer.size(), "%.10g", value);
    return buffer.data();
}

std::string quoted(const std::string& text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
    return out + "\"";
}

std::string joined(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ",") + name;
    return text;
}

/// File names without their folders and without the threads: equal data, equal bytes.
std::string report_text(const Options& options, const Summary& summary) {
    const auto name = [](const std::string& path) {
        return quoted(std::filesystem::path(path).filename().string());
    };
    const std::vector<std::pair<const char*, std::string>> fields{
        {"size_mb", number(options.size_mb)},
        {"reference", name(options.reference)},
        {"variants", name(options.variants)},
        {"haploid", quoted(joined(options.haploid))},
        {"coverage", number(options.coverage)},
        {"seed", std::to_string(options.seed)},
        {"read_length", std::to_string(options.read_length)},
        {"fragment_mean", number(options.fragment_mean)},
        {"fragment_sd", number(options.fragment_sd)},
        {"duplicate_share", number(options.duplicate_share)},
        {"reference_bp", std::to_string(summary.reference_bp)},
        {"known_bp", std::to_string(summary.known_bp)},
        {"snvs", std::to_string(summary.snvs)},
        {"indels", std::to_string(summary.indels)},
        {"multi_allelic", std::to_string(summary.multi_allelic)},
        {"heterozygous", std::to_string(summary.heterozygous)},
        {"homozygous", std::to_string(summary.homozygous)},
        {"haploid_variants", std::to_string(summary.haploid)},
        {"skipped_variants", std::to_string(summary.skipped_variants)},
        {"pairs", std::to_string(summary.pairs)},
        {"duplicate_pairs", std::to_string(summary.duplicate_pairs)},
        {"adapter_pairs", std::to_string(summary.adapter_pairs)},
        {"substitution_errors", std::to_string(summary.substitution_errors)},
        {"indel_errors", std::to_string(summary.indel_errors)}};
    std::string text;
    for (const auto& [key, value] : fields)
        text += std::string(text.empty() ? "{\n" : ",\n") + " \"" + key + "\": " + value;
    return text + "\n}\n";
}

/// Copies of each contig.
std::vector<uint32_t> copies_of(const Genome& genome, const std::vector<std::string>& haploid) {
    std::vector<uint32_t> copies(genome.sequences.size(), 2);
    for (const std::string& name : haploid) {
        const auto found = std::find_if(genome.sequences.begin(), genome.sequences.end(),
                                        [&](const Sequence& sequence) { return sequence.name == name; });
        require(found != genome.sequences.end(), "--haploid " + name + ": the genome has no such contig");
        copies[static_cast<size_t>(found - genome.sequences.begin())] = 1;
    }
    return copies;
}

/// The haplotypes of the sample, and how many known bases they would have without variants.
struct Haplotypes {
    std::vector<Haplotype> all;
    uint64_t known_bp = 0;
};

Haplotypes make_haplotypes(const Genome& genome, const Truth& truth, const std::vector<uint32_t>& copies) {
    Haplotypes haplotypes;
    for (uint32_t contig = 0; contig < genome.sequences.size(); ++contig) {
        const Sequence& sequence = genome.sequences[contig];
        for (uint32_t side = 0; side < copies[contig]; ++side) {
            haplotypes.all.push_back(make_haplotype(sequence, truth[contig], contig, side));
            haplotypes.known_bp += sequence.known_bp();
        }
    }
    return haplotypes;
}

}  // namespace

Summary run(const Options& options) {
    check(options);
    std::error_code failure;
    std::filesystem::create_directories(options.output, failure);
    if (failure)
        throw Error(ErrorKind::output_failed, options.output + ": cannot be made: " + failure.message());
    const std::string folder = options.output + "/";

    // Written last: while it is missing, the other files are not a finished simulation.
    remove_old_file(folder + "simulate.json");
    Summary summary;
    std::shared_ptr<const Reference> reference;
    Genome genome;
    if (options.reference.empty()) {
        genome = make_genome(static_cast<uint64_t>(options.size_mb * 1e6), options.seed);
        write_fasta(genome, folder + "ref.fa");
    } else {
        reference = fasta::load(options.reference);
        genome = genome_of(*reference);
    }
    if (!options.variants.empty() && !reference) reference = fasta::load(folder + "ref.fa");
    const std::vector<uint32_t> copies = copies_of(genome, options.haploid);
    Truth truth = options.variants.empty()
                      ? make_variants(genome, options.seed)
                      : read_variants(options.variants, *reference, options.seed, summary.skipped_variants);
    for (size_t contig = 0; contig < truth.size(); ++contig) {
        if (copies[contig] == 1) make_haploid(truth[contig]);
    }
    summary.reference_bp = genome.size();
    summary.known_bp = genome.known_bp();
    count_variants(truth, summary);
    write_truth(genome, truth, folder + "truth.vcf.gz");
    write_confident(genome, folder + "confident.bed");

    const Haplotypes haplotypes = make_haplotypes(genome, truth, copies);
    genome.sequences.clear();
    // The depth of a diploid contig is that of both copies.
    const double diploid_bp = static_cast<double>(haplotypes.known_bp) / 2;
    summary.pairs = static_cast<uint64_t>(options.coverage * diploid_bp / (2 * options.read_length));
    const ReadCounts counts =
        write_reads(ReadMaker(haplotypes.all, options), summary.pairs, options.output, options.threads);
    summary.duplicate_pairs = counts.duplicate_pairs;
    summary.adapter_pairs = counts.adapter_pairs;
    summary.substitution_errors = counts.substitution_errors;
    summary.indel_errors = counts.indel_errors;
    write_file(folder + "simulate.json", report_text(options, summary));
    return summary;
}

}  // namespace gannet::data::simulate
