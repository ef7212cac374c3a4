// SPDX-License-Identifier: MIT
// Provides a program that reads one input as gannet does and prints the number of records: the readers alone,
// for the corpus of malformed files, for fuzzing with files, and for measurements.
#include "data/bam/reader.hpp"
#include "data/bed/reader.hpp"
#include "data/error.hpp"
#include "data/fasta/reader.hpp"
#include "data/fastq/reader.hpp"
#include "data/input_stream.hpp"
#include "data/line_reader.hpp"
#include "data/vcf/reader.hpp"

#include <cctype>
#include <cstdlib>
#include <iostream>
#include <map>
#include <memory>
#include <new>
#include <sstream>
#include <string>
#include <vector>

namespace gannet {
namespace {

using Arguments = std::vector<std::string>;

uint64_t read_fastq(const data::fastq::Lane& lane) {
    const auto reader = data::fastq::LaneReader::open(lane);
    data::ReadBatch batch;
    uint64_t reads = 0;
    while (reader->read(batch)) reads += batch.reads();
    return reads;
}

uint64_t read_reference(const std::string& path) {
    std::vector<std::string> warnings;
    const auto reference = data::fasta::load(path, &warnings);
    for (const std::string& warning : warnings) std::cerr << "warning: " << warning << '\n';
    return reference->contigs().size();
}

uint64_t read_bam(const std::string& path, const std::string& reference) {
    const auto reader = data::bam::Reader::open(path, reference);
    if (!reference.empty()) reader->check_reference(*data::fasta::load(reference));
    data::RecordBatch batch;
    uint64_t records = 0;
    while (reader->read(batch, 1 << 20)) {
        records += batch.entries.size();
        batch.clear();
    }
    return records;
}

/// The lines of what can be read of a text file; that the rest cannot is for its own reader to say.
template <class Take>
void for_each_line(const std::string& path, Take&& take) {
    try {
        data::LineReader lines(std::make_unique<data::InputStream>(path));
        std::string_view line;
        while (lines.read(line)) take(line);
    } catch (const data::Error&) {
    }
}

/// A reference that fits a VCF: its contigs as long as its records reach, with the letters of their REF. So
/// what is refused is the VCF's own fault. Nothing for what is not text.
std::shared_ptr<const data::Reference> fitting_reference(const std::string& path) {
    struct Genome {
        std::vector<uint64_t> packed;
        std::vector<data::NonAcgtRun> runs;
    };
    std::vector<data::Contig> contigs;
    std::map<std::string, uint64_t> ends;
    std::map<std::pair<std::string, uint64_t>, char> letters;
    for_each_line(path, [&](std::string_view line) {
        std::istringstream columns{std::string(line)};
        std::string contig, position_text, id, ref;
        std::getline(columns, contig, '\t');
        std::getline(columns, position_text, '\t');
        std::getline(columns, id, '\t');
        std::getline(columns, ref, '\t');
        const uint64_t position = std::strtoull(position_text.c_str(), nullptr, 10);
        if (line.starts_with('#') || ref.empty() || position > 300'000'000) return;
        ends[contig] = std::max(ends[contig], position + ref.size());
        for (size_t i = 0; i < ref.size() && position != 0; ++i) {
            letters.try_emplace({contig, position - 1 + i}, static_cast<char>(std::toupper(ref[i])));
        }
    });
    uint64_t offset = 64;
    const auto genome = std::make_shared<Genome>();
    genome->runs.push_back({0, 64, 'N', {}});
    for (const auto& [name, end] : ends) {
        contigs.push_back({name, end, offset, {}});
        offset += (end + 63) / 64 * 64 + 64;
    }
    genome->packed.resize(offset / 32);
    for (size_t i = 0; i < contigs.size(); ++i) {
        uint64_t at = contigs[i].offset;
        const auto first = letters.lower_bound({contigs[i].name, 0});
        for (auto it = first; it != letters.end() && it->first.first == contigs[i].name; ++it) {
            const uint64_t position = contigs[i].offset + it->first.second;
            const data::Base base = data::k_base_of_letter[static_cast<uint8_t>(it->second)];
            if (base == data::k_base_n) continue;
            if (position > at) genome->runs.push_back({at, position, 'N', {}});
            genome->packed[position / 32] |= uint64_t{base} << (position % 32 * 2);
            at = position + 1;
        }
        const uint64_t next = i + 1 < contigs.size() ? contigs[i + 1].offset : offset;
        genome->runs.push_back({at, next, 'N', {}});
    }
    return std::make_shared<const data::Reference>("(made to fit)", contigs, genome->packed, genome->runs,
                                                   genome);
}

uint64_t read_vcf(const std::string& path, const std::string& reference_path) {
    const auto reference =
        reference_path.empty() ? fitting_reference(path) : data::fasta::load(reference_path);
    data::vcf::Reader reader(path, *reference);
    data::vcf::Site site;
    uint64_t sites = 0;
    while (reader.read(site)) ++sites;
    return sites;
}

/// ROLE FILE [REFERENCE | MATES]
uint64_t read(const Arguments& given) {
    const std::string& role = given.at(0);
    const std::string& file = given.at(1);
    const std::string second = given.size() > 2 ? given[2] : "";
    if (role == "fastq") return read_fastq({file, "", false, 0});
    if (role == "interleaved") return read_fastq({file, "", true, 0});
    if (role == "fastq-pair") return read_fastq({file, second, false, 0});
    if (role == "reference") return read_reference(file);
    if (role == "bam") return read_bam(file, second);
    if (role == "vcf") return read_vcf(file, second);
    if (role == "bed") return data::bed::load(file, *data::fasta::load(second)).regions().size();
    throw data::Error(data::ErrorKind::usage, "no role '" + role + "'");
}

}  // namespace
}  // namespace gannet

int main(int argc, char** argv) {
    if (argc < 3) {
        std::cerr << "usage: read_input fastq|interleaved|fastq-pair|reference|bam|vcf|bed FILE "
                     "[MATES|REFERENCE]\n";
        return 2;
    }
    try {
        std::cout << gannet::read({argv + 1, argv + argc}) << '\n';
        return 0;
    } catch (const gannet::data::Error& error) {
        std::cerr << "error: " << error.what() << '\n';
        return static_cast<int>(error.kind());
    } catch (const std::bad_alloc&) {
        std::cerr << "error: out of memory\n";
        return 7;
    }
}
