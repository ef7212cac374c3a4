// SPDX-License-Identifier: MIT
// Provides the backend `cuda` of banded_sw: the kernel around the device schedule, and its launcher.
#include "kernels/banded_sw/banded_sw_plan.hpp"
#include "kernels/banded_sw/banded_sw_schedule.hpp"
#include "kernels/banded_sw/banded_sw_sections.hpp"
#include "kernels/banded_sw/banded_sw_tuning.hpp"
#include "kernels/cuda/launch.hpp"

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

struct State {
    explicit State(cuda::Device&) {}
    WarpPlan plan;
};

/// What submit() enqueues of a call.
class Launcher {
  public:
    Launcher(const WarpPlan& plan, const BatchSections& sections) : plan_(&plan), sections_(sections) {}

    void operator()(cuda::Queue& queue) const {
        if (plan_->slots() == 0) {
            queue.copy_in(0, 0);
            queue.copy_out(0, 0);
            return;
        }
        queue.copy_in(0, sections_.input_bytes);
        queue.clear(sections_.input_bytes, sections_.bytes);
        for (const WarpPass& pass : plan_->passes()) run(queue, pass);
        queue.copy_out(sections_.input_bytes, sections_.bytes);
    }

  private:
    void run(const cuda::Queue& queue, const WarpPass& pass) const {
        auto* const scratch = static_cast<uint8_t*>(queue.device_block()) + sections_.bytes;
        const WarpBatch batch{queue.on_device(sections_.bases),
                              queue.on_device(sections_.jobs),
                              queue.on_device(sections_.groups),
                              reinterpret_cast<uint32_t*>(scratch),
                              queue.on_device(sections_.ends),
                              queue.on_device(sections_.cigar),
                              plan_->costs()};
        const uint32_t groups = pass.end - pass.begin;
        const cuda::Device& device = queue.device();
        const TilePolicy tile = tile_policy(device.capability(), plan_->groups()[pass.end - 1].most_rows,
                                            groups, static_cast<uint32_t>(device.info.multiprocessors));
        const cuda::LaunchShape shape{cuda::blocks_for(queue.op(), groups, tile.warps_per_block),
                                      tile.warps_per_block * k_warp_lanes, 0};
        if (pass.trace == Trace::none)
            launch(queue, shape, extend_groups<Trace::none>, batch, pass.begin, pass.end);
        if (pass.trace == Trace::near)
            launch(queue, shape, extend_groups<Trace::near>, batch, pass.begin, pass.end);
        if (pass.trace == Trace::late)
            launch(queue, shape, extend_groups<Trace::late>, batch, pass.begin, pass.end);
    }

    const WarpPlan* plan_;
    BatchSections sections_;
};

void prepare(cuda::Stream& stream, const BandedSwScoring& scoring, const BandedSwBatch& batch,
             BandedSwResults& results) {
    cuda::Work work(stream, "banded_sw");
    WarpPlan& plan = stream.state<State>().plan;
    plan.prepare(scoring, batch);
    const BatchSections sections = lay_out(plan, batch);
    plan.lay_out(work.reserve(sections.bytes, plan.min_scratch_bytes(), plan.wanted_scratch_bytes()));
    void* const host = work.host_block();
    fill_inputs(host, sections, plan, batch);
    work.prepared(Launcher(plan, sections), [&plan, &results, sections, host] {
        plan.run_reference();
        plan.collect(sections.ends.in(host), sections.cigar.in(host), results);
    });
}

}  // namespace on_device

}  // namespace gannet::kernels::banded_sw

namespace gannet::kernels {

void banded_sw_cuda(Stream& stream, const BandedSwScoring& scoring, const BandedSwBatch& batch,
                    BandedSwResults& results) {
    banded_sw::on_device::prepare(cuda::Stream::of(stream), scoring, batch, results);
}

}  // namespace gannet::kernels
