// SPDX-License-Identifier: MIT
// Provides windows of 100 bases by their C and G.
#include "pipeline/qc/gc_bias.hpp"

#include <algorithm>
#include <bit>

namespace gannet::pipeline::qc {
namespace {

constexpr uint64_t k_bases_per_word = 32;
constexpr uint64_t k_low_bit_of_each = 0x5555555555555555;
constexpr uint64_t k_part_windows = 1u << 18;

/// The low bit of each base that is C (1) or G (2).
uint64_t gc_bits(uint64_t word) { return (word ^ word >> 1) & k_low_bit_of_each; }

/// Those of the word that holds the base, from it on.
uint64_t bits_from(std::span<const uint64_t> packed, uint64_t base) {
    return gc_bits(packed[base / k_bases_per_word]) >> 2 * (base % k_bases_per_word);
}

}  // namespace

uint32_t gc_of_window(const data::Reference& reference, uint64_t begin) {
    const std::span<const uint64_t> packed = reference.packed();
    const uint64_t end = begin + k_gc_window_bp;
    const uint64_t first = begin / k_bases_per_word;
    const uint64_t last = (end - 1) / k_bases_per_word;
    uint64_t word = gc_bits(packed[first]) >> 2 * (begin % k_bases_per_word);
    auto gc = static_cast<uint32_t>(std::popcount(word));
    for (uint64_t at = first + 1; at < last; ++at)
        gc += static_cast<uint32_t>(std::popcount(gc_bits(packed[at])));
    const uint64_t in_last = end - last * k_bases_per_word;
    word = gc_bits(packed[last]) << 2 * (k_bases_per_word - in_last);
    return gc + static_cast<uint32_t>(std::popcount(word));
}

GcWindows::GcWindows(const data::Reference& reference) : reference_(reference) {
    for (const data::Contig& contig : reference.contigs()) {
        if (contig.length <= k_gc_window_bp + 1) continue;
        // Picard begins with the second base and ends one window early.
        const uint64_t end = contig.offset + contig.length - k_gc_window_bp;
        for (uint64_t begin = contig.offset + 1; begin < end; begin += k_part_windows)
            parts_.push_back({begin, std::min(end, begin + k_part_windows)});
    }
}

GcWindows::Counts GcWindows::count(const Part& part) const {
    const std::span<const uint64_t> packed = reference_.packed();
    // Neighbours often fall on one count, and would wait for each other.
    std::array<std::array<uint32_t, 101>, 8> windows{};
    UnknownBases unknown(reference_);
    for (uint64_t begin = part.begin; begin < part.end;) {
        const uint64_t unknown_here = unknown.count(begin, begin + k_gc_window_bp);
        if (unknown_here > k_max_unknown_in_window) {
            // Over a run of N in one step.
            begin =
                unknown_here < k_gc_window_bp ? begin + 1 : unknown.run_end(begin) - k_max_unknown_in_window;
            continue;
        }
        // As far as the next window that has an N, one base after another enters and leaves.
        const uint64_t known_until =
            std::min(unknown.known_until(begin, begin + k_gc_window_bp), part.end + k_gc_window_bp);
        const uint64_t end = std::min(part.end, known_until - k_gc_window_bp + 1);
        uint32_t gc = gc_of_window(reference_, begin);
        ++windows[0][gc];
        while (++begin < end) {
            // The bases that enter and leave, as many as there are before a word of either ends.
            const uint64_t entering = begin + k_gc_window_bp - 1;
            const uint64_t leaving = begin - 1;
            uint64_t in = bits_from(packed, entering);
            uint64_t out = bits_from(packed, leaving);
            const uint64_t steps = std::min({end - begin, k_bases_per_word - entering % k_bases_per_word,
                                             k_bases_per_word - leaving % k_bases_per_word});
            const auto slide = [&](size_t table) __attribute__((always_inline)) {
                gc += static_cast<uint32_t>(in & 1) - static_cast<uint32_t>(out & 1);
                ++windows[table][gc];
                in >>= 2;
                out >>= 2;
            };
            uint64_t step = 0;
            for (; step + windows.size() <= steps; step += windows.size()) {
#pragma GCC unroll 8
                for (size_t table = 0; table < windows.size(); ++table) slide(table);
            }
            for (; step < steps; ++step) slide(step % windows.size());
            begin += steps - 1;
        }
    }
    Counts sums{};
    for (const auto& table : windows) {
        for (size_t gc = 0; gc < sums.size(); ++gc) sums[gc] += table[gc];
    }
    return sums;
}

void GcWindows::count_part() {
    if (next_.load(std::memory_order_relaxed) >= parts_.size()) return;
    const size_t part = next_++;
    if (part >= parts_.size()) return;
    const Counts windows = count(parts_[part]);
    const std::lock_guard lock(mutex_);
    for (size_t gc = 0; gc < windows.size(); ++gc) counts_[gc] += windows[gc];
}

void GcWindows::finish() {
    while (next_.load() < parts_.size()) count_part();
}

}  // namespace gannet::pipeline::qc
