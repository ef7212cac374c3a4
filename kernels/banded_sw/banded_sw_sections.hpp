// SPDX-License-Identifier: MIT
// Provides where the arrays of a planned batch lie in the memory of a device, and in the pinned memory that
// is copied to and from it.
#pragma once

#include "kernels/banded_sw/banded_sw_plan.hpp"
#include "kernels/cuda/layout.hpp"

#include <cstdint>

namespace gannet::kernels::banded_sw {

/// Inputs are bytes [0, input_bytes), results [input_bytes, bytes); a device's scratch lies behind.
struct BatchSections {
    cuda::Section<WarpJob> jobs;
    cuda::Section<WarpGroup> groups;
    cuda::Section<uint8_t> bases;
    cuda::Section<WarpEnd> ends;
    cuda::Section<uint32_t> cigar;
    uint64_t input_bytes = 0;
    uint64_t bytes = 0;
};

inline BatchSections lay_out(const WarpPlan& plan, const BandedSwBatch& batch) {
    cuda::Layout layout;
    BatchSections sections;
    sections.jobs = layout.add<WarpJob>(plan.slots());
    sections.groups = layout.add(plan.groups());
    sections.bases = layout.add(batch.bases);
    sections.input_bytes = layout.bytes();
    sections.ends = layout.add<WarpEnd>(plan.slots());
    sections.cigar = layout.add<uint32_t>(plan.cigar_elements());
    sections.bytes = layout.bytes();
    return sections;
}

/// Fills the inputs into a block of that size. To be called after WarpPlan::lay_out().
inline void fill_inputs(void* block, const BatchSections& sections, const WarpPlan& plan,
                        const BandedSwBatch& batch) {
    plan.fill(sections.jobs.in(block));
    cuda::fill(block, sections.groups, plan.groups());
    cuda::fill(block, sections.bases, batch.bases);
}

}  // namespace gannet::kernels::banded_sw
