// SPDX-License-Identifier: MIT
// Provides `gannet sort` and `gannet markdup`: alignments in any order to sorted ones, with an index.
#pragma once

#include "pipeline/jobs/options.hpp"

#include <string>
#include <string_view>

namespace gannet::pipeline {

/// Throws Error; on return every output is complete under its final name. Cost: the records once through the
/// sorter.
void run_sort(const SortOptions& options);

/// The header of sorted output: as given, but with SO:coordinate, and with a line @PG of `command` that
/// follows the last one there is.
std::string sorted_header(std::string_view text, const std::string& command);

}  // namespace gannet::pipeline
