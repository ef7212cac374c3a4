// SPDX-License-Identifier: MIT
// Provides `gannet examples`: sorted alignments and a truth set to labelled examples.
#pragma once

#include "pipeline/jobs/options.hpp"

namespace gannet::pipeline {

/// Writes DIR/examples-*.gnx, then DIR/examples.json. Throws Error; then nothing incomplete has a final name.
void run_examples(const ExamplesOptions& options);

}  // namespace gannet::pipeline
