// SPDX-License-Identifier: MIT
// Provides where the arrays of a planned batch lie in the memory of a device, and in the pinned memory that
// is copied to and from it.
#pragma once

#include "kernels/banded_sw/banded_sw_plan.hpp"
#include "kernels/cuda/layout.hpp"

#include <cstdint>

namespace gannet::kernels::banded_sw {

/// Inputs are bytes [0, input_bytes), results [input_bytes, bytes). Behind them lies a device's scratch:
/// arena_bytes for the sequences of windows, then that of the warps.
struct BatchSections {
    cuda::Section<WarpJob> jobs;
    cuda::Section<WarpGroup> groups;
    cuda::Section<uint8_t> bases;  ///< of a batch
    cuda::Section<WindowJob> windows;
    cuda::Section<uint64_t> words;
    cuda::Section<WarpEnd> ends;
    cuda::Section<uint32_t> cigar;
    uint64_t input_bytes = 0;
    uint64_t bytes = 0;
    uint64_t arena_bytes = 0;
};

/// Of a plan of windows, or of a batch with `batch_bases`.
inline BatchSections lay_out(const WarpPlan& plan, uint64_t batch_bases) {
    cuda::Layout layout;
    BatchSections sections;
    sections.jobs = layout.add<WarpJob>(plan.slots());
    sections.groups = layout.add(plan.groups());
    sections.bases = layout.add<uint8_t>(batch_bases);
    sections.windows = layout.add<WindowJob>(plan.windows());
    sections.words = layout.add<uint64_t>(plan.window_words());
    sections.input_bytes = layout.bytes();
    sections.ends = layout.add<WarpEnd>(plan.slots());
    sections.cigar = layout.add<uint32_t>(plan.cigar_elements());
    sections.bytes = layout.bytes();
    cuda::Layout arena;
    arena.add<uint8_t>(plan.window_bases());
    sections.arena_bytes = arena.bytes();
    return sections;
}

/// Fills the inputs but for the bases of a batch into a block of that size. To be called after
/// WarpPlan::lay_out().
inline void fill_inputs(void* block, const BatchSections& sections, const WarpPlan& plan) {
    plan.fill(sections.jobs.in(block));
    cuda::fill(block, sections.groups, plan.groups());
    if (plan.windows() != 0) plan.fill(sections.windows.in(block), sections.words.in(block));
}

}  // namespace gannet::kernels::banded_sw
