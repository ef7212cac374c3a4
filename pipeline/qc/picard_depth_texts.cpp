// SPDX-License-Identifier: MIT
// Provides the texts of Picard CollectWgsMetrics and CollectGcBiasMetrics.
#include "pipeline/qc/picard_values.hpp"
#include "pipeline/qc/quality_control.hpp"
#include "pipeline/qc/text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

namespace gannet::pipeline::qc {
namespace {

constexpr size_t k_coverage_cap = 250;
constexpr std::array<size_t, 14> k_coverages = {1, 5, 10, 15, 20, 25, 30, 40, 50, 60, 70, 80, 90, 100};

/// Bases of the reference that are not N.
uint64_t known_bases(const data::Reference& reference) {
    uint64_t known = 0;
    for (const data::Contig& contig : reference.contigs()) {
        known += contig.length;
        UnknownBases unknown(reference);
        known -= unknown.count(contig.offset, contig.offset + contig.length);
    }
    return known;
}

/// Reads of the percentages [begin, end) against those of equal shares for all windows.
double normalized(const GcBiasCounts& counts, const GcWindows::Counts& windows, size_t begin, size_t end,
                  double mean_reads) {
    double reads = 0;
    uint64_t all = 0;
    for (size_t gc = begin; gc < end; ++gc) {
        if (windows[gc] == 0) continue;
        reads += static_cast<double>(counts.reads[gc]);
        all += windows[gc];
    }
    return all == 0 ? 0 : reads / (static_cast<double>(all) * mean_reads);
}

double sum_of(const std::array<uint64_t, 101>& of) {
    double sum = 0;
    for (const uint64_t value : of) sum += static_cast<double>(value);
    return sum;
}

}  // namespace

std::string wgs_text(const Counts& counts, const GoodDepthSum& depth_sum, const data::Reference& reference,
                     const Origin& origin) {
    const GoodBaseCounts& of = counts.good_bases;
    const std::vector<uint64_t>& positions = depth_sum.positions();
    const uint64_t overlapping = depth_sum.overlapping();
    const uint64_t covered = std::accumulate(positions.begin(), positions.end(), uint64_t{0});
    const uint64_t territory = known_bases(reference);
    Histogram depths;
    depths.add(k_coverage_cap, 0);
    depths.add(0, territory - std::min(territory, covered));
    uint64_t capped = 0;
    uint64_t good = 0;
    for (size_t depth = 1; depth < positions.size(); ++depth) {
        const size_t counted = std::min(depth, k_coverage_cap);
        depths.add(counted, positions[depth]);
        capped += (depth - counted) * positions[depth];
        good += depth * positions[depth];
    }
    const Values values(depths);
    const uint64_t low_quality = of.aligned - good - overlapping;
    const double sum = values.sum();
    const double all =
        sum + static_cast<double>(of.of_duplicates + of.of_adapters + of.of_low_mapping_quality +
                                  of.without_mate + low_quality + overlapping + capped);
    const double mean = values.mean();
    std::string text =
        picard_head("CollectWgsMetrics", "WgsMetrics", origin) +
        "GENOME_TERRITORY\tMEAN_COVERAGE\tSD_COVERAGE\tMEDIAN_COVERAGE\tMAD_COVERAGE\tPCT_EXC_ADAPTER\t"
        "PCT_EXC_MAPQ\tPCT_EXC_DUPE\tPCT_EXC_UNPAIRED\tPCT_EXC_BASEQ\tPCT_EXC_OVERLAP\tPCT_EXC_CAPPED\t"
        "PCT_EXC_TOTAL";
    for (const size_t coverage : k_coverages) text += "\tPCT_" + std::to_string(coverage) + "X";
    text +=
        "\tFOLD_80_BASE_PENALTY\tFOLD_90_BASE_PENALTY\tFOLD_95_BASE_PENALTY\tHET_SNP_SENSITIVITY\tHET_SNP_"
        "Q\n";
    text += std::to_string(territory);
    const auto append = [&text](double value) { text += "\t" + trimmed(value); };
    append(mean);
    append(values.deviation());
    append(values.median());
    append(values.median_deviation());
    for (const uint64_t left_out : {of.of_adapters, of.of_low_mapping_quality, of.of_duplicates,
                                    of.without_mate, low_quality, overlapping, capped})
        append(divided(left_out, all));
    append(all == 0 ? 0 : (all - sum) / all);
    for (const size_t coverage : k_coverages) {
        uint64_t reached = 0;
        for (size_t depth = coverage; depth < depths.size(); ++depth) reached += depths[depth];
        append(static_cast<double>(reached) / static_cast<double>(territory));
    }
    for (const double fraction : {0.2, 0.1, 0.05})
        append(territory == 0 ? 0 : mean / values.percentile(fraction));
    text += "\t?\t?\n\n## HISTOGRAM\tjava.lang.Integer\ncoverage\thigh_quality_coverage_count\n";
    for (size_t depth = 0; depth <= k_coverage_cap; ++depth) append_line(text, {depth, depths[depth]});
    return text;
}

std::string gc_bias_detail_text(const Counts& counts, const GcWindows::Counts& windows,
                                const Origin& origin) {
    const GcBiasCounts& of = counts.gc_bias;
    if (of.aligned == 0) return picard_origin("CollectGcBiasMetrics", origin);
    std::string text = picard_head("CollectGcBiasMetrics", "GcBiasDetailMetrics", origin) +
                       "ACCUMULATION_LEVEL\tREADS_USED\tGC\tWINDOWS\tREAD_STARTS\tMEAN_BASE_QUALITY\t"
                       "NORMALIZED_COVERAGE\tERROR_BAR_WIDTH\tSAMPLE\tLIBRARY\tREAD_GROUP\n";
    const double mean_reads = sum_of(of.reads) / sum_of(windows);
    for (size_t gc = 0; gc < windows.size(); ++gc) {
        const auto reads = static_cast<double>(of.reads[gc]);
        const auto places = static_cast<double>(windows[gc]);
        const double quality = of.errors[gc] == 0
                                   ? 0
                                   : std::floor(-10 * std::log10(static_cast<double>(of.errors[gc]) /
                                                                 static_cast<double>(of.bases[gc])) +
                                                0.5);
        append_line(text,
                    {"All Reads", "ALL", gc, windows[gc], of.reads[gc], trimmed(quality),
                     trimmed(windows[gc] == 0 ? 0 : reads / places / mean_reads),
                     trimmed(windows[gc] == 0 ? 0 : std::sqrt(reads) / places / mean_reads), "", "", ""});
    }
    return text;
}

std::string gc_bias_summary_text(const Counts& counts, const GcWindows::Counts& windows,
                                 const Origin& origin) {
    const GcBiasCounts& of = counts.gc_bias;
    if (of.aligned == 0) return picard_origin("CollectGcBiasMetrics", origin);
    const std::string text =
        picard_head("CollectGcBiasMetrics", "GcBiasSummaryMetrics", origin) +
        "ACCUMULATION_LEVEL\tREADS_USED\tWINDOW_SIZE\tTOTAL_CLUSTERS\tALIGNED_READS\tAT_DROPOUT\t"
        "GC_DROPOUT\tGC_NC_0_19\tGC_NC_20_39\tGC_NC_40_59\tGC_NC_60_79\tGC_NC_80_100\tSAMPLE\t"
        "LIBRARY\tREAD_GROUP\n";
    const double mean_reads = sum_of(of.reads) / sum_of(windows);
    std::array<double, 2> dropout{};  // of AT, of GC
    for (size_t gc = 0; gc < windows.size(); ++gc) {
        const double share = static_cast<double>(of.reads[gc]) / sum_of(of.reads);
        const double missing = (static_cast<double>(windows[gc]) / sum_of(windows) - share) * 100;
        if (missing > 0) dropout[gc > 50 ? 1 : 0] += missing;
    }
    std::string row = "All Reads\tALL\t" + std::to_string(k_gc_window_bp) + "\t" +
                      std::to_string(of.clusters) + "\t" + std::to_string(of.aligned) + "\t" +
                      trimmed(dropout[0]) + "\t" + trimmed(dropout[1]);
    for (const size_t begin : {0, 20, 40, 60, 80}) {
        const size_t end = begin == 80 ? 101 : begin + 20;
        row += "\t" + trimmed(normalized(of, windows, begin, end, mean_reads));
    }
    return text + row + "\t\t\t\n";
}

}  // namespace gannet::pipeline::qc
