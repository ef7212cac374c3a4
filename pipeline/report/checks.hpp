// SPDX-License-Identifier: MIT
// Provides the verdict on a sample: what was checked, against which limits, and with what result.
#pragma once

#include "pipeline/report/limits.hpp"
#include "pipeline/report/sample_figures.hpp"

#include <optional>
#include <string>
#include <vector>

namespace gannet::pipeline::report {

enum class Result { pass, not_judged, look, fail };  // from better to worse
const char* word(Result result);                     ///< "pass", "not judged", "look", "fail"

struct Check {
    std::string name;   ///< as the limit is named; "sex"
    std::string title;  ///< "Mean depth"
    std::optional<double> value;
    Unit unit = Unit::ratio;
    std::string text;  ///< of the value
    std::string pass_text, look_text;
    Result result = Result::not_judged;
    std::string note;  ///< what the value is, or why it is not judged
};

/// A ratio of fewer sites is not judged: only from about so many on is the sampling error of a Ti/Tv of 2
/// below 0.2 (95 %).
inline constexpr uint64_t k_min_sites_of_ratio = 2000;
/// Fewer mapped reads say nothing of their alignments.
inline constexpr uint64_t k_min_mapped_reads = 1000;
/// Fewer called sites say nothing of the depth in targets.
inline constexpr uint64_t k_min_sites_of_depth = 50;

Result judge(double value, const Limit& limit);
/// Those that apply to the run, always in the same order.
std::vector<Check> checks_of(const SampleFigures& figures, const Limits& limits);
/// The worst result; not_judged only where nothing was judged.
Result verdict_of(const std::vector<Check>& checks);

}  // namespace gannet::pipeline::report
