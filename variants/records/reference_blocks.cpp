// SPDX-License-Identifier: MIT
// Provides the making of reference blocks.
#include "variants/records/reference_blocks.hpp"

#include "variants/model/genotype.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace gannet::variants {

namespace {

constexpr int32_t k_max_gq = genotype_number("gq_max");

/// The number of the band of each GQ; GQ 0 is band 0.
std::array<uint8_t, k_max_gq + 1> band_table(const std::vector<int32_t>& bands) {
    std::array<uint8_t, k_max_gq + 1> table{};
    uint8_t band = 1;
    size_t next = 0;
    for (int32_t quality = 1; quality <= k_max_gq; ++quality) {
        while (next < bands.size() && bands[next] <= quality) {
            if (bands[next] > 1) ++band;
            ++next;
        }
        table[static_cast<size_t>(quality)] = band;
    }
    return table;
}

}  // namespace

void WindowBlocks::clear(const data::Region& window) {
    confidence.clear(window);
    covered.clear();
    uncalled.clear();
}

void BlockBuilder::set_ploidy(const data::Region& window, const PloidyMap& ploidy) {
    const auto size = static_cast<size_t>(window.end - window.begin);
    kinds_.assign(size, {PloidyMap::Stretch().ploidy, 0});
    const std::span<const PloidyMap::Stretch> stretches = ploidy.stretches(window.contig);
    for (size_t i = 0; i < stretches.size(); ++i) {
        const int64_t begin = std::max(stretches[i].begin, window.begin);
        const int64_t end =
            i + 1 < stretches.size() ? std::min(stretches[i + 1].begin, window.end) : window.end;
        for (int64_t p = begin; p < end; ++p)
            kinds_[static_cast<size_t>(p - window.begin)].ploidy = stretches[i].ploidy;
    }
}

void BlockBuilder::keep_within(const data::Region& window, const data::RegionSet& bounds) {
    if (bounds.empty()) return;
    const std::vector<data::Region>& regions = bounds.regions();
    auto region = std::partition_point(regions.begin(), regions.end(), [&](const data::Region& r) {
        return r.contig != window.contig ? r.contig < window.contig : r.end <= window.begin;
    });
    int64_t position = window.begin;
    for (; position < window.end; ++region) {
        const bool is_here = region != regions.end() && region->contig == window.contig;
        const int64_t gap_end = is_here ? std::min(region->begin, window.end) : window.end;
        for (; position < gap_end; ++position)
            kinds_[static_cast<size_t>(position - window.begin)].ploidy = 0;
        if (is_here) position = std::max(position, region->end);
    }
}

void BlockBuilder::leave_out(const data::Region& window, const std::vector<CoveredSpan>& covered,
                             const data::RegionSet& bounds) {
    for (const CoveredSpan& span : covered) {
        const bool is_written = bounds.empty() || bounds.contains(window.contig, span.begin);
        const int64_t end = std::min(span.end, window.end);
        for (int64_t p = std::max(span.begin, window.begin); p < end; ++p) {
            const auto offset = static_cast<size_t>(p - window.begin);
            if (is_written)
                kinds_[offset].ploidy = 0;
            else
                likelihoods_[offset] = {0, 0};  // not the reference, and no record says what
        }
    }
}

void BlockBuilder::load_likelihoods(const WindowBlocks& blocks) {
    likelihoods_.assign(kinds_.size(), {0, 0});
    if (blocks.confidence.depth.empty()) return;
    likelihoods_ = blocks.confidence.likelihoods;
    for (const UncalledSite& site : blocks.uncalled) {
        auto& values = likelihoods_[static_cast<size_t>(site.position - blocks.confidence.begin)];
        for (size_t i = 0; i < values.size(); ++i)
            values[i] = static_cast<uint16_t>(std::min<int32_t>(values[i], site.likelihoods[i]));
    }
}

int32_t BlockBuilder::quality_at(size_t offset) const {
    const std::array<uint16_t, 2>& values = likelihoods_[offset];
    const uint16_t second = kinds_[offset].ploidy > 1 ? std::min(values[0], values[1]) : values[1];
    return std::min<int32_t>(k_max_gq, second);
}

void BlockBuilder::set_bands(const std::vector<int32_t>& bands) {
    const auto table = band_table(bands);
    for (size_t i = 0; i < kinds_.size(); ++i) kinds_[i].band = table[static_cast<size_t>(quality_at(i))];
}

data::ReferenceBlock BlockBuilder::make_block(const data::Region& window,
                                              const ReferenceConfidence& confidence, size_t first,
                                              size_t last) {
    data::ReferenceBlock block;
    block.contig = window.contig;
    block.begin = window.begin + static_cast<int64_t>(first);
    block.end = window.begin + static_cast<int64_t>(last);
    block.ploidy = kinds_[first].ploidy;
    if (confidence.depth.empty()) return block;
    depths_.assign(confidence.depth.begin() + static_cast<std::ptrdiff_t>(first),
                   confidence.depth.begin() + static_cast<std::ptrdiff_t>(last));
    const auto median = depths_.begin() + static_cast<std::ptrdiff_t>((depths_.size() - 1) / 2);
    std::nth_element(depths_.begin(), median, depths_.end());
    block.depth = *median;
    block.minimum_depth = *std::min_element(depths_.begin(), median + 1);
    block.quality = quality_at(first);
    block.likelihoods = {likelihoods_[first][0], likelihoods_[first][1]};
    for (size_t i = first + 1; i < last; ++i) {
        block.quality = std::min(block.quality, quality_at(i));
        for (size_t k = 0; k < block.likelihoods.size(); ++k)
            block.likelihoods[k] = std::min<int32_t>(block.likelihoods[k], likelihoods_[i][k]);
    }
    return block;
}

void BlockBuilder::build(const data::Region& window, const WindowBlocks& blocks,
                         const BlockParameters& parameters, const data::RegionSet& targets,
                         const PloidyMap& ploidy, std::vector<data::ReferenceBlock>& out) {
    set_ploidy(window, ploidy);
    keep_within(window, parameters.bounds);
    load_likelihoods(blocks);
    leave_out(window, blocks.covered, parameters.bounds);
    set_bands(parameters.bands);
    for (size_t first = 0, last = 0; first < kinds_.size(); first = last) {
        last = first + 1;
        if (kinds_[first].ploidy == 0) continue;
        while (last < kinds_.size() && kinds_[last] == kinds_[first]) ++last;
        const int64_t begin = window.begin + static_cast<int64_t>(first);
        if (!targets.empty() && !targets.contains(window.contig, begin)) continue;
        out.push_back(make_block(window, blocks.confidence, first, last));
    }
}

}  // namespace gannet::variants
