// SPDX-License-Identifier: MIT
// Provides the texts of Picard CollectInsertSizeMetrics and CollectAlignmentSummaryMetrics.
#include "pipeline/qc/picard_values.hpp"
#include "pipeline/qc/quality_control.hpp"
#include "pipeline/qc/text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace gannet::pipeline::qc {
namespace {

constexpr double k_min_share = 0.05F;  // of the pairs: rarer orientations are left out
constexpr double k_deviations = 10;    // from the median: what lies beyond is left out of mean and list
constexpr std::array<int, 11> k_widths = {10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 99};

/// How wide around the median an interval is that holds each of k_widths percent; 0 where none does. It grows
/// by one base on both sides; only those steps are made at which a size comes in, since the largest may be as
/// long as a contig.
std::array<uint64_t, k_widths.size()> widths(const Values& sizes) {
    std::array<uint64_t, k_widths.size()> found{};
    const auto total = static_cast<double>(sizes.count());
    const Values::Seen& seen = sizes.seen();
    const auto middle = static_cast<uint32_t>(sizes.median());
    auto above = std::lower_bound(seen.begin(), seen.end(), std::pair(middle, uint64_t{0}));
    auto below = std::make_reverse_iterator(above);
    double covered = 0;
    while (above != seen.end() || below != seen.rend()) {
        const uint32_t up = above == seen.end() ? UINT32_MAX : above->first - middle;
        const uint32_t down = below == seen.rend() ? UINT32_MAX : middle - below->first;
        const uint32_t step = std::min(up, down);
        if (up == step) covered += static_cast<double>((above++)->second);
        if (down == step) covered += static_cast<double>((below++)->second);
        for (size_t i = 0; i < k_widths.size(); ++i) {
            if (found[i] == 0 && covered / total >= k_widths[i] / 100.0) found[i] = 2 * uint64_t{step} + 1;
        }
    }
    return found;
}

std::string insert_row(const char* orientation, Values& sizes) {
    const double median = sizes.median();
    const double deviation = sizes.median_deviation();
    const auto width_of = widths(sizes);
    const std::string counts = std::to_string(sizes.count());
    std::string row = trimmed(median) + "\t" + std::to_string(sizes.mode()) + "\t" + trimmed(deviation) +
                      "\t" + std::to_string(sizes.least()) + "\t" + std::to_string(sizes.most());
    sizes.trim(std::floor(median + k_deviations * deviation));
    row += "\t" + trimmed(sizes.empty() ? 0 : sizes.mean()) + "\t" +
           trimmed(sizes.empty() ? 0 : sizes.deviation()) + "\t" + counts + "\t" + orientation;
    for (const uint64_t width : width_of) row += "\t" + std::to_string(width);
    return row + "\t\t\t\n";
}

uint64_t bad_cycles(const AlignmentSummary& of) {
    uint64_t cycles = 0;
    for (size_t cycle = 0; cycle < of.bad_cycles.size(); ++cycle) {
        const uint64_t reads = of.bad_cycles[cycle];
        cycles += reads > 0 && static_cast<double>(reads) / static_cast<double>(of.reads) >= 0.8;
    }
    return cycles;
}

std::string summary_row(const char* category, const AlignmentSummary& of, uint64_t bad) {
    const Values lengths(of.lengths);
    const Values aligned(of.aligned_lengths);
    const Values mismatches(of.hq_mismatches);
    const auto mean_of = [&](const Values& values) { return of.reads == 0 ? 0 : values.mean(); };
    uint64_t hq_mismatches = of.hq_mismatches.sum();
    std::string row;
    append_line(row, {category,
                      of.reads,
                      of.passing,
                      trimmed(divided(of.passing, of.reads)),
                      0,
                      of.aligned,
                      trimmed(divided(of.aligned, of.passing)),
                      of.aligned_bases,
                      of.hq_reads,
                      of.hq_bases,
                      of.hq_q20_bases,
                      trimmed(mismatches.median()),
                      trimmed(divided(of.mismatches, of.aligned_bases)),
                      trimmed(divided(hq_mismatches, of.hq_bases)),
                      trimmed(divided(of.indels, of.aligned_bases)),
                      trimmed(mean_of(lengths)),
                      trimmed(lengths.deviation()),
                      trimmed(lengths.median()),
                      trimmed(lengths.median_deviation()),
                      lengths.least(),
                      lengths.most(),
                      trimmed(mean_of(aligned)),
                      of.in_pairs,
                      trimmed(divided(of.in_pairs, of.aligned)),
                      of.improper,
                      trimmed(divided(of.improper, of.aligned)),
                      bad,
                      trimmed(divided(of.forward, of.aligned)),
                      trimmed(divided(of.chimeras, of.judged_pairs)),
                      trimmed(divided(of.adapters, of.passing)),
                      trimmed(divided(of.soft_clipped, lengths.sum())),
                      trimmed(divided(of.hard_clipped, lengths.sum())),
                      trimmed(divided(of.clipped_at_3_prime, of.reads_clipped_at_3_prime)),
                      "",
                      "",
                      ""});
    return row;
}

}  // namespace

std::string insert_size_text(const Counts& counts, const Origin& origin) {
    uint64_t pairs = 0;
    std::array<Values, k_orientations> sizes;
    for (size_t i = 0; i < k_orientations; ++i) {
        sizes[i] = Values(counts.inserts[i], counts.long_inserts[i]);
        pairs += sizes[i].count();
    }
    if (pairs == 0) return picard_origin("CollectInsertSizeMetrics", origin);
    std::string text =
        picard_head("CollectInsertSizeMetrics", "InsertSizeMetrics", origin) +
        "MEDIAN_INSERT_SIZE\tMODE_INSERT_SIZE\tMEDIAN_ABSOLUTE_DEVIATION\tMIN_INSERT_SIZE\tMAX_INSERT_SIZE\t"
        "MEAN_INSERT_SIZE\tSTANDARD_DEVIATION\tREAD_PAIRS\tPAIR_ORIENTATION";
    for (const int width : k_widths) text += "\tWIDTH_OF_" + std::to_string(width) + "_PERCENT";
    text += "\tSAMPLE\tLIBRARY\tREAD_GROUP\n";
    constexpr std::array<std::pair<const char*, const char*>, k_orientations> k_names{
        {{"FR", "All_Reads.fr_count"}, {"RF", "All_Reads.rf_count"}, {"TANDEM", "All_Reads.tandem_count"}}};
    std::vector<std::pair<std::string, Values>> listed;
    for (size_t i = 0; i < k_orientations; ++i) {
        if (static_cast<double>(sizes[i].count()) < static_cast<double>(pairs) * k_min_share) continue;
        text += insert_row(k_names[i].first, sizes[i]);
        listed.emplace_back(k_names[i].second, sizes[i]);
    }
    append_histograms(text, "insert_size", listed);
    return text;
}

std::string alignment_summary_text(const Counts& counts, const Origin& origin) {
    std::string text =
        picard_head("CollectAlignmentSummaryMetrics", "AlignmentSummaryMetrics", origin) +
        "CATEGORY\tTOTAL_READS\tPF_READS\tPCT_PF_READS\tPF_NOISE_READS\tPF_READS_ALIGNED\t"
        "PCT_PF_READS_ALIGNED\tPF_ALIGNED_BASES\tPF_HQ_ALIGNED_READS\tPF_HQ_ALIGNED_BASES\t"
        "PF_HQ_ALIGNED_Q20_BASES\tPF_HQ_MEDIAN_MISMATCHES\tPF_MISMATCH_RATE\tPF_HQ_ERROR_RATE\t"
        "PF_INDEL_RATE\tMEAN_READ_LENGTH\tSD_READ_LENGTH\tMEDIAN_READ_LENGTH\tMAD_READ_LENGTH\t"
        "MIN_READ_LENGTH\tMAX_READ_LENGTH\tMEAN_ALIGNED_READ_LENGTH\tREADS_ALIGNED_IN_PAIRS\t"
        "PCT_READS_ALIGNED_IN_PAIRS\tPF_READS_IMPROPER_PAIRS\tPCT_PF_READS_IMPROPER_PAIRS\tBAD_CYCLES\t"
        "STRAND_BALANCE\tPCT_CHIMERAS\tPCT_ADAPTER\tPCT_SOFTCLIP\tPCT_HARDCLIP\t"
        "AVG_POS_3PRIME_SOFTCLIP_LENGTH\tSAMPLE\tLIBRARY\tREAD_GROUP\n";
    const AlignmentSummary& first = counts.summary[k_first_of_pair];
    const AlignmentSummary& second = counts.summary[k_second_of_pair];
    const AlignmentSummary& unpaired = counts.summary[k_unpaired];
    AlignmentSummary pair = first;
    pair.merge(second);
    if (first.reads > 0) {
        text += summary_row("FIRST_OF_PAIR", first, bad_cycles(first));
        text += summary_row("SECOND_OF_PAIR", second, bad_cycles(second));
        text += summary_row("PAIR", pair, bad_cycles(first) + bad_cycles(second));
    }
    if (unpaired.reads > 0 || first.reads == 0)
        text += summary_row("UNPAIRED", unpaired, bad_cycles(unpaired));
    append_histograms(text, "READ_LENGTH",
                      {{"PAIRED_TOTAL_LENGTH_COUNT", Values(pair.lengths)},
                       {"PAIRED_ALIGNED_LENGTH_COUNT", Values(pair.aligned_lengths)},
                       {"UNPAIRED_TOTAL_LENGTH_COUNT", Values(unpaired.lengths)},
                       {"UNPAIRED_ALIGNED_LENGTH_COUNT", Values(unpaired.aligned_lengths)}});
    return text;
}

}  // namespace gannet::pipeline::qc
