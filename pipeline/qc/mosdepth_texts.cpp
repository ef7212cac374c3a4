// SPDX-License-Identifier: MIT
// Provides the texts of mosdepth.
#include "pipeline/qc/quality_control.hpp"
#include "pipeline/qc/text.hpp"

#include <algorithm>

namespace gannet::pipeline::qc {
namespace {

/// Deeper positions are all counted at one depth.
constexpr size_t k_max_counted = 400'000;
constexpr size_t k_depth_of_deeper = k_max_counted - 10;
/// Up to this depth there is a line for each, whether it was seen or not.
constexpr size_t k_all_lines = 300;
/// Smaller fractions of the positions are left out.
constexpr double k_min_fraction = 8e-5;

struct Summary {
    uint64_t length = 0;
    uint64_t bases = 0;
    uint64_t least = 0;
    uint64_t most = 0;
};

/// mosdepth knows nothing of contigs without any record.
bool has_records(const Counts& counts, size_t contig) {
    return counts.mapped[contig] + counts.placed_unmapped[contig] > 0;
}

/// Positions of a contig by depth, those without reads included.
Histogram complete(const DepthSum& depth, size_t contig) {
    const Histogram& covered = depth.fragments()[contig];
    const uint64_t length = depth.reference().contigs()[contig].length;
    Histogram positions = covered;
    const uint64_t known = covered.total();
    positions.add(0, length - std::min(length, known));
    return positions;
}

Summary summary_of(const DepthSum& depth, size_t contig) {
    const Histogram positions = complete(depth, contig);
    size_t least = 0;
    while (least + 1 < positions.size() && positions[least] == 0) ++least;
    return {depth.reference().contigs()[contig].length, depth.bases()[contig], least,
            depth.largest()[contig]};
}

void append_summary(std::string& text, const std::string& name, const Summary& of) {
    const double mean = of.length == 0 ? 0.0 : static_cast<double>(of.bases) / static_cast<double>(of.length);
    append_line(text, {name, of.length, of.bases, fixed(mean, 2), of.least, of.most});
}

void append_distribution(std::string& text, const std::string& name, const Histogram& positions) {
    const uint64_t total = positions.total();
    if (total == 0) return;
    double fraction = 0;
    for (size_t depth = positions.size(); depth-- > 0;) {
        if (depth > k_all_lines && positions[depth] == 0) continue;
        fraction += static_cast<double>(positions[depth]) / static_cast<double>(total);
        if (fraction >= k_min_fraction) append_line(text, {name, uint64_t{depth}, fixed(fraction, 2)});
    }
}

/// Of the targets of a contig.
Summary target_summary(const DepthSum& depth, size_t contig) {
    Summary sum;
    bool first = true;
    for (const TargetDepth::Target& target : depth.targets().targets()) {
        if (target.row.region.contig != contig) continue;
        const uint64_t least = target.covered < target.length() ? 0 : target.least;
        sum = {sum.length + target.length(), sum.bases + target.bases,
               first ? least : std::min(sum.least, least), std::max<uint64_t>(sum.most, target.most)};
        first = false;
    }
    return sum;
}

Histogram capped(const Histogram& exact) {
    Histogram positions;
    for (size_t value = 0; value < exact.size(); ++value) {
        if (exact[value] > 0) positions.add(value > k_max_counted ? k_depth_of_deeper : value, exact[value]);
    }
    return positions;
}

}  // namespace

std::string mosdepth_summary_text(const Counts& counts, const DepthSum& depth) {
    std::string text = "chrom\tlength\tbases\tmean\tmin\tmax\n";
    Summary total;  // mosdepth's lowest depths of all contigs begin at 0, and stay there
    Summary targets;
    const bool has_targets = !depth.targets().empty();
    for (size_t contig = 0; contig < depth.reference().contigs().size(); ++contig) {
        if (!has_records(counts, contig)) continue;
        const Summary one = summary_of(depth, contig);
        append_summary(text, depth.reference().contigs()[contig].name, one);
        if (has_targets) {
            Summary here = target_summary(depth, contig);
            if (total.length == 0) here.least = 0;  // mosdepth's lowest depth begins so
            append_summary(text, depth.reference().contigs()[contig].name + "_region", here);
            targets = {targets.length + here.length, targets.bases + here.bases, 0,
                       std::max(targets.most, here.most)};
        }
        total = {total.length + one.length, total.bases + one.bases, 0, std::max(total.most, one.most)};
    }
    append_summary(text, "total", total);
    if (has_targets) append_summary(text, "total_region", targets);
    return text;
}

std::string mosdepth_distribution_text(const Counts& counts, const DepthSum& depth) {
    std::string text;
    Histogram total;
    for (size_t contig = 0; contig < depth.reference().contigs().size(); ++contig) {
        if (!has_records(counts, contig)) continue;
        const Histogram positions = capped(complete(depth, contig));
        append_distribution(text, depth.reference().contigs()[contig].name, positions);
        total.merge(positions);
    }
    append_distribution(text, "total", total);
    return text;
}

std::string mosdepth_region_distribution_text(const Counts& counts, const DepthSum& depth) {
    const TargetDepth& targets = depth.targets();
    std::vector<uint64_t> lengths(targets.positions().size());
    for (const TargetDepth::Target& target : targets.targets())
        lengths[target.row.region.contig] += target.length();
    std::string text;
    Histogram total;
    for (size_t contig = 0; contig < lengths.size(); ++contig) {
        if (!has_records(counts, contig)) continue;
        Histogram positions = capped(targets.positions()[contig]);
        positions.add(0, lengths[contig] - positions.total());
        append_distribution(text, depth.reference().contigs()[contig].name, positions);
        total.merge(positions);
    }
    append_distribution(text, "total", total);
    return text;
}

std::string mosdepth_regions_text(const DepthSum& depth) {
    std::string text;
    for (const TargetDepth::Target& target : depth.targets().targets()) {
        const data::Region& region = target.row.region;
        text += depth.reference().contigs()[region.contig].name + "\t" + std::to_string(region.begin) + "\t" +
                std::to_string(region.end) + "\t";
        if (!target.row.name.empty()) text += target.row.name + "\t";
        text += fixed(target.mean, 2) + "\n";
    }
    return text;
}

}  // namespace gannet::pipeline::qc
