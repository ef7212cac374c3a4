// SPDX-License-Identifier: MIT
// Provides reports as HTML pages without any reference to the outside: of one sample, and of several.
#pragma once

#include "pipeline/report/checks.hpp"
#include "pipeline/report/sample_figures.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gannet::pipeline::report {

/// Parts of template/page.html; what is not marked as HTML is escaped.
struct Page {
    std::string title, heading;
    std::string head_html, body_html;
    std::vector<std::pair<std::string, std::string>> sections;  ///< id, title: for the navigation
};
std::string page_html(const Page& page, std::string_view program);
/// "PASS" with a sign, in a frame: neither colour nor sign is needed to understand it.
std::string mark_html(Result result);
std::string section_html(Page& page, const char* id, const char* title, const std::string& html);

/// Everything but the section "run" is the same for two runs with equal results. `program`: "gannet 0.1.0".
std::string sample_page(const SampleFigures& figures, const std::vector<Check>& checks,
                        std::string_view program);

struct CohortSample {
    std::string sample;
    std::vector<Check> checks;
    uint64_t reads = 0;
    std::string report;  ///< path of its own report, relative to the page; empty: there is none
};
/// Robust outliers: further from the median than this many deviations (1.4826 times the median absolute
/// deviation; Iglewicz and Hoaglin 1993), of at least k_min_samples. All false for fewer.
inline constexpr double k_outlier_deviations = 3.5;
inline constexpr size_t k_min_samples = 5;
std::vector<bool> outliers_of(const std::vector<std::optional<double>>& values);
/// `given`: at least one, in the order of the table. `unfinished`: folders without a finished run.
std::string cohort_page(const std::vector<CohortSample>& given, const std::vector<std::string>& unfinished,
                        std::string_view program);

/// The files of template/, embedded by the build.
struct Template {
    std::string_view html, css, js;
};
Template page_template();

}  // namespace gannet::pipeline::report
