// SPDX-License-Identifier: MIT
// Provides the arrays by read that the view of a batch refers to.
#include "align/op_views.hpp"

namespace gannet::align {

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
