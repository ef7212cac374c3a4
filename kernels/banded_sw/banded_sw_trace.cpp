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

CigarOp choose_step(uint32_t bits, bool late) {
    if (bits & k_direction_first) return late ? k_cigar_d : k_cigar_m;
    if (bits & k_direction_insertion) return k_cigar_i;
    return late ? k_cigar_m : k_cigar_d;
}

}  // namespace

template <class Directions>
void trace_back(const Directions& directions, bool gaps_late, uint32_t i, uint32_t j,
                std::vector<uint32_t>& cigar) {
    Elements elements(cigar);
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

template void trace_back(const ByteDirections&, bool, uint32_t, uint32_t, std::vector<uint32_t>&);
template void trace_back(const StripDirections&, bool, uint32_t, uint32_t, std::vector<uint32_t>&);

}  // namespace gannet::kernels::banded_sw
