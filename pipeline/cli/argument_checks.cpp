// SPDX-License-Identifier: MIT
// Provides the checks of arguments that were mixed up.
#include "pipeline/cli/argument_checks.hpp"

#include "data/error.hpp"
#include "data/input_stream.hpp"
#include "data/output_file.hpp"
#include "pipeline/jobs/session.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

namespace gannet::pipeline::cli {
namespace fs = std::filesystem;
namespace {

using data::Error;
using data::ErrorKind;

[[noreturn]] void refuse(const std::string& message) { throw Error(ErrorKind::usage, message); }

/// "BAM or CRAM", "FASTQ", "VCF"; empty for anything else, and for what cannot be read.
std::string foreign_kind(const std::string& path) {
    std::error_code fault;
    if (!fs::is_regular_file(path, fault)) return "";
    try {
        data::InputStream stream(path);
        if (stream.holds_alignments()) return "alignments (SAM, BAM or CRAM)";
        std::vector<uint8_t> head(data::InputStream::k_min_read_bytes);
        head.resize(stream.read(head));
        const std::string_view text(reinterpret_cast<const char*>(head.data()), head.size());
        if (text.starts_with("@")) return "FASTQ";
        if (text.starts_with("##fileformat=VCF") || text.starts_with("BCF\2")) return "VCF or BCF";
    } catch (const Error&) {
        return "";  // the job says what is wrong with it
    }
    return "";
}

std::string ending_of(const std::string& path) { return fs::path(path).extension().string(); }

/// Paths that have no ending to go by: standard output, devices, pipes.
bool is_stream(const std::string& path) {
    return data::is_written_in_place(path) || path.starts_with("/dev/");
}

bool names_variants(const std::string& path) {
    if (is_stream(path)) return true;
    constexpr std::array<std::string_view, 4> k_endings = {".vcf", ".vcf.gz", ".vcf.bgz", ".bcf"};
    return std::any_of(k_endings.begin(), k_endings.end(),
                       [&path](std::string_view ending) { return path.ends_with(ending); });
}

}  // namespace

void check_reference_argument(const std::string& path, const std::string& usage) {
    const std::string kind = foreign_kind(path);
    if (!kind.empty()) refuse(path + ": holds " + kind + ", but the reference FASTA comes first: " + usage);
}

void check_region_arguments(const std::vector<std::string>& regions) {
    for (const std::string& region : regions) {
        std::error_code fault;
        const bool bed = region.ends_with(".bed") || region.ends_with(".bed.gz");
        if (bed || (region.find_first_of("/.") != std::string::npos && fs::is_regular_file(region, fault))) {
            refuse("--regions " + region +
                   ": is a file, not a region such as chr20:1-5000000; give the intervals of a BED file with "
                   "--targets " +
                   region);
        }
    }
}

void check_ploidy_arguments(const PloidyOptions& ploidy) {
    if (!ploidy.par.empty() && ploidy.sex.empty())
        refuse("--par has an effect with --sex only: give both, or leave it out");
    if (ploidy.everywhere && !ploidy.sex.empty())
        refuse("--sex contradicts --ploidy N, which holds for all contigs: give one of them");
    if (!ploidy.par.empty()) check_readable(ploidy.par);
    if (!ploidy.file.empty()) check_readable(ploidy.file);
}

void check_alignment_output(const std::string& path, const std::string& format, bool text_by_default) {
    constexpr std::array<std::string_view, 3> k_formats = {"sam", "bam", "cram"};
    if (is_stream(path)) {
        const bool text = format == "sam" || (format.empty() && text_by_default);
        if (!text && data::is_terminal(path))
            refuse("compressed alignments are not written to a terminal: give -o FILE, or --format sam");
        return;
    }
    check_no_folder(path);
    const std::string ending = ending_of(path);
    const std::string named = ending.empty() ? "" : ending.substr(1);
    const bool known = std::find(k_formats.begin(), k_formats.end(), named) != k_formats.end();
    if (known && !format.empty() && format != named)
        refuse("-o " + path + " contradicts --format " + format + ": change one of them");
    if (!known && format.empty()) {
        refuse("-o " + path + ": " + (ending.empty() ? "no ending" : "the ending " + ending) +
               " does not say the format: end the name in .bam, .cram or .sam, or give --format");
    }
}

void check_variant_output(const std::string& path) {
    if (names_variants(path)) return;
    check_no_folder(path);
    refuse("-o " + path + ": the name does not say the format: end it in .vcf.gz, .vcf or .bcf");
}

void check_gvcf_output(const GvcfOptions& gvcf) {
    if (gvcf.path.empty() || names_variants(gvcf.path)) return;
    check_no_folder(gvcf.path);
    refuse("--gvcf " + gvcf.path +
           ": the name does not say the format: end it in .g.vcf.gz, .g.vcf or .g.bcf");
}

}  // namespace gannet::pipeline::cli
