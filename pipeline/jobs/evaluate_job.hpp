// SPDX-License-Identifier: MIT
// Provides `gannet evaluate-model`: errors with and without the scorer, from examples or from called VCFs.
#pragma once

#include "pipeline/jobs/options.hpp"

#include <string>

namespace gannet::pipeline {

/// Writes DIR/calibration.svg, DIR/curves.svg, then DIR/evaluation.json; gives the table for a person. Throws
/// Error.
std::string run_evaluate(const EvaluateOptions& options);

}  // namespace gannet::pipeline
