// SPDX-License-Identifier: MIT
// Provides the depth of sorted records.
#include "pipeline/qc/depth.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

namespace gannet::pipeline::qc {
namespace {

constexpr uint64_t k_first_ring = 1024;
constexpr uint64_t k_positions_at_once = 256;  // that are written, so that steps of one record are not
constexpr uint64_t k_word = 64;
constexpr size_t k_stats_depths = 1001;  // `samtools stats`: 1 to 1000, and more

/// Both depths in one integer, so that one addition changes both: that of fragments in the upper half.
int64_t packed(DepthPair depth) { return depth.fragments * (int64_t{1} << 32) + depth.all; }
DepthPair unpacked(int64_t depth) {
    const auto all = static_cast<int32_t>(depth & 0xffffffff);
    return {all, static_cast<int32_t>((depth - all) >> 32)};
}

/// Goes through runs, in steps that end where a run of the other side may.
struct Cursor {
    explicit Cursor(const DepthRuns& of) : runs(of.runs), at(of.begin) {
        if (!runs.empty()) end = at + runs[0].length;
    }
    bool done() const { return next >= runs.size(); }
    DepthPair depth() const { return runs[next].depth; }
    void go_to(uint64_t position) {
        at = position;
        if (at < end) return;
        if (++next < runs.size()) end = at + runs[next].length;
    }
    const std::vector<DepthRun>& runs;
    size_t next = 0;
    uint64_t at;
    uint64_t end = 0;
};

void append_run(DepthRuns& runs, uint64_t begin, uint64_t end, DepthPair depth) {
    if (runs.runs.empty()) runs.begin = begin;
    runs.runs.push_back({static_cast<uint32_t>(end - begin), depth});
}

}  // namespace

DepthRing::DepthRing() : changes_(k_first_ring), changed_(k_first_ring / k_word), mask_(k_first_ring - 1) {}

void DepthRing::put(uint64_t length, DepthRuns& runs) const {
    constexpr uint64_t k_most = std::numeric_limits<uint32_t>::max();
    const DepthPair depth = unpacked(depth_);
    for (; length > k_most; length -= k_most) runs.runs.push_back({static_cast<uint32_t>(k_most), depth});
    if (length > 0) runs.runs.push_back({static_cast<uint32_t>(length), depth});
}

void DepthRing::write_up_to(uint64_t end, DepthRuns& runs) {
    const uint64_t stop = std::min(end, reach_ + 1);
    while (at_ < stop) {
        const uint64_t offset = at_ % k_word;
        const uint64_t positions = std::min(k_word - offset, stop - at_);
        uint64_t& word = changed_[(at_ & mask_) / k_word];
        uint64_t bits = word & (~uint64_t{0} >> (k_word - positions)) << offset;
        word ^= bits;
        for (const uint64_t begin = at_ - offset; bits != 0; bits &= bits - 1) {
            const uint64_t position = begin + static_cast<uint64_t>(std::countr_zero(bits));
            const int64_t change = std::exchange(changes_[position & mask_], 0);
            if (change == 0) continue;  // one begins where another one ends
            put(position - run_begin_, runs);
            run_begin_ = position;
            depth_ += change;
        }
        at_ += positions;
    }
    at_ = std::max(at_, end);  // beyond reach_ nothing changes
}

void DepthRing::advance(uint64_t start, DepthRuns& runs) {
    if (!started_) {
        started_ = true;
        at_ = run_begin_ = reach_ = runs.begin = start;
        depth_ = 0;
    }
    runs.last_start = start;
    if (start - at_ >= k_positions_at_once) write_up_to(start, runs);
}

void DepthRing::add(uint64_t begin, uint64_t end, DepthPair depth) {
    if (end - at_ >= changes_.size()) grow(end - at_);
    const int64_t by = packed(depth);
    change(begin, by);
    change(end, -by);
    reach_ = std::max(reach_, end);
}

inline void DepthRing::change(uint64_t position, int64_t by) {
    const uint64_t at = position & mask_;
    changes_[at] += by;
    changed_[at / k_word] |= uint64_t{1} << at % k_word;
}

void DepthRing::grow(uint64_t span) {
    uint64_t size = changes_.size();
    while (size <= span) size *= 2;
    DepthRing larger = *this;
    larger.changes_.assign(size, 0);
    larger.changed_.assign(size / k_word, 0);
    larger.mask_ = size - 1;
    for (uint64_t position = at_; position < at_ + changes_.size(); ++position) {
        if (const int64_t by = changes_[position & mask_]) larger.change(position, by);
    }
    *this = std::move(larger);
}

void DepthRing::finish(DepthRuns& runs) {
    if (!started_) return;
    write_up_to(reach_ + 1, runs);
    put(reach_ - std::min(reach_, run_begin_), runs);
    started_ = false;
}

DepthSum::DepthSum(const data::Reference& reference, std::vector<data::bed::Row> targets)
    : reference_(reference),
      fragments_(reference.contigs().size()),
      bases_(reference.contigs().size()),
      largest_(reference.contigs().size()),
      targets_(reference, std::move(targets)) {}

/// Records never reach beyond their contig, so a run that is covered lies in one.
void DepthSum::go_to_contig_of(uint64_t position) {
    add_shallow();
    const auto end = [&] {
        return reference_.contigs()[contig_].offset + reference_.contigs()[contig_].length;
    };
    while (position >= end()) ++contig_;
    contig_end_ = end();
}

void DepthSum::add_shallow() {
    for (uint32_t depth = 1; depth < k_shallow; ++depth) {
        if (const uint64_t positions = std::exchange(all_shallow_[depth], 0)) all_.add(depth, positions);
        const uint64_t positions = std::exchange(fragments_shallow_[depth], 0);
        if (positions == 0) continue;
        fragments_[contig_].add(depth, positions);
        bases_[contig_] += depth * positions;
        largest_[contig_] = std::max(largest_[contig_], depth);
    }
}

void DepthSum::count_deep(uint64_t begin, uint64_t end, DepthPair depth) {
    if (depth.all > 0)
        all_.add(std::min<size_t>(static_cast<size_t>(depth.all), k_stats_depths), end - begin);
    if (depth.fragments <= 0) return;
    const auto fragments = static_cast<uint32_t>(depth.fragments);
    fragments_[contig_].add(std::min(fragments, k_max_depth), end - begin);
    bases_[contig_] += fragments * (end - begin);
    largest_[contig_] = std::max(largest_[contig_], fragments);
}

inline void DepthSum::count(uint64_t begin, uint64_t end, DepthPair depth) {
    const auto all = static_cast<uint32_t>(depth.all);
    const auto fragments = static_cast<uint32_t>(depth.fragments);
    if ((all | fragments) == 0) return;
    if (begin >= contig_end_) go_to_contig_of(begin);
    if (all < k_shallow && fragments < k_shallow) {
        all_shallow_[all] += end - begin;
        fragments_shallow_[fragments] += end - begin;
    } else {
        count_deep(begin, end, depth);
    }
    if (targets_.empty() || depth.fragments <= 0) return;
    const data::Contig& contig = reference_.contigs()[contig_];
    targets_.count(static_cast<uint32_t>(contig_), static_cast<int64_t>(begin - contig.offset),
                   static_cast<int64_t>(end - contig.offset), fragments);
}

/// Counts what is final, keeps the rest.
void DepthSum::take(uint64_t begin, uint64_t end, DepthPair depth, uint64_t final_before) {
    if (begin < final_before) count(begin, std::min(end, final_before), depth);
    if (end > final_before) append_run(kept_, std::max(begin, final_before), end, depth);
}

void DepthSum::append(const DepthRuns& next) {
    if (next.runs.empty()) return;
    kept_.clear();
    Cursor a(pending_);
    Cursor b(next);
    const uint64_t final_before = next.last_start;
    while (!a.done() || !b.done()) {
        if (a.done()) {  // as nearly all are
            for (; !b.done() && b.end <= final_before; b.go_to(b.end)) count(b.at, b.end, b.depth());
            for (; !b.done(); b.go_to(b.end)) take(b.at, b.end, b.depth(), final_before);
        } else if (!b.done() && b.end <= a.at) {
            take(b.at, b.end, b.depth(), final_before);
            b.go_to(b.end);
        } else if (b.done() || a.at < b.at) {
            const uint64_t end = b.done() ? a.end : std::min(a.end, b.at);
            take(a.at, end, a.depth(), final_before);
            a.go_to(end);
        } else if (b.at < a.at) {
            take(b.at, a.at, b.depth(), final_before);
            b.go_to(a.at);
        } else {
            const uint64_t end = std::min(a.end, b.end);
            take(a.at, end, {a.depth().all + b.depth().all, a.depth().fragments + b.depth().fragments},
                 final_before);
            a.go_to(end);
            b.go_to(end);
        }
    }
    std::swap(pending_, kept_);
}

void DepthSum::finish() {
    uint64_t at = pending_.begin;
    for (const DepthRun& run : pending_.runs) {
        count(at, at + run.length, run.depth);
        at += run.length;
    }
    pending_.clear();
    add_shallow();
}

}  // namespace gannet::pipeline::qc
