// SPDX-License-Identifier: MIT
// Provides what --dry-run prints: what a run would take and write, from the checks that it begins with.
#pragma once

#include "align/index/index.hpp"
#include "data/reference.hpp"
#include "pipeline/jobs/disk_space.hpp"
#include "pipeline/jobs/inputs.hpp"
#include "pipeline/jobs/job_files.hpp"
#include "pipeline/jobs/session.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace gannet::pipeline {

/// The index as a run would find it. Nothing is built, and nothing is remembered.
struct PlannedIndex {
    std::string path;                                  ///< where it is, or would be built
    std::shared_ptr<const align::Index> index;         ///< null: there is none yet
    std::shared_ptr<const data::Reference> reference;  ///< of the index, else read from the FASTA
    uint64_t bytes = 0;                                ///< 0: there is none yet
};
/// As open_or_build_index(), but for the checksums, which take time: of another FASTA than that of the index
/// names and lengths of contigs are compared. Throws what that throws of an index that
/// cannot be used, and what reading the FASTA throws.
PlannedIndex plan_index(const std::string& reference_path, const std::string& index_path,
                        const std::string& fallback_folder);

/// Instead of JobFiles::lock(): JobFiles::check(), and that each output could be made. Folders may be missing
/// if `makes_folder`, which a run makes then.
void check_outputs(const JobFiles& files, const std::string& makes_folder = "");

/// Reads the first record of each lane that is of regular files. Throws what a run throws of it at once: a
/// file that holds no reads, alignments beside a second file.
void check_first_reads(const Inputs& inputs);

/// Lines of a plan, each "  title   text".
class Plan {
  public:
    explicit Plan(const std::string& command);
    void add(const std::string& title, const std::string& text);
    /// Backend and why, threads, memory and what it is for. `index`: of the aligner; null: of a caller alone.
    void add_resources(const Session& session, const MemoryPlan& memory, const PlannedIndex* index);
    void add_reads(const Inputs& inputs, const InputSizes& sizes);
    /// What the alignments and the temporary files need, and what is free. Empty folders: standard output.
    void add_disk(const std::string& output_folder, const std::string& temporary, const InputSizes& sizes,
                  const MemoryPlan& memory, bool sorts);
    /// Files to be written, and those of them that exist. `but`: is removed again.
    void add_outputs(const JobFiles& files, const std::string& but = "");
    void add_checkpoint(const ResourceOptions& resources, const std::string& temporary,
                        const std::string& output);
    const std::string& text() const { return text_; }

  private:
    std::string text_;
};

/// "3.1 Gb in 25 contigs": of regions of the reference, all of it where there are none.
std::string extent_text(const data::RegionSet& regions, const data::Reference& reference);

}  // namespace gannet::pipeline
