// SPDX-License-Identifier: MIT
// Provides the choice of reads by mapping quality.
#include "variants/reads/mapping_filter.hpp"

#include "data/prefetch.hpp"
#include "variants/model/reads.hpp"

#include <algorithm>

namespace gannet::variants {
namespace {

/// The records of a window are seen here for the first time since their chunk was cut.
constexpr size_t k_records_ahead = 16;

constexpr int64_t k_max_lower_percent = reads_number("mapping_max_lower_percent");

}  // namespace

void MappingFilter::load(std::span<const data::RecordView> records, const MappingScale& scale,
                         int32_t minimum, int32_t doubtful, int64_t begin, int64_t end) {
    scale_ = scale;
    minimum_ = minimum;
    doubtful_ = doubtful;
    begin_ = begin;
    end_ = end;
    before_.clear();
    // Few windows have reads whose neighbours decide, and the others need not know any depth.
    bool is_any_between = false;
    for (size_t i = 0; i < records.size() && !is_any_between; ++i) {
        if (i + k_records_ahead < records.size()) data::prefetch(records[i + k_records_ahead].head());
        const uint8_t quality = quality_of(records[i]);
        is_any_between = quality >= doubtful && quality < minimum;
    }
    if (!is_any_between) return;
    before_.assign(static_cast<size_t>(end - begin) + 2, Depth());
    for (size_t i = 0; i < records.size(); ++i) {
        if (i + k_records_ahead < records.size()) data::prefetch(records[i + k_records_ahead].head());
        const data::RecordView& record = records[i];
        const int64_t from = std::max<int64_t>(record.position(), begin);
        const int64_t to = std::min(record.end_position(), end);
        if (record.has(data::k_flag_supplementary) || from >= to) continue;
        const int64_t lower = quality_of(record) < doubtful ? 1 : 0;
        Depth& first = before_[static_cast<size_t>(from - begin) + 1];
        Depth& last = before_[static_cast<size_t>(to - begin) + 1];
        ++first.all, --last.all;
        first.lower += lower, last.lower -= lower;
    }
    Depth depth;
    for (size_t i = 1; i < before_.size(); ++i) {
        depth.all += before_[i].all;
        depth.lower += before_[i].lower;
        before_[i] = {before_[i - 1].all + depth.all, before_[i - 1].lower + depth.lower};
    }
}

bool MappingFilter::keeps(const data::RecordView& record) const {
    const int32_t quality = quality_of(record);
    if (quality >= minimum_) return true;
    if (quality < doubtful_) return false;
    const int64_t from = std::max<int64_t>(record.position(), begin_);
    const int64_t to = std::min(record.end_position(), end_);
    if (from >= to) return false;
    const Depth& first = before_[static_cast<size_t>(from - begin_)];
    const Depth& last = before_[static_cast<size_t>(to - begin_)];
    return 100 * (last.lower - first.lower) < k_max_lower_percent * (last.all - first.all);
}

}  // namespace gannet::variants
