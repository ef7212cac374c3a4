// SPDX-License-Identifier: MIT
// Provides the text of Picard CollectHsMetrics.
#include "pipeline/qc/picard_values.hpp"
#include "pipeline/qc/quality_control.hpp"
#include "pipeline/qc/text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace gannet::pipeline::qc {
namespace {

using namespace data;

constexpr uint32_t k_target_cap = 200;
constexpr std::array<uint32_t, 17> k_target_depths = {1,   2,    10,   20,   30,    40,    50,    100,   250,
                                                      500, 1000, 2500, 5000, 10000, 25000, 50000, 100000};
constexpr std::array<int, 6> k_goals = {10, 20, 30, 40, 50, 100};

/// Of all merged targets.
struct Coverage {
    Histogram depths;  ///< positions, up to k_target_cap
    std::array<uint64_t, k_target_depths.size()> at_least{};
    uint64_t total = 0;
    uint32_t least = UINT32_MAX;
    uint32_t most = 0;
    uint64_t targets_without = 0;
    double at_dropout = 0;
    double gc_dropout = 0;
};

int gc_percent(const Reference& reference, const TargetCoverage::Target& target) {
    const uint32_t contig = reference.contig_of(target.begin);
    const uint64_t offset = reference.contigs()[contig].offset;
    const std::string letters = reference.letters(contig, target.begin - offset, target.end - offset);
    const auto gc =
        std::count_if(letters.begin(), letters.end(), [](char c) { return c == 'C' || c == 'G'; });
    return static_cast<int>(
        std::floor(static_cast<double>(gc) / static_cast<double>(letters.size()) * 100 + 0.5));
}

Coverage coverage_of(const TargetCoverage& coverage, const Reference& reference) {
    Coverage found;
    found.depths.add(k_target_cap, 0);
    std::array<uint64_t, 101> positions{};
    std::array<uint64_t, 101> bases{};
    for (const TargetCoverage::Target& target : coverage.targets()) {
        uint64_t total = 0;
        for (uint64_t at = target.at; at < target.at + (target.end - target.begin); ++at) {
            const uint32_t depth = coverage.depth(at);
            total += depth;
            found.depths.add(std::min(depth, k_target_cap));
            found.least = std::min(found.least, depth);
            found.most = std::max(found.most, depth);
            for (size_t i = 0; i < k_target_depths.size() && depth >= k_target_depths[i]; ++i)
                ++found.at_least[i];
        }
        found.targets_without += total == 0;
        found.total += total;
        const auto gc = static_cast<size_t>(gc_percent(reference, target));
        positions[gc] += target.end - target.begin;
        bases[gc] += total;
    }
    for (size_t gc = 0; gc < positions.size(); ++gc) {
        const double share = static_cast<double>(positions[gc]) / static_cast<double>(coverage.positions());
        const double missing =
            (share - static_cast<double>(bases[gc]) / static_cast<double>(found.total)) * 100;
        if (missing > 0 && gc <= 50) found.at_dropout += missing;
        if (missing > 0 && gc >= 50) found.gc_dropout += missing;
    }
    return found;
}

/// Lander and Waterman: unique / size = 1 - exp(-pairs / size), solved as Picard does.
std::optional<int64_t> library_size(uint64_t all_pairs, uint64_t unique_pairs) {
    if (all_pairs == 0 || all_pairs == unique_pairs) return std::nullopt;
    const auto pairs = static_cast<double>(all_pairs);
    const auto unique = static_cast<double>(unique_pairs);
    const auto excess = [&](double size) { return unique / size - 1 + std::exp(-pairs / size); };
    double low = 1;
    double high = 100;
    while (excess(high * unique) > 0) high *= 10;
    for (int i = 0; i < 40; ++i) {
        const double middle = (low + high) / 2;
        const double value = excess(middle * unique);
        if (value == 0) break;
        (value > 0 ? low : high) = middle;
    }
    return static_cast<int64_t>(unique * (low + high) / 2);
}

/// How many aligned bases per base of the targets raise four fifths of these to a depth.
double penalty(std::optional<int64_t> size, const TargetCounts& of, uint64_t territory, double fold80,
               int goal) {
    if (!size) return 0;
    const auto library = static_cast<double>(*size);
    const auto pairs = static_cast<double>(of.pairs);
    const auto unique = static_cast<double>(of.unique_pairs);
    const double mean = static_cast<double>(of.on_target_from_pairs) / static_cast<double>(territory);
    const double on_target = static_cast<double>(of.on_target) / static_cast<double>(of.unique);
    const double wanted = goal / mean * fold80;
    double multiple = wanted;
    double step = 1;
    bool up = wanted >= 1;
    for (int i = 0; i < 10'000; ++i) {
        const double reached = library * (1 - std::exp(-(multiple * pairs) / library)) / unique;
        if (std::abs(reached - wanted) / wanted <= 0.001) {
            const double unique_share = unique * wanted / (pairs * multiple);
            return 1 / unique_share * fold80 * (1 / on_target);
        }
        if ((reached > wanted && up) || (reached < wanted && !up)) {
            step /= 2;
            up = !up;
        }
        multiple += up ? step : -step;
    }
    return -1;
}

/// Primary records with all of `with` and none of `without` among their flags.
uint64_t reads_without(const Counts& counts, uint16_t without) {
    uint64_t sum = 0;
    for (size_t flag = 0; flag < counts.flags.size(); ++flag)
        if ((flag & (k_is_extra | without)) == 0) sum += counts.flags[flag];
    return sum;
}

}  // namespace

std::string hs_text(const Counts& counts, const TargetCoverage& coverage, const DepthSum& depth,
                    const std::string& baits, const Origin& origin) {
    const TargetCounts& of = counts.targets;
    const Coverage on_target = coverage_of(coverage, depth.reference());
    const uint64_t territory = coverage.positions();
    uint64_t genome = 0;
    for (const Contig& contig : depth.reference().contigs()) genome += contig.length;
    uint64_t passing_bases = 0;
    for (const AlignmentSummary& summary : counts.summary) passing_bases += summary.lengths.sum();
    const uint64_t all = reads_without(counts, 0);
    const uint64_t passing = reads_without(counts, k_flag_qc_fail);
    const uint64_t unique = reads_without(counts, k_flag_qc_fail | k_flag_duplicate);
    const uint64_t unique_aligned =
        reads_without(counts, k_flag_qc_fail | k_flag_duplicate | k_flag_unmapped);
    const uint64_t selected = of.on_bait + of.near_bait;
    const uint64_t all_baits = selected + of.off_bait;
    const double mean = static_cast<double>(on_target.total) / static_cast<double>(territory);
    const Values depths(on_target.depths);
    const double fold80 = mean / depths.percentile(0.2);
    const auto size = library_size(of.pairs, of.unique_pairs);

    std::string names;
    std::string row;
    const auto field = [&](const std::string& name, const std::string& value) {
        names += (names.empty() ? "" : "\t") + name;
        row += (row.empty() ? "" : "\t") + value;
    };
    const auto count = [&](const char* name, uint64_t value) { field(name, std::to_string(value)); };
    const auto number = [&](const std::string& name, double value) { field(name, trimmed(value)); };
    const auto part = [&](const char* name, uint64_t value, uint64_t whole) {
        number(name, static_cast<double>(value) / static_cast<double>(whole));
    };
    field("BAIT_SET", baits);
    count("BAIT_TERRITORY", territory);
    number("BAIT_DESIGN_EFFICIENCY", 1);
    count("ON_BAIT_BASES", of.on_bait);
    count("NEAR_BAIT_BASES", of.near_bait);
    count("OFF_BAIT_BASES", of.off_bait);
    part("PCT_SELECTED_BASES", selected, all_baits);
    part("PCT_OFF_BAIT", of.off_bait, all_baits);
    part("ON_BAIT_VS_SELECTED", of.on_bait, selected);
    part("MEAN_BAIT_COVERAGE", of.on_bait, territory);
    part("PCT_USABLE_BASES_ON_BAIT", of.on_bait, passing_bases);
    part("PCT_USABLE_BASES_ON_TARGET", of.on_target, passing_bases);
    number("FOLD_ENRICHMENT", static_cast<double>(of.on_bait) / static_cast<double>(all_baits) /
                                  (static_cast<double>(territory) / static_cast<double>(genome)));
    field("HS_LIBRARY_SIZE", size ? std::to_string(*size) : "");
    for (const int goal : k_goals)
        number("HS_PENALTY_" + std::to_string(goal) + "X", penalty(size, of, territory, fold80, goal));
    count("TARGET_TERRITORY", territory);
    count("GENOME_SIZE", genome);
    count("TOTAL_READS", all);
    count("PF_READS", passing);
    count("PF_BASES", passing_bases);
    count("PF_UNIQUE_READS", unique);
    count("PF_UQ_READS_ALIGNED", unique_aligned);
    count("PF_BASES_ALIGNED", of.aligned);
    count("PF_UQ_BASES_ALIGNED", of.unique);
    count("ON_TARGET_BASES", of.on_target);
    part("PCT_PF_READS", passing, all);
    part("PCT_PF_UQ_READS", unique, all);
    part("PCT_PF_UQ_READS_ALIGNED", unique_aligned, unique);
    number("MEAN_TARGET_COVERAGE", mean);
    number("MEDIAN_TARGET_COVERAGE", depths.median());
    count("MAX_TARGET_COVERAGE", on_target.most);
    count("MIN_TARGET_COVERAGE", on_target.least);
    const auto& rows = depth.targets().targets();
    const auto targets =
        std::count_if(rows.begin(), rows.end(), [](const auto& target) { return target.length() > 0; });
    part("ZERO_CVG_TARGETS_PCT", on_target.targets_without, static_cast<uint64_t>(targets));
    part("PCT_EXC_DUPE", of.aligned - of.unique, of.aligned);
    part("PCT_EXC_ADAPTER", of.of_adapters, of.aligned);
    part("PCT_EXC_MAPQ", of.of_low_mapping_quality, of.aligned);
    part("PCT_EXC_BASEQ", of.of_low_quality, of.aligned);
    part("PCT_EXC_OVERLAP", of.overlapping, of.aligned);
    part("PCT_EXC_OFF_TARGET", of.off_target, of.aligned);
    number("FOLD_80_BASE_PENALTY", fold80);
    for (size_t i = 0; i < k_target_depths.size(); ++i)
        part(("PCT_TARGET_BASES_" + std::to_string(k_target_depths[i]) + "X").c_str(), on_target.at_least[i],
             territory);
    number("AT_DROPOUT", on_target.at_dropout);
    number("GC_DROPOUT", on_target.gc_dropout);
    for (const char* name : {"HET_SNP_SENSITIVITY", "HET_SNP_Q"}) field(name, "?");
    for (const char* name : {"SAMPLE", "LIBRARY", "READ_GROUP"}) field(name, "");
    std::string text =
        picard_head("CollectHsMetrics", "directed.HsMetrics", origin) + names + "\n" + row +
        "\n\n## HISTOGRAM\tjava.lang.Integer\ncoverage_or_base_quality\thigh_quality_coverage_count\n";
    for (size_t value = 0; value <= k_target_cap; ++value)
        append_line(text, {value, on_target.depths[value]});
    return text;
}

}  // namespace gannet::pipeline::qc
