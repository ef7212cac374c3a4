// SPDX-License-Identifier: MIT
// Provides the division of a large bucket into parts.
#pragma once

#include "align/sort/sorter.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace gannet::align::sort {

/// Assigns the records of a bucket to parts of about k_max_part_bytes: by position, and records of one
/// position that are too many by ordinal. Depends on the set of records only.
class PartPlan {
  public:
    explicit PartPlan(size_t positions) : positions_(positions) {}

    struct Key {
        size_t position;    // within the bucket
        uint64_t sort_key;  // contig and position
        uint64_t ordinal;
        uint64_t bytes;
    };
    /// First round: all records.
    void add(const Key& key) {
        Position& p = positions_[key.position];
        if (p.bytes == 0) p.min_sort_key = p.max_sort_key = key.sort_key;
        p.min_ordinal = std::min(p.min_ordinal, key.ordinal);
        p.max_ordinal = std::max(p.max_ordinal, key.ordinal);
        p.min_sort_key = std::min(p.min_sort_key, key.sort_key);
        p.max_sort_key = std::max(p.max_sort_key, key.sort_key);
        p.bytes += key.bytes;
    }
    /// After the first round; whether a second one is needed.
    bool has_deep_positions() {
        for (Position& p : positions_) {
            if (p.bytes <= k_max_part_bytes || p.min_sort_key != p.max_sort_key) continue;
            p.bins.assign(k_bins, 0);
            any_deep_ = true;
        }
        return any_deep_;
    }
    /// Second round: all records again.
    void add_to_bins(const Key& key) {
        Position& p = positions_[key.position];
        if (!p.bins.empty()) p.bins[bin_of(p, key.ordinal)] += key.bytes;
    }
    /// Number of parts.
    size_t finish() {
        size_t part = 0;
        uint64_t filled = 0;
        const auto part_for = [&](uint64_t bytes) {
            if (filled > 0 && filled + bytes > k_max_part_bytes) {
                ++part;
                filled = 0;
            }
            filled += bytes;
            return part;
        };
        for (Position& p : positions_) {
            if (p.bins.empty()) {
                p.part = part_for(p.bytes);
            } else {
                for (uint64_t& bin : p.bins) bin = part_for(bin);
            }
        }
        return part + 1;
    }
    size_t part_of(const Key& key) const {
        const Position& p = positions_[key.position];
        return p.bins.empty() ? p.part : p.bins[bin_of(p, key.ordinal)];
    }

  private:
    static constexpr uint64_t k_bins = 4096;
    struct Position {
        uint64_t bytes = 0;
        uint64_t min_ordinal = ~uint64_t{0};
        uint64_t max_ordinal = 0;
        uint64_t min_sort_key = 0;
        uint64_t max_sort_key = 0;
        size_t part = 0;
        std::vector<uint64_t> bins;  // of ordinals: bytes, then parts
    };
    static uint64_t bin_of(const Position& p, uint64_t ordinal) {
        const uint64_t width = (p.max_ordinal - p.min_ordinal) / k_bins + 1;
        return (ordinal - p.min_ordinal) / width;
    }

    std::vector<Position> positions_;
    bool any_deep_ = false;
};

}  // namespace gannet::align::sort
