// SPDX-License-Identifier: MIT
// Provides the stages that a batch of reads goes through in the align graph, and what a slot of it holds.
#pragma once

#include "align/aligner.hpp"
#include "data/read_batch.hpp"
#include "data/record.hpp"
#include "kernels/op_table.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace gannet::pipeline::stages {

/// Counts over primary records, in the words of samtools flagstat.
struct AlignCounts {
    uint64_t templates = 0;
    uint64_t reads = 0;  ///< primary records
    uint64_t mapped = 0;
    uint64_t paired = 0;
    uint64_t proper_pairs = 0;  ///< reads in proper pairs
    uint64_t supplementary = 0;
    uint64_t secondary = 0;
    uint64_t records = 0;
    uint64_t too_long = 0;  ///< reads past the aligner's longest, left unmapped

    void add(const AlignCounts& other);
};

/// What the source hands over: reads, and the work of their first round where the insert-size sample has done
/// it already.
struct AlignItem {
    data::ReadBatch reads;
    align::AlignmentWork work;
    bool extended = false;
};

/// A batch in flight, with all its buffers.
struct AlignSlot {
    data::ReadBatch reads;
    align::AlignmentWork work;
    bool extended = false;
    data::RecordBatch records;
    std::vector<int32_t> inserts;
    AlignCounts counts;
    std::unique_ptr<kernels::Stream> stream;
};

/// What the stages share; constant while a graph runs.
struct AlignContext {
    const align::Aligner* aligner = nullptr;
    const kernels::OpTable* ops = nullptr;
    align::InsertSizeModel model;
};

void take_stage(AlignItem& item, AlignSlot& slot);
void begin_stage(AlignSlot& slot, const AlignContext& context);  ///< seeds, chains, ungapped
/// Kernel stages enqueue the round that is due; false when it has no jobs. The stage after one throws
/// Error(internal) unless every job has a result.
bool extension_stage(AlignSlot& slot, const AlignContext& context);  ///< false too where it was done before
bool kernel_stage(AlignSlot& slot, const AlignContext& context);
void next_stage(align::Round done, AlignSlot& slot, const AlignContext& context);
void finish_stage(AlignSlot& slot, const AlignContext& context);  ///< records and counts
void sample_stage(AlignSlot& slot, const AlignContext& context);  ///< insert sizes of a batch

AlignCounts count_records(const data::RecordBatch& records);

}  // namespace gannet::pipeline::stages
