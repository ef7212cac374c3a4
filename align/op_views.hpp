// SPDX-License-Identifier: MIT
// Provides a batch of reads as the ops of kernels see it.
#pragma once

#include "align/work_state.hpp"
#include "data/read_batch.hpp"
#include "kernels/reads/read_batch_view.hpp"

namespace gannet::align {

/// The view of a batch whose reads pack_reads() has packed into `state`; it refers to both. Valid until one
/// of the two changes.
kernels::ReadBatchView read_batch_view(const data::ReadBatch& batch, AlignmentWork::State& state);

}  // namespace gannet::align
