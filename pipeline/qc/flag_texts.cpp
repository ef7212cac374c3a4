// SPDX-License-Identifier: MIT
// Provides the texts of samtools flagstat and idxstats.
#include "pipeline/qc/quality_control.hpp"
#include "pipeline/qc/text.hpp"

#include <array>

namespace gannet::pipeline::qc {
namespace {

using namespace data;

/// A row of flagstat: passed and failed.
using Row = std::array<uint64_t, 2>;

/// Records whose flags of `mask` are `value`.
Row records_with(const Histogram& flags, uint16_t mask, uint16_t value) {
    Row row{};
    for (size_t flag = 0; flag < flags.size(); ++flag) {
        if ((flag & mask) == value) row[(flag & k_flag_qc_fail) != 0 ? 1 : 0] += flags[flag];
    }
    return row;
}

std::string percent(uint64_t part, uint64_t whole) {
    if (whole == 0) return "N/A";
    // samtools' rounding: a quotient of floats, a product of doubles.
    return fixed(static_cast<double>(static_cast<float>(part) / static_cast<float>(whole)) * 100.0, 2) + "%";
}

void append_row(std::string& text, const Row& row, const std::string& what) {
    text += std::to_string(row[0]) + " + " + std::to_string(row[1]) + " " + what + "\n";
}

void append_shares(std::string& text, const Row& row, const Row& whole, const std::string& what) {
    append_row(text, row, what + " (" + percent(row[0], whole[0]) + " : " + percent(row[1], whole[1]) + ")");
}

}  // namespace

std::string flagstat_text(const Counts& counts) {
    const auto with = [&counts](unsigned mask, unsigned value) {
        return records_with(counts.flags, static_cast<uint16_t>(mask), static_cast<uint16_t>(value));
    };
    constexpr unsigned k_pair = k_is_extra | k_flag_paired;
    constexpr unsigned k_both = k_pair | k_flag_unmapped | k_flag_mate_unmapped;
    const Row all = with(0, 0);
    const Row primary = with(k_is_extra, 0);
    const Row paired = with(k_pair, k_flag_paired);
    std::string text;
    append_row(text, all, "in total (QC-passed reads + QC-failed reads)");
    append_row(text, primary, "primary");
    append_row(text, with(k_flag_secondary, k_flag_secondary), "secondary");
    append_row(text, with(k_is_extra, k_flag_supplementary), "supplementary");
    append_row(text, with(k_flag_duplicate, k_flag_duplicate), "duplicates");
    append_row(text, with(k_flag_duplicate | k_is_extra, k_flag_duplicate), "primary duplicates");
    append_shares(text, with(k_flag_unmapped, 0), all, "mapped");
    append_shares(text, with(k_flag_unmapped | k_is_extra, 0), primary, "primary mapped");
    append_row(text, paired, "paired in sequencing");
    append_row(text, with(k_pair | k_flag_read1, k_flag_paired | k_flag_read1), "read1");
    append_row(text, with(k_pair | k_flag_read2, k_flag_paired | k_flag_read2), "read2");
    append_shares(text,
                  with(k_pair | k_flag_proper_pair | k_flag_unmapped, k_flag_paired | k_flag_proper_pair),
                  paired, "properly paired");
    append_row(text, with(k_both, k_flag_paired), "with itself and mate mapped");
    append_shares(text, with(k_both, k_flag_paired | k_flag_mate_unmapped), paired, "singletons");
    append_row(text, counts.other_contig, "with mate mapped to a different chr");
    append_row(text, counts.other_contig_mapq5, "with mate mapped to a different chr (mapQ>=5)");
    return text;
}

std::string idxstats_text(const Counts& counts, const Reference& reference) {
    std::string text;
    uint64_t placed = 0;
    for (size_t contig = 0; contig < reference.contigs().size(); ++contig) {
        const Contig& of = reference.contigs()[contig];
        placed += counts.mapped[contig] + counts.placed_unmapped[contig];
        append_line(text, {of.name, of.length, counts.mapped[contig], counts.placed_unmapped[contig]});
    }
    append_line(text, {"*", 0, 0, counts.flags.total() - placed});
    return text;
}

}  // namespace gannet::pipeline::qc
