// SPDX-License-Identifier: MIT
// Provides the figures of a sample's report, section by section, as HTML.
#pragma once

#include "pipeline/report/sample_figures.hpp"

#include <string>

namespace gannet::pipeline::report {

/// What the files of the run do not have is said in the place of its figure.
std::string depth_figures(const SampleFigures& figures);
std::string read_figures(const SampleFigures& figures);       ///< qualities, bases, GC, lengths
std::string sequence_tables(const SampleFigures& figures);    ///< duplicates and over-represented sequences
std::string alignment_figures(const SampleFigures& figures);  ///< insert sizes, mapping qualities
std::string variant_figures(const SampleFigures& figures);
std::string time_figures(const SampleFigures& figures);  ///< phases, stages, timeline

}  // namespace gannet::pipeline::report
