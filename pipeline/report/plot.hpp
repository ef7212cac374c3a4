// SPDX-License-Identifier: MIT
// Provides plots as SVG within HTML, each with its numbers as a table. Colours and fonts are those of
// template/page.css; template/page.js reads values off where the pointer or the arrow keys are.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace gannet::pipeline::report {

struct Series {
    std::string name;
    std::vector<double> values;  ///< as many as Plot::labels
};

/// A plot over numbers or over names: one or more series over the same places.
struct Plot {
    enum class Kind { lines, bars };

    std::string id;     ///< unique in the page; letters, digits, hyphens
    std::string title;  ///< as a heading
    std::string note;   ///< what is drawn, and of what; one or two sentences
    std::string x_title, y_title;
    Kind kind = Kind::lines;
    std::vector<double> places;       ///< ascending; empty: labels have equal distances
    std::vector<std::string> labels;  ///< of each place, for the table and the readout
    std::vector<Series> series;
    std::optional<double> y_max;  ///< nothing: by the values
    int decimals = 0;             ///< of values in the table
    std::string unit;             ///< after values in the readout, such as " %"
};

/// A figure with heading, note, drawing, readout and table. Without any value that is not 0 it says so and
/// draws nothing. At most six series.
std::string figure_html(const Plot& plot);

/// A figure without a drawing: `why` there is none.
std::string absent_figure_html(const std::string& title, const std::string& why);

/// A small drawing of values at equal distances, for tables; `label` for those who do not see it.
std::string strip_svg(const std::vector<double>& values, double y_max, const std::string& label);

/// Ends of intervals of 1, 2 or 5 times a power of ten that cover [0, most]: at most `count` of them.
std::vector<double> ticks(double most, size_t count);

}  // namespace gannet::pipeline::report
