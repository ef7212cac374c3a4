// SPDX-License-Identifier: MIT
// Provides depth by GC content.
#include "pipeline/qc/gc_depth.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace gannet::pipeline::qc {
namespace {

constexpr int64_t k_gc_bin_bp = 20'000;

/// Between the depths of two bins, in single precision, as all of this section. `depth(i)`: of `count` bins,
/// in rising order.
template <class Depth>
float depth_percentile(const Depth& depth, size_t count, int percent) {
    const float place = static_cast<float>(percent) * static_cast<float>(count + 1) / 100.0F;
    const auto below = static_cast<size_t>(place);
    if (below == 0) return static_cast<float>(depth(0));
    if (below >= count) return static_cast<float>(depth(count - 1));
    const float rest = place - static_cast<float>(below);
    return static_cast<float>(depth(below - 1)) + rest * static_cast<float>(depth(below) - depth(below - 1));
}

}  // namespace

void GcDepth::append(std::span<const GcDepthRead> reads) {
    for (const GcDepthRead& read : reads) {
        if (begin_ < 0 || read.contig != contig_ || read.position - begin_ > k_gc_bin_bp) {
            contig_ = read.contig;
            begin_ = read.position;
            bins_.emplace_back();
        }
        Bin& bin = bins_.back();
        ++bin.depth;
        bin.gc += read.gc;
    }
}

/// samtools leaves the sum of its last bin as it is, sorts that with the percents of the others, and then
/// passes over the bin that comes last.
std::string GcDepth::lines(uint64_t average_length) const {
    std::vector<Bin> bins = bins_;
    for (size_t i = 0; i + 1 < bins.size(); ++i) {
        if (bins[i].depth == 0) continue;
        const double percent = 100.0 * static_cast<double>(bins[i].gc) / bins[i].depth;
        bins[i].gc = static_cast<float>(std::rint(percent));
    }
    std::sort(bins.begin(), bins.end(),
              [](const Bin& a, const Bin& b) { return a.gc != b.gc ? a.gc < b.gc : a.depth < b.depth; });
    constexpr double k_same = 0.1;
    constexpr std::array<int, 5> k_percentiles = {10, 25, 50, 75, 90};
    std::string text;
    for (size_t first = 0; first + 1 < bins.size();) {
        size_t last = first;
        while (last + 1 < bins.size() && std::fabs(double{bins[last].gc} - double{bins[first].gc}) < k_same)
            ++last;
        char line[64];
        std::snprintf(line, sizeof line, "GCD\t%.1f\t%.3f", static_cast<double>(bins[first].gc),
                      static_cast<double>(last + 1) * 100.0 / static_cast<double>(bins.size()));
        text += line;
        for (const int percent : k_percentiles) {
            const float reads =
                depth_percentile([&](size_t i) { return bins[first + i].depth; }, last - first, percent);
            const float depth = reads * static_cast<float>(average_length) / static_cast<float>(k_gc_bin_bp);
            std::snprintf(line, sizeof line, "\t%.3f", static_cast<double>(depth));
            text += line;
        }
        text += "\n";
        first = last;
    }
    return text;
}

}  // namespace gannet::pipeline::qc
