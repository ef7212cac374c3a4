// SPDX-License-Identifier: MIT
// Provides the plausibility checks of reads and alignments.
#include "pipeline/jobs/plausibility.hpp"

#include "data/error.hpp"
#include "data/input_stream.hpp"
#include "pipeline/log.hpp"
#include "variants/parameters.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>

namespace gannet::pipeline {
namespace fs = std::filesystem;
namespace {

constexpr size_t k_max_first_reads = 2000;
constexpr size_t k_max_first_bytes = 4u << 20;
constexpr size_t k_min_first_reads = 10;  // fewer say little
constexpr uint64_t k_min_reads = 100;
constexpr uint64_t k_min_examined_reads = 1000;
constexpr uint64_t k_min_bases = 10'000;
constexpr uint64_t k_min_calls = 200;
// Genomes have 1 to 2.5, exomes up to 3.5, random errors 0.5.
constexpr uint64_t k_min_ts_tv_percent = 75;
constexpr uint64_t k_max_ts_tv_percent = 400;
constexpr uint64_t k_max_uneven_percent = 25;

std::string percent(uint64_t part, uint64_t total) {
    char text[16];
    std::snprintf(text, sizeof text, "%.1f %%",
                  total == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(total));
    return text;
}

std::string_view next_line(std::string_view& text) {
    const size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
}

FirstReads::Read read_of(std::string_view title, std::string_view bases) {
    FirstReads::Read read;
    read.bases = bases;
    const size_t blank = title.find_first_of(" \t");
    std::string_view name = title.substr(0, blank);
    const std::string_view comment =
        blank == std::string_view::npos
            ? ""
            : title.substr(std::min(title.find_first_not_of(" \t", blank), title.size()));
    const auto digit = [](char letter) { return letter == '1' || letter == '2' ? letter - '0' : 0; };
    if (name.size() > 2 && name[name.size() - 2] == '/' && digit(name.back()) != 0) {
        read.mate = digit(name.back());
        name.remove_suffix(2);
    } else if (comment.size() > 3 && comment[1] == ':' && comment[3] == ':') {  // Casava 1.8: "1:N:0:ACGT"
        read.mate = digit(comment[0]);
        read.failed = comment[2] == 'Y';
    }
    read.name = name;
    return read;
}

/// Up to 4 MB of a file's text; nothing where it is a pipe, alignments, or cannot be read.
std::optional<FirstReads> first_reads_of(const std::string& path) {
    std::error_code fault;
    if (path == "-" || !fs::is_regular_file(path, fault)) return std::nullopt;
    try {
        data::InputStream stream(path);
        if (stream.holds_alignments()) return std::nullopt;
        std::vector<uint8_t> text(k_max_first_bytes);
        size_t size = 0;
        while (text.size() - size >= data::InputStream::k_min_read_bytes) {
            const size_t got = stream.read(std::span(text).subspan(size));
            size += got;
            if (got == 0) break;
        }
        return first_reads({reinterpret_cast<const char*>(text.data()), size}, k_max_first_reads);
    } catch (const data::Error&) {
        return std::nullopt;
    }
}

bool are_mostly_duplicates(uint64_t duplicates, uint64_t reads) {
    return reads >= k_min_examined_reads && 100 * duplicates > k_amplicon_duplicates_percent * reads;
}

/// The mate number that all reads have; 0 where they have none, or not the same.
int common_mate(const FirstReads& reads) {
    int mate = reads.reads.empty() ? 0 : reads.reads.front().mate;
    for (const FirstReads::Read& read : reads.reads) mate = read.mate == mate ? mate : 0;
    return mate;
}

/// Why pairs are not proper. Mates of other pairs that lie near each other by chance have all orientations.
std::string reason_of(const SeenReads& seen) {
    const bool are_near = seen.pairs >= k_min_reads && 2 * seen.near_pairs >= seen.pairs;
    const auto are_most = [&seen](uint64_t pairs) { return 5 * pairs >= 4 * seen.near_pairs; };
    if (are_near && are_most(seen.rf))
        return "most pairs are RF (reverse-forward), as of a mate-pair library, and gannet pairs FR only";
    if (are_near && are_most(seen.tandem))
        return "both mates of most pairs have one direction, and gannet pairs FR (forward-reverse) only";
    return "do R1 and R2 belong together? (Those of Hi-C are of distant places.)";
}

}  // namespace

FirstReads first_reads(std::string_view text, size_t max_reads) {
    FirstReads first;
    while (first.reads.size() < max_reads) {
        const std::string_view title = next_line(text);
        const std::string_view bases = next_line(text);
        const std::string_view plus = next_line(text);
        if (text.empty() || !title.starts_with('@') || !plus.starts_with('+')) break;
        next_line(text);
        first.reads.push_back(read_of(title.substr(1), bases));
    }
    return first;
}

std::string finding_of_pair(const FirstReads& first, const FirstReads& second) {
    const size_t reads = std::min(first.reads.size(), second.reads.size());
    if (reads < k_min_first_reads) return "";
    bool same = true;
    for (size_t i = 0; i < reads && same; ++i) same = first.reads[i].bases == second.reads[i].bases;
    if (same) {
        return "the first " + std::to_string(reads) +
               " reads of both files have the same bases: was one file given as R1 and as R2?";
    }
    const int mate = common_mate(first);
    if (mate != 0 && mate == common_mate(second)) {
        const std::string number = std::to_string(mate);
        return "by the names of their reads both files are R" + number + ": give R1 and R2 of the same lane";
    }
    return "";
}

std::string finding_of_single(const FirstReads& reads) {
    const size_t pairs = reads.reads.size() / 2;
    if (2 * pairs < k_min_first_reads) return "";
    size_t equal = 0;
    for (size_t i = 0; i < pairs; ++i) equal += reads.reads[2 * i].name == reads.reads[2 * i + 1].name;
    if (2 * equal < pairs) return "";
    return "adjacent reads have equal names: if the mates of pairs alternate in this file, give "
           "--interleaved";
}

std::string note_of_failed(const FirstReads& reads) {
    const auto failed =
        std::count_if(reads.reads.begin(), reads.reads.end(), [](const auto& read) { return read.failed; });
    if (failed == 0) return "";
    return std::to_string(failed) + " of the first " + std::to_string(reads.reads.size()) +
           " reads failed the sequencer's filter (Y in \" 1:Y:0:...\" after their names) and are used like "
           "the others; converters leave them out unless told otherwise";
}

std::string finding_of_calls(const variants::VariantCounts& pass) {
    const uint64_t snvs = pass.transitions + pass.transversions;
    if (snvs >= k_min_calls) {
        const std::string found =
            "of the SNPs that pass " + percent(pass.transitions, snvs) + " are transitions, ";
        if (100 * pass.transitions < k_min_ts_tv_percent * pass.transversions)
            return found +
                   "hardly more than of random errors (33.3 %): are these reads of RNA, or with more errors "
                   "than their qualities say?";
        if (100 * pass.transitions > k_max_ts_tv_percent * pass.transversions)
            return found +
                   "of a genome about 67 %: were the molecules damaged (FFPE, ancient DNA) or treated with "
                   "bisulfite?";
    }
    if (pass.indels >= k_min_calls && pass.indels > pass.snps)
        return "more indels (" + std::to_string(pass.indels) + ") than SNPs (" + std::to_string(pass.snps) +
               ") pass: calling is for reads with few indel errors, as of Illumina";
    if (pass.balance_known >= k_min_calls && 100 * pass.uneven > k_max_uneven_percent * pass.balance_known)
        return "of the heterozygous SNPs that pass " + percent(pass.uneven, pass.balance_known) +
               " have their two alleles on far from equal numbers of reads (of a diploid sample about 5 %): "
               "a mixture, a tumour, three copies of the genome, or DNA of few cells? Genotypes are those of "
               "two copies, and alleles on few of the reads are missed or filtered (AlleleBias)";
    return "";
}

void Plausibility::check_calls(const variants::VariantCounts& pass) {
    const std::string finding = finding_of_calls(pass);
    if (!finding.empty()) log_warning(finding);
}

void Plausibility::report(const std::string& finding) {
    if (strict_) throw data::Error(data::ErrorKind::malformed_input, finding + " (--strict)");
    log_warning(finding);
    findings_.push_back(finding);
}

void Plausibility::check_files(const std::vector<data::fastq::Lane>& lanes) {
    for (const data::fastq::Lane& lane : lanes) {
        if (lane.interleaved) continue;
        const auto first = first_reads_of(lane.first);
        if (!first) continue;
        if (const std::string note = note_of_failed(*first); !note.empty())
            log_warning(lane.first + ": " + note);
        std::string finding;
        if (lane.second.empty()) {
            finding = finding_of_single(*first);
        } else if (const auto second = first_reads_of(lane.second)) {
            finding = finding_of_pair(*first, *second);
        }
        const std::string files = lane.second.empty() ? lane.first : lane.first + " and " + lane.second;
        if (!finding.empty()) report(files + ": " + finding);
    }
}

void Plausibility::check_alignment(const stages::AlignCounts& counts, const SeenReads& seen) {
    if (counts.reads < k_min_reads || 2 * counts.too_long > counts.reads) return;
    if (2 * counts.mapped < counts.reads) {
        report("only " + percent(counts.mapped, counts.reads) +
               " of the reads are mapped: is this the reference of their species, and are the reads free of "
               "contamination?");
    } else if (counts.paired >= k_min_reads && 2 * counts.proper_pairs < counts.paired) {
        report("only " + percent(counts.proper_pairs, counts.paired) +
               " of the paired reads are in proper pairs: " + reason_of(seen));
    }
}

void Plausibility::check_base_qualities(const SeenReads& seen) {
    if (seen.bases < k_min_bases || 2 * seen.unused_bases <= seen.bases) return;
    report(percent(seen.unused_bases, seen.bases) + " of the bases have qualities below " +
           std::to_string(variants::CallerParameters().minimum_base_quality) +
           ", which calling does not use: variants are missed");
}

void Plausibility::check_duplicates(const std::vector<align::duplicates::LibraryMetrics>& libraries,
                                    const DuplicateOptions& options) {
    uint64_t examined = 0;
    uint64_t duplicates = 0;
    for (const align::duplicates::LibraryMetrics& library : libraries) {
        examined += library.unpaired_reads_examined + 2 * library.read_pairs_examined;
        duplicates += library.unpaired_read_duplicates + 2 * library.read_pair_duplicates;
    }
    if (options.by_umi || !are_mostly_duplicates(duplicates, examined)) return;
    log_warning(percent(duplicates, examined) + " of the mapped reads are marked as duplicates; " +
                k_amplicon_advice);
}

void Plausibility::check_marked(const std::string& file, uint64_t mapped, uint64_t duplicates) {
    if (!are_mostly_duplicates(duplicates, mapped)) return;
    log_warning(file + ": " + percent(duplicates, mapped) +
                " of the mapped reads are marked as duplicates and are not used; if they are of amplicons "
                "or cut sites, which all start at the same places, take the marks away (samtools view "
                "--remove-flags DUP)");
}

void Plausibility::check_mapped(const std::string& file, uint64_t mapped, bool in_regions) {
    if (mapped > 0) return;
    log_warning(file + ": has no mapped reads" + (in_regions ? " in the regions" : "") +
                ", so there is nothing to call");
}

void Plausibility::check_depth(const DepthSpread& spread) {
    if (!spread.is_uneven()) return;
    const std::string covered = "the reads cover only " + percent(spread.covered, spread.windows) + " of ";
    if (spread.of_targets) {
        report(covered +
               "--targets: are these the targets of this library, and is this the reference of its "
               "species?");
        return;
    }
    report(covered +
           "the reference, in scattered places: a panel, an exome or amplicons (then give --targets), "
           "or reads of another species?");
}

void Plausibility::check_qualities(const std::string& file, uint64_t mapped, uint64_t without) {
    if (100 * without <= mapped) return;
    if (without == mapped)
        throw data::Error(data::ErrorKind::malformed_input,
                          file + ": none of the mapped reads has base qualities, which calling needs");
    report(file + ": " + percent(without, mapped) +
           " of the mapped reads have no base qualities: calling does not use them");
}

void Plausibility::check_spliced(const std::string& file, uint64_t spliced) {
    if (spliced == 0) return;
    report(file + ": " + std::to_string(spliced) +
           " reads are spliced (CIGAR operation N), as those of RNA are; calling is for DNA");
}

void Plausibility::check_sex(const SexDepth& depth, const PloidyOptions& options) {
    const std::string sex = depth.sex();
    if (!depth.is_known() || sex == options.sex || options.everywhere || !options.file.empty()) return;
    const std::string depths = "X has " + percent(depth.x.reads, depth.expected(depth.x)) + " and Y " +
                               percent(depth.y.reads, depth.expected(depth.y)) +
                               " of the depth of the autosomes";
    if (sex.empty()) {
        const std::string unclear = depths + ", as in neither a male nor a female";
        if (options.sex.empty())
            log_info(unclear);
        else
            report("--sex " + options.sex + ", but " + unclear);
    } else if (!options.sex.empty()) {
        report("--sex " + options.sex + ", but " + depths + ", as in a " + sex);
    } else if (sex == "male") {
        log_info(depths +
                 ", as in a male: --sex male calls them as haploid, as they are outside the "
                 "pseudoautosomal regions (called as diploid now)");
    }
}

}  // namespace gannet::pipeline
