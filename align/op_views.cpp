// SPDX-License-Identifier: MIT
// Provides the arrays by read that the view of a batch refers to.
#include "align/op_views.hpp"

namespace gannet::align {

kernels::ReadBatchView read_batch_view(const data::ReadBatch& batch, AlignmentWork::State& state) {
    AlignmentWork::State::ReadArrays& arrays = state.read_arrays;
    arrays.length.clear();
    arrays.packed_begin.clear();
    arrays.mask_begin.clear();
    for (const ReadState& read : state.reads) {
        arrays.length.push_back(read.length);
        arrays.packed_begin.push_back(read.packed);
        arrays.mask_begin.push_back(read.has_n ? read.mask : kernels::k_no_mask);
    }
    kernels::ReadBatchView view;
    view.reads = static_cast<uint32_t>(state.reads.size());
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
