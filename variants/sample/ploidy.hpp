// SPDX-License-Identifier: MIT
// Provides the ploidy of a sample by position: how many copies of each contig base it has.
#pragma once

#include "data/regions.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace gannet::variants {

/// Copies of each position: 0 (no variant is called there), 1 or 2. Without any set() it is 2 everywhere.
/// Immutable once it is in use; at() costs a binary search among the stretches of the contig.
class PloidyMap {
  public:
    /// Copies from `begin` (0-based) up to the next stretch.
    struct Stretch {
        int64_t begin = 0;
        uint8_t ploidy = 2;
    };

    /// Sets the ploidy of a region, replacing what was set before. `ploidy`: 0 to 2.
    void set(const data::Region& region, uint8_t ploidy);
    uint8_t at(uint32_t contig, int64_t position) const;
    /// Ascending, neighbours differ, the first begins at 0; empty where the contig is diploid throughout.
    std::span<const Stretch> stretches(uint32_t contig) const;

  private:
    std::vector<std::vector<Stretch>> contigs_;
};

}  // namespace gannet::variants
