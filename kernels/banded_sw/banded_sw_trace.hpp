// SPDX-License-Identifier: MIT
// Provides the walk back over the direction bits of one job, on host and device.
#pragma once

#include "kernels/banded_sw/banded_sw_cell.hpp"

#include <cstdint>

namespace gannet::kernels::banded_sw {

/// Steps, numbered as BAM's CIGAR operations.
enum CigarOp : uint32_t { k_cigar_m = 0, k_cigar_i = 1, k_cigar_d = 2 };

/// Direction bits of the CPU's vectors: one byte per cell, i, j >= 1.
struct ByteDirections {
    const uint8_t* base;
    int64_t row_bytes;
    int64_t cell_bytes;
    int64_t lower;

    uint32_t bits(int64_t i, int64_t j) const {
        return base[(i - 1) * row_bytes + (j - i + lower) * cell_bytes];
    }
};

/// Joins steps to BAM elements; Sink takes each with put(uint32_t).
template <class Sink>
class Elements {
  public:
    constexpr explicit Elements(Sink& sink) : sink_(sink) {}
    constexpr void add(CigarOp op, uint32_t length) {
        if (length_ != 0 && op == op_) {
            length_ += length;
            return;
        }
        finish();
        op_ = op;
        length_ = length;
    }
    constexpr void finish() {
        if (length_ != 0) sink_.put(length_ << 4 | op_);
        length_ = 0;
    }

  private:
    Sink& sink_;
    CigarOp op_ = k_cigar_m;
    uint32_t length_ = 0;
};

constexpr CigarOp choose_step(uint32_t bits, bool late) {
    if (bits & k_direction_first) return late ? k_cigar_d : k_cigar_m;
    if (bits & k_direction_insertion) return k_cigar_i;
    return late ? k_cigar_m : k_cigar_d;
}

/// Gives the sink the BAM elements of the path to (i, j), from there back to the corner.
template <class Directions, class Sink>
constexpr void trace_back(const Directions& directions, bool gaps_late, uint32_t i, uint32_t j, Sink& sink) {
    Elements<Sink> elements(sink);
    CigarOp step = k_cigar_m;
    bool in_gap = false;
    uint32_t bits = i > 0 && j > 0 ? directions.bits(i, j) : 0;
    while (i > 0 && j > 0) {
        if (!in_gap) step = choose_step(bits, gaps_late);
        elements.add(step, 1);
        if (step != k_cigar_d) --i;
        if (step != k_cigar_i) --j;
        if (i == 0 || j == 0) break;
        bits = directions.bits(i, j);
        const uint8_t bit = step == k_cigar_i ? k_direction_gap_i : k_direction_gap_d;
        in_gap = step != k_cigar_m && ((bits & bit) != 0) == gaps_late;
    }
    if (i > 0) elements.add(k_cigar_i, i);
    if (j > 0) elements.add(k_cigar_d, j);
    elements.finish();
}

}  // namespace gannet::kernels::banded_sw
