// SPDX-License-Identifier: MIT
// Provides the reads of a batch as the ops of kernels/ take them.
#pragma once

#include "align/work_state.hpp"
#include "data/read_batch.hpp"
#include "kernels/reads/read_batch_view.hpp"

namespace gannet::align {

/// Packs the reads of the batch into `state` (reads, packed, mask).
void pack_reads(const data::ReadBatch& batch, AlignmentWork::State& state);

/// The view of a batch whose reads have been packed into `state`; it refers to both. Valid until one of the
/// two changes.
kernels::ReadBatchView read_batch_view(const data::ReadBatch& batch, AlignmentWork::State& state);

}  // namespace gannet::align
