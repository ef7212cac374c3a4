// SPDX-License-Identifier: MIT
// Provides the backend `emulated` of banded_sw: the device schedule, run on the host by a lane type of 32
// values, over the plan and the arrays that a device gets.
#include "kernels/banded_sw/banded_sw_plan.hpp"
#include "kernels/banded_sw/banded_sw_schedule.hpp"

#include <algorithm>
#include <vector>

namespace gannet::kernels::banded_sw {

namespace emulated {

using Values [[gnu::vector_size(4 * k_warp_lanes)]] = int32_t;

struct Lane {
    Values v;
};
/// -1 for true, 0 for false.
struct Mask {
    Values v;
};

inline Lane plus(const Lane& a, const Lane& b) { return {a.v + b.v}; }
inline Lane minus(const Lane& a, const Lane& b) { return {a.v - b.v}; }
inline Lane lesser(const Lane& a, const Lane& b) { return {a.v < b.v ? a.v : b.v}; }
inline Lane either(const Lane& a, const Lane& b) { return {a.v | b.v}; }
inline Lane shifted(const Lane& a, int32_t bits) { return {a.v << bits}; }
inline Lane field(const Lane& a, int32_t bits) { return {a.v >> bits & 15}; }
inline Mask less(const Lane& a, const Lane& b) { return {a.v < b.v}; }
inline Mask equal(const Lane& a, const Lane& b) { return {a.v == b.v}; }
inline Mask both(const Mask& a, const Mask& b) { return {a.v & b.v}; }
inline Lane select(const Mask& mask, const Lane& yes, const Lane& no) { return {mask.v ? yes.v : no.v}; }

template <class Value>
Lane each(Value value) {
    Lane result;
    for (uint32_t lane = 0; lane < k_warp_lanes; ++lane) result.v[lane] = value(lane);
    return result;
}

/// The jobs of one warp, and its part of the scratch.
class Warp {
  public:
    Warp(const WarpBatch& batch, uint32_t group)
        : batch_(batch),
          jobs_(batch.jobs + size_t{group} * k_warp_lanes),
          layout_(scratch_layout(batch.groups[group])),
          scratch_(reinterpret_cast<Lane*>(batch.scratch + batch.groups[group].scratch_offset)),
          rows_(each([&](uint32_t lane) { return int32_t{jobs_[lane].rows}; })),
          band_(each([&](uint32_t lane) { return int32_t{jobs_[lane].band}; })) {}

    static Lane spread(int32_t value) { return {Values{} + value}; }
    Lane query(int32_t i) const {
        return each([this, i](uint32_t lane) {
            const WarpJob& job = jobs_[lane];
            return i > job.rows ? 0 : code(job.query_offset, i);
        });
    }
    Lane target(int32_t j) const {
        return each([this, j](uint32_t lane) {
            const WarpJob& job = jobs_[lane];
            return j > job.columns ? k_code_beyond_end : code(job.target_offset, j);
        });
    }
    const Lane& rows() const { return rows_; }
    const Lane& band() const { return band_; }
    void load_column(int32_t j, Lane& best, Lane& insertion) const {
        best = scratch_[2 * j];
        insertion = scratch_[2 * j + 1];
    }
    void store_column(int32_t j, const Lane& best, const Lane& insertion) {
        scratch_[2 * j] = best;
        scratch_[2 * j + 1] = insertion;
    }
    const Lane& load_target(int32_t word) const { return scratch_[layout_.target + word]; }
    void store_target(int32_t word, const Lane& codes) { scratch_[layout_.target + word] = codes; }
    void store_directions(int64_t word, const Lane& bits) { scratch_[layout_.directions + word] = bits; }
    const uint32_t* directions(uint32_t lane) const {
        return reinterpret_cast<const uint32_t*>(scratch_ + layout_.directions) + lane;
    }

  private:
    int32_t code(uint32_t offset, int32_t position) const {
        const uint8_t base = batch_.bases[offset + static_cast<uint32_t>(position) - 1];
        return base < k_code_ambiguous ? base : k_code_ambiguous;
    }

    const WarpBatch& batch_;
    const WarpJob* jobs_;
    ScratchLayout layout_;
    Lane* scratch_;
    Lane rows_;
    Lane band_;
};

/// What a warp of the kernel does.
void extend_group(const WarpBatch& batch, uint32_t number, Trace trace) {
    const WarpGroup& group = batch.groups[number];
    Warp warp(batch, number);
    const WarpResult<Lane> result = extend_warp<Lane>(warp, shape_of(group, batch.costs, trace));
    for (uint32_t lane = 0; lane < k_warp_lanes; ++lane) {
        const WarpResult<int32_t> own{result.best_score.v[lane], result.best_row.v[lane],
                                      result.best_column.v[lane], result.end_cost.v[lane],
                                      result.end_column.v[lane]};
        finish_lane(batch, group, trace, number * k_warp_lanes + lane, own, warp.directions(lane));
    }
}

struct Scratch {
    WarpPlan plan;
    std::vector<WarpJob> jobs;
    std::vector<WarpEnd> ends;
    std::vector<uint32_t> cigar;
    std::vector<Lane> scratch;
};

/// A cache's worth; small enough that batches of traced jobs take several passes, as on a device that is
/// short of memory.
constexpr uint64_t k_scratch_bytes = uint64_t{4} << 20;

}  // namespace emulated

}  // namespace gannet::kernels::banded_sw

namespace gannet::kernels {

void banded_sw_emulated(Stream&, const BandedSwScoring& scoring, const BandedSwBatch& batch,
                        BandedSwResults& results) {
    using namespace banded_sw;
    thread_local emulated::Scratch own;
    WarpPlan& plan = own.plan;
    plan.prepare(scoring, batch);
    const uint64_t scratch_bytes = std::max(emulated::k_scratch_bytes, plan.min_scratch_bytes());
    plan.lay_out(scratch_bytes);
    own.jobs.resize(plan.slots());
    plan.fill(own.jobs.data());
    own.ends.resize(plan.slots());
    own.cigar.resize(plan.cigar_elements());
    own.scratch.resize(std::max(own.scratch.size(), scratch_bytes / sizeof(emulated::Lane)));
    const WarpBatch view{batch.bases.data(),   own.jobs.data(),
                         plan.groups().data(), reinterpret_cast<uint32_t*>(own.scratch.data()),
                         own.ends.data(),      own.cigar.data(),
                         plan.costs()};
    for (const WarpPass& pass : plan.passes()) {
        for (uint32_t group = pass.begin; group < pass.end; ++group)
            emulated::extend_group(view, group, pass.trace);
    }
    plan.run_reference();
    plan.collect(own.ends.data(), own.cigar.data(), results);
}

}  // namespace gannet::kernels
