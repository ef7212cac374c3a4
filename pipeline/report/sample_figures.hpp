// SPDX-License-Identifier: MIT
// Provides all that is reported of a sample, read from the finished files of its run.
#pragma once

#include "pipeline/report/depth_along.hpp"
#include "pipeline/report/pileup.hpp"
#include "pipeline/report/run_file.hpp"
#include "pipeline/report/tables.hpp"
#include "pipeline/report/timeline.hpp"
#include "pipeline/report/variant_figures.hpp"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gannet::pipeline::report {

/// Where a finished run is.
struct RunFiles {
    std::string run_json;
    std::string stem;  ///< DIR/SAMPLE: the files of the run are STEM.stats and so on
    std::string path(const char* ending) const { return stem + ending; }
};
/// The runs of a folder (all *.run.json in it, by name; it may have none), of a stem or of a run.json. Throws
/// Error(malformed_input) where `path` is none of these.
std::vector<RunFiles> find_runs(const std::string& path);

struct SampleFigures {
    RunFile run;
    std::optional<StatsFile> stats;
    std::optional<DepthFile> depth;
    std::vector<double> depth_shares;  ///< of positions at least so deep; empty: not known
    std::vector<DepthAlong> along;
    std::vector<MetricsRow> libraries;  ///< of Picard MarkDuplicates
    std::optional<double> duplicates;   ///< a fraction of the reads that were examined, over all libraries
    std::optional<MetricsRow> inserts;  ///< of the first orientation, FR where there is one
    std::string orientation;            ///< of four in five pairs or more: FR, RF, TANDEM; empty: not known
    std::optional<MetricsRow> summary;  ///< of Picard's category PAIR, else UNPAIRED
    std::optional<MetricsRow> wgs;      ///< of Picard CollectWgsMetrics
    std::optional<MetricsRow> targets;  ///< of Picard CollectHsMetrics; only of runs with targets
    std::vector<MetricsRow> gc_bias;    ///< of Picard CollectGcBiasMetrics, by percent; empty: not known
    /// Of FastQC: of first (or single) reads and of second ones.
    std::array<std::optional<SequencesFile>, 2> sequences;
    std::optional<VariantFigures> variants;
    std::vector<Pileup> pileups;
    std::string no_views;  ///< why they have no view of the scorer; empty: some have
    std::optional<Timeline> timeline;
    std::vector<std::string> missing;  ///< what is not shown, and the file that is not there
    std::vector<std::string> lost;     ///< of the files that are not there, those that the run wrote

    /// Mean depth of the reference's known bases, without duplicates, overlapping mates once.
    std::optional<double> mean_depth() const;
    /// Share of the reference's known bases that are at least so deep; to one in a hundred positions of the
    /// contigs with reads, as mosdepth writes it.
    std::optional<double> breadth(size_t depth) const;
};

/// `run_json`: the text of run.json, which `gannet run` writes after its report. A file that is not there is
/// in `missing`; a damaged one throws Error(malformed_input). Cost: about 1 us per variant, 0.1 us per span
/// of the trace. `sites`: contigs and positions (1-based) whose reads are shown too.
SampleFigures read_sample(const RunFiles& files, std::string_view run_json,
                          const std::vector<std::pair<std::string, int64_t>>& sites = {});

}  // namespace gannet::pipeline::report
