// SPDX-License-Identifier: MIT
// Provides the align graph: lanes of reads in, records out, in any order or in the input's.
#pragma once

#include "align/aligner.hpp"
#include "data/bam/writer.hpp"
#include "data/fastq/reader.hpp"
#include "data/record.hpp"
#include "kernels/op_table.hpp"
#include "pipeline/qc/tracked_sequences.hpp"
#include "pipeline/stages/align_stage.hpp"
#include "pipeline/stages/lane_source.hpp"
#include "pipeline/trace.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace gannet::pipeline {

/// How far the reads have been aligned: what a checkpoint keeps of this graph.
struct AlignProgress {
    stages::AlignCounts counts;
    stages::InputNumbers input;
    std::vector<align::InsertSizeModel> models;  ///< of the lanes begun
    uint64_t lane = 0;                           ///< the first that is not finished
    uint64_t lane_templates = 0;                 ///< finished of it
};

struct AlignGraphOptions {
    size_t slots = 4;
    uint64_t batch_bases = 800'000;
    uint64_t input_bytes = 0;  ///< of all files of the lanes, for the progress; 0: not known
    data::TaskRunner* input_tasks =
        nullptr;           ///< threads that inflate the reads; null: threads of the readers
    bool ordered = false;  ///< records come in the input's order, one batch at a time
    /// Set: records are written to this unsorted BAM in the input's order, compressed in parallel, instead of
    /// going to `accept`.
    data::bam::IndexedBamWriter* bam = nullptr;
    int level = 1;  ///< of its compression
    /// Called after every `checkpoint_templates` templates of a lane and at its end, when `accept` has had
    /// the records of all templates before and of none after.
    std::function<void(const AlignProgress&)> checkpoint;
    uint64_t checkpoint_templates = UINT64_MAX;
    qc::SequenceTracker* sequences = nullptr;  ///< is given the reads of all batches; null: none
    AlignProgress begin;                       ///< where to begin; the reads before are skipped
    bool keep_sample =
        true;  ///< the sample of insert sizes keeps its work (memory) instead of doing it twice (time)
};

struct AlignGraphResult {
    stages::AlignCounts counts;
    stages::InputNumbers input;
    std::vector<align::InsertSizeModel> models;  ///< one per lane
};

/// Aligns all lanes. The records of each batch go to `accept`: concurrently, or serially in input order when
/// `ordered`. Each lane's insert-size model is that of the aligner's parameters, or is made of its first
/// k_insert_sample_templates templates, whatever the batches. Throws what a stage threw, or Error(internal)
/// when batches, reads or records do not add up. Call inside the arena.
AlignGraphResult run_align_graph(const std::vector<data::fastq::Lane>& lanes, const align::Aligner& aligner,
                                 const kernels::OpTable& ops, const AlignGraphOptions& options,
                                 Tracer& tracer, const std::function<void(const data::RecordBatch&)>& accept);

}  // namespace gannet::pipeline
