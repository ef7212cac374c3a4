// SPDX-License-Identifier: MIT
// Provides the report of several samples: a table of their checks, with what is unlike the others.
#include "pipeline/report/pages.hpp"
#include "pipeline/report/text.hpp"

#include <algorithm>
#include <cmath>

namespace gannet::pipeline::report {
namespace {

constexpr double k_deviation_of_median = 1.4826;  // to that of a normal distribution

double median_of(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const size_t middle = values.size() / 2;
    return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

/// A check for every sample: one that does not apply to a run (of targets, where others have none) is not
/// judged. In the order of the runs that have them.
std::vector<CohortSample> with_equal_checks(std::vector<CohortSample> samples) {
    std::vector<Check> columns;
    const auto column_of = [&columns](const Check& check) {
        return std::find_if(columns.begin(), columns.end(),
                            [&check](const Check& column) { return column.name == check.name; });
    };
    for (const CohortSample& sample : samples) {
        size_t next = 0;
        for (const Check& check : sample.checks) {
            auto column = column_of(check);
            if (column == columns.end())
                column = columns.insert(columns.begin() + static_cast<std::ptrdiff_t>(next), check);
            next = static_cast<size_t>(column - columns.begin()) + 1;
        }
    }
    for (CohortSample& sample : samples) {
        std::vector<Check> all = columns;
        for (Check& check : all) {
            check.value.reset();
            check.text = "–";
            check.result = Result::not_judged;
        }
        for (Check& check : sample.checks)
            all[static_cast<size_t>(column_of(check) - columns.begin())] = std::move(check);
        sample.checks = std::move(all);
    }
    return samples;
}

/// Of each check, which samples are outliers.
std::vector<std::vector<bool>> outliers_by_check(const std::vector<CohortSample>& samples) {
    std::vector<std::vector<bool>> all;
    for (size_t check = 0; check < samples.front().checks.size(); ++check) {
        std::vector<std::optional<double>> values;
        for (const CohortSample& sample : samples) values.push_back(sample.checks[check].value);
        all.push_back(outliers_of(values));
    }
    return all;
}

/// Samples as dots along the range of their values.
std::string dots_html(const std::vector<CohortSample>& samples, size_t number, const std::vector<bool>& odd) {
    constexpr double k_width = 300, k_margin = 8, k_middle = 14;
    double least = HUGE_VAL;
    double most = -HUGE_VAL;
    for (const CohortSample& sample : samples) {
        if (!sample.checks[number].value) continue;
        least = std::min(least, *sample.checks[number].value);
        most = std::max(most, *sample.checks[number].value);
    }
    if (least > most) return "";
    const Check& check = samples.front().checks[number];
    std::string dots;
    for (size_t i = 0; i < samples.size(); ++i) {
        const Check& of = samples[i].checks[number];
        if (!of.value) continue;
        const double part = most > least ? (*of.value - least) / (most - least) : 0.5;
        const std::string x = shortest(k_margin + part * (k_width - 2 * k_margin), 1);
        // Outliers are squares, others circles.
        dots += odd[i] ? "<rect class=\"bar s1\" x=\"" +
                             shortest(k_margin + part * (k_width - 2 * k_margin) - 5, 1) + "\" y=\"" +
                             shortest(k_middle - 5, 1) + "\" width=\"10\" height=\"10\">"
                       : "<circle class=\"bar s0\" cx=\"" + x + "\" cy=\"" + shortest(k_middle, 1) +
                             "\" r=\"4\">";
        dots += "<title>" + escaped(samples[i].sample + ": " + of.text) + (odd[i] ? ", outlier" : "") +
                "</title>" + (odd[i] ? "</rect>" : "</circle>");
    }
    const std::string range = value_text(least, check.unit) + " to " + value_text(most, check.unit);
    return "<li>" + escaped(check.title) + ": " + escaped(range) +
           "<svg class=\"dots\" viewBox=\"0 0 300 28\" role=\"img\" aria-label=\"" + escaped(check.title) +
           " of all samples: " + escaped(range) + "\"><path class=\"axis\" d=\"M0 14H300\"/>" + dots +
           "</svg></li>\n";
}

std::string sort_button(const std::string& title) {
    return "<th scope=\"col\"><button class=\"sort\" type=\"button\">" + escaped(title) + "</button></th>";
}

std::string sample_row(const CohortSample& sample, const std::vector<std::vector<bool>>& odd, size_t number) {
    const Result verdict = verdict_of(sample.checks);
    const std::string name = escaped(sample.sample);
    std::string html =
        "<tr><th scope=\"row\">" +
        (sample.report.empty() ? name : "<a href=\"" + escaped(sample.report) + "\">" + name + "</a>") +
        "</th><td data-value=\"" + std::to_string(static_cast<int>(verdict)) + "\">" + mark_html(verdict) +
        "</td><td class=\"number\" data-value=\"" + std::to_string(sample.reads) + "\">" +
        grouped(sample.reads) + "</td>";
    for (size_t check = 0; check < sample.checks.size(); ++check) {
        const Check& of = sample.checks[check];
        html += "<td data-value=\"" +
                (of.value           ? shortest(*of.value, 6)
                 : of.name == "sex" ? of.text
                                    : "") +
                "\">";
        html += odd[check][number] ? "<span class=\"odd\">" + escaped(of.text) + "</span> outlier"
                                   : escaped(of.text);
        if (of.result == Result::look || of.result == Result::fail) html += " " + mark_html(of.result);
        html += "</td>";
    }
    return html + "</tr>\n";
}

std::string table_of(const std::vector<CohortSample>& samples, const std::vector<std::vector<bool>>& odd) {
    std::string html =
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Samples\"><table "
        "class=\"samples\">\n<caption>The "
        "headings sort. Outliers are more than " +
        shortest(k_outlier_deviations, 1) + " robust deviations from the median of the samples" +
        (samples.size() < k_min_samples
             ? "; with fewer than " + std::to_string(k_min_samples) + " samples there are none"
             : std::string()) +
        ".</caption>\n<thead><tr>" + sort_button("sample") + sort_button("verdict") + sort_button("reads");
    for (const Check& check : samples.front().checks) html += sort_button(check.title);
    html += "</tr></thead>\n<tbody>\n";
    for (size_t i = 0; i < samples.size(); ++i) html += sample_row(samples[i], odd, i);
    return html + "</tbody></table></div>\n";
}

std::string limit_table(const std::vector<Check>& checks) {
    std::string html =
        "<div class=\"scroll\"><table>\n<thead><tr><th scope=\"col\">check</th><th "
        "scope=\"col\">limit</th><th "
        "scope=\"col\">passes</th><th scope=\"col\">to be looked at</th></tr></thead>\n<tbody>\n";
    for (const Check& check : checks)
        html += "<tr><th scope=\"row\">" + escaped(check.title) + "</th><td><code>" + escaped(check.name) +
                "</code></td><td>" + escaped(check.pass_text) + "</td><td>" + escaped(check.look_text) +
                "</td></tr>\n";
    return html + "</tbody></table></div>\n";
}

}  // namespace

std::vector<bool> outliers_of(const std::vector<std::optional<double>>& values) {
    std::vector<bool> odd(values.size(), false);
    std::vector<double> known;
    for (const auto& value : values)
        if (value) known.push_back(*value);
    if (known.size() < k_min_samples) return odd;
    const double middle = median_of(known);
    std::vector<double> distances;
    for (const double value : known) distances.push_back(std::abs(value - middle));
    const double deviation = k_deviation_of_median * median_of(distances);
    if (!(deviation > 0)) return odd;  // more than half are equal: nothing says how far is far
    for (size_t i = 0; i < values.size(); ++i)
        odd[i] = values[i] && std::abs(*values[i] - middle) > k_outlier_deviations * deviation;
    return odd;
}

std::string cohort_page(const std::vector<CohortSample>& given, const std::vector<std::string>& unfinished,
                        std::string_view program) {
    const std::vector<CohortSample> samples = with_equal_checks(given);
    Page page;
    page.heading = std::to_string(samples.size()) + (samples.size() == 1 ? " sample" : " samples");
    page.title = page.heading + " (gannet)";
    std::string counts;
    for (const Result result : {Result::fail, Result::look, Result::pass, Result::not_judged}) {
        const auto number = std::count_if(
            samples.begin(), samples.end(),
            [result](const CohortSample& sample) { return verdict_of(sample.checks) == result; });
        if (number > 0) counts += "<span>" + mark_html(result) + " " + std::to_string(number) + "</span>";
    }
    page.head_html = "<p class=\"verdict\">" + counts + "</p>\n";
    if (!unfinished.empty()) {
        page.head_html += "<p>Without a finished run:";
        for (const std::string& folder : unfinished)
            page.head_html += " <code>" + escaped(folder) + "</code>";
        page.head_html += "</p>\n";
    }
    const auto odd = outliers_by_check(samples);
    page.body_html += section_html(page, "samples", "Samples", table_of(samples, odd));
    std::string dots =
        "<p class=\"soft\">Each sample is a dot, each outlier a square.</p>\n<ul class=\"strips\">\n";
    for (size_t check = 0; check < odd.size(); ++check) dots += dots_html(samples, check, odd[check]);
    page.body_html += section_html(page, "ranges", "Ranges", dots + "</ul>\n");
    page.body_html += section_html(page, "limits", "Limits", limit_table(samples.front().checks));
    return page_html(page, program);
}

}  // namespace gannet::pipeline::report
