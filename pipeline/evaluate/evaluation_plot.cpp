// SPDX-License-Identifier: MIT
// Provides the pictures of an evaluation, as SVG without outside references.
#include "pipeline/evaluate/evaluation.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace gannet::pipeline::evaluate {

namespace {

constexpr std::array<const char*, 2> k_colours = {"#888888", "#1f5fbf"};  // off, on

/// "12.3".
std::string fixed(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1f", value);
    return text;
}

/// A drawing that grows by elements.
class Drawing {
  public:
    Drawing(double width, double height)
        : text_("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + fixed(width) + "\" height=\"" +
                fixed(height) + "\" viewBox=\"0 0 " + fixed(width) + " " + fixed(height) +
                "\" font-family=\"sans-serif\" font-size=\"11\">\n<rect width=\"100%\" height=\"100%\" "
                "fill=\"white\"/>\n") {}
    void line(double x1, double y1, double x2, double y2, const char* colour, const char* more = "") {
        text_ += "<line x1=\"" + fixed(x1) + "\" y1=\"" + fixed(y1) + "\" x2=\"" + fixed(x2) + "\" y2=\"" +
                 fixed(y2) + "\" stroke=\"" + colour + "\" " + more + "/>\n";
    }
    void label(double x, double y, const std::string& words, const char* anchor = "middle") {
        text_ += "<text x=\"" + fixed(x) + "\" y=\"" + fixed(y) + "\" text-anchor=\"" + anchor + "\">" +
                 words + "</text>\n";
    }
    void point(double x, double y, double radius, const char* colour) {
        text_ += "<circle cx=\"" + fixed(x) + "\" cy=\"" + fixed(y) + "\" r=\"" + fixed(radius) +
                 "\" fill=\"" + colour + "\"/>\n";
    }
    void path(const std::string& points, const char* colour) {
        if (!points.empty())
            text_ += "<polyline points=\"" + points + "\" fill=\"none\" stroke=\"" + colour +
                     "\" stroke-width=\"1.5\"/>\n";
    }
    std::string finish() const { return text_ + "</svg>\n"; }

  private:
    std::string text_;
};

void draw_legend(Drawing& drawing, double x, double y) {
    for (size_t side = 0; side < k_side_names.size(); ++side) {
        drawing.point(x + 60 * static_cast<double>(side), y - 4, 4, k_colours[side]);
        drawing.label(x + 8 + 60 * static_cast<double>(side), y, std::string(k_side_names[side]), "start");
    }
}

/// One panel of a calibration: both axes are log10 of an error rate, from 10^-5 to 1.
class CalibrationPanel {
  public:
    static constexpr double k_side = 320, k_decades = 5;
    CalibrationPanel(Drawing& drawing, double left, double top) : drawing_(drawing), left_(left), top_(top) {}

    void draw_axes(const std::string& title) {
        for (int decade = 0; decade <= 5; ++decade) {
            const double rate = std::pow(10.0, -decade);
            drawing_.line(x(rate), y(1), x(rate), y(1e-5), "#e4e4e4");
            drawing_.line(x(1), y(rate), x(1e-5), y(rate), "#e4e4e4");
            const std::string words = decade == 0 ? "1" : "1e-" + std::to_string(decade);
            drawing_.label(x(rate), y(1e-5) + 16, words);
            drawing_.label(left_ - 6, y(rate) + 4, words, "end");
        }
        drawing_.line(x(1e-5), y(1e-5), x(1), y(1), "#444444");
        drawing_.line(x(2e-5), y(1e-5), x(1), y(0.5), "#bbbbbb", "stroke-dasharray=\"4 3\"");
        drawing_.line(x(1e-5), y(2e-5), x(0.5), y(1), "#bbbbbb", "stroke-dasharray=\"4 3\"");
        drawing_.label(left_ + k_side / 2, top_ - 10, title);
        drawing_.label(left_ + k_side / 2, top_ + k_side + 34, "error rate that QUAL states");
        drawing_.label(left_ + 4, top_ + 14, "observed", "start");
    }
    /// The observed rate with its 95 % interval (Wilson 1927).
    void draw(const QualityBin& bin, size_t side) {
        if (bin.calls == 0) return;
        const auto n = static_cast<double>(bin.calls);
        const double observed = static_cast<double>(bin.absent) / n;
        constexpr double z = 1.96;
        const double centre = (observed + z * z / (2 * n)) / (1 + z * z / n);
        const double half =
            z / (1 + z * z / n) * std::sqrt(observed * (1 - observed) / n + z * z / (4 * n * n));
        const double at = x(bin.stated_sum / n) + (side == 0 ? -2 : 2);
        drawing_.line(at, y(centre - half), at, y(centre + half), k_colours[side]);
        drawing_.point(at, y(observed), 3.5, k_colours[side]);
    }

  private:
    static double place(double rate) { return std::clamp(-std::log10(std::max(rate, 1e-9)), 0.0, k_decades); }
    double x(double rate) const { return left_ + k_side - place(rate) / k_decades * k_side; }
    double y(double rate) const { return top_ + place(rate) / k_decades * k_side; }

    Drawing& drawing_;
    double left_, top_;
};

struct Panel {
    double left, top, width, height;
};

/// Right calls upwards, wrong ones to the right, from the highest QUAL to the threshold of LowQual.
void draw_curves(Drawing& drawing, const Panel& panel, const Evaluation& evaluation, size_t group) {
    uint64_t most_right = 1, most_wrong = 1;
    for (size_t side = 0; side < k_side_names.size(); ++side) {
        const Tally& tally = evaluation.tally(side, group);
        most_right = std::max(most_right, tally.right);
        most_wrong = std::max(most_wrong, tally.wrong);
    }
    // The upper tenth of the right calls: curves differ there.
    const double lowest = 0.9 * static_cast<double>(most_right);
    const double bottom = panel.top + panel.height;
    drawing.line(panel.left, bottom, panel.left + panel.width, bottom, "#444444");
    drawing.line(panel.left, bottom, panel.left, panel.top, "#444444");
    drawing.label(panel.left + panel.width / 2, panel.top - 6, evaluation.groups()[group].name());
    drawing.label(panel.left - 4, panel.top + 8, std::to_string(most_right), "end");
    drawing.label(panel.left - 4, bottom, fixed(lowest), "end");
    drawing.label(panel.left + panel.width, bottom + 14, std::to_string(most_wrong), "end");
    drawing.label(panel.left, bottom + 14, "0", "start");
    for (size_t side = 0; side < k_side_names.size(); ++side) {
        std::string points;
        for (const CurvePoint& point : evaluation.curve(side, group)) {
            const double right = std::max(lowest, static_cast<double>(point.right));
            const double x =
                panel.left + panel.width * static_cast<double>(point.wrong) / static_cast<double>(most_wrong);
            const double y =
                bottom - panel.height * (right - lowest) / (static_cast<double>(most_right) - lowest);
            points += fixed(x) + "," + fixed(y) + " ";
        }
        drawing.path(points, k_colours[side]);
    }
}

}  // namespace

std::string calibration_svg(const Evaluation& evaluation) {
    constexpr double k_left = 60, k_top = 60;
    constexpr double k_step = CalibrationPanel::k_side + 80;
    Drawing drawing(2 * k_step + 20, k_top + CalibrationPanel::k_side + 50);
    drawing.label(
        k_left, 20,
        "Share of calls whose allele the truth lacks, by the share that QUAL states; dashed: a factor of 2",
        "start");
    draw_legend(drawing, 2 * k_step - 120, 20);
    for (const bool is_indel : {false, true}) {
        CalibrationPanel panel(drawing, k_left + (is_indel ? k_step : 0), k_top);
        panel.draw_axes(std::string(k_kind_names[is_indel ? 1 : 0]));
        for (size_t side = 0; side < k_side_names.size(); ++side) {
            for (const QualityBin& bin : evaluation.calibration(side, is_indel)) panel.draw(bin, side);
        }
    }
    return drawing.finish();
}

std::string curves_svg(const Evaluation& evaluation) {
    constexpr double k_width = 170, k_height = 120, k_step_x = 240, k_step_y = 175;
    constexpr size_t k_columns = 5;
    // All, then the depths; below them, the contexts: two rows for each kind.
    size_t shown = 0;
    while (!evaluation.groups()[shown].is_stratum()) ++shown;
    const size_t per_kind = shown / 2;
    Drawing drawing(k_columns * k_step_x + 20, 4 * k_step_y + 50);
    drawing.label(20, 20, "Right calls (up; the upper tenth) and wrong calls (to the right), by falling QUAL",
                  "start");
    draw_legend(drawing, k_columns * k_step_x - 120, 20);
    for (size_t g = 0; g < shown; ++g) {
        const size_t within = g % per_kind;
        const size_t row = 2 * (g / per_kind) + (within < k_columns ? 0 : 1);
        const size_t column = within < k_columns ? within : within - k_columns + 1;
        draw_curves(drawing,
                    {70 + static_cast<double>(column) * k_step_x, 60 + static_cast<double>(row) * k_step_y,
                     k_width, k_height},
                    evaluation, g);
    }
    return drawing.finish();
}

}  // namespace gannet::pipeline::evaluate
