// SPDX-License-Identifier: MIT
// Provides genome intervals: parsing of "chr20:1-5000000", and sets that answer "does it hold this position".
#pragma once

#include "data/reference.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gannet::data {

/// Contig bases [begin, end), 0-based half-open.
struct Region {
    uint32_t contig = 0;
    int64_t begin = 0;
    int64_t end = 0;
    auto operator<=>(const Region&) const = default;
};

/// samtools' syntax: NAME, NAME:BEGIN, NAME:BEGIN-END (1-based closed, commas allowed in numbers), and with
/// the name in braces: {NAME}, {NAME}:BEGIN-END. A name that itself holds a colon is tried whole first.
/// Throws Error(reference_mismatch) naming the contig (with the chr20/20 hint), Error(usage) on bad numbers,
/// on positions past the end of the contig and on what is the name of a contig and a part of another one.
Region parse_region(std::string_view text, const Reference& reference);

/// "contig 'chr20' is not in the reference ref.fa, which has '20': ...": what every look-up of a contig says.
std::string unknown_contig_message(std::string_view name, const Reference& reference);

/// Sorted, merged intervals. Empty set means nothing (callers treat "no targets given" apart).
class RegionSet {
  public:
    RegionSet() = default;
    explicit RegionSet(std::vector<Region> regions);  ///< sorts and merges overlapping and touching ones
    bool contains(uint32_t contig, int64_t position) const;
    bool overlaps(uint32_t contig, int64_t begin, int64_t end) const;
    const std::vector<Region>& regions() const { return regions_; }
    bool empty() const { return regions_.empty(); }
    uint64_t total_bp() const;

  private:
    std::vector<Region> regions_;
};

}  // namespace gannet::data
