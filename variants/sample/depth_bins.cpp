// SPDX-License-Identifier: MIT
// Provides the counting of a window's depth, by bins.
#include "variants/sample/depth_bins.hpp"

#include "variants/model/sample.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numeric>

namespace gannet::variants {

namespace {

constexpr int64_t k_margin_bp = sample_number("profile_margin_bp");
constexpr int64_t k_deep_percent = sample_number("enriched_depth_percent");

// SNVs: with so many fragments, in 40 to 60 % of them, or where chance makes as many of a half.
constexpr int64_t k_min_snv_fragments = sample_number("two_copies_min_depth");
constexpr int64_t k_difference_percent = sample_number("two_copies_difference_percent");
constexpr int64_t k_deviations = sample_number("enriched_max_deviations");

}  // namespace

/// Bins count that have their surroundings in the window, without N; the first ones may lack reads.
DepthBins::DepthBins(std::span<const data::Base> bases)
    : read_bases_(bases.size() / static_cast<size_t>(k_depth_bin_bases), 0),
      gc_(read_bases_.size(), k_gc_classes),
      snvs_(read_bases_.size()) {
    const auto bins = static_cast<int64_t>(read_bases_.size());
    for (int64_t bin = (k_margin_bp + k_depth_bin_bases - 1) / k_depth_bin_bases; bin + 1 < bins; ++bin) {
        const int64_t begin = bin * k_depth_bin_bases - k_gc_reach_bp;
        const int64_t end = (bin + 1) * k_depth_bin_bases + k_gc_reach_bp;
        int64_t strong = 0;
        bool has_unknown = false;
        for (int64_t at = begin; at < end; ++at) {
            const data::Base base = bases[static_cast<size_t>(at)];
            strong += base == 1 || base == 2 ? 1 : 0;
            has_unknown = has_unknown || base > 3;
        }
        if (!has_unknown) gc_[static_cast<size_t>(bin)] = static_cast<uint8_t>(gc_class(strong, end - begin));
    }
}

void DepthBins::add(int64_t begin, int64_t end) {
    const int64_t last = std::min(end, static_cast<int64_t>(read_bases_.size()) * k_depth_bin_bases);
    for (int64_t at = std::max<int64_t>(0, begin); at < last;) {
        const int64_t next = std::min(last, (at / k_depth_bin_bases + 1) * k_depth_bin_bases);
        read_bases_[static_cast<size_t>(at / k_depth_bin_bases)] += next - at;
        at = next;
    }
}

void DepthBins::add_snv(size_t position, int64_t alternate, int64_t reference, bool is_whole) {
    const size_t bin = position / static_cast<size_t>(k_depth_bin_bases);
    const int64_t fragments = alternate + reference;
    if (bin >= snvs_.size() || fragments < k_min_snv_fragments) return;
    const int64_t difference = std::abs(alternate - reference);
    if (is_whole && difference * 100 <= fragments * k_difference_percent) snvs_[bin].is_of_two_copies = true;
    // The difference has the variance `fragments`.
    const bool is_by_chance = difference * difference <= k_deviations * k_deviations * fragments;
    (is_by_chance ? snvs_[bin].is_balanced : snvs_[bin].is_unbalanced) = true;
}

int64_t DepthBins::mean_depth() const {
    const auto bases = static_cast<int64_t>(read_bases_.size()) * k_depth_bin_bases;
    const int64_t sum = std::accumulate(read_bases_.begin(), read_bases_.end(), int64_t{0});
    return bases > 0 ? sum * k_profile_depth_scale / bases : 0;
}

void DepthBins::count(DepthCounts& counts) const {
    for (size_t bin = 0; bin < gc_.size(); ++bin) {
        counts.all.count(gc_[bin], read_bases_[bin]);
        if (snvs_[bin].is_of_two_copies) counts.two_copies.count(gc_[bin], read_bases_[bin]);
    }
}

/// Bases of reads that are expected; 0: not known, or the bin does not count.
int64_t DepthBins::expected_bases(size_t bin, const ExpectedDepth& expected) const {
    return gc_[bin] < k_gc_classes ? expected.by_gc[gc_[bin]] * k_depth_bin_bases / k_profile_depth_scale : 0;
}

DeepBins DepthBins::deep(const ExpectedDepth& expected) const {
    DeepBins deep;
    for (size_t bin = 0; bin < gc_.size(); ++bin) {
        const int64_t usual = expected_bases(bin, expected);
        if (usual == 0 || read_bases_[bin] * 100 < usual * k_deep_percent) continue;
        ++deep.all;
        if (snvs_[bin].is_unbalanced)
            ++deep.unbalanced;
        else if (snvs_[bin].is_balanced)
            ++deep.balanced;
    }
    return deep;
}

int32_t DepthBins::relative_depth_percent(const ExpectedDepth& expected) const {
    std::vector<int64_t> percents;
    for (size_t bin = 0; bin < gc_.size(); ++bin) {
        if (const int64_t usual = expected_bases(bin, expected); usual > 0)
            percents.push_back(read_bases_[bin] * 100 / usual);
    }
    if (percents.empty()) return 0;
    const auto middle = percents.begin() + static_cast<std::ptrdiff_t>(percents.size() / 2);
    std::nth_element(percents.begin(), middle, percents.end());
    return static_cast<int32_t>(std::min<int64_t>(*middle, std::numeric_limits<int32_t>::max()));
}

}  // namespace gannet::variants
