// SPDX-License-Identifier: MIT
// Provides the walk back over the direction bits of one job of a lane group.
#include "kernels/banded_sw/banded_sw_trace.hpp"

#include "kernels/banded_sw/banded_sw_backends.hpp"
#include "kernels/banded_sw/banded_sw_cell.hpp"

namespace gannet::kernels::banded_sw {

namespace {

/// Collects steps into elements.
class Elements {
  public:
    explicit Elements(std::vector<uint32_t>& cigar) : cigar_(cigar) {}
    void add(CigarOp op, uint32_t length) {
        if (length_ != 0 && op == op_) {
            length_ += length;
            return;
        }
        finish();
        op_ = op;
        length_ = length;
    }
    void finish() {
        if (length_ != 0) cigar_.push_back(length_ << 4 | op_);
        length_ = 0;
    }

  private:
    std::vector<uint32_t>& cigar_;
    CigarOp op_ = k_cigar_m;
    uint32_t length_ = 0;
};

CigarOp choose_step(uint8_t bits, bool late) {
    if (bits & k_direction_first) return late ? k_cigar_d : k_cigar_m;
    if (bits & k_direction_insertion) return k_cigar_i;
    return late ? k_cigar_m : k_cigar_d;
}

}  // namespace

void trace_back(const DirectionView& view, uint32_t i, uint32_t j, std::vector<uint32_t>& cigar) {
    Elements elements(cigar);
    const bool late = view.gaps_late;
    const uint8_t* cell = view.base + (int64_t{i} - 1) * view.row_bytes +
                          (int64_t{j} - int64_t{i} + view.lower) * view.cell_bytes;
    CigarOp step = k_cigar_m;
    bool in_gap = false;
    while (i > 0 && j > 0) {
        if (!in_gap) step = choose_step(*cell, late);
        elements.add(step, 1);
        if (step == k_cigar_m) {
            --i;
            --j;
            cell -= view.row_bytes;
        } else if (step == k_cigar_i) {
            --i;
            cell -= view.row_bytes - view.cell_bytes;
        } else {
            --j;
            cell -= view.cell_bytes;
        }
        if (step == k_cigar_m || i == 0 || j == 0) continue;
        const uint8_t bit = step == k_cigar_i ? k_direction_gap_i : k_direction_gap_d;
        in_gap = ((*cell & bit) != 0) == late;
    }
    if (i > 0) elements.add(k_cigar_i, i);
    if (j > 0) elements.add(k_cigar_d, j);
    elements.finish();
}

}  // namespace gannet::kernels::banded_sw
