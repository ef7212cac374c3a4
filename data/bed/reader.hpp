// SPDX-License-Identifier: MIT
// Provides reading of BED intervals and Picard interval_lists (plain or gzip).
#pragma once

#include "data/regions.hpp"

#include <span>
#include <string>
#include <vector>

namespace gannet::data::bed {

/// Columns 1-3 of BED, or of an interval_list, which begins with a header of SAM and counts from 1; `track`,
/// `browser` and # lines are skipped; zero-length intervals are dropped. Refuses with file and line
/// (malformed_input): fewer than three columns, bad numbers, end before begin, end past the contig's length;
/// a contig the reference lacks is Error(reference_mismatch).
RegionSet load(const std::string& path, const Reference& reference);

/// A line of BED.
struct Row {
    Region region;
    std::string name;   ///< column 4, of an interval_list 5; empty: none
    char strand = '.';  ///< + or - of column 6, of an interval_list 4; '.': neither is there
};
/// Together, whatever their names, without those of zero length.
RegionSet regions_of(std::span<const Row> rows);

/// The same lines, each for itself, in the order of the file; with those of zero length.
std::vector<Row> load_rows(const std::string& path, const Reference& reference);

}  // namespace gannet::data::bed
