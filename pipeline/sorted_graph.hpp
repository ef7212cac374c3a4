// SPDX-License-Identifier: MIT
// Provides the graph of sorted records: written as they come, handed to the caller as they come, or both at
// once.
#pragma once

#include "data/bam/writer.hpp"
#include "data/reference.hpp"
#include "data/regions.hpp"
#include "data/vcf/writer.hpp"
#include "kernels/op_table.hpp"
#include "pipeline/coverage.hpp"
#include "pipeline/qc/quality_control.hpp"
#include "pipeline/stages/chunk_source.hpp"
#include "pipeline/trace.hpp"
#include "variants/caller.hpp"
#include "variants/records/call_statistics.hpp"
#include "variants/records/known_ids.hpp"

#include <cstdint>
#include <functional>

namespace gannet::pipeline {

/// What becomes of the records. Null members are left out.
struct SortedGraphPlan {
    data::bam::IndexedBamWriter* bam = nullptr;  ///< blocks are compressed in parallel
    int level = 1;                               ///< by the op deflate where it is 1 and `ops` has it
    const kernels::OpTable* ops = nullptr;
    data::bam::RecordWriter* records = nullptr;  ///< SAM or CRAM, serially
    Coverage* coverage = nullptr;                ///< counts all records
    qc::QualityControl* qc = nullptr;            ///< counts all records; complete when `written` is called
    /// Called once when all records were written and counted, while calls may still be in flight: to close
    /// the BAM early.
    std::function<void()> written;

    const variants::Caller* caller = nullptr;               ///< with `ops` and all of the following
    const kernels::PileupNetworkWeights* scorer = nullptr;  ///< null: the caller alone
    variants::KnownIds* known_ids = nullptr;                ///< of called variants; null: none
    const data::Reference* reference = nullptr;
    data::RegionSet regions;                                     ///< empty: everything
    std::function<void(std::span<const data::Variant>)> accept;  ///< variants in genome order, serially
    /// Instead of genotypes: examples of each batch of windows, in the windows' order, serially. The caller's
    /// scoring must be enabled.
    std::function<void(const variants::CallWork&)> accept_examples;
    /// Lines of the gVCF of each batch of windows, in genome order, serially; the caller's BlockParameters
    /// must be enabled. Null: no gVCF.
    std::function<void(const data::vcf::PackedLines&)> accept_gvcf;
    data::vcf::Format gvcf_format = data::vcf::Format::text;
    data::vcf::GvcfDialect gvcf_dialect = data::vcf::GvcfDialect::none;

    size_t slots = 3;               ///< chunks in flight
    size_t call_slots = 4;          ///< batches of windows in flight
    uint64_t batch_records = 6000;  ///< a batch of windows ends at the first window past so many reads
};

struct SortedGraphResult {
    uint64_t records = 0;
    uint64_t windows = 0;
    variants::CallStatistics variants;
};

/// One oneTBB graph of two halves: chunk -> load -> count for quality control -> compress -> cut into windows
/// -> index, in order -> write
/// -> feed, in order; windows -> find_regions -> pair_hmm -> with the scorer encode_examples and
/// pileup_network -> genotype -> with --gvcf gvcf -> sequencer -> write. A chunk's slot comes back when the
/// windows cut from it are done. Throws what a stage threw, or Error(internal) when batches, records or
/// windows do not add up. Call inside the arena.
SortedGraphResult run_sorted_graph(stages::ChunkSource& source, const SortedGraphPlan& plan, Tracer& tracer);

}  // namespace gannet::pipeline
