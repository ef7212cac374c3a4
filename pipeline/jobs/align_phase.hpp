// SPDX-License-Identifier: MIT
// Provides the first half of a sorted job: aligns reads, scatters the records to the sorter, decides
// duplicates.
#pragma once

#include "align/duplicates/duplicates.hpp"
#include "align/sort/sorter.hpp"
#include "pipeline/align_graph.hpp"
#include "pipeline/coverage.hpp"
#include "pipeline/jobs/checkpoint.hpp"
#include "pipeline/jobs/index_file.hpp"
#include "pipeline/jobs/inputs.hpp"
#include "pipeline/jobs/session.hpp"
#include "pipeline/jobs/sex_depth.hpp"
#include "pipeline/qc/tracked_sequences.hpp"
#include "pipeline/stages/chunk_source.hpp"
#include "pipeline/temporary_folder.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gannet::pipeline {

/// Mean depth, from counts.
struct DepthFacts {
    uint64_t aligned_bases = 0;  ///< as Coverage counts them
    uint64_t known_bases = 0;    ///< A, C, G and T of the reference
    static DepthFacts of(const Coverage& coverage, const data::Reference& reference) {
        return {coverage.aligned_bases(), pipeline::known_bases(reference)};
    }
};

/// What the report says of alignment; stored with a finished BAM, so that a resumed run can report it as
/// well.
struct AlignFacts {
    stages::AlignCounts counts;
    uint64_t bases = 0;
    bool duplicates_marked = false;
    uint64_t duplicates = 0;
    uint64_t optical_duplicate_pairs = 0;
    uint64_t spilled_bytes = 0;
    std::vector<align::InsertSizeModel> models;
    std::optional<DepthFacts> depth;             ///< of sorted output
    uint64_t resumed_reads = 0;                  ///< aligned by an earlier run (--checkpoint)
    bool qc_written = false;                     ///< the files of quality control are those of this BAM
    std::optional<SexDepth> sex = std::nullopt;  ///< of sorted output
    std::vector<std::string> findings = {};      ///< of Plausibility
};

/// Warns of inputs without reads, and of reads that are too long to be aligned.
void warn_of_reads(const stages::AlignCounts& counts);

class AlignPhase {
  public:
    /// `temporary`: the folder for spill files. `checkpoint`: where they and what has been aligned are kept
    /// instead, and continued from; null for none. `counts_sequences`: for quality control.
    AlignPhase(const Inputs& inputs, const OpenIndex& index, const data::ContigClasses& classes,
               const align::AlignerParameters& parameters, const MemoryPlan& plan,
               const std::string& temporary, const DuplicateOptions& duplicates, Session& session,
               Checkpoint* checkpoint, bool counts_sequences);
    /// Aligns everything; afterwards source() gives the sorted records.
    void run();
    stages::ChunkSource& source() { return *source_; }
    /// Of the reads, once run() is done; null where they are not counted.
    const qc::SequenceTracker* sequences() const { return sequences_.get(); }
    /// Complete once the source has been read to its end.
    AlignFacts facts() const;
    /// Of each library, once run() is done; empty when duplicates were not marked.
    const std::vector<align::duplicates::LibraryMetrics>& libraries() const { return decision_.metrics; }
    /// Text in the format of Picard MarkDuplicates, with this comment; empty when duplicates were not marked.
    std::string duplicate_metrics(const std::string& comment) const;

  private:
    void save(const AlignProgress& reached);
    AlignProgress restore();
    std::string spill_folder() const;

    const Inputs& inputs_;
    const MemoryPlan plan_;
    Session& session_;
    const bool mark_duplicates_;
    align::Aligner aligner_;
    Checkpoint* const checkpoint_;
    std::optional<TemporaryFolder> temporary_;
    align::sort::Sorter sorter_;
    std::unique_ptr<align::duplicates::Marker> marker_;
    std::unique_ptr<qc::SequenceTracker> sequences_;
    align::duplicates::Decision decision_;
    std::unique_ptr<stages::BucketSource> source_;
    AlignGraphResult result_;
    uint64_t resumed_reads_ = 0;
};

}  // namespace gannet::pipeline
