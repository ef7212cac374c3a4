// SPDX-License-Identifier: MIT
// Provides the depth expected of a sample, from counts of bins.
#include "variants/sample/expected_depth.hpp"

#include "variants/arithmetic/integer_root.hpp"
#include "variants/model/sample.hpp"

#include <algorithm>
#include <numeric>
#include <span>

namespace gannet::variants {

namespace {

constexpr uint64_t k_min_bins = sample_number("depth_min_bins");  // of a class
constexpr size_t k_min_depth_steps = sample_number("depth_min") * DepthHistogram::k_steps;
// Of the bins; and of the median depth, at these.
constexpr auto k_quartiles = sample_numbers<uint64_t, 2>("depth_quartiles");
constexpr auto k_uneven_percent = sample_numbers<uint64_t, 2>("depth_uneven_percent");

// Of which, and of the depth of most bases, a decision for captured reads is made.
constexpr uint64_t k_min_captured_bins = sample_number("captured_min_bins");
constexpr size_t k_min_captured_steps = sample_number("captured_min_depth") * DepthHistogram::k_steps;

constexpr int32_t k_dispersion_size = sample_number("depth_dispersion_size");
constexpr size_t k_min_two_copies_bins = sample_number("two_copies_min_bins");
constexpr int64_t k_one = 1 << 10;  // of a relative depth
// Of a normal distribution: its variance is so much of the square of the range of its quartiles.
constexpr auto k_variance_of_range = sample_numbers<int64_t, 2>("depth_variance_of_range");

/// The smallest depth, in steps, that has `percent` of the bins at or below it.
size_t quantile(std::span<const uint64_t> bins, uint64_t total, uint64_t percent) {
    uint64_t seen = 0;
    for (size_t depth = 0; depth < bins.size(); ++depth) {
        seen += bins[depth];
        if (seen * 100 >= total * percent) return depth;
    }
    return bins.size();
}

/// Whether depth differs far more than by chance: by the quartiles of the bins.
bool is_uneven(std::span<const uint64_t> bins, uint64_t total, size_t median) {
    return quantile(bins, total, k_quartiles[0]) * 100 < median * k_uneven_percent[0] ||
           quantile(bins, total, k_quartiles[1]) * 100 > median * k_uneven_percent[1];
}

/// Whether reads were captured at targets, of bins with this median depth. Half of the bases in bins of more
/// than twice the median are as uneven as its quartiles: most bins may have a few reads beside the targets'.
/// Nor is more known of samples that are too deep for the table.
bool is_captured(std::span<const uint64_t> bins, uint64_t total, size_t median) {
    std::vector<uint64_t> bases(bins.begin(), bins.end());
    for (size_t depth = 0; depth < bases.size(); ++depth) bases[depth] *= depth;
    const size_t usual = quantile(bases, std::accumulate(bases.begin(), bases.end(), uint64_t{0}), 50);
    if (total < k_min_captured_bins || usual < k_min_captured_steps) return false;
    return usual + 1 >= bins.size() || usual > 2 * median || is_uneven(bins, total, median);
}

/// The variance by chance of the mean depth over a bin, where that is `mean`: that of the bases which each
/// read has in it.
int64_t by_chance_of(int64_t mean, int32_t read_bp) {
    const int64_t shorter = std::min<int64_t>(read_bp, k_depth_bin_bases);
    const int64_t longer = std::max<int64_t>(read_bp, k_depth_bin_bases);
    return mean * read_bp * (3 * longer - shorter) / (3 * longer * longer);
}

/// The class of the bases.
size_t gc_of(std::span<const data::Base> bases) {
    int64_t known = 0;
    int64_t strong = 0;
    for (const data::Base base : bases) {
        known += base < 4 ? 1 : 0;
        strong += base == 1 || base == 2 ? 1 : 0;
    }
    return gc_class(strong, known);
}

}  // namespace

bool ExpectedDepth::is_known() const {
    return std::any_of(by_gc.begin(), by_gc.end(), [](int64_t depth) { return depth > 0; });
}

void ExpectedDepth::of_bins(const ReferenceSlice& slice, int64_t begin, int64_t end,
                            std::vector<int64_t>& depths) const {
    depths.clear();
    if (!is_known()) return;
    for (int64_t bin = begin; bin < end; bin += k_depth_bin_bases) {
        const int64_t first = std::max(slice.begin(), bin - k_gc_reach_bp);
        const int64_t last = std::min(slice.end(), bin + k_depth_bin_bases + k_gc_reach_bp);
        const size_t gc = first < last ? gc_of(slice.span(first, last)) : k_gc_classes;
        depths.push_back(gc < k_gc_classes ? by_gc[gc] : 0);
    }
}

PlaceDepth ExpectedDepth::at(const data::Reference& reference, uint32_t contig, int64_t position) const {
    if (!is_known()) return {};
    std::array<data::Base, static_cast<size_t>(k_depth_bin_bases + 2 * k_gc_reach_bp)> bases{};
    const auto length = static_cast<int64_t>(reference.contigs()[contig].length);
    const auto half = static_cast<int64_t>(bases.size() / 2);
    const int64_t begin = std::max<int64_t>(0, position - half);
    const std::span<data::Base> around(bases.data(),
                                       static_cast<size_t>(std::min(length, position + half) - begin));
    reference.bases(contig, begin, around);
    const size_t gc = gc_of(around);
    return {gc < k_gc_classes ? by_gc[gc] : 0, dispersion_size};
}

std::string ExpectedDepth::to_text() const {
    std::string text;
    for (size_t gc = 0; gc < k_gc_classes; ++gc) {
        if (by_gc[gc] <= 0 || (gc > 0 && by_gc[gc] == by_gc[gc - 1])) continue;
        const int64_t tenths = (by_gc[gc] * 10 + 128) / 256;
        text += (text.empty() ? "" : ", ") + std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) +
                " from " + std::to_string(gc * 5) + " % GC";
    }
    return text;
}

void DepthHistogram::count(size_t gc, int64_t bases) {
    if (gc >= k_gc_classes) return;
    const int64_t step = (bases * k_steps + k_depth_bin_bases / 2) / k_depth_bin_bases;
    ++bins[gc][std::min(static_cast<size_t>(step), k_depths - 1)];
}

void DepthHistogram::add(const DepthHistogram& other) {
    for (size_t gc = 0; gc < k_gc_classes; ++gc) {
        for (size_t depth = 0; depth < k_depths; ++depth) bins[gc][depth] += other.bins[gc][depth];
    }
}

/// All in steps.
int32_t DepthHistogram::dispersion_size(int32_t read_bp) const {
    int64_t squares = 0;
    int64_t beyond_chance = 0;
    for (const auto& of_class : bins) {
        std::array<uint64_t, k_depths> counts{};
        std::copy(of_class.begin(), of_class.end(), counts.begin());
        const uint64_t total = std::accumulate(counts.begin(), counts.end(), uint64_t{0});
        if (total < k_min_bins) continue;
        const auto median = static_cast<int64_t>(quantile(counts, total, 50));
        const auto range = static_cast<int64_t>(quantile(counts, total, k_quartiles[1]) -
                                                quantile(counts, total, k_quartiles[0]));
        const int64_t variance = range * range * k_variance_of_range[0] / k_variance_of_range[1];
        const int64_t by_chance = by_chance_of(median * k_steps, read_bp);
        const auto weight = static_cast<int64_t>(total);
        squares += weight * median * median;
        beyond_chance += weight * (variance - by_chance);
    }
    if (beyond_chance <= 0) return k_dispersion_size;
    return static_cast<int32_t>(std::clamp<int64_t>(squares / beyond_chance, 1, k_dispersion_size));
}

ExpectedDepth DepthHistogram::estimate(int32_t read_bp) const {
    ExpectedDepth expected;
    expected.dispersion_size = dispersion_size(read_bp);
    std::array<std::array<uint64_t, k_depths>, k_gc_classes> counts{};
    std::array<uint64_t, k_depths> all{};
    for (size_t gc = 0; gc < k_gc_classes; ++gc) {
        std::copy(bins[gc].begin(), bins[gc].end(), counts[gc].begin());
        for (size_t depth = 0; depth < k_depths; ++depth) all[depth] += bins[gc][depth];
    }
    const uint64_t total = std::accumulate(all.begin(), all.end(), uint64_t{0});
    const size_t median = quantile(all, total, 50);
    expected.is_uneven = is_captured(all, total, median);
    if (total < k_min_bins || median < k_min_depth_steps || median + 1 >= k_depths ||
        is_uneven(all, total, median))
        return expected;
    std::array<size_t, k_gc_classes> medians{};
    for (size_t gc = 0; gc < k_gc_classes; ++gc) {
        const uint64_t bins_of_class = std::accumulate(counts[gc].begin(), counts[gc].end(), uint64_t{0});
        if (bins_of_class >= k_min_bins) medians[gc] = quantile(counts[gc], bins_of_class, 50);
    }
    for (size_t gc = 0; gc < k_gc_classes; ++gc) {
        size_t nearest = median;
        for (size_t away = 0; away < k_gc_classes; ++away) {
            const size_t below = gc >= away ? medians[gc - away] : 0;
            const size_t above = gc + away < k_gc_classes ? medians[gc + away] : 0;
            if (below == 0 && above == 0) continue;
            nearest = below != 0 ? below : above;
            break;
        }
        expected.by_gc[gc] = static_cast<int64_t>(nearest) * 256 / k_steps;
    }
    return expected;
}

void DepthCounts::add(const DepthCounts& other) {
    all.add(other.all);
    two_copies.add(other.two_copies);
}

/// By the quartiles: copies that by chance seem to have an SNV on half of their reads are not among them.
int32_t DepthCounts::deviation_percent(const ExpectedDepth& expected, int32_t read_bp) const {
    std::vector<int64_t> relative;  // x k_one
    int64_t by_chance = 0;          // x k_one * k_one, summed
    for (size_t gc = 0; gc < k_gc_classes; ++gc) {
        const int64_t usual = expected.by_gc[gc];
        if (usual <= 0) continue;
        for (size_t depth = 0; depth < DepthHistogram::k_depths; ++depth) {
            const uint32_t bins = two_copies.bins[gc][depth];
            relative.insert(relative.end(), bins,
                            static_cast<int64_t>(depth) * k_one * 256 / (usual * DepthHistogram::k_steps));
            by_chance += bins * by_chance_of(k_one * k_one * 256 / usual, read_bp);
        }
    }
    if (relative.size() < k_min_two_copies_bins) return 0;
    std::sort(relative.begin(), relative.end());
    const auto at = [&](uint64_t percent) { return relative[(relative.size() - 1) * percent / 100]; };
    const int64_t range = at(k_quartiles[1]) - at(k_quartiles[0]);
    const int64_t variance = range * range * k_variance_of_range[0] / k_variance_of_range[1];
    const int64_t beyond_chance = variance - by_chance / static_cast<int64_t>(relative.size());
    const int64_t median = std::max<int64_t>(1, relative[relative.size() / 2]);
    const int64_t deviation = integer_root(std::max<int64_t>(0, beyond_chance));
    return static_cast<int32_t>(100 * std::min(deviation, median) / median);
}

ExpectedDepth DepthCounts::estimate(int32_t read_bp) const {
    ExpectedDepth expected = all.estimate(read_bp);
    expected.deviation_percent = deviation_percent(expected, read_bp);
    return expected;
}

}  // namespace gannet::variants
