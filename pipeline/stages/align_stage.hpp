// SPDX-License-Identifier: MIT
// Provides the stages that a batch of reads goes through in the align graph, and what a slot of it holds.
#pragma once

#include "align/aligner.hpp"
#include "align/trim_adapters.hpp"
#include "data/read_batch.hpp"
#include "data/record.hpp"
#include "pipeline/qc/tracked_sequences.hpp"
#include "pipeline/stages/align_streams.hpp"
#include "pipeline/stages/lane_source.hpp"

#include <cstdint>
#include <functional>
#include <optional>
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
    uint64_t bases = 0;          ///< of the reads
    uint64_t too_long = 0;       ///< reads past the aligner's longest, left unmapped
    uint64_t trimmed_reads = 0;  ///< whose adapters were removed
    uint64_t trimmed_bases = 0;

    void add(const AlignCounts& other);
};

/// Which rounds a batch goes through in the align graph. The first templates of a lane go through it twice
/// where the insert-size model is made of them: once as the sample, and again when the model is known.
enum class BatchRounds : uint8_t {
    all,
    sample,        ///< those up to extension; then its insert sizes are taken
    after_sample,  ///< the others: the work of the sample was kept
};

/// What the source hands over: reads or their text, and where the sample has begun them, their work.
struct AlignItem {
    data::fastq::TextBatch text;
    data::ReadBatch reads;
    std::optional<align::TrimCounts> trimmed;  ///< of these reads; empty: they are as they were sequenced
    bool tracked = false;                      ///< their sequences have been counted
    align::AlignmentWork work;
    BatchRounds rounds = BatchRounds::all;
};

/// A batch in flight, with all its buffers.
struct AlignSlot {
    data::fastq::TextBatch text;
    data::ReadBatch reads;
    std::optional<align::TrimCounts> trimmed;
    bool tracked = false;
    align::OverlapFinder finder;
    align::AlignmentWork work;
    BatchRounds rounds = BatchRounds::all;
    data::RecordBatch records;
    std::vector<int32_t> inserts;
    AlignCounts counts;
    size_t number = 0;  ///< of the slot, and of its stream
};

/// What all stages use; constant while a graph runs, but for the model, which is set between the sample and
/// the rest.
struct AlignContext {
    const align::Aligner* aligner = nullptr;
    const AlignStreams* streams = nullptr;
    align::InsertSizeModel model;
};

void take_stage(AlignItem& item, AlignSlot& slot);
/// Makes reads of the text, if the batch has come as text.
void parse_stage(AlignSlot& slot, const LaneSource& source);
/// Counts the sequences of a batch that has not been counted.
void track_sequences_stage(AlignSlot& slot, qc::SequenceTracker& tracker);
/// Trims the adapters of a batch that has not been trimmed.
void trim_stage(AlignSlot& slot);

// The rounds of align::Aligner, for a slot; they do nothing where the batch does not go through the round.
/// Prepares a round. Throws Error(internal) unless each read or job of the round before has a result.
void prepare_stage(AlignSlot& slot, const AlignContext& context, align::Round round);
/// Calls the op of a round; false as Aligner::call().
bool op_stage(AlignSlot& slot, const AlignContext& context, align::Round round);
/// Takes the insert sizes of a batch of the sample.
void sample_insert_sizes_stage(AlignSlot& slot, const AlignContext& context);
/// Builds the records of a batch, but not of the sample, and counts them: of `templates_at_once` templates at
/// a time, for which `accept` (may be empty) is called; the slot keeps the last ones. Records that are used
/// while they are in the caches cost less.
void build_records_stage(AlignSlot& slot, const AlignContext& context, size_t templates_at_once = SIZE_MAX,
                         const std::function<void(const data::RecordBatch&)>& accept = {});

AlignCounts count_records(const data::RecordBatch& records);

}  // namespace gannet::pipeline::stages
