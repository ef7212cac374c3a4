// SPDX-License-Identifier: MIT
// Provides the backend `cuda` of banded_sw: the kernel around the device schedule, and its launcher.
#include "kernels/banded_sw/banded_sw_plan.hpp"
#include "kernels/banded_sw/banded_sw_schedule.hpp"
#include "kernels/banded_sw/banded_sw_tuning.hpp"
#include "kernels/cuda/launch.hpp"

#include <cstring>

namespace gannet::kernels::banded_sw {

namespace on_device {

/// One thread's value; a warp's 32 threads hold what the schedule calls a Lane.
struct Lane {
    int32_t v;
};
struct Mask {
    bool v;
};

constexpr Lane plus(Lane a, Lane b) { return {a.v + b.v}; }
constexpr Lane minus(Lane a, Lane b) { return {a.v - b.v}; }
constexpr Lane lesser(Lane a, Lane b) { return {a.v < b.v ? a.v : b.v}; }
constexpr Lane either(Lane a, Lane b) { return {a.v | b.v}; }
constexpr Lane shifted(Lane a, int32_t bits) {
    return {static_cast<int32_t>(static_cast<uint32_t>(a.v) << bits)};
}
constexpr Lane field(Lane a, int32_t bits) {
    return {static_cast<int32_t>(static_cast<uint32_t>(a.v) >> bits & 15)};
}
constexpr Mask less(Lane a, Lane b) { return {a.v < b.v}; }
constexpr Mask equal(Lane a, Lane b) { return {a.v == b.v}; }
constexpr Mask both(Mask a, Mask b) { return {a.v && b.v}; }
constexpr Lane select(Mask mask, Lane yes, Lane no) { return mask.v ? yes : no; }

/// The job of one thread, and its column of the warp's scratch.
class Warp {
  public:
    __device__ Warp(const WarpBatch& batch, const WarpGroup& group, uint32_t slot)
        : bases_(batch.bases), job_(batch.jobs[slot]) {
        const ScratchLayout layout = scratch_layout(group);
        columns_ = batch.scratch + group.scratch_offset + slot % k_warp_lanes;
        target_ = columns_ + layout.target * k_warp_lanes;
        directions_ = columns_ + layout.directions * k_warp_lanes;
    }

    static constexpr Lane spread(int32_t value) { return {value}; }
    constexpr Lane query(int32_t i) const { return {i > job_.rows ? 0 : code(job_.query_offset, i)}; }
    constexpr Lane target(int32_t j) const {
        return {j > job_.columns ? k_code_beyond_end : code(job_.target_offset, j)};
    }
    constexpr Lane rows() const { return {job_.rows}; }
    constexpr Lane band() const { return {job_.band}; }
    constexpr void load_column(int32_t j, Lane& best, Lane& insertion) const {
        const uint32_t* const at = columns_ + int64_t{2} * j * k_warp_lanes;
        best = {static_cast<int32_t>(at[0])};
        insertion = {static_cast<int32_t>(at[k_warp_lanes])};
    }
    constexpr void store_column(int32_t j, Lane best, Lane insertion) {
        uint32_t* const at = columns_ + int64_t{2} * j * k_warp_lanes;
        at[0] = static_cast<uint32_t>(best.v);
        at[k_warp_lanes] = static_cast<uint32_t>(insertion.v);
    }
    constexpr Lane load_target(int32_t word) const {
        return {static_cast<int32_t>(target_[int64_t{word} * k_warp_lanes])};
    }
    constexpr void store_target(int32_t word, Lane codes) {
        target_[int64_t{word} * k_warp_lanes] = static_cast<uint32_t>(codes.v);
    }
    constexpr void store_directions(int64_t word, Lane bits) {
        directions_[word * k_warp_lanes] = static_cast<uint32_t>(bits.v);
    }
    constexpr const uint32_t* directions() const { return directions_; }

  private:
    constexpr int32_t code(uint32_t offset, int32_t position) const {
        const uint8_t base = bases_[offset + static_cast<uint32_t>(position) - 1];
        return base < k_code_ambiguous ? base : k_code_ambiguous;
    }

    const uint8_t* bases_;
    WarpJob job_;
    uint32_t* columns_;
    uint32_t* target_;
    uint32_t* directions_;
};

/// A warp a group. The groups of a pass are sorted by size and begun with the largest, so that the last to
/// end are small.
template <Trace trace>
__global__ void __launch_bounds__(k_max_block_threads, k_resident_blocks)
    extend_groups(const __grid_constant__ WarpBatch batch, uint32_t begin, uint32_t end) {
    const uint32_t place = (blockIdx.x * blockDim.x + threadIdx.x) / k_warp_lanes;
    if (place >= end - begin) return;
    const uint32_t number = end - 1 - place;
    const uint32_t slot = number * k_warp_lanes + threadIdx.x % k_warp_lanes;
    const WarpGroup group = batch.groups[number];
    Warp warp(batch, group, slot);
    const WarpResult<Lane> result = extend_warp<Lane>(warp, shape_of(group, batch.costs, trace));
    const WarpResult<int32_t> own{result.best_score.v, result.best_row.v, result.best_column.v,
                                  result.end_cost.v, result.end_column.v};
    finish_lane(batch, group, trace, slot, own, warp.directions());
}

/// Parts of one block of memory, so that each way takes one copy. Each begins on a boundary of 256 bytes.
class Sections {
  public:
    size_t add(size_t bytes) {
        const size_t begin = bytes_;
        bytes_ += (bytes + 255) / 256 * 256;
        return begin;
    }
    size_t bytes() const { return bytes_; }

  private:
    size_t bytes_ = 0;
};

struct State {
    explicit State(cuda::Device& device) : in(device.budget), out(device.budget), scratch(device.budget) {}

    WarpPlan plan;
    cuda::PinnedBuffer host_in;
    cuda::PinnedBuffer host_out;
    cuda::DeviceBuffer in;
    cuda::DeviceBuffer out;
    cuda::DeviceBuffer scratch;
};

/// One call of the op.
class Call {
  public:
    Call(cuda::Stream& stream, const BandedSwScoring& scoring, const BandedSwBatch& batch)
        : work_(stream, "banded_sw"), device_(stream.device()), state_(stream.state<State>()), batch_(batch) {
        state_.plan.prepare(scoring, batch);
    }

    void enqueue(BandedSwResults& results) {
        reserve();
        copy_in();
        work_.clear(state_.out, out_.bytes());
        for (const WarpPass& pass : state_.plan.passes()) run(pass);
        work_.copy_out(state_.host_out, state_.out, out_.bytes());
        state_.plan.run_reference();
        work_.finish([&state = state_, &results, ends = ends_, cigar = cigar_] {
            const auto* const out = state.host_out.data<uint8_t>();
            state.plan.collect(reinterpret_cast<const WarpEnd*>(out + ends),
                               reinterpret_cast<const uint32_t*>(out + cigar), results);
        });
    }

  private:
    void reserve() {
        WarpPlan& plan = state_.plan;
        jobs_ = in_.add(plan.slots() * sizeof(WarpJob));
        groups_ = in_.add(plan.groups().size() * sizeof(WarpGroup));
        bases_ = in_.add(batch_.bases.size());
        ends_ = out_.add(plan.slots() * sizeof(WarpEnd));
        cigar_ = out_.add(plan.cigar_elements() * sizeof(uint32_t));
        state_.host_in.reserve(in_.bytes(), "banded_sw: pinned memory for jobs");
        state_.host_out.reserve(out_.bytes(), "banded_sw: pinned memory for results");
        state_.in.reserve(in_.bytes(), "banded_sw: jobs");
        state_.out.reserve(out_.bytes(), "banded_sw: results");
        state_.scratch.reserve_some(plan.min_scratch_bytes(), plan.wanted_scratch_bytes(),
                                    "banded_sw: columns and direction bits");
        plan.lay_out(state_.scratch.bytes());
    }

    void copy_in() {
        const WarpPlan& plan = state_.plan;
        if (plan.slots() == 0) return;
        auto* const host = state_.host_in.data<uint8_t>();
        plan.fill(reinterpret_cast<WarpJob*>(host + jobs_));
        std::memcpy(host + groups_, plan.groups().data(), plan.groups().size() * sizeof(WarpGroup));
        std::memcpy(host + bases_, batch_.bases.data(), batch_.bases.size());
        work_.copy_in(state_.in, state_.host_in, in_.bytes());
    }

    void run(const WarpPass& pass) {
        const auto* const in = state_.in.data<uint8_t>();
        auto* const out = state_.out.data<uint8_t>();
        const WarpBatch batch{in + bases_,
                              reinterpret_cast<const WarpJob*>(in + jobs_),
                              reinterpret_cast<const WarpGroup*>(in + groups_),
                              state_.scratch.data<uint32_t>(),
                              reinterpret_cast<WarpEnd*>(out + ends_),
                              reinterpret_cast<uint32_t*>(out + cigar_),
                              state_.plan.costs()};
        const uint32_t groups = pass.end - pass.begin;
        const TilePolicy tile =
            tile_policy(device_.capability(), state_.plan.groups()[pass.end - 1].most_rows, groups,
                        static_cast<uint32_t>(device_.info.multiprocessors));
        const cuda::LaunchShape shape{cuda::blocks_for(groups, tile.warps_per_block),
                                      tile.warps_per_block * k_warp_lanes, 0};
        if (pass.trace == Trace::none)
            launch(work_, shape, extend_groups<Trace::none>, batch, pass.begin, pass.end);
        if (pass.trace == Trace::near)
            launch(work_, shape, extend_groups<Trace::near>, batch, pass.begin, pass.end);
        if (pass.trace == Trace::late)
            launch(work_, shape, extend_groups<Trace::late>, batch, pass.begin, pass.end);
    }

    cuda::Work work_;
    cuda::Device& device_;
    State& state_;
    const BandedSwBatch& batch_;
    Sections in_;
    Sections out_;
    size_t jobs_ = 0;
    size_t groups_ = 0;
    size_t bases_ = 0;
    size_t ends_ = 0;
    size_t cigar_ = 0;
};

}  // namespace on_device

}  // namespace gannet::kernels::banded_sw

namespace gannet::kernels {

void banded_sw_cuda(Stream& stream, const BandedSwScoring& scoring, const BandedSwBatch& batch,
                    BandedSwResults& results) {
    banded_sw::on_device::Call(cuda::Stream::of(stream), scoring, batch).enqueue(results);
}

}  // namespace gannet::kernels
