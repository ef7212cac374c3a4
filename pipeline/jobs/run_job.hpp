// SPDX-License-Identifier: MIT
// Provides `gannet run`: reads to alignments and variants in one go, resumed at a finished BAM after a kill.
#pragma once

#include "pipeline/jobs/options.hpp"

namespace gannet::pipeline {

/// OUT/S.bam, S.bam.bai (or S.cram, S.cram.crai), S.duplicates.txt, files of quality control, S.vcf.gz,
/// S.vcf.gz.tbi and, last of all, S.run.json: the commit. Throws Error.
void run_run(const RunOptions& options);

}  // namespace gannet::pipeline
