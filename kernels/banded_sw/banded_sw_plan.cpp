// SPDX-License-Identifier: MIT
// Provides the host's side of the device schedule.
#include "kernels/banded_sw/banded_sw_plan.hpp"

#include "kernels/banded_sw/banded_sw_halves.hpp"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <string>

namespace gannet::kernels::banded_sw {

namespace {

uint32_t job_of(uint64_t entry) { return static_cast<uint32_t>(entry); }
uint64_t kind_of(uint64_t entry) { return entry >> 60; }
bool is_wide(uint64_t entry) { return (entry >> 62 & 1) != 0; }

/// Rows and columns up to which jobs are put in halves; 0 where these costs allow none.
uint32_t longest_that_fits(const WarpCosts& costs) {
    uint32_t fits = 0;
    for (uint32_t step = k_banded_sw_max_target; step > 0; step /= 2) {
        if (fits_halves(costs, static_cast<int32_t>(fits + step))) fits += step;
    }
    return fits;
}

constexpr uint32_t k_word_bases = 32;

/// Words of the read that hold the query.
uint32_t query_words(const ExtensionJob& job) {
    return words_of(job.query_begin % k_word_bases, job.query_length);
}

uint64_t scratch_bytes_of(const WarpGroup& group) {
    return static_cast<uint64_t>(scratch_layout(group).end) * k_warp_lanes * sizeof(uint32_t);
}

bool is_too_large(Trace trace, const Shape& shape) {
    const auto words = static_cast<size_t>(direction_words(shape.rows, shape.lower, shape.upper));
    return trace != Trace::none && words * k_warp_lanes * sizeof(uint32_t) > k_max_direction_bytes;
}

}  // namespace

/// Jobs of a group have the same order of ties and the same numbers, and should be alike in width and length.
uint64_t WarpPlan::key(uint32_t job) const {
    const Shape& shape = shapes_[job];
    const bool wide = std::max(shape.rows, shape.columns) > longest_in_halves_;
    return uint64_t{wide} << 62 | static_cast<uint64_t>(trace_of(batch_->flags[job])) << 60 |
           uint64_t{(shape.lower + shape.upper) / 8} << 48 | uint64_t{shape.rows} << 32 | job;
}

void WarpPlan::prepare(const BandedSwScoring& scoring, const BandedSwBatch& batch) {
    check(scoring, batch);
    source_.reset();
    window_bases_ = window_words_ = 0;
    form_groups(scoring, batch);
}

void WarpPlan::prepare(const BandedSwScoring& scoring, const WindowSource& source) {
    check(scoring, source.windows.count);
    source_.emplace(source);
    window_bases_ = list_windows(source, listed_);
    window_words_ = 0;
    for (size_t k = 0; k < source.windows.count; ++k) {
        const ExtensionJob& job = source.windows.jobs[k];
        const uint32_t strands = source.reads.is_ambiguous(job.read) ? 2 : 1;
        window_words_ += strands * query_words(job);
    }
    form_groups(scoring, listed_);
}

void WarpPlan::form_groups(const BandedSwScoring& scoring, const BandedSwBatch& batch) {
    scoring_ = scoring;
    batch_ = &batch;
    const auto jobs = static_cast<uint32_t>(batch.size());
    shapes_.resize(jobs);
    slot_.assign(jobs, k_nowhere);
    cigar_begin_.resize(jobs);
    order_.clear();
    first_.clear();
    groups_.clear();
    by_reference_.clear();
    cigar_elements_ = 0;
    slots_ = 0;
    longest_in_halves_ = longest_that_fits(costs_of(scoring));
    for (uint32_t job = 0; job < jobs; ++job) {
        if (batch.query_length[job] == 0) continue;
        shapes_[job] = shape_of(scoring, batch, job);
        if (is_too_large(trace_of(batch.flags[job]), shapes_[job])) {
            by_reference_.push_back({job, {}, 0, 0});
        } else {
            order_.push_back(key(job));
        }
    }
    std::sort(order_.begin(), order_.end());
    for (size_t begin = 0; begin < order_.size();) {
        size_t end = begin;
        const uint32_t jobs_per_lane = is_wide(order_[begin]) ? 1 : 2;
        const size_t most = std::min(order_.size(), begin + size_t{jobs_per_lane} * k_warp_lanes);
        while (end < most && kind_of(order_[end]) == kind_of(order_[begin])) ++end;
        add_group(begin, end);
        begin = end;
    }
    first_.push_back(static_cast<uint32_t>(order_.size()));
    sum_scratch();
    if (cigar_elements_ > UINT32_MAX)
        throw std::length_error("banded_sw: the CIGARs of a batch need room for " +
                                std::to_string(cigar_elements_) + " elements; their offsets hold " +
                                std::to_string(UINT32_MAX));
}

uint16_t WarpPlan::cigar_room(uint32_t job) const {
    if (trace_of(batch_->flags[job]) == Trace::none) return 0;
    return static_cast<uint16_t>(max_elements(scoring_, shapes_[job]));
}

void WarpPlan::add_group(size_t begin, size_t end) {
    WarpGroup group;
    group.trace = trace_of(batch_->flags[job_of(order_[begin])]);
    group.halves = !is_wide(order_[begin]);
    group.narrowest_band = k_banded_sw_widest_band;
    group.fewest_columns = UINT16_MAX;
    group.first_slot = static_cast<uint32_t>(slots_);
    slots_ += group.slots();
    for (size_t k = begin; k < end; ++k) {
        const uint32_t job = job_of(order_[k]);
        const Shape& shape = shapes_[job];
        slot_[job] = group.first_slot + static_cast<uint32_t>(k - begin);
        group.most_rows = std::max(group.most_rows, static_cast<uint16_t>(shape.rows));
        group.most_columns = std::max(group.most_columns, static_cast<uint16_t>(shape.columns));
        group.lower = std::max(group.lower, static_cast<uint16_t>(shape.lower));
        group.upper = std::max(group.upper, static_cast<uint16_t>(shape.upper));
        group.narrowest_band = std::min(group.narrowest_band, batch_->band[job]);
        group.fewest_columns = std::min(group.fewest_columns, static_cast<uint16_t>(shape.columns));
        cigar_begin_[job] = static_cast<uint32_t>(cigar_elements_);
        cigar_elements_ += cigar_room(job);
    }
    first_.push_back(static_cast<uint32_t>(begin));
    groups_.push_back(group);
}

void WarpPlan::sum_scratch() {
    uint64_t of_kind[2][3] = {{0, 0, 0}, {0, 0, 0}};
    min_scratch_bytes_ = 0;
    wanted_scratch_bytes_ = 0;
    for (const WarpGroup& group : groups_) {
        const uint64_t bytes = scratch_bytes_of(group);
        min_scratch_bytes_ = std::max(min_scratch_bytes_, bytes);
        uint64_t& all = of_kind[group.halves][static_cast<size_t>(group.trace)];
        all += bytes;
        wanted_scratch_bytes_ = std::max(wanted_scratch_bytes_, all);
    }
}

void WarpPlan::lay_out(uint64_t scratch_bytes) {
    passes_.clear();
    uint64_t used = 0;
    for (uint32_t k = 0; k < groups_.size(); ++k) {
        WarpGroup& group = groups_[k];
        const uint64_t bytes = scratch_bytes_of(group);
        if (passes_.empty() || passes_.back().trace != group.trace || passes_.back().halves != group.halves ||
            used + bytes > scratch_bytes) {
            passes_.push_back({group.trace, group.halves, k, k});
            used = 0;
        }
        group.scratch_offset = used / sizeof(uint32_t);
        used += bytes;
        ++passes_.back().end;
    }
}

void WarpPlan::fill(WarpJob* jobs) const {
    for (size_t k = 0; k < groups_.size(); ++k) {
        for (uint32_t place = 0; place < groups_[k].slots(); ++place) {
            const size_t at = first_[k] + place;
            WarpJob& to = *jobs++;
            to = {};
            if (at >= first_[k + 1]) continue;
            const uint32_t job = job_of(order_[at]);
            const Shape& shape = shapes_[job];
            to.query_offset = batch_->query_offset[job];
            to.target_offset = batch_->target_offset[job];
            to.cigar_offset = cigar_begin_[job];
            to.cigar_room = cigar_room(job);
            to.query_length = static_cast<uint16_t>(batch_->query_length[job]);
            to.rows = static_cast<uint16_t>(shape.rows);
            to.columns = static_cast<uint16_t>(shape.columns);
            to.band = batch_->band[job];
        }
    }
}

void WarpPlan::fill(WindowJob* jobs, uint64_t* words) const {
    const ReadBatchView& reads = source_->reads;
    uint32_t used = 0;
    for (size_t k = 0; k < source_->windows.count; ++k) {
        const ExtensionJob& from = source_->windows.jobs[k];
        const uint32_t count = query_words(from);
        jobs[k] = {from.target_begin,       from.target_length,
                   listed_.query_offset[k], used,
                   from.query_length,       static_cast<uint8_t>(from.query_begin % k_word_bases),
                   from.left != 0,          reads.is_ambiguous(from.read)};
        const uint32_t first = from.query_begin / k_word_bases;
        std::copy_n(reads.words(from.read, from.strand) + first, count, words + used);
        used += count;
        if (!reads.is_ambiguous(from.read)) continue;
        std::copy_n(reads.mask_words(from.read, from.strand) + first, count, words + used);
        used += count;
    }
}

void WarpPlan::run_reference() {
    reference_cigar_.clear();
    for (HostResult& host : by_reference_) {
        const uint32_t job = host.job;
        const uint32_t query = batch_->query_length[job];
        const uint32_t target = batch_->target_length[job];
        const uint8_t* from = batch_->bases.data() + batch_->query_offset[job];
        const uint8_t* to = batch_->bases.data() + batch_->target_offset[job];
        if (source_) {
            sequences_.resize(query + target + k_overshoot_bases);
            write_sequences(source_->genome, source_->reads, source_->windows.jobs[job], sequences_.data());
            from = sequences_.data();
            to = from + query;
        }
        host.cigar_begin = reference_cigar_.size();
        host.end = extend_reference(scoring_, {from, query}, {to, target}, batch_->band[job],
                                    batch_->flags[job], reference_cigar_);
        host.cigar_end = reference_cigar_.size();
    }
}

void WarpPlan::collect(const WarpEnd* ends, const uint32_t* cigar, BandedSwResults& results) const {
    const size_t jobs = batch_->size();
    banded_sw::prepare(jobs, results);
    auto host = by_reference_.begin();
    for (uint32_t job = 0; job < jobs; ++job) {
        JobResult result{0, 0, 0, 1};
        if (slot_[job] != k_nowhere) {
            const WarpEnd& end = ends[slot_[job]];
            result = {end.score, end.query_end, end.target_end, static_cast<uint8_t>(end.to_end)};
            const uint32_t* const from = cigar + cigar_begin_[job];
            if (end.elements > cigar_room(job))
                throw std::logic_error("banded_sw: a CIGAR is longer than its costs allow");
            results.cigar.insert(results.cigar.end(), std::make_reverse_iterator(from + end.elements),
                                 std::make_reverse_iterator(from));
        } else if (host != by_reference_.end() && host->job == job) {
            result = host->end;
            results.cigar.insert(results.cigar.end(),
                                 reference_cigar_.begin() + static_cast<std::ptrdiff_t>(host->cigar_begin),
                                 reference_cigar_.begin() + static_cast<std::ptrdiff_t>(host->cigar_end));
            ++host;
        }
        results.score[job] = result.score;
        results.query_end[job] = result.query_end;
        results.target_end[job] = result.target_end;
        results.to_end[job] = result.to_end;
        results.cigar_offset[job + 1] = static_cast<uint32_t>(results.cigar.size());
    }
    // prepare() has bounded those of the warps; those of the host come on top.
    if (results.cigar.size() > UINT32_MAX)
        throw std::length_error("banded_sw: the CIGARs of a batch have " +
                                std::to_string(results.cigar.size()) + " elements; their offsets hold " +
                                std::to_string(UINT32_MAX));
}

}  // namespace gannet::kernels::banded_sw
