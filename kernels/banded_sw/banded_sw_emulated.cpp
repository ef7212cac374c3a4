// SPDX-License-Identifier: MIT
// Provides the backend `emulated` of banded_sw: the device schedule, run on the host by a lane type of 32
// words, over the plan and the arrays that a device gets.
#include "kernels/banded_sw/banded_sw_emulated.hpp"

#include "kernels/banded_sw/banded_sw_halves.hpp"
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

// Two jobs per lane: the same bits as 64 halves, and as words without a sign.

using Halves [[gnu::vector_size(4 * k_warp_lanes)]] = uint16_t;
using Words [[gnu::vector_size(4 * k_warp_lanes)]] = uint32_t;

inline Halves halves(const Lane& a) { return reinterpret_cast<Halves>(a.v); }
inline Words words(const Lane& a) { return reinterpret_cast<Words>(a.v); }
inline Lane lane(const Halves& a) { return {reinterpret_cast<Values>(a)}; }
inline Lane lane(const Words& a) { return {reinterpret_cast<Values>(a)}; }

inline Lane add_halves(const Lane& a, const Lane& b) { return lane(halves(a) + halves(b)); }
inline Lane lesser_halves(const Lane& a, const Lane& b) {
    return lane(halves(a) < halves(b) ? halves(a) : halves(b));
}
inline Lane add_min(const Lane& a, const Lane& b, const Lane& c) {
    return lesser_halves(add_halves(a, b), c);
}
inline Lane bits(const Lane& a, const Lane& mask) { return {a.v & mask.v}; }
inline Lane low_half(const Lane& a) { return {a.v & 0xffff}; }
inline Lane high_half(const Lane& a) { return lane(words(a) >> 16); }
inline Lane flagged(const Lane& a, const Lane& b, const Lane& c) {
    return lane(words(a) - words(b) + words(c));
}
inline Lane pair_index(const Lane& query, const Lane& target, const Lane& either_bits) {
    return {((query.v | target.v) & either_bits.v) | ((query.v ^ target.v) & ~either_bits.v)};
}
inline Words byte_of(const Lane& low, const Lane& high, const Words& index) {
    const Words four = (index & 4) == 0 ? words(low) : words(high);
    const Words byte = four >> (index & 3) * 8 & 0xff;
    return ((byte ^ 0x80) - 0x80) & 0xffff;
}
inline Lane look_up(const Lane& low, const Lane& high, const Lane& index) {
    return lane(byte_of(low, high, words(index)) | byte_of(low, high, words(index) >> 8) << 16);
}
inline Lane signs(const Lane& a, const Lane& b) {
    const Words first = words(a) >> 15 & 0x00010001;
    const Words second = words(b) >> 15 & 0x00010001;
    return lane(((first | first >> 8) & 0x0101) * 0xff | ((second | second >> 8) & 0x0101) * 0xff << 16);
}
inline void keep_lowest(Lane& lowest, const Lane& value, const Lane& position, Lane& low, Lane& high) {
    low = select(less(low_half(value), low_half(lowest)), position, low);
    high = select(less(high_half(value), high_half(lowest)), position, high);
    lowest = lesser_halves(lowest, value);
}

template <class Value>
Lane each(Value value) {
    Lane result;
    for (uint32_t lane = 0; lane < k_warp_lanes; ++lane) result.v[lane] = static_cast<int32_t>(value(lane));
    return result;
}

/// A warp's part of the scratch.
class WarpScratch {
  public:
    WarpScratch(const WarpBatch& batch, const WarpGroup& group)
        : layout_(scratch_layout(group)),
          scratch_(reinterpret_cast<Lane*>(batch.scratch + group.scratch_offset)) {}

    static Lane spread(int32_t value) { return {Values{} + value}; }
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
    void store_directions(int64_t word, const Lane& steps, const Lane& gaps) {
        scratch_[layout_.directions + k_half_words * word] = steps;
        scratch_[layout_.directions + k_half_words * word + 1] = gaps;
    }
    const uint32_t* directions(uint32_t lane) const {
        return reinterpret_cast<const uint32_t*>(scratch_ + layout_.directions) + lane;
    }

  private:
    ScratchLayout layout_;
    Lane* scratch_;
};

/// A job per lane.
class Warp : public WarpScratch {
  public:
    Warp(const WarpBatch& batch, const WarpGroup& group)
        : WarpScratch(batch, group),
          batch_(batch),
          jobs_(batch.jobs + group.first_slot),
          rows_(each([&](uint32_t lane) { return int32_t{jobs_[lane].rows}; })),
          band_(each([&](uint32_t lane) { return int32_t{jobs_[lane].band}; })) {}

    Lane query(int32_t i) const {
        return each([this, i](uint32_t lane) { return query_code(batch_.bases, jobs_[lane], i); });
    }
    Lane target(int32_t j) const {
        return each([this, j](uint32_t lane) {
            return target_code(batch_.bases, jobs_[lane], j, k_code_beyond_end);
        });
    }
    const Lane& rows() const { return rows_; }
    const Lane& band() const { return band_; }

  private:
    const WarpBatch& batch_;
    const WarpJob* jobs_;
    Lane rows_;
    Lane band_;
};

/// Two jobs per lane.
class HalfWarp : public WarpScratch {
  public:
    HalfWarp(const WarpBatch& batch, const WarpGroup& group)
        : WarpScratch(batch, group),
          batch_(batch),
          jobs_(batch.jobs + group.first_slot),
          rows_{each([&](uint32_t lane) { return int32_t{low(lane).rows}; }),
                each([&](uint32_t lane) { return int32_t{high(lane).rows}; })},
          bands_(each([&](uint32_t lane) { return low(lane).band | high(lane).band << 16; })),
          columns_(each([&](uint32_t lane) { return low(lane).columns | high(lane).columns << 16; })) {}

    Lane query_index(int32_t i) const {
        return each([this, i](uint32_t lane) {
            return banded_sw::query_index(query_code(batch_.bases, low(lane), i)) |
                   banded_sw::query_index(query_code(batch_.bases, high(lane), i)) << 8;
        });
    }
    Lane target_index(int32_t j) const {
        return each([this, j](uint32_t lane) {
            return banded_sw::target_index(target_code(batch_.bases, low(lane), j, 0)) |
                   banded_sw::target_index(target_code(batch_.bases, high(lane), j, 0)) << 8;
        });
    }
    const Lane& rows(int32_t half) const { return rows_[half]; }
    const Lane& bands() const { return bands_; }
    const Lane& columns() const { return columns_; }

  private:
    const WarpJob& low(uint32_t lane) const { return jobs_[lane]; }
    const WarpJob& high(uint32_t lane) const { return jobs_[k_warp_lanes + lane]; }

    const WarpBatch& batch_;
    const WarpJob* jobs_;
    Lane rows_[2];
    Lane bands_;
    Lane columns_;
};

WarpResult<int32_t> own_result(const WarpResult<Lane>& result, uint32_t lane) {
    return {result.best_score.v[lane], result.best_row.v[lane], result.best_column.v[lane],
            result.end_cost.v[lane], result.end_column.v[lane]};
}

/// A warp of the kernel of words.
void extend_group(const WarpBatch& batch, const WarpGroup& group) {
    Warp warp(batch, group);
    const WarpResult<Lane> result = extend_warp<Lane>(warp, shape_of(group, batch.costs, group.trace));
    for (uint32_t lane = 0; lane < k_warp_lanes; ++lane) {
        finish_job(batch, group.trace, group.first_slot + lane, own_result(result, lane),
                   StripDirections{warp.directions(lane), group.lower, group.upper});
    }
}

/// A warp of the kernel of halves.
void extend_half_group(const WarpBatch& batch, const WarpGroup& group) {
    HalfWarp warp(batch, group);
    WarpResult<Lane> results[2];
    extend_half_warp<Lane>(warp, shape_of(group, batch.costs, group.trace), results);
    for (uint32_t place = 0; place < group.slots(); ++place) {
        const uint32_t lane = place % k_warp_lanes;
        const uint32_t half = place / k_warp_lanes;
        finish_job(batch, group.trace, group.first_slot + place, own_result(results[half], lane),
                   HalfDirections{warp.directions(lane), group.lower, group.upper, half});
    }
}

void run_group(const WarpBatch& batch, const WarpGroup& group) {
    (group.halves ? extend_half_group : extend_group)(batch, group);
}

struct Scratch {
    WarpPlan plan;
    std::vector<WindowJob> windows;
    std::vector<uint64_t> words;
    std::vector<uint8_t> bases;
    std::vector<WarpJob> jobs;
    std::vector<WarpEnd> ends;
    std::vector<uint32_t> cigar;
    std::vector<Lane> scratch;
};

/// A cache's worth; small enough that batches of traced jobs take several passes, as on a device that is
/// short of memory.
constexpr uint64_t k_scratch_bytes = uint64_t{4} << 20;

/// Scratch of this thread.
Scratch& own_scratch() {
    thread_local Scratch own;
    return own;
}

/// The passes of a plan over sequences.
void run(Scratch& own, const uint8_t* bases, BandedSwResults& results) {
    WarpPlan& plan = own.plan;
    const uint64_t scratch_bytes = std::max(k_scratch_bytes, plan.min_scratch_bytes());
    plan.lay_out(scratch_bytes);
    own.jobs.resize(plan.slots());
    plan.fill(own.jobs.data());
    own.ends.resize(plan.slots());
    own.cigar.resize(plan.cigar_elements());
    own.scratch.resize(std::max(own.scratch.size(), scratch_bytes / sizeof(Lane)));
    const WarpBatch view{bases,
                         own.jobs.data(),
                         plan.groups().data(),
                         reinterpret_cast<uint32_t*>(own.scratch.data()),
                         own.ends.data(),
                         own.cigar.data(),
                         plan.costs()};
    for (const WarpPass& pass : plan.passes()) {
        for (uint32_t group = pass.begin; group < pass.end; ++group) run_group(view, plan.groups()[group]);
    }
    plan.run_reference();
    plan.collect(own.ends.data(), own.cigar.data(), results);
}

/// Writes out the sequences of windows as a device does, the last job first.
void write_windows(Scratch& own, const GenomeView& genome) {
    const WarpPlan& plan = own.plan;
    own.windows.resize(plan.windows());
    own.words.resize(plan.window_words());
    own.bases.resize(plan.window_bases());
    plan.fill(own.windows.data(), own.words.data());
    const WindowArrays arrays{own.windows.data(), static_cast<uint32_t>(own.windows.size()), own.words.data(),
                              genome, own.bases.data()};
    for (uint32_t job = arrays.count; job-- > 0;) write_window(HostWarp(job), arrays, job);
}

}  // namespace emulated

}  // namespace gannet::kernels::banded_sw

namespace gannet::kernels {

void banded_sw_emulated(Stream&, const BandedSwScoring& scoring, const BandedSwBatch& batch,
                        BandedSwResults& results) {
    using namespace banded_sw::emulated;
    Scratch& own = own_scratch();
    own.plan.prepare(scoring, batch);
    run(own, batch.bases.data(), results);
}

void banded_sw_windows_emulated(Stream&, const BandedSwScoring& scoring, const GenomeView& genome,
                                const ReadBatchView& reads, const BandedSwWindows& windows,
                                BandedSwResults& results) {
    using namespace banded_sw::emulated;
    Scratch& own = own_scratch();
    own.plan.prepare(scoring, banded_sw::WindowSource{genome, reads, windows});
    write_windows(own, genome);
    run(own, own.bases.data(), results);
}

}  // namespace gannet::kernels
