// SPDX-License-Identifier: MIT
// Provides the files of quality control beside the alignments.
#pragma once

#include "pipeline/jobs/job_files.hpp"
#include "pipeline/qc/quality_control.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace gannet::pipeline {

/// The lines of --targets; none without.
std::vector<data::bed::Row> target_rows(const std::string& path, const data::Reference& reference);

/// " targets DIGEST" of these lines, whatever their file is called: a BED may be written anew. Empty without.
std::string targets_digest(std::span<const data::bed::Row> rows);

/// Memory that counting on these targets takes, which the plan of memory has to leave.
uint64_t qc_memory_bytes(std::span<const data::bed::Row> targets);

/// STEM.stats and so on, by the names that MultiQC finds. All are written or none, but for
/// those of second reads and of targets, which go where there are none.
class QcFiles {
  public:
    QcFiles() = default;  ///< none
    explicit QcFiles(const std::string& stem);

    bool wanted() const { return !paths_.empty(); }
    const std::vector<std::string>& paths() const { return paths_; }
    /// As outputs of a job, `what` in its messages. `last`: the output whose lock covers them; empty: the
    /// first of them. `has_targets`: without them their files are only removed.
    void add_to(JobFiles& files, const std::string& what, bool has_targets,
                const std::string& last = "") const;
    bool exist() const;  ///< all that there always are
    /// Of the paths, those of files that there always are.
    std::vector<std::string> certain_paths() const;
    void remove_old() const;
    /// `counted`: after finish(). Throws Error(output_failed) or Error(disk_space).
    void write(const qc::QualityControl& counted, const qc::Origin& origin) const;

  private:
    std::vector<std::string> paths_;
};

}  // namespace gannet::pipeline
