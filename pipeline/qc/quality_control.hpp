// SPDX-License-Identifier: MIT
// Provides quality control in the stream: what samtools stats, flagstat and idxstats, mosdepth, Picard and
// FastQC say of a sorted BAM, counted while its records pass.
#pragma once

#include "data/record.hpp"
#include "data/reference.hpp"
#include "pipeline/qc/counts.hpp"
#include "pipeline/qc/depth.hpp"
#include "pipeline/qc/gc_depth.hpp"
#include "pipeline/qc/read_counter.hpp"
#include "pipeline/qc/tracked_sequences.hpp"

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace gannet::pipeline::qc {

/// Memory: about 1 MB per thread for reads of 150 bases, and 8 KB per contig.
class QualityControl {
  public:
    /// `targets`: the lines of --targets, if any. `sequences`: of the reads before they were aligned, in
    /// their order, which records have not; null: not known. They must outlive this.
    explicit QualityControl(const data::Reference& reference, std::vector<data::bed::Row> targets = {},
                            const SequenceTracker* sequences = nullptr);
    /// The records of a chunk, sorted and with their final flags; chunks in any order, from any threads.
    /// `depths` is given to append().
    void count(std::span<const uint8_t> bytes, std::span<const data::RecordEntry> entries,
               ChunkDepths& depths);
    /// The same chunk. In the order of the chunks, from one thread at a time.
    void append(std::span<const uint8_t> bytes, std::span<const data::RecordEntry> entries,
                ChunkDepths& depths) {
        depth_.append(depths.runs);
        good_depth_.append(depths.good, bytes, entries);
        gc_depth_.append(depths.by_gc);
    }
    /// After the last chunk, once.
    void finish();

    const Counts& counts() const { return counts_; }                ///< after finish()
    const DepthSum& depth() const { return depth_; }                ///< after finish()
    const GcDepth& gc_depth() const { return gc_depth_; }           ///< after finish()
    const GoodDepthSum& good_depth() const { return good_depth_; }  ///< after finish()
    const TargetCoverage& target_coverage() const { return target_coverage_; }
    const GcWindows::Counts& gc_windows() const { return gc_windows_.counts(); }  ///< after finish()
    const SequenceTracker* sequences() const { return sequences_; }

  private:
    const data::Reference& reference_;
    std::mutex mutex_;
    std::vector<std::unique_ptr<ReadCounter>> idle_;
    DepthSum depth_;
    GoodDepthSum good_depth_;
    GcDepth gc_depth_;
    TargetCoverage target_coverage_;
    GcWindows gc_windows_;
    Counts counts_;
    const SequenceTracker* sequences_;
};

/// What the texts say of where they come from.
struct Origin {
    std::string program;  ///< "gannet 0.1.0"
    std::string command;
    std::string sample;
    std::string targets{};  ///< file; empty: none
};

/// The texts have the layout of the programs that they are named for, of these versions: samtools 1.16,
/// mosdepth 0.3.3, picard 2.27, FastQC 0.11.9. docs/qc.md says which sections are there.
std::string stats_text(const Counts& counts, const DepthSum& depth, const GcDepth& by_gc,
                       const Origin& origin);
std::string flagstat_text(const Counts& counts);
std::string idxstats_text(const Counts& counts, const data::Reference& reference);
std::string mosdepth_summary_text(const Counts& counts, const DepthSum& depth);
std::string mosdepth_distribution_text(const Counts& counts, const DepthSum& depth);
std::string mosdepth_region_distribution_text(const Counts& counts, const DepthSum& depth);
std::string mosdepth_regions_text(const DepthSum& depth);  ///< in plain letters
std::string insert_size_text(const Counts& counts, const Origin& origin);
std::string alignment_summary_text(const Counts& counts, const Origin& origin);
std::string wgs_text(const Counts& counts, const GoodDepthSum& depth, const data::Reference& reference,
                     const Origin& origin);
/// `baits`: name of the targets.
std::string hs_text(const Counts& counts, const TargetCoverage& coverage, const DepthSum& depth,
                    const std::string& baits, const Origin& origin);
std::string gc_bias_detail_text(const Counts& counts, const GcWindows::Counts& windows, const Origin& origin);
std::string gc_bias_summary_text(const Counts& counts, const GcWindows::Counts& windows,
                                 const Origin& origin);
/// fastqc_data.txt of the reads that `fragment` (k_first or k_last) names; FastQC sees files, gannet records.
/// `sequences`: null: without the modules that are made of them.
std::string fastqc_text(const Counts& counts, const SequenceTracker* sequences, Fragment fragment,
                        const Origin& origin);
/// The same as FastQC's archive of one file, without its pictures.
std::string fastqc_archive(const Counts& counts, const SequenceTracker* sequences, Fragment fragment,
                           const Origin& origin);

}  // namespace gannet::pipeline::qc
