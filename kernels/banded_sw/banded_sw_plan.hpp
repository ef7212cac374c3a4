// SPDX-License-Identifier: MIT
// Provides the host's side of the device schedule: jobs put into groups of one warp, the memory and the
// passes that they take, and results put back in order.
//
// Use: prepare(), then scratch of any size from min_scratch_bytes() on, lay_out(), fill(), the passes one
// after the other, collect(). Which jobs are in one group, and which groups in one pass, never changes a
// result. There is no CUDA in here: the backend `emulated` runs the same plan on the host.
#pragma once

#include "kernels/banded_sw/banded_sw_backends.hpp"
#include "kernels/banded_sw/banded_sw_shape.hpp"
#include "kernels/banded_sw/banded_sw_warps.hpp"
#include "kernels/banded_sw/banded_sw_windows.hpp"
#include "kernels/banded_sw/banded_sw_windows_schedule.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace gannet::kernels::banded_sw {

/// Groups of one kind (trace and numbers) that run at the same time, each with its own scratch.
struct WarpPass {
    Trace trace = Trace::none;
    bool halves = false;
    uint32_t begin = 0;
    uint32_t end = 0;
};

/// Memory is kept from batch to batch. Not thread-safe.
class WarpPlan {
  public:
    /// Checks the batch, and puts its jobs into groups. The batch must stay as it is until collect().
    void prepare(const BandedSwScoring& scoring, const BandedSwBatch& batch);
    /// The same of windows, which the warps find written out in an arena of window_bases(), as list_windows()
    /// has them.
    void prepare(const BandedSwScoring& scoring, const WindowSource& source);

    /// What the largest group needs, and what all groups of one kind need together.
    uint64_t min_scratch_bytes() const { return min_scratch_bytes_; }
    uint64_t wanted_scratch_bytes() const { return wanted_scratch_bytes_; }
    /// Cuts the groups into passes that fit `scratch_bytes`.
    void lay_out(uint64_t scratch_bytes);

    size_t slots() const { return slots_; }
    const std::vector<WarpGroup>& groups() const { return groups_; }
    const std::vector<WarpPass>& passes() const { return passes_; }
    size_t cigar_elements() const { return cigar_elements_; }
    WarpCosts costs() const { return costs_of(scoring_); }
    /// slots() jobs.
    void fill(WarpJob* jobs) const;

    // Of windows: their jobs, as many as there are windows, and the words of their queries.
    size_t windows() const { return source_ ? source_->windows.count : 0; }
    size_t window_bases() const { return window_bases_; }
    size_t window_words() const { return window_words_; }
    void fill(WindowJob* jobs, uint64_t* words) const;

    /// Extends on the host the few jobs that are too large to trace in a warp. May run beside the passes.
    void run_reference();
    /// The results of the passes, as the contract of the op has them. Throws std::logic_error where a CIGAR
    /// had no room.
    void collect(const WarpEnd* ends, const uint32_t* cigar, BandedSwResults& results) const;

  private:
    static constexpr uint32_t k_nowhere = UINT32_MAX;

    void form_groups(const BandedSwScoring& scoring, const BandedSwBatch& batch);
    uint64_t key(uint32_t job) const;
    void add_group(size_t begin, size_t end);
    void sum_scratch();
    uint16_t cigar_room(uint32_t job) const;

    struct HostResult {
        uint32_t job = 0;
        JobResult end;
        size_t cigar_begin = 0;
        size_t cigar_end = 0;
    };

    BandedSwScoring scoring_;
    const BandedSwBatch* batch_ = nullptr;
    std::optional<WindowSource> source_;
    BandedSwBatch listed_;  ///< of windows, without bases
    size_t window_bases_ = 0;
    size_t window_words_ = 0;
    std::vector<Shape> shapes_;
    std::vector<uint64_t> order_;  ///< of the jobs in groups: kind, width and rows over the job's number
    std::vector<uint32_t> first_;  ///< of each group, in order_; and the end
    std::vector<uint32_t> slot_;   ///< of each job; k_nowhere for those that no warp extends
    std::vector<uint32_t> cigar_begin_;  ///< of each job in slot_
    std::vector<WarpGroup> groups_;
    std::vector<WarpPass> passes_;
    std::vector<HostResult> by_reference_;
    std::vector<uint32_t> reference_cigar_;
    std::vector<uint8_t> sequences_;  ///< of a window that the host extends
    size_t slots_ = 0;
    uint32_t longest_in_halves_ = 0;
    uint64_t min_scratch_bytes_ = 0;
    uint64_t wanted_scratch_bytes_ = 0;
    size_t cigar_elements_ = 0;
};

}  // namespace gannet::kernels::banded_sw
