// SPDX-License-Identifier: MIT
// Provides the backend `cuda` of banded_sw: the kernel around the device schedule, and its launcher.
#include "kernels/banded_sw/banded_sw_halves.hpp"
#include "kernels/banded_sw/banded_sw_plan.hpp"
#include "kernels/banded_sw/banded_sw_schedule.hpp"
#include "kernels/banded_sw/banded_sw_sections.hpp"
#include "kernels/banded_sw/banded_sw_tuning.hpp"
#include "kernels/cuda/launch.hpp"
#include "kernels/cuda/resident.hpp"
#include "kernels/cuda/warp.hpp"

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

// Two jobs per lane: on devices of capability 9.0 one instruction each, but for keep_lowest with three.

__host__ __device__ inline uint32_t word(Lane a) { return static_cast<uint32_t>(a.v); }
__host__ __device__ inline Lane lane(uint32_t a) { return {static_cast<int32_t>(a)}; }

__host__ __device__ inline Lane add_min(Lane a, Lane b, Lane c) {
    return lane(__viaddmin_u16x2(word(a), word(b), word(c)));
}
__host__ __device__ inline Lane add_halves(Lane a, Lane b) { return add_min(a, b, {-1}); }
__host__ __device__ inline Lane lesser_halves(Lane a, Lane b) { return add_min(a, {0}, b); }
constexpr Lane bits(Lane a, Lane mask) { return {a.v & mask.v}; }
constexpr Lane low_half(Lane a) { return {a.v & 0xffff}; }
constexpr Lane high_half(Lane a) { return {static_cast<int32_t>(static_cast<uint32_t>(a.v) >> 16)}; }
__host__ __device__ inline Lane flagged(Lane a, Lane b, Lane c) { return lane(word(a) - word(b) + word(c)); }
constexpr Lane pair_index(Lane query, Lane target, Lane either_bits) {
    return {((query.v | target.v) & either_bits.v) | ((query.v ^ target.v) & ~either_bits.v)};
}
/// The bytes of a (0-3) and b (4-7) that the four digits of `digits` name; a digit with bit 3 stands for the
/// byte's sign. (__byte_perm leaves that bit out.)
__device__ inline uint32_t permute(uint32_t a, uint32_t b, uint32_t digits) {
    uint32_t result;
    asm("prmt.b32 %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(digits));
    return result;
}
__device__ inline Lane look_up(Lane low, Lane high, Lane index) {
    return lane(permute(word(low), word(high), word(index)));
}
__device__ inline Lane signs(Lane a, Lane b) { return lane(permute(word(a), word(b), 0xfdb9)); }
/// The lesser of each two halves, and whether it is a's. As __vibmin_u16x2, which in CUDA 13.0 lacks the `&`:
/// its minimum then has the register of the operand that is compared with it afterwards.
__device__ inline uint32_t lesser_halves(uint32_t a, uint32_t b, bool& low_is_a, bool& high_is_a) {
#if __CUDA_ARCH__ >= 900
    uint32_t result;
    uint32_t low;
    uint32_t high;
    asm("{ .reg .pred low_is_a, high_is_a;\n\t"
        ".reg .u16 low, high, a_low, a_high;\n\t"
        "min.u16x2 %0, %3, %4;\n\t"
        "mov.b32 {low, high}, %0;\n\t"
        "mov.b32 {a_low, a_high}, %3;\n\t"
        "setp.eq.u16 low_is_a, low, a_low;\n\t"
        "setp.eq.u16 high_is_a, high, a_high;\n\t"
        "selp.b32 %1, 1, 0, low_is_a;\n\t"
        "selp.b32 %2, 1, 0, high_is_a; }\n\t"
        : "=&r"(result), "=r"(low), "=r"(high)
        : "r"(a), "r"(b));
    low_is_a = low != 0;
    high_is_a = high != 0;
    return result;
#else
    return __vibmin_u16x2(a, b, &high_is_a, &low_is_a);
#endif
}
__device__ inline void keep_lowest(Lane& lowest, Lane value, Lane position, Lane& low, Lane& high) {
    bool keeps_low;
    bool keeps_high;
    lowest = lane(lesser_halves(word(lowest), word(value), keeps_low, keeps_high));
    low = keeps_low ? low : position;
    high = keeps_high ? high : position;
}

/// A thread's column of the warp's scratch.
class WarpScratch {
  public:
    __device__ WarpScratch(const WarpBatch& batch, const WarpGroup& group, uint32_t own) {
        const ScratchLayout layout = scratch_layout(group);
        columns_ = batch.scratch + group.scratch_offset + own;
        target_ = columns_ + layout.target * k_warp_lanes;
        directions_ = columns_ + layout.directions * k_warp_lanes;
    }

    static constexpr Lane spread(int32_t value) { return {value}; }
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
    constexpr void store_directions(int64_t word, Lane steps, Lane gaps) {
        directions_[k_half_words * word * k_warp_lanes] = static_cast<uint32_t>(steps.v);
        directions_[(k_half_words * word + 1) * k_warp_lanes] = static_cast<uint32_t>(gaps.v);
    }
    constexpr const uint32_t* directions() const { return directions_; }

  private:
    uint32_t* columns_;
    uint32_t* target_;
    uint32_t* directions_;
};

/// The job of one thread.
class Warp : public WarpScratch {
  public:
    __device__ Warp(const WarpBatch& batch, const WarpGroup& group, uint32_t own)
        : WarpScratch(batch, group, own), bases_(batch.bases), job_(batch.jobs[group.first_slot + own]) {}

    constexpr Lane query(int32_t i) const { return {static_cast<int32_t>(query_code(bases_, job_, i))}; }
    constexpr Lane target(int32_t j) const {
        return {static_cast<int32_t>(target_code(bases_, job_, j, k_code_beyond_end))};
    }
    constexpr Lane rows() const { return {job_.rows}; }
    constexpr Lane band() const { return {job_.band}; }

  private:
    const uint8_t* bases_;
    WarpJob job_;
};

/// The two jobs of one thread.
class HalfWarp : public WarpScratch {
  public:
    __device__ HalfWarp(const WarpBatch& batch, const WarpGroup& group, uint32_t own)
        : WarpScratch(batch, group, own),
          bases_(batch.bases),
          low_(batch.jobs[group.first_slot + own]),
          high_(batch.jobs[group.first_slot + k_warp_lanes + own]) {}

    constexpr Lane query_index(int32_t i) const {
        return {static_cast<int32_t>(banded_sw::query_index(query_code(bases_, low_, i)) |
                                     banded_sw::query_index(query_code(bases_, high_, i)) << 8)};
    }
    constexpr Lane target_index(int32_t j) const {
        return {static_cast<int32_t>(banded_sw::target_index(target_code(bases_, low_, j, 0)) |
                                     banded_sw::target_index(target_code(bases_, high_, j, 0)) << 8)};
    }
    constexpr Lane rows(int32_t half) const { return {half == 0 ? low_.rows : high_.rows}; }
    constexpr Lane bands() const { return {low_.band | high_.band << 16}; }
    constexpr Lane columns() const { return {low_.columns | high_.columns << 16}; }

  private:
    const uint8_t* bases_;
    WarpJob low_;
    WarpJob high_;
};

__device__ inline WarpResult<int32_t> own_result(const WarpResult<Lane>& result) {
    return {result.best_score.v, result.best_row.v, result.best_column.v, result.end_cost.v,
            result.end_column.v};
}

/// The group of the thread's warp; nullptr for warps without one. The groups of a pass are sorted by size and
/// begun with the largest, so that the last to end are small.
__device__ inline const WarpGroup* own_group(const WarpBatch& batch, uint32_t begin, uint32_t end) {
    const uint32_t place = (blockIdx.x * blockDim.x + threadIdx.x) / k_warp_lanes;
    return place < end - begin ? batch.groups + (end - 1 - place) : nullptr;
}

template <Trace trace>
__global__ void __launch_bounds__(k_max_block_threads, k_resident_blocks)
    extend_groups(const __grid_constant__ WarpBatch batch, uint32_t begin, uint32_t end) {
    const WarpGroup* const found = own_group(batch, begin, end);
    if (found == nullptr) return;
    const WarpGroup group = *found;
    const uint32_t own = threadIdx.x % k_warp_lanes;
    Warp warp(batch, group, own);
    const WarpResult<Lane> result = extend_warp<Lane>(warp, shape_of(group, batch.costs, trace));
    finish_job(batch, trace, group.first_slot + own, own_result(result),
               StripDirections{warp.directions(), group.lower, group.upper});
}

template <Trace trace>
__global__ void __launch_bounds__(k_max_block_threads, k_resident_blocks)
    extend_half_groups(const __grid_constant__ WarpBatch batch, uint32_t begin, uint32_t end) {
    const WarpGroup* const found = own_group(batch, begin, end);
    if (found == nullptr) return;
    const WarpGroup group = *found;
    const uint32_t own = threadIdx.x % k_warp_lanes;
    HalfWarp warp(batch, group, own);
    WarpResult<Lane> results[2];
    extend_half_warp<Lane>(warp, shape_of(group, batch.costs, trace), results);
    for (uint32_t half = 0; half < 2; ++half) {
        finish_job(batch, trace, group.first_slot + half * k_warp_lanes + own, own_result(results[half]),
                   HalfDirections{warp.directions(), group.lower, group.upper, half});
    }
}

/// Before the groups of windows: their sequences.
__global__ void __launch_bounds__(k_max_block_threads)
    write_windows(const __grid_constant__ WindowArrays arrays) {
    const uint32_t job = (blockIdx.x * blockDim.x + threadIdx.x) / k_warp_lanes;
    if (job < arrays.count) write_window(cuda::Warp(threadIdx.x % k_warp_lanes), arrays, job);
}

/// The kernel of a pass.
using Kernel = void (*)(const WarpBatch, uint32_t, uint32_t);
template <Trace trace>
Kernel kernel_of(bool halves) {
    return halves ? extend_half_groups<trace> : extend_groups<trace>;
}
Kernel kernel_of(const WarpPass& pass) {
    switch (pass.trace) {
        case Trace::near:
            return kernel_of<Trace::near>(pass.halves);
        case Trace::late:
            return kernel_of<Trace::late>(pass.halves);
        case Trace::none:
            break;
    }
    return kernel_of<Trace::none>(pass.halves);
}

struct State {
    explicit State(cuda::Device&) {}
    WarpPlan plan;
};

/// What submit() enqueues of a call.
class Launcher {
  public:
    /// `genome`: in the device's memory; of windows only.
    Launcher(const WarpPlan& plan, const BatchSections& sections, const GenomeView& genome = {})
        : plan_(&plan), sections_(sections), genome_(genome) {}

    void operator()(cuda::Queue& queue) const {
        if (plan_->slots() == 0) {
            queue.copy_in(0, 0);
            queue.copy_out(0, 0);
            return;
        }
        queue.copy_in(0, sections_.input_bytes);
        queue.clear(sections_.input_bytes, sections_.bytes);
        if (plan_->windows() != 0) write_sequences(queue);
        for (const WarpPass& pass : plan_->passes()) run(queue, pass);
        queue.copy_out(sections_.input_bytes, sections_.bytes);
    }

  private:
    uint8_t* arena(const cuda::Queue& queue) const {
        return static_cast<uint8_t*>(queue.device_block()) + sections_.bytes;
    }

    void write_sequences(const cuda::Queue& queue) const {
        constexpr uint32_t k_warps = k_max_block_threads / k_warp_lanes;
        const auto windows = static_cast<uint32_t>(plan_->windows());
        const WindowArrays arrays{queue.on_device(sections_.windows), windows,
                                  queue.on_device(sections_.words), genome_, arena(queue)};
        const cuda::LaunchShape shape{cuda::blocks_for(queue.op(), windows, k_warps), k_max_block_threads, 0};
        launch(queue, shape, write_windows, arrays);
    }

    void run(const cuda::Queue& queue, const WarpPass& pass) const {
        uint8_t* const scratch = arena(queue) + sections_.arena_bytes;
        const WarpBatch batch{plan_->windows() != 0 ? arena(queue) : queue.on_device(sections_.bases),
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
        launch(queue, shape, kernel_of(pass), batch, pass.begin, pass.end);
    }

    const WarpPlan* plan_;
    BatchSections sections_;
    GenomeView genome_;
};

/// Of a plan whose jobs are in groups.
BatchSections reserve(cuda::Work& work, WarpPlan& plan, uint64_t batch_bases) {
    const BatchSections sections = lay_out(plan, batch_bases);
    const uint64_t scratch_bytes =
        work.reserve(sections.bytes, sections.arena_bytes + plan.min_scratch_bytes(),
                     sections.arena_bytes + plan.wanted_scratch_bytes());
    plan.lay_out(scratch_bytes - sections.arena_bytes);
    fill_inputs(work.host_block(), sections, plan);
    return sections;
}

void finish(cuda::Work& work, WarpPlan& plan, const Launcher& launcher, const BatchSections& sections,
            BandedSwResults& results) {
    const void* const host = work.host_block();
    work.prepared(launcher, [&plan, &results, sections, host] {
        plan.run_reference();
        plan.collect(sections.ends.in(host), sections.cigar.in(host), results);
    });
}

void prepare(cuda::Stream& stream, const BandedSwScoring& scoring, const BandedSwBatch& batch,
             BandedSwResults& results) {
    cuda::Work work(stream, "banded_sw");
    WarpPlan& plan = stream.state<State>().plan;
    plan.prepare(scoring, batch);
    const BatchSections sections = reserve(work, plan, batch.bases.size());
    cuda::fill(work.host_block(), sections.bases, batch.bases);
    finish(work, plan, Launcher(plan, sections), sections, results);
}

void prepare(cuda::Stream& stream, const BandedSwScoring& scoring, const WindowSource& source,
             BandedSwResults& results) {
    cuda::Work work(stream, "banded_sw");
    const GenomeView genome = cuda::resident_genome(stream.device(), source.genome);
    WarpPlan& plan = stream.state<State>().plan;
    plan.prepare(scoring, source);
    const BatchSections sections = reserve(work, plan, 0);
    finish(work, plan, Launcher(plan, sections, genome), sections, results);
}

}  // namespace on_device

}  // namespace gannet::kernels::banded_sw

namespace gannet::kernels {

void banded_sw_cuda(Stream& stream, const BandedSwScoring& scoring, const BandedSwBatch& batch,
                    BandedSwResults& results) {
    banded_sw::on_device::prepare(cuda::Stream::of(stream), scoring, batch, results);
}

void banded_sw_windows_cuda(Stream& stream, const BandedSwScoring& scoring, const GenomeView& genome,
                            const ReadBatchView& reads, const BandedSwWindows& windows,
                            BandedSwResults& results) {
    banded_sw::on_device::prepare(cuda::Stream::of(stream), scoring,
                                  banded_sw::WindowSource{genome, reads, windows}, results);
}

}  // namespace gannet::kernels
