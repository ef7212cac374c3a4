// SPDX-License-Identifier: MIT
// Provides where the arrays of a batch of the op pairing lie in the memory of a device, and in the pinned
// memory that is copied to and from it.
#pragma once

#include "kernels/cuda/layout.hpp"
#include "kernels/pairing/pairing_plan.hpp"
#include "kernels/reads/read_sections.hpp"

#include <cstdint>

namespace gannet::kernels::pairing {

/// Inputs are bytes [0, input_bytes), results [input_bytes, bytes).
struct BatchSections {
    ReadSections compared;
    cuda::Section<uint32_t> numbers;
    cuda::Section<PairingRead> reads;
    cuda::Section<Candidate> candidates;
    cuda::Section<DistinctPart> parts;
    cuda::Section<char> labels;
    cuda::Section<uint32_t> label_begin;
    cuda::Section<PlacedRead> placed;
    uint64_t input_bytes = 0;
    uint64_t bytes = 0;

    /// `reads`: of the batch; `those`: ComparedReads of it.
    BatchSections(const ReadBatchView& all, const PairingBatch& batch, const ComparedReads& those) {
        const uint32_t templates = all.paired ? all.reads / 2 : all.reads;
        cuda::Layout layout;
        compared = ReadSections(layout, those.view(), false);
        numbers = layout.add(those.numbers());
        reads = layout.add<PairingRead>(all.reads);
        candidates = layout.add<Candidate>(batch.candidate_count);
        parts = layout.add<DistinctPart>(batch.part_count);
        labels = layout.add<char>(templates == 0 ? 0 : batch.label_begin[templates]);
        label_begin = layout.add<uint32_t>(uint64_t{templates} + 1);
        input_bytes = layout.bytes();
        placed = layout.add<PlacedRead>(all.reads);
        bytes = layout.bytes();
    }

    void fill_inputs(void* block, const PairingBatch& batch, const ComparedReads& those) const {
        compared.fill(block, those.view());
        cuda::fill(block, numbers, those.numbers());
        cuda::fill(block, reads, batch.reads);
        cuda::fill(block, candidates, batch.candidates);
        cuda::fill(block, parts, batch.parts);
        cuda::fill(block, labels, batch.labels);
        if (reads.count != 0) cuda::fill(block, label_begin, batch.label_begin);
    }

    /// The arrays in a block of the device.
    PairingArrays in(void* block, const PairingParameters& parameters, const GenomeView& genome) const {
        PairingArrays arrays;
        arrays.given = {
            parameters,
            genome,
            compared.in(block),
            {reads.in(block), candidates.in(block), static_cast<uint32_t>(candidates.count), parts.in(block),
             static_cast<uint32_t>(parts.count), labels.in(block), label_begin.in(block)},
            numbers.in(block)};
        arrays.reads = static_cast<uint32_t>(reads.count);
        arrays.placed = placed.in(block);
        return arrays;
    }
};

}  // namespace gannet::kernels::pairing
