// SPDX-License-Identifier: MIT
// Provides what `gannet devices REF` says: what a run with a reference would take of host and devices, and
// what fits.
#pragma once

#include "pipeline/jobs/options.hpp"

#include <string>

namespace gannet::pipeline {

/// Lines of text. `index_path` empty: beside the reference. Makes contexts on the devices but takes no
/// memory. Throws Error: malformed_input (no such file, a damaged index), host_memory (as plan_memory);
/// DeviceUnfit.
std::string describe_plan(const std::string& reference_path, const std::string& index_path,
                          const ResourceOptions& options);

}  // namespace gannet::pipeline
