// SPDX-License-Identifier: MIT
// Provides `gannet sort` and `gannet markdup`: alignments in any order to sorted ones, with an index.
#pragma once

#include "pipeline/jobs/options.hpp"

namespace gannet::pipeline {

/// Throws Error; on return every output is complete under its final name. Cost: the records once through the
/// sorter.
void run_sort(const SortOptions& options);

}  // namespace gannet::pipeline
