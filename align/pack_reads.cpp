// SPDX-License-Identifier: MIT
// Provides the packing of a batch's reads, and the arrays by read that the view of the batch refers to.
#include "align/pack_reads.hpp"

#include "kernels/reads/packed_reads.hpp"

namespace gannet::align {

void pack_reads(const data::ReadBatch& batch, AlignmentWork::State& state) {
    const size_t reads = batch.reads();
    state.reads.assign(reads, ReadState{});
    uint64_t words = 0;
    for (size_t i = 0; i < reads; ++i) {
        ReadState& read = state.reads[i];
        read.length = static_cast<uint32_t>(batch.read_bases(i).size());
        read.words = (read.length + 31) / 32 + 1;
        read.packed = words;
        words += 2 * uint64_t{read.words};
    }
    state.packed.resize(words);
    state.mask.clear();
    for (size_t i = 0; i < reads; ++i) {
        ReadState& read = state.reads[i];
        uint64_t* forward = state.packed.data() + read.packed;
        read.has_n = kernels::pack_strands(batch.read_bases(i), forward, forward + read.words);
        if (!read.has_n) continue;
        read.mask = state.mask.size();
        state.mask.resize(read.mask + 2 * size_t{read.words});
        uint64_t* mask = state.mask.data() + read.mask;
        kernels::pack_masks(batch.read_bases(i), mask, mask + read.words);
    }
}

kernels::ReadBatchView read_batch_view(const data::ReadBatch& batch, AlignmentWork::State& state) {
    AlignmentWork::State::ReadArrays& arrays = state.read_arrays;
    const size_t reads = state.reads.size();
    arrays.length.resize(reads);
    arrays.packed_begin.resize(reads);
    arrays.mask_begin.resize(reads);
    for (size_t i = 0; i < reads; ++i) {
        const ReadState& read = state.reads[i];
        arrays.length[i] = read.length;
        arrays.packed_begin[i] = read.packed;
        arrays.mask_begin[i] = read.has_n ? read.mask : kernels::k_no_mask;
    }
    kernels::ReadBatchView view;
    view.reads = static_cast<uint32_t>(reads);
    view.paired = batch.paired;
    view.length = arrays.length.data();
    view.packed = state.packed.data();
    view.packed_begin = arrays.packed_begin.data();
    view.mask = state.mask.data();
    view.mask_begin = arrays.mask_begin.data();
    view.quality = batch.qualities.data();
    view.quality_begin = batch.base_offset.data();
    return view;
}

}  // namespace gannet::align
