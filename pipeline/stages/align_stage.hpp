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

/// Counts over primary records, in the terms of samtools flagstat.
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

/// What the source hands over: reads, and their extensions where the insert-size sample has done them
/// already.
struct AlignItem {
    data::ReadBatch reads;
    align::AlignmentWork work;
    bool extended = false;  ///< `work` holds the results of the extension round
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

/// What all stages use; constant while a graph runs.
struct AlignContext {
    const align::Aligner* aligner = nullptr;
    const kernels::OpTable* ops = nullptr;
    align::InsertSizeModel model;
    bool op_by_op = false;  ///< candidates are found by the op find_candidates
};

void take_stage(AlignItem& item, AlignSlot& slot);

// The steps of align::Aligner, for a slot. Those that take results of an op throw Error(internal) unless
// every read or job has one.
void find_candidates_stage(AlignSlot& slot, const AlignContext& context);
// The same in three steps where candidates are found by the op.
void pack_reads_stage(AlignSlot& slot, const AlignContext& context);
bool candidates_stage(AlignSlot& slot, const AlignContext& context);  ///< false as extension_stage()
void take_candidates_stage(AlignSlot& slot, const AlignContext& context);
void sample_insert_sizes_stage(AlignSlot& slot, const AlignContext& context);
void prepare_rescue_stage(AlignSlot& slot, const AlignContext& context);
// The same in three steps where candidates are found by the op.
void list_rescues_stage(AlignSlot& slot, const AlignContext& context);
bool rescue_search_stage(AlignSlot& slot, const AlignContext& context);  ///< false as extension_stage()
bool rescue_stage(AlignSlot& slot, const AlignContext& context);
void choose_pairs_stage(AlignSlot& slot, const AlignContext& context);
// The same in three steps where candidates are found by the op.
void list_pairs_stage(AlignSlot& slot, const AlignContext& context);
bool pairing_stage(AlignSlot& slot, const AlignContext& context);  ///< false as extension_stage()
void take_pairs_stage(AlignSlot& slot, const AlignContext& context);
/// Builds the records of a batch and counts them: of `templates_at_once` templates at a time, for which
/// `accept` (may be empty) is called; the slot keeps the last ones. Records that are used while they are in
/// the caches cost less.
void build_records_stage(AlignSlot& slot, const AlignContext& context, size_t templates_at_once = SIZE_MAX,
                         const std::function<void(const data::RecordBatch&)>& accept = {});

/// Enqueues banded_sw on the jobs of the slot; false when there are none.
bool banded_sw_stage(AlignSlot& slot, const AlignContext& context);
/// The same for the extension round; false also where the insert-size sample has done it already.
bool extension_stage(AlignSlot& slot, const AlignContext& context);

AlignCounts count_records(const data::RecordBatch& records);

}  // namespace gannet::pipeline::stages
