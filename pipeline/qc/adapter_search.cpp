// SPDX-License-Identifier: MIT
// Provides the search for the adapters that FastQC counts.
#include "pipeline/qc/adapter_search.hpp"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

namespace gannet::pipeline::qc {
namespace {

using kernels::SimdLevel;

constexpr size_t k_groups = 8;  // bits of a byte

/// A 1, C 2, G 4, T 8.
uint8_t nibble_of(char base) {
    constexpr std::string_view k_order = "ACGT";
    return static_cast<uint8_t>(1u << k_order.find(base));
}

char complement_of(char base) { return base == 'A' ? 'T' : base == 'C' ? 'G' : base == 'G' ? 'C' : 'A'; }

uint8_t nibble_at(std::span<const uint8_t> packed, size_t base) {
    return base % 2 == 0 ? packed[base / 2] >> 4 : packed[base / 2] & 15;
}

}  // namespace

AdapterSearch::AdapterSearch(SimdLevel level) {
    if (level == SimdLevel::avx512) find_ = avx512::find_adapter_places;
    if (level == SimdLevel::avx2) find_ = avx2::find_adapter_places;
    if (level == SimdLevel::sse42) find_ = sse42::find_adapter_places;
    lane_ = level == SimdLevel::avx512 ? 64 : level == SimdLevel::avx2 ? 32 : 16;
    for (size_t strand = 0; strand < k_strands; ++strand) {
        Strand& of = strands_[strand];
        for (size_t adapter = 0; adapter < k_adapter_list.size(); ++adapter) {
            auto& nibbles = of.nibbles[adapter];
            for (size_t i = 0; i < k_adapter_bases; ++i) {
                const char base = k_adapter_list[adapter].bases[i];
                nibbles[strand == 0 ? i : k_adapter_bases - 1 - i] =
                    nibble_of(strand == 0 ? base : complement_of(base));
            }
        }
        of.filter = filter_of(of.nibbles);
    }
}

/// Parts that begin with a byte, or in the middle of one. Those that share most are put into one group, since
/// a group lets pass whatever mixes its parts.
AdapterFilter AdapterSearch::filter_of(const Nibbles& adapters) {
    using Sets = std::array<uint16_t, 2 * k_filter_bytes>;  // values of each half
    std::vector<Sets> groups;
    for (const auto& nibbles : adapters) {
        for (size_t half = 0; half < 2; ++half) {
            Sets& part = groups.emplace_back();
            for (size_t i = 0; i < part.size(); ++i) part[i] = static_cast<uint16_t>(1u << nibbles[half + i]);
        }
    }
    const auto mixed = [](const Sets& a, const Sets& b) {
        Sets both = a;
        for (size_t i = 0; i < both.size(); ++i) both[i] |= b[i];
        return both;
    };
    const auto mixes = [](const Sets& sets) {
        size_t count = 1;
        for (const uint16_t set : sets) count *= static_cast<size_t>(std::popcount(set));
        return count;
    };
    while (groups.size() > k_groups) {
        std::pair<size_t, size_t> best{0, 1};
        size_t fewest = SIZE_MAX;
        for (size_t a = 0; a < groups.size(); ++a) {
            for (size_t b = a + 1; b < groups.size(); ++b) {
                const size_t count = mixes(mixed(groups[a], groups[b]));
                if (count >= fewest) continue;
                fewest = count;
                best = {a, b};
            }
        }
        groups[best.first] = mixed(groups[best.first], groups[best.second]);
        groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(best.second));
    }
    AdapterFilter filter;
    for (size_t group = 0; group < groups.size(); ++group) {
        for (size_t value = 0; value < 16; ++value) {
            for (size_t byte = 0; byte < k_filter_bytes; ++byte) {
                filter.upper[byte][value] |=
                    static_cast<uint8_t>((groups[group][2 * byte] >> value & 1) << group);
                filter.lower[byte][value] |=
                    static_cast<uint8_t>((groups[group][2 * byte + 1] >> value & 1) << group);
            }
        }
    }
    return filter;
}

/// Whether an adapter begins there.
bool AdapterSearch::look(std::span<const uint8_t> packed, size_t length, size_t begin, bool reverse,
                         Found& found) const {
    if (begin + k_adapter_bases > length) return false;
    bool any = false;
    for (size_t adapter = 0; adapter < k_fastqc_adapters; ++adapter) {
        const auto& nibbles = strands_[reverse ? 1 : 0].nibbles[adapter];
        size_t equal = 0;
        while (equal < k_adapter_bases && nibble_at(packed, begin + equal) == nibbles[equal]) ++equal;
        if (equal < k_adapter_bases) continue;
        const size_t cycle = reverse ? length - k_adapter_bases - begin : begin;
        found[adapter] = std::min(found[adapter], cycle);
        any = true;
    }
    return any;
}

void AdapterSearch::count(const data::RecordView& record, bool reverse,
                          std::array<Histogram, k_fastqc_adapters>& cycles) {
    const size_t length = record.read_length();
    if (length < k_adapter_bases) return;
    const std::span<const uint8_t> packed = record.nibbles();
    constexpr size_t k_none = SIZE_MAX;
    Found found;
    found.fill(k_none);
    bool any = false;
    // What is read behind the bases are the qualities, of which a short read may not have enough.
    if (find_ == nullptr || length < lane_ + k_filter_bytes) {
        for (size_t begin = 0; begin < length; ++begin) any |= look(packed, length, begin, reverse, found);
    } else {
        if (places_.size() < packed.size() + lane_) places_.resize(packed.size() + lane_);
        const size_t count =
            find_(packed.data(), packed.size(), strands_[reverse ? 1 : 0].filter, places_.data());
        for (size_t i = 0; i < count; ++i) {
            const size_t base = 2 * size_t{places_[i]};
            any |= look(packed, length, base, reverse, found);
            if (base > 0) any |= look(packed, length, base - 1, reverse, found);
        }
    }
    if (!any) return;
    for (size_t adapter = 0; adapter < found.size(); ++adapter)
        if (found[adapter] != k_none) cycles[adapter].add(found[adapter]);
}

}  // namespace gannet::pipeline::qc
