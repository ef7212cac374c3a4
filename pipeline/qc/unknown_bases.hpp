// SPDX-License-Identifier: MIT
// Provides the count of N among bases of the reference. Internal to qc/.
#pragma once

#include "data/reference.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <span>

namespace gannet::pipeline::qc {

/// Fast where one question follows near the one before. Coordinates are of the whole reference.
class UnknownBases {
  public:
    explicit UnknownBases(const data::Reference& reference) : runs_(reference.runs()) {}

    uint64_t count(uint64_t begin, uint64_t end) {
        return begin >= known_begin_ && end <= known_end_ ? 0 : count_runs(begin, end);
    }

    /// After count() of [begin, end): as far as no base behind `begin` is N; `end` where that is not known.
    uint64_t known_until(uint64_t begin, uint64_t end) const {
        return begin >= known_begin_ && end <= known_end_ ? known_end_ : end;
    }
    /// Where the run ends that holds the position.
    uint64_t run_end(uint64_t position) const { return first_after(position)->end; }

  private:
    std::span<const data::NonAcgtRun>::iterator first_after(uint64_t begin) const {
        return std::upper_bound(runs_.begin(), runs_.end(), begin,
                                [](uint64_t at, const data::NonAcgtRun& of) { return at < of.end; });
    }
    uint64_t count_runs(uint64_t begin, uint64_t end) {
        auto run = first_after(begin);
        known_begin_ = run == runs_.begin() ? 0 : std::prev(run)->end;
        known_end_ = run == runs_.end() ? UINT64_MAX : run->begin;
        uint64_t found = 0;
        for (; run != runs_.end() && run->begin < end; ++run) {
            if (run->letter == 'N') found += std::min(end, run->end) - std::max(begin, run->begin);
        }
        return found;
    }

    std::span<const data::NonAcgtRun> runs_;
    uint64_t known_begin_ = 0, known_end_ = 0;  ///< without any run
};

}  // namespace gannet::pipeline::qc
