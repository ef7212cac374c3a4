// SPDX-License-Identifier: MIT
// Provides reports as HTML: the one that `gannet run` makes at its end, and those of `gannet report`.
#pragma once

#include "pipeline/jobs/options.hpp"
#include "pipeline/report/limits.hpp"

#include <string>

namespace gannet::pipeline {

/// The report of the run whose files are STEM.stats and so on; `run_json` is the text that STEM.run.json will
/// have. Throws Error(malformed_input).
std::string run_report_html(const std::string& stem, const std::string& run_json,
                            const report::Limits& limits);

/// The usual limits, with the changes of this file; empty: none. Throws Error(malformed_input).
report::Limits read_limits(const std::string& path);

/// Writes the report of a sample, or of all samples where there are several runs. Throws Error.
void run_report(const ReportOptions& options);

}  // namespace gannet::pipeline
