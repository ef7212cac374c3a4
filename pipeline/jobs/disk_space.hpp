// SPDX-License-Identifier: MIT
// Provides the pre-flight estimates of disk space, so that a run that cannot end well ends before it begins.
#pragma once

#include "pipeline/jobs/checkpoint.hpp"
#include "pipeline/jobs/inputs.hpp"
#include "pipeline/jobs/session.hpp"

#include <cstdint>
#include <string>

namespace gannet::pipeline {

/// Bytes of the read files that have a size.
struct InputSizes {
    uint64_t compressed = 0;  ///< gzip, BGZF, BAM, CRAM
    uint64_t plain = 0;       ///< FASTQ and SAM as text
    static InputSizes of(const Inputs& inputs);
    static InputSizes of(const std::vector<std::string>& files);  ///< regular ones; others count nothing
    uint64_t total() const { return compressed + plain; }
};

/// Bytes that a folder must have free.
struct SpaceNeed {
    uint64_t minimum = 0;  ///< below this a run cannot succeed
    uint64_t likely = 0;   ///< below this it may not
};

/// Of the alignments.
SpaceNeed output_need(const InputSizes& input);
/// Of the temporary files of sort and duplicate marking, beyond what `plan` lets them hold in memory; nothing
/// where all fits.
SpaceNeed spill_need(const InputSizes& input, const MemoryPlan& plan);

/// Error(disk_space) where the folder of the output clearly has too little room; a warning where it may. For
/// unsorted output, and before the plan of memory is known.
void check_output_space(const std::string& folder, const InputSizes& input);
/// The same for the temporary files in `temporary`, and where it is on the disk of `output_folder` (empty:
/// the output needs no disk), for both together. With a checkpoint all records are written there; what an
/// earlier run has written is there already.
void check_temporary_space(const std::string& temporary, const std::string& output_folder,
                           const InputSizes& input, const MemoryPlan& plan, const Checkpoint* checkpoint);

}  // namespace gannet::pipeline
