// SPDX-License-Identifier: MIT
// Provides where the arrays of a batch of reads lie in the memory of a device, and in the pinned memory that
// is copied to it.
#pragma once

#include "kernels/cuda/layout.hpp"
#include "kernels/reads/read_batch_view.hpp"

#include <algorithm>
#include <cstdint>

namespace gannet::kernels {

struct ReadSections {
    cuda::Section<uint32_t> length;
    cuda::Section<uint64_t> packed, packed_begin, mask, mask_begin;
    cuda::Section<uint8_t> quality;
    cuda::Section<uint32_t> quality_begin;
    bool paired = false;

    ReadSections() = default;
    /// `with_quality`: for ops that read qualities. Cost: a pass over the reads.
    ReadSections(cuda::Layout& layout, const ReadBatchView& reads, bool with_quality) : paired(reads.paired) {
        uint64_t packed_words = 0;
        uint64_t mask_words = 0;
        for (uint32_t read = 0; read < reads.reads; ++read) {
            const uint64_t words = 2 * uint64_t{strand_words(reads.length[read])};
            packed_words = std::max(packed_words, reads.packed_begin[read] + words);
            if (reads.is_ambiguous(read)) mask_words = std::max(mask_words, reads.mask_begin[read] + words);
        }
        length = layout.add<uint32_t>(reads.reads);
        packed = layout.add<uint64_t>(packed_words);
        packed_begin = layout.add<uint64_t>(reads.reads);
        mask = layout.add<uint64_t>(mask_words);
        mask_begin = layout.add<uint64_t>(reads.reads);
        if (!with_quality || reads.quality == nullptr) return;
        quality = layout.add<uint8_t>(reads.quality_begin[reads.reads]);
        quality_begin = layout.add<uint32_t>(reads.reads + uint64_t{1});
    }

    void fill(void* block, const ReadBatchView& reads) const {
        cuda::fill(block, length, reads.length);
        cuda::fill(block, packed, reads.packed);
        cuda::fill(block, packed_begin, reads.packed_begin);
        cuda::fill(block, mask, reads.mask);
        cuda::fill(block, mask_begin, reads.mask_begin);
        cuda::fill(block, quality, reads.quality);
        cuda::fill(block, quality_begin, reads.quality_begin);
    }

    /// The same reads in a block.
    ReadBatchView in(void* block) const {
        ReadBatchView reads;
        reads.reads = static_cast<uint32_t>(length.count);
        reads.paired = paired;
        reads.length = length.in(block);
        reads.packed = packed.in(block);
        reads.packed_begin = packed_begin.in(block);
        reads.mask = mask.in(block);
        reads.mask_begin = mask_begin.in(block);
        if (quality_begin.count != 0) {
            reads.quality = quality.in(block);
            reads.quality_begin = quality_begin.in(block);
        }
        return reads;
    }
};

}  // namespace gannet::kernels
