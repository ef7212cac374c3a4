// SPDX-License-Identifier: MIT
// Provides the counting of bases per cycle from BAM's packed bases. Internal to qc/.
#pragma once

#include "pipeline/qc/counts.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace gannet::pipeline::qc {

/// Since a base is one bit of four, those of 32 bases are added to counters of four bits at once; these are
/// added to counters of eight bits before they overflow, and these to the sums. About 20 ns for 150 bases.
class BaseCounter {
  public:
    using Sums = std::array<std::vector<std::array<uint64_t, 4>>, k_strands>;

    /// `packed`: two bases a byte, A 1, C 2, G 4, T 8, N 15 (which counts as none), and 0 after the last one.
    /// Of a reverse read the last base is that of the first cycle. Cycles beyond k_max_cycles are left out.
    /// `readable`: bytes that may be read from the start of `packed`. `has_unknown`: whether any is N.
    void add(std::span<const uint8_t> packed, size_t length, bool reverse, size_t readable, bool has_unknown);
    /// Adds all that was counted to `sums`, which grow as needed, and forgets it.
    void flush(Sums& sums);

  private:
    /// Reads lie in a table so that equal cycles are at equal places: forward ones begin with it, reverse
    /// ones end with it. Those of odd length end half a byte before.
    enum Place : size_t { k_forward, k_reverse_even, k_reverse_odd, k_places };
    struct Table {
        std::array<std::vector<uint8_t>, 4> few;   ///< per base: counters of four bits, as packed bases lie
        std::array<std::vector<uint8_t>, 4> many;  ///< per base: counters of a byte
        uint32_t reads_in_few = 0;
        uint32_t reads_in_many = 0;
    };
    template <bool has_unknown>
    static void add_lanes(std::span<const uint8_t> packed, const std::array<uint8_t*, 4>& few,
                          size_t readable);
    void grow(size_t bytes);
    void fold(Table& table);
    void empty(Place place);
    void sum_up(Place place, Sums& sums) const;

    std::array<Table, k_places> tables_;
    size_t bytes_ = 0;  ///< of a table, without the lane behind it
    Sums sums_;
};

}  // namespace gannet::pipeline::qc
