// SPDX-License-Identifier: MIT
// Provides the files of a job, collected before the first of them is opened: no output may be an input or
// another output, and two jobs may not write the same output at once.
#pragma once

#include "data/output_lock.hpp"
#include "pipeline/jobs/inputs.hpp"
#include "pipeline/jobs/options.hpp"

#include <string>
#include <vector>

namespace gannet::pipeline {

/// The locks of a job's outputs; to be held until the last of them has been renamed.
using OutputLocks = std::vector<data::OutputLock>;

/// Empty paths are left out; "-" is standard input for an input and standard output for an output. `what`
/// names the file in messages, as the user gave it: "-o", "--trace", "the reference".
class JobFiles {
  public:
    JobFiles& reads(const std::string& path, const std::string& what);
    JobFiles& reads_fasta(const std::string& fasta);  ///< with its .fai, .gzi and .alt
    /// The same, and the gannet index: `index`, or where that is empty the one beside the FASTA
    /// and the one in `fallback_folder` (see open_or_build_index; empty: none).
    JobFiles& reads_reference(const std::string& fasta, const std::string& index,
                              const std::string& fallback_folder = "");
    JobFiles& reads_alternates(const std::string& alt);  ///< --alt
    JobFiles& reads_lanes(const InputOptions& options, const Inputs& inputs);
    JobFiles& reads_model(const ScorerOptions& options);
    JobFiles& reads_ploidy(const PloidyOptions& options);
    /// Alignments or variants, with the indexes that may lie beside them.
    JobFiles& reads_with_indexes(const std::string& path, const std::string& what);
    /// The same of variants that are read by their index: no pipe.
    JobFiles& reads_indexed_variants(const std::string& path, const std::string& what);

    JobFiles& writes(const std::string& path, const std::string& what);
    JobFiles& writes(const ResourceOptions& resources);  ///< --trace and --log
    /// A file and the indexes that may be written or, where they are old, removed with it. `makes_index`:
    /// false where they can only be removed.
    JobFiles& writes_indexed(const std::string& path, const std::string& what, bool makes_index = true);
    /// One of many files that are complete when `last` is: covered by the lock of that.
    JobFiles& writes_before(const std::string& last, const std::string& path, const std::string& what);
    /// The same of a file that may be written, or only removed.
    JobFiles& may_write_before(const std::string& last, const std::string& path, const std::string& what);

    /// What the job writes in any case, in the order in which it was named; without indexes.
    std::vector<std::string> outputs() const;
    /// Whether an index is written with that output; of files whose kind has one.
    bool has_index(const std::string& path) const;
    /// Files that outputs and their indexes would take the place of.
    std::vector<std::string> existing_outputs() const;
    /// Throws Error(usage), naming both, where an output is an input or another output: the same device and
    /// inode (links included), or the same path where nothing exists yet. Devices and pipes may be given
    /// twice. Throws Error(malformed_input) of a pipe for an input that must be a file, and where an input is
    /// standard input and that is closed.
    void check() const;
    /// check(), then that each output can be made, then the locks, in a fixed order; removes and reports what
    /// killed runs left for these outputs. Throws Error(output_failed) where another process writes one of
    /// them.
    OutputLocks lock() const;

  private:
    struct Input {
        std::string path;
        std::string what;
        bool is_no_pipe = false;  ///< must be none
    };
    struct Output {
        std::string path;
        std::string what;
        std::string locked_by;   ///< path of the output whose lock covers this one
        bool is_certain = true;  ///< false: may be written
        bool has_index = false;
    };
    std::vector<Input> inputs_;
    std::vector<Output> outputs_;
};

/// The lock of an index that several jobs may want to build at once: waits, and reports so, where another
/// process is building it.
data::OutputLock lock_index(const std::string& path);

/// Of `run`: Error(output_failed) where the gVCF of a sample S would replace the VCF of a sample S.g in the
/// folder, or that VCF the gVCF. `has_gvcf`: one is written beside the VCF.
void check_names_of_samples(const std::string& folder, const std::string& sample, bool has_gvcf);

}  // namespace gannet::pipeline
