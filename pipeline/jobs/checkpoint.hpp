// SPDX-License-Identifier: MIT
// Provides the folder in which a run keeps the reads that it has aligned, so that the same command goes on
// from there after a kill (--checkpoint).
#pragma once

#include "data/output_lock.hpp"
#include "data/reference.hpp"
#include "pipeline/jobs/inputs.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gannet::pipeline {

/// All that decides what the BAM holds: inputs with size and modification time, reference, header (with
/// command and parameters), version and build. One line.
std::string resume_facts(const Inputs& inputs, const data::Reference& reference, const std::string& header);
/// ":SIZE:TIME" of a file.
std::string size_and_time(const std::string& path);
/// False where one is standard input or a pipe: it cannot be compared with that of an earlier run.
bool are_files(const std::vector<std::string>& inputs);

/// The folder ".gannet-checkpoint-NAME-XXXXXXXX" in `parent` (NAME: of `output`; X: of its path, and of the
/// folder that this path leads to, which another container may have under the same name). Unlike temporary
/// folders it stays when a run fails, is stopped or is killed; remove() ends it. It is locked as outputs are,
/// so that two runs never use it at once. It holds the spill files, which are written to the disk before the
/// manifest that describes them gets its name.
class Checkpoint {
  public:
    /// Makes the folder, or takes that of an earlier run over where `facts` are the same; else that one's
    /// content is removed, with a message. Throws Error(disk_space), Error(output_failed), also where another
    /// process uses the folder, and Error(malformed_input) where it is not as gannet left it.
    Checkpoint(const std::string& parent, const std::string& output, std::string facts);
    const std::string& folder() const { return folder_; }
    /// What the earlier run saved last; empty where there is nothing to continue.
    const std::optional<std::vector<uint8_t>>& saved() const { return saved_; }
    /// Replaces what was saved. What it refers to must have been synchronised with the disk.
    void save(std::span<const uint8_t> state);
    std::string manifest() const;
    /// Once the output is complete.
    void remove() const;

  private:
    [[noreturn]] void refuse(const std::string& path) const;
    std::optional<std::vector<uint8_t>> read_manifest() const;

    std::string folder_;
    data::OutputLock lock_;
    std::string facts_;
    std::optional<std::vector<uint8_t>> saved_;
};

/// Where the checkpoint of `output` is, or would be; with X for what is not known before the folder of that
/// is made.
std::string checkpoint_folder(const std::string& parent, const std::string& output);
/// Throws Error(usage) as open_checkpoint() does.
void check_checkpoint(const ResourceOptions& resources, const std::string& output, const Inputs& inputs);
/// The checkpoint of a job with sorted output, or null without --checkpoint. Throws Error(usage) where the
/// reads or the output are a pipe, which cannot be read or written again.
std::unique_ptr<Checkpoint> open_checkpoint(const ResourceOptions& resources, const std::string& parent,
                                            const std::string& output, const Inputs& inputs,
                                            const std::string& facts);
/// Removes the checkpoint folder of `output`, if there is one that no other process uses, once that output is
/// complete.
void remove_checkpoint(const std::string& parent, const std::string& output);

}  // namespace gannet::pipeline
