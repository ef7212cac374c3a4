// SPDX-License-Identifier: MIT
// Provides the depth of good bases on targets.
#include "pipeline/qc/target_coverage.hpp"

#include "pipeline/qc/adapters.hpp"
#include "pipeline/qc/good_bases.hpp"

#include <algorithm>

namespace gannet::pipeline::qc {
namespace {

using namespace data;

constexpr uint64_t k_near_bp = 250;

uint64_t common_bases(uint64_t begin, uint64_t end, const TargetCoverage::Target& target) {
    const uint64_t first = std::max(begin, target.begin);
    const uint64_t last = std::min(end, target.end);
    return first < last ? last - first : 0;
}

/// Read bases from the mate's start on, for the mate that is on the left; htsjdk
/// (SAMUtils.getNumOverlappingAlignedBasesToClip) does not ask whether both are on one contig.
uint32_t bases_to_clip(const RecordView& record, uint16_t flag) {
    if ((flag & k_flag_paired) == 0 || (flag & k_flag_mate_unmapped) != 0) return 0;
    const int64_t mate = record.mate_position();
    int64_t at = record.position();
    if (mate < at || (mate == at && (flag & k_flag_read1) != 0)) return 0;
    int64_t bases = 0;
    for (size_t i = 0; i < record.cigar_count(); ++i) {
        const int64_t length = cigar_length(record.cigar(i));
        const CigarOp op = cigar_op(record.cigar(i));
        const int64_t covered = cigar_consumes_reference(op) ? length : 0;
        if (mate < at + covered) {
            if (op == k_cigar_match)
                bases += mate < at ? covered : at + covered - mate;
            else if (op == k_cigar_insertion || op == k_cigar_equal || op == k_cigar_diff)
                bases += length;
        }
        at += covered;
    }
    return static_cast<uint32_t>(bases);
}

}  // namespace

TargetCoverage::TargetCoverage(const Reference& reference, const RegionSet& targets) {
    if (memory_bytes(targets) == 0) return;
    for (const Region& region : targets.regions()) {
        const Contig& contig = reference.contigs()[region.contig];
        const uint64_t begin = contig.offset + static_cast<uint64_t>(region.begin);
        const uint64_t end = contig.offset + static_cast<uint64_t>(region.end);
        const uint64_t first = std::max(begin, contig.offset + k_near_bp) - k_near_bp;
        const uint64_t last = std::min(end + k_near_bp, contig.offset + contig.length);
        targets_.push_back({begin, end, positions_, first, last});
        positions_ += static_cast<uint64_t>(region.end - region.begin);
    }
    depths_ = std::make_unique<std::atomic<uint32_t>[]>(positions_);
}

uint64_t TargetCoverage::memory_bytes(const RegionSet& targets) {
    const uint64_t positions = targets.total_bp();
    return positions > k_max_positions ? 0 : positions * sizeof(depths_[0]);
}

void TargetCounter::begin() {
    first_bait_ = first_target_ = 0;
    pile_.begin(depths_);
}

void TargetCounter::count_baits(const GoodDepthCounter::Alignment& read, TargetCounts& counts) {
    const auto targets = coverage_.targets();
    const uint64_t end = read.start + read.span;
    const auto is_left = [&](const TargetCoverage::Target& bait) { return bait.near_end <= read.start; };
    if (first_bait_ == 0)
        first_bait_ = static_cast<size_t>(std::partition_point(targets.begin(), targets.end(), is_left) -
                                          targets.begin());
    while (first_bait_ < targets.size() && is_left(targets[first_bait_])) ++first_bait_;
    if (first_bait_ == targets.size() || targets[first_bait_].near_begin >= end) {
        counts.off_bait += read.matched;
        return;
    }
    const bool is_first = (read.flag & k_flag_paired) != 0 && (read.flag & k_flag_read1) != 0;
    if (is_first && (read.flag & (k_flag_supplementary | k_flag_mate_unmapped)) == 0) {
        ++counts.pairs;
        counts.unique_pairs += (read.flag & k_flag_duplicate) == 0;
    }
    uint64_t on_bait = 0;
    for (size_t i = first_bait_; i < targets.size() && targets[i].begin < end; ++i) {
        for_each_block(read.record, [&](size_t, size_t in_reference, size_t bases) {
            on_bait += common_bases(read.start + in_reference, read.start + in_reference + bases, targets[i]);
        });
    }
    counts.on_bait += on_bait;
    counts.near_bait += read.matched - on_bait;
}

/// Of the first `kept` bases of the read.
void TargetCounter::count_depth(const GoodDepthCounter::Alignment& read, size_t kept, TargetCounts& counts) {
    const auto targets = coverage_.targets();
    const auto is_left = [&](const TargetCoverage::Target& target) { return target.end <= read.start; };
    if (first_target_ < first_bait_) first_target_ = first_bait_;
    while (first_target_ < targets.size() && is_left(targets[first_target_])) ++first_target_;
    const std::span<const uint8_t> qualities = read.record.qualities();
    uint64_t all = 0;
    uint64_t good = 0;
    uint64_t on_target = 0;
    uint8_t* depths = nullptr;
    for_each_block(read.record, [&](size_t in_read, size_t in_reference, size_t bases) {
        bases = in_read >= kept ? 0 : std::min(bases, kept - in_read);
        all += bases;
        good += count_from(qualities.subspan(in_read, bases), k_min_quality);
        const uint64_t begin = read.start + in_reference;
        for (size_t i = first_target_; i < targets.size() && targets[i].begin < begin + bases; ++i) {
            const uint64_t length = common_bases(begin, begin + bases, targets[i]);
            if (length == 0) continue;
            const uint64_t from = std::max(begin, targets[i].begin);
            const auto part = qualities.subspan(in_read + (from - begin), length);
            on_target += count_from(part, k_min_quality);
            if (depths == nullptr) depths = pile_.bytes_of(read.start, read.start + read.span);
            add_good(part, depths + (from - read.start));
        }
    });
    counts.of_low_quality += all - good;
    counts.off_target += good - on_target;
    counts.on_target += on_target;
    const bool is_pair =
        (read.flag & k_flag_paired) != 0 && (read.flag & (k_flag_mate_unmapped | k_flag_supplementary)) == 0;
    if (is_pair) counts.on_target_from_pairs += on_target;
}

void TargetCounter::add(const GoodDepthCounter::Alignment& read, TargetCounts& counts) {
    if (coverage_.empty() || (read.flag & k_flag_qc_fail) != 0) return;
    const bool is_duplicate = (read.flag & k_flag_duplicate) != 0;
    counts.aligned += read.matched;
    if (!is_duplicate) counts.unique += read.matched;
    count_baits(read, counts);
    if (is_duplicate || read.record.read_length() == 0) return;
    const uint8_t quality = read.record.mapping_quality();
    if (quality == 0 && begins_with_adapter(read.record, (read.flag & k_flag_reverse) != 0)) {
        counts.of_adapters += read.matched;
        return;
    }
    if (quality < k_min_quality) {
        counts.of_low_mapping_quality += read.matched;
        return;
    }
    const uint32_t clipped = bases_to_clip(read.record, read.flag);
    counts.overlapping += clipped;
    size_t kept = read.record.read_length();
    if (clipped > 0) {
        if (read.record.mate_position() <= read.record.position()) return;
        const uint32_t last = read.record.cigar(read.record.cigar_count() - 1);
        const uint32_t at_end = clipped + (cigar_op(last) == k_cigar_soft_clip ? cigar_length(last) : 0);
        kept -= std::min<size_t>(kept, at_end);
    }
    count_depth(read, kept, counts);
}

void TargetCounter::finish() {
    pile_.finish();
    const auto targets = coverage_.targets();
    for (const GoodDepths::Piece& piece : depths_.pieces) {
        auto target =
            std::partition_point(targets.begin(), targets.end(),
                                 [&](const TargetCoverage::Target& of) { return of.end <= piece.begin; });
        for (uint64_t i = 0; i < piece.length; ++i) {
            const uint64_t position = piece.begin + i;
            while (target != targets.end() && target->end <= position) ++target;
            if (target == targets.end()) break;
            const uint32_t depth = depths_.depths[piece.at + i];
            if (depth > 0 && position >= target->begin)
                coverage_.add(target->at + (position - target->begin), depth);
        }
    }
}

}  // namespace gannet::pipeline::qc
