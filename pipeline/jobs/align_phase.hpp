// SPDX-License-Identifier: MIT
// Provides the first half of a sorted job: reads aligned, scattered to the sorter, their duplicates decided.
#pragma once

#include "align/duplicates/duplicates.hpp"
#include "align/sort/sorter.hpp"
#include "pipeline/align_graph.hpp"
#include "pipeline/cleanup.hpp"
#include "pipeline/jobs/index_file.hpp"
#include "pipeline/jobs/inputs.hpp"
#include "pipeline/jobs/session.hpp"
#include "pipeline/stages/chunk_source.hpp"

#include <memory>
#include <string>
#include <vector>

namespace gannet::pipeline {

/// What alignment left to tell; stored with a finished BAM so that a resumed run can tell it too.
struct AlignFacts {
    stages::AlignCounts counts;
    uint64_t bases = 0;
    uint64_t duplicates = 0;
    uint64_t spilled_bytes = 0;
    std::vector<align::InsertSizeModel> models;
};

/// Warns of inputs without reads, and of reads that are too long to be aligned.
void warn_of_reads(const stages::AlignCounts& counts);

class AlignPhase {
  public:
    /// `temporary`: where spill files may be made.
    AlignPhase(const Inputs& inputs, const OpenIndex& index, const align::AlignerParameters& parameters,
               const MemoryPlan& plan, const std::string& temporary, bool mark_duplicates, Session& session);
    /// Aligns everything; afterwards source() gives the sorted records.
    void run();
    stages::ChunkSource& source() { return *source_; }
    /// Complete once the source was read to its end.
    AlignFacts facts() const;
    /// Picard's text; empty when duplicates were not marked.
    std::string duplicate_metrics(const std::string& command) const;

  private:
    const Inputs& inputs_;
    const MemoryPlan plan_;
    Session& session_;
    const bool mark_duplicates_;
    align::Aligner aligner_;
    TemporaryFolder temporary_;
    align::sort::Sorter sorter_;
    std::unique_ptr<align::duplicates::Marker> marker_;
    align::duplicates::Decision decision_;
    std::unique_ptr<stages::BucketSource> source_;
    AlignGraphResult result_;
};

}  // namespace gannet::pipeline
