// SPDX-License-Identifier: MIT
// Provides plots as SVG within HTML.
#include "pipeline/report/plot.hpp"

#include "pipeline/report/text.hpp"

#include <algorithm>
#include <cmath>

namespace gannet::pipeline::report {
namespace {

constexpr double k_width = 400, k_height = 230;
constexpr double k_left = 50, k_right = 12, k_top = 10, k_bottom = 42;
constexpr double k_axis_y = k_height - k_bottom;
constexpr size_t k_max_x_labels = 8, k_max_y_labels = 5;
constexpr size_t k_tight_letters = 40;  // in the usual size, with a blank after each label
constexpr double k_bar_share = 0.84;    // of the room of a place
constexpr double k_min_bar = 0.5;

std::string coordinate(double value) { return shortest(value, 1); }

std::string text_element(double x, double y, const char* anchor, const std::string& words,
                         const char* style = "") {
    return "<text" + std::string(style) + " x=\"" + coordinate(x) + "\" y=\"" + coordinate(y) +
           "\" text-anchor=\"" + anchor + "\">" + escaped(words) + "</text>";
}

std::string line_element(double x1, double y1, double x2, double y2, const char* style) {
    return "<path class=\"" + std::string(style) + "\" d=\"M" + coordinate(x1) + " " + coordinate(y1) + "L" +
           coordinate(x2) + " " + coordinate(y2) + "\"/>";
}

/// Where places and values are drawn.
class Frame {
  public:
    explicit Frame(const Plot& plot) : plot_(plot) {
        double most = 0;
        for (const Series& series : plot.series)
            for (const double value : series.values) most = std::max(most, value);
        y_ticks_ = ticks(plot.y_max.value_or(most), k_max_y_labels);
        y_most_ = plot.y_max.value_or(y_ticks_.back());
        if (!plot.places.empty()) {
            first_ = plot.places.front();
            span_ = std::max(plot.places.back() - first_, 1e-9);
        }
    }
    double room() const {
        return (k_width - k_left - k_right) / static_cast<double>(std::max<size_t>(1, plot_.labels.size()));
    }
    double x_of(double place) const {
        return k_left + (place - first_) / span_ * (k_width - k_left - k_right);
    }
    double x(size_t at) const {
        return plot_.places.empty() ? k_left + room() * (static_cast<double>(at) + 0.5)
                                    : x_of(plot_.places[at]);
    }
    double y(double value) const {
        return k_axis_y - std::clamp(value / y_most_, 0.0, 1.0) * (k_axis_y - k_top);
    }
    std::string axes() const {
        std::string svg;
        for (const double tick : y_ticks_) {
            if (tick > y_most_ * 1.0001) continue;
            svg += line_element(k_left, y(tick), k_width - k_right, y(tick), tick == 0 ? "axis" : "grid");
            svg += text_element(k_left - 5, y(tick) + 4, "end", with_prefix(tick));
        }
        return svg + (plot_.places.empty() ? names_below() : numbers_below()) +
               text_element((k_left + k_width - k_right) / 2, k_height - 6, "middle", plot_.x_title) +
               "<text class=\"y\" text-anchor=\"middle\" transform=\"translate(10 " +
               coordinate((k_top + k_axis_y) / 2) + ") rotate(-90)\">" + escaped(plot_.y_title) + "</text>";
    }

  private:
    std::string names_below() const {
        std::string svg;
        size_t longest = 1;
        for (const std::string& label : plot_.labels) longest = std::max(longest, label.size());
        const size_t fit = std::max<size_t>(2, std::min<size_t>(24, 60 / (longest + 1)));
        const size_t step = (plot_.labels.size() + fit - 1) / fit;
        const bool is_tight = plot_.labels.size() * (longest + 1) > k_tight_letters;
        for (size_t at = 0; at < plot_.labels.size(); at += std::max<size_t>(1, step)) {
            svg += text_element(x(at), k_axis_y + 16, "middle", plot_.labels[at],
                                is_tight ? " class=\"tight\"" : "");
        }
        return svg;
    }
    std::string numbers_below() const {
        std::string svg;
        const std::vector<double> steps = ticks(span_, k_max_x_labels);
        const double step = steps.size() > 1 ? steps[1] : span_;
        for (double tick = std::ceil(first_ / step) * step; tick <= first_ + span_ * 1.0001; tick += step) {
            const double place = std::abs(tick) < step * 1e-6 ? 0 : tick;
            svg += line_element(x_of(place), k_axis_y, x_of(place), k_axis_y + 4, "axis");
            svg += text_element(x_of(place), k_axis_y + 16, "middle", with_prefix(place));
        }
        return svg;
    }

    const Plot& plot_;
    std::vector<double> y_ticks_;
    double y_most_ = 1;
    double first_ = 0;
    double span_ = 1;
};

std::string lines_svg(const Plot& plot, const Frame& frame) {
    std::string svg;
    for (size_t number = 0; number < plot.series.size(); ++number) {
        svg += "<path class=\"line s" + std::to_string(number) + "\" d=\"";
        for (size_t at = 0; at < plot.series[number].values.size(); ++at)
            svg += (at == 0 ? "M" : "L") + coordinate(frame.x(at)) + " " +
                   coordinate(frame.y(plot.series[number].values[at]));
        svg += "\"/>";
    }
    return svg;
}

std::string bars_svg(const Plot& plot, const Frame& frame) {
    std::string svg;
    const double room =
        plot.places.empty()
            ? frame.room()
            : (k_width - k_left - k_right) / static_cast<double>(std::max<size_t>(2, plot.places.size()));
    const double width = std::max(k_min_bar, room * k_bar_share / static_cast<double>(plot.series.size()));
    const double all = width * static_cast<double>(plot.series.size());
    for (size_t number = 0; number < plot.series.size(); ++number) {
        svg += "<path class=\"bar s" + std::to_string(number) + "\" d=\"";
        for (size_t at = 0; at < plot.series[number].values.size(); ++at) {
            const double y = frame.y(plot.series[number].values[at]);
            if (y >= k_axis_y) continue;
            const double x = frame.x(at) - all / 2 + width * static_cast<double>(number);
            svg += "M" + coordinate(x) + " " + coordinate(k_axis_y) + "V" + coordinate(y) + "h" +
                   shortest(width, 2) + "V" + coordinate(k_axis_y) + "z";
        }
        svg += "\"/>";
    }
    return svg;
}

std::string legend_html(const Plot& plot) {
    if (plot.series.size() < 2) return "";
    std::string html = "<ul class=\"legend\">";
    for (size_t number = 0; number < plot.series.size(); ++number) {
        html += "<li><svg viewBox=\"0 0 28 10\" aria-hidden=\"true\"><path class=\"";
        html += plot.kind == Plot::Kind::lines
                    ? "line s" + std::to_string(number) + "\" d=\"M0 5L28 5\"/>"
                    : "bar s" + std::to_string(number) + "\" d=\"M8 0h12v10h-12z\"/>";
        html += "</svg>" + escaped(plot.series[number].name) + "</li>";
    }
    return html + "</ul>\n";
}

std::string table_html(const Plot& plot) {
    std::string html =
        "<details><summary>Numbers<span class=\"hidden\"> of " + escaped(plot.title) +
        "</span></summary><div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Numbers of " +
        escaped(plot.title) + "\"><table>\n<thead><tr><th scope=\"col\">" + escaped(plot.x_title) + "</th>";
    for (const Series& series : plot.series) html += "<th scope=\"col\">" + escaped(series.name) + "</th>";
    html += "</tr></thead>\n<tbody>\n";
    for (size_t at = 0; at < plot.labels.size(); ++at) {
        html += "<tr><th scope=\"row\">" + escaped(plot.labels[at]) + "</th>";
        for (const Series& series : plot.series)
            html += "<td>" +
                    (plot.decimals == 0 ? grouped(static_cast<uint64_t>(series.values[at] + 0.5))
                                        : decimal(series.values[at], plot.decimals)) +
                    "</td>";
        html += "</tr>\n";
    }
    return html + "</tbody></table></div></details>\n";
}

bool has_values(const Plot& plot) {
    for (const Series& series : plot.series)
        for (const double value : series.values)
            if (value > 0) return true;
    return false;
}

std::string caption_html(const std::string& title, const std::string& note) {
    return "<figcaption><h3>" + escaped(title) + "</h3>" +
           (note.empty() ? "" : "<p>" + escaped(note) + "</p>") + "</figcaption>\n";
}

}  // namespace

std::vector<double> ticks(double most, size_t count) {
    if (!(most > 0)) return {0, 1};
    const double rough = most / static_cast<double>(std::max<size_t>(1, count - 1));
    const double power = std::pow(10.0, std::floor(std::log10(rough)));
    double step = 10 * power;
    for (const double factor : {1.0, 2.0, 5.0}) {
        if (factor * power >= rough * 0.9999) {
            step = factor * power;
            break;
        }
    }
    std::vector<double> all;
    for (size_t i = 0; all.empty() || all.back() < most * 0.9999; ++i)
        all.push_back(static_cast<double>(i) * step);
    return all;
}

std::string figure_html(const Plot& plot) {
    if (!has_values(plot)) return absent_figure_html(plot.title, "There are no values to draw.");
    const Frame frame(plot);
    std::string xs;
    for (size_t at = 0; at < plot.labels.size(); ++at) xs += (at == 0 ? "" : " ") + coordinate(frame.x(at));
    return "<figure class=\"plot\" id=\"" + plot.id + "\">\n" + caption_html(plot.title, plot.note) +
           legend_html(plot) + "<svg class=\"drawing\" viewBox=\"0 0 " + coordinate(k_width) + " " +
           coordinate(k_height) + "\" tabindex=\"0\" role=\"img\" aria-label=\"" + escaped(plot.title) +
           ". Arrow keys read values; the table below has all of them.\" data-top=\"" + coordinate(k_top) +
           "\" data-bottom=\"" + coordinate(k_axis_y) + "\" data-unit=\"" + escaped(plot.unit) +
           "\" data-xs=\"" + xs + "\">" + frame.axes() +
           (plot.kind == Plot::Kind::lines ? lines_svg(plot, frame) : bars_svg(plot, frame)) + "</svg>\n" +
           "<output class=\"readout\"></output>\n" + table_html(plot) + "</figure>\n";
}

std::string absent_figure_html(const std::string& title, const std::string& why) {
    return "<figure class=\"plot absent\">\n" + caption_html(title, "") + "<p>Not drawn: " + escaped(why) +
           "</p>\n</figure>\n";
}

std::string strip_svg(const std::vector<double>& values, double y_max, const std::string& label) {
    constexpr double k_strip_width = 300, k_strip_height = 48;
    std::string path = "M0 " + coordinate(k_strip_height);
    const double step = k_strip_width / static_cast<double>(std::max<size_t>(1, values.size()));
    for (size_t at = 0; at < values.size(); ++at) {
        const double part = y_max > 0 ? std::clamp(values[at] / y_max, 0.0, 1.0) : 0;
        path += "V" + coordinate(k_strip_height * (1 - part)) + "H" +
                coordinate(step * static_cast<double>(at + 1));
    }
    return "<svg class=\"strip\" viewBox=\"0 0 " + coordinate(k_strip_width) + " " +
           coordinate(k_strip_height) + "\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"" +
           escaped(label) + "\"><path class=\"bar s0\" d=\"" + path + "V" + coordinate(k_strip_height) +
           "z\"/></svg>";
}

}  // namespace gannet::pipeline::report
