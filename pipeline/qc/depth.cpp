// SPDX-License-Identifier: MIT
// Provides the depth of sorted records.
#include "pipeline/qc/depth.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace gannet::pipeline::qc {
namespace {

constexpr uint64_t k_first_ring = 4096;
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

DepthRing::DepthRing() : changes_(k_first_ring), mask_(k_first_ring - 1) {}

void DepthRing::put(uint64_t length, DepthRuns& runs) const {
    constexpr uint64_t k_most = std::numeric_limits<uint32_t>::max();
    const DepthPair depth = unpacked(depth_);
    for (; length > k_most; length -= k_most) runs.runs.push_back({static_cast<uint32_t>(k_most), depth});
    if (length > 0) runs.runs.push_back({static_cast<uint32_t>(length), depth});
}

void DepthRing::write_up_to(uint64_t end, DepthRuns& runs) {
    const uint64_t stop = std::min(end, reach_ + 1);
    for (; at_ < stop; ++at_) {
        int64_t& change = changes_[at_ & mask_];
        if (change == 0) continue;
        put(at_ - run_begin_, runs);
        run_begin_ = at_;
        depth_ += change;
        change = 0;
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
    if (start > at_) write_up_to(start, runs);
}

void DepthRing::add(uint64_t begin, uint64_t end, DepthPair depth) {
    if (end - at_ >= changes_.size()) grow(end - at_);
    const int64_t change = packed(depth);
    changes_[begin & mask_] += change;
    changes_[end & mask_] -= change;
    reach_ = std::max(reach_, end);
}

void DepthRing::grow(uint64_t span) {
    uint64_t size = changes_.size();
    while (size <= span) size *= 2;
    std::vector<int64_t> larger(size);
    for (uint64_t position = at_; position < at_ + changes_.size(); ++position)
        larger[position & (size - 1)] = changes_[position & mask_];
    changes_ = std::move(larger);
    mask_ = size - 1;
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

void DepthSum::count(uint64_t begin, uint64_t end, DepthPair depth) {
    if (depth.all > 0)
        all_.add(std::min<size_t>(static_cast<size_t>(depth.all), k_stats_depths), end - begin);
    if (depth.fragments <= 0) return;
    // Records never reach beyond their contig, so a run that is covered lies in one.
    while (begin >= reference_.contigs()[contig_].offset + reference_.contigs()[contig_].length) ++contig_;
    const auto fragments = static_cast<uint32_t>(depth.fragments);
    fragments_[contig_].add(std::min(fragments, k_max_depth), end - begin);
    bases_[contig_] += fragments * (end - begin);
    largest_[contig_] = std::max(largest_[contig_], fragments);
    if (targets_.empty()) return;
    const uint64_t offset = reference_.contigs()[contig_].offset;
    targets_.count(contig_, static_cast<int64_t>(begin - offset), static_cast<int64_t>(end - offset),
                   fragments);
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
        if (a.done() || (!b.done() && b.end <= a.at)) {
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
}

}  // namespace gannet::pipeline::qc
