// SPDX-License-Identifier: MIT
// Provides `gannet joint`: gVCFs of single samples to the VCF of a cohort.
#pragma once

#include "pipeline/jobs/options.hpp"

namespace gannet::pipeline {

/// Throws Error; on return the VCF and its index have their final names. The same bytes with any number of
/// threads, windows and open files.
void run_joint(const JointOptions& options);

}  // namespace gannet::pipeline
