// SPDX-License-Identifier: MIT
// Provides the forming of groups, the walk back, and the order of results.
#include "kernels/banded_sw/banded_sw_driver.hpp"

#include "kernels/banded_sw/banded_sw_shape.hpp"
#include "kernels/simd/aligned_buffer.hpp"

#include <algorithm>

namespace gannet::kernels::banded_sw {

namespace {

constexpr uint32_t k_max_byte_cost = 254;
/// Below what the substitution table of words gives beyond the end of a target.
constexpr uint32_t k_max_word_cost = 65000;

enum class Width : uint8_t { bytes, words, reference };

/// A job's part of its matrix, and the lanes that hold its costs.
struct LaneShape : Shape {
    Width width = Width::reference;
};

/// Collects the elements of a walk back.
struct VectorSink {
    std::vector<uint32_t>& elements;
    void put(uint32_t element) { elements.push_back(element); }
};

struct CigarRange {
    size_t begin = 0;
    size_t end = 0;
};

struct Scratch {
    std::vector<uint64_t> order;
    std::vector<uint32_t> postponed;
    std::vector<LaneShape> shapes;
    std::vector<CigarRange> ranges;
    std::vector<uint32_t> cigar;  ///< elements in the order in which groups were traced, each range backwards
    simd::AlignedBuffer<uint8_t> vectors;
    simd::AlignedBuffer<uint8_t> directions;
    LaneGroup group;
};

class Driver {
  public:
    Driver(const LaneFunctions& functions, const BandedSwScoring& scoring, const BandedSwBatch& batch,
           BandedSwResults& results, Scratch& scratch)
        : functions_(functions), scoring_(scoring), batch_(batch), results_(results), scratch_(scratch) {}

    void run() {
        check(scoring_, batch_);
        prepare(batch_.size(), results_);
        scratch_.ranges.assign(batch_.size(), {});
        scratch_.cigar.clear();
        scratch_.shapes.resize(batch_.size());
        scratch_.postponed.clear();
        order_jobs();
        run_groups();
        while (!scratch_.postponed.empty()) {
            scratch_.order.clear();
            for (const uint32_t job : scratch_.postponed) {
                scratch_.shapes[job].width = Width::words;
                scratch_.order.push_back(key(job));
            }
            scratch_.postponed.clear();
            run_groups();
        }
        collect_cigars();
    }

  private:
    LaneShape lane_shape_of(uint32_t job) const;
    Width width_of(const Shape& shape) const;
    size_t matrix_bytes(const Shape& shape) const;
    Trace trace_of(uint32_t job) const { return banded_sw::trace_of(batch_.flags[job]); }
    uint64_t key(uint32_t job) const;
    void order_jobs();
    void run_groups();
    size_t end_of_group(size_t begin) const;
    void run_group(const uint64_t* first, uint32_t lanes);
    void fill(LaneGroup& group, const uint64_t* first, uint32_t lanes) const;
    void finish_job(const LaneGroup& group, uint32_t lane, uint32_t job);
    void trace_job(const LaneGroup& group, uint32_t lane, Width width, const JobResult& end);
    void put(uint32_t job, const JobResult& result);
    void run_reference(uint32_t job);
    void collect_cigars();

    uint32_t lanes_of(Width width) const {
        return width == Width::bytes ? functions_.byte_lanes : functions_.byte_lanes / 2;
    }
    static uint32_t job_of(uint64_t entry) { return static_cast<uint32_t>(entry); }

    const LaneFunctions& functions_;
    const BandedSwScoring& scoring_;
    const BandedSwBatch& batch_;
    BandedSwResults& results_;
    Scratch& scratch_;
};

LaneShape Driver::lane_shape_of(uint32_t job) const {
    LaneShape shape{shape_of(scoring_, batch_, job), Width::reference};
    const bool is_too_large = trace_of(job) != Trace::none && matrix_bytes(shape) > k_max_direction_bytes;
    if (!is_too_large) shape.width = width_of(shape);
    return shape;
}

Width Driver::width_of(const Shape& shape) const {
    const int32_t dearest_pair = scoring_.match + std::max(scoring_.mismatch, scoring_.ambiguous);
    if (dearest_pair > static_cast<int32_t>(k_max_byte_cost)) return Width::reference;
    if (shape.highest_cost > k_max_word_cost) return Width::reference;
    const bool fits_bytes =
        shape.highest_cost <= k_max_byte_cost && shape.lower + shape.upper <= k_max_byte_diagonals;
    return fits_bytes ? Width::bytes : Width::words;
}

/// Direction bits of a group of such jobs.
size_t Driver::matrix_bytes(const Shape& shape) const {
    return direction_bytes(shape.rows, shape.lower, shape.upper, functions_.byte_lanes);
}

/// Jobs of a group have the same lane type and order of ties, and should be alike in width and length.
uint64_t Driver::key(uint32_t job) const {
    const LaneShape& shape = scratch_.shapes[job];
    const uint64_t kind = static_cast<uint64_t>(trace_of(job)) * 4 + static_cast<uint64_t>(shape.width);
    return kind << 60 | uint64_t{(shape.lower + shape.upper) / 8} << 48 | uint64_t{shape.rows} << 32 | job;
}

void Driver::order_jobs() {
    scratch_.order.clear();
    for (uint32_t job = 0; job < batch_.size(); ++job) {
        scratch_.shapes[job] = lane_shape_of(job);
        if (batch_.query_length[job] == 0) {
            put(job, {0, 0, 0, 1});
        } else {
            scratch_.order.push_back(key(job));
        }
    }
    std::sort(scratch_.order.begin(), scratch_.order.end());
}

void Driver::run_groups() {
    const std::vector<uint64_t>& order = scratch_.order;
    size_t begin = 0;
    while (begin < order.size()) {
        const Width width = scratch_.shapes[job_of(order[begin])].width;
        if (width == Width::reference) {
            run_reference(job_of(order[begin++]));
            continue;
        }
        const size_t end = end_of_group(begin);
        run_group(order.data() + begin, static_cast<uint32_t>(end - begin));
        begin = end;
    }
}

/// As many jobs of one kind as there are lanes, and for bytes no more than whose diagonals can be numbered.
size_t Driver::end_of_group(size_t begin) const {
    const std::vector<uint64_t>& order = scratch_.order;
    const Width width = scratch_.shapes[job_of(order[begin])].width;
    const size_t most = std::min(order.size(), begin + lanes_of(width));
    uint32_t lower = 0;
    uint32_t upper = 0;
    size_t end = begin;
    for (; end < most && order[end] >> 60 == order[begin] >> 60; ++end) {
        const LaneShape& shape = scratch_.shapes[job_of(order[end])];
        lower = std::max(lower, shape.lower);
        upper = std::max(upper, shape.upper);
        if (width == Width::bytes && lower + upper > k_max_byte_diagonals) break;
    }
    return end;
}

void Driver::fill(LaneGroup& group, const uint64_t* first, uint32_t lanes) const {
    group.bases = batch_.bases.data();
    group.bases_bytes = batch_.bases.size();
    group.lanes = lanes;
    group.most_rows = group.most_columns = group.lower = group.upper = 0;
    group.narrowest_band = k_banded_sw_widest_band;
    for (uint32_t lane = 0; lane < lanes; ++lane) {
        const uint32_t job = job_of(first[lane]);
        const LaneShape& shape = scratch_.shapes[job];
        group.query_offset[lane] = batch_.query_offset[job];
        group.target_offset[lane] = batch_.target_offset[job];
        group.rows[lane] = static_cast<uint16_t>(shape.rows);
        group.columns[lane] = static_cast<uint16_t>(shape.columns);
        group.band[lane] = batch_.band[job];
        group.most_rows = std::max(group.most_rows, shape.rows);
        group.most_columns = std::max(group.most_columns, shape.columns);
        group.lower = std::max(group.lower, shape.lower);
        group.upper = std::max(group.upper, shape.upper);
        group.narrowest_band = std::min(group.narrowest_band, uint32_t{batch_.band[job]});
    }
    group.trace = trace_of(job_of(first[0]));
    group.match = static_cast<uint32_t>(scoring_.match);
    group.end_bonus = static_cast<uint32_t>(scoring_.end_bonus);
    group.cost_mismatch = static_cast<uint32_t>(scoring_.match + scoring_.mismatch);
    group.cost_ambiguous = static_cast<uint32_t>(scoring_.match + scoring_.ambiguous);
    group.cost_open = static_cast<uint32_t>(scoring_.gap_open);
    group.cost_insert = static_cast<uint32_t>(scoring_.match + scoring_.gap_extend);
    group.cost_remove = static_cast<uint32_t>(scoring_.gap_extend);
}

void Driver::run_group(const uint64_t* first, uint32_t lanes) {
    LaneGroup& group = scratch_.group;
    const Width width = scratch_.shapes[job_of(first[0])].width;
    fill(group, first, lanes);
    if (width == Width::bytes) {
        group.cost_open = std::min(group.cost_open, 255U);
        group.cost_insert = std::min(group.cost_insert, 255U);
        group.cost_remove = std::min(group.cost_remove, 255U);
    }
    group.scratch = scratch_.vectors.at_least(
        scratch_bytes(group.most_rows, group.most_columns, group.lower, group.upper, functions_.byte_lanes));
    if (group.trace != Trace::none) {
        group.directions = scratch_.directions.at_least(
            matrix_bytes({0, group.most_rows, group.most_columns, group.lower, group.upper}));
    }
    if (width == Width::bytes) functions_.extend_bytes(group);
    if (width == Width::words) functions_.extend_words(group);
    for (uint32_t lane = 0; lane < lanes; ++lane) {
        if (group.ambiguous >> lane & 1) {
            scratch_.postponed.push_back(job_of(first[lane]));
        } else {
            finish_job(group, lane, job_of(first[lane]));
        }
    }
}

void Driver::finish_job(const LaneGroup& group, uint32_t lane, uint32_t job) {
    const LaneShape& shape = scratch_.shapes[job];
    const uint32_t query = batch_.query_length[job];
    JobResult result{static_cast<int32_t>(group.best_score[lane]), group.best_row[lane], 0, 0};
    if (result.query_end > 0) result.target_end = result.query_end + group.best_diagonal[lane] - group.lower;
    if (shape.rows == query && (group.reaches_end >> lane & 1) != 0) {
        const auto score =
            scoring_.match * static_cast<int32_t>(query) - static_cast<int32_t>(group.end_cost[lane]);
        result = {score, query, query + group.end_diagonal[lane] - group.lower, 1};
    }
    put(job, result);
    if (group.trace == Trace::none) return;
    CigarRange& range = scratch_.ranges[job];
    range.begin = scratch_.cigar.size();
    trace_job(group, lane, shape.width, result);
    range.end = scratch_.cigar.size();
}

void Driver::trace_job(const LaneGroup& group, uint32_t lane, Width width, const JobResult& end) {
    const bool late = group.trace == Trace::late;
    const uint32_t element_bytes = width == Width::bytes ? 1 : 2;
    const ByteDirections directions{group.directions + lane * element_bytes,
                                    int64_t{group.lower + group.upper + 1} * functions_.byte_lanes,
                                    functions_.byte_lanes, group.lower};
    VectorSink sink{scratch_.cigar};
    trace_back(directions, late, end.query_end, end.target_end, sink);
}

void Driver::put(uint32_t job, const JobResult& result) {
    results_.score[job] = result.score;
    results_.query_end[job] = result.query_end;
    results_.target_end[job] = result.target_end;
    results_.to_end[job] = result.to_end;
}

void Driver::run_reference(uint32_t job) {
    CigarRange& range = scratch_.ranges[job];
    range.begin = scratch_.cigar.size();
    const JobResult result =
        extend_reference(scoring_, {batch_.bases.data() + batch_.query_offset[job], batch_.query_length[job]},
                         {batch_.bases.data() + batch_.target_offset[job], batch_.target_length[job]},
                         batch_.band[job], batch_.flags[job], scratch_.cigar);
    range.end = scratch_.cigar.size();
    std::reverse(scratch_.cigar.begin() + static_cast<std::ptrdiff_t>(range.begin), scratch_.cigar.end());
    put(job, result);
}

void Driver::collect_cigars() {
    results_.cigar.resize(scratch_.cigar.size());
    uint32_t* to = results_.cigar.data();
    for (size_t job = 0; job < batch_.size(); ++job) {
        const CigarRange range = scratch_.ranges[job];
        const uint32_t* const elements = scratch_.cigar.data();
        to = std::reverse_copy(elements + range.begin, elements + range.end, to);
        results_.cigar_offset[job + 1] = static_cast<uint32_t>(to - results_.cigar.data());
    }
}

}  // namespace

void extend_in_groups(const LaneFunctions& functions, const BandedSwScoring& scoring,
                      const BandedSwBatch& batch, BandedSwResults& results) {
    thread_local Scratch scratch;
    Driver(functions, scoring, batch, results, scratch).run();
}

}  // namespace gannet::kernels::banded_sw
