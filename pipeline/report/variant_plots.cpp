// SPDX-License-Identifier: MIT
// Provides the figures of variants and of time of a sample's report.
#include "pipeline/report/plot.hpp"
#include "pipeline/report/sample_plots.hpp"
#include "pipeline/report/text.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace gannet::pipeline::report {
namespace {

constexpr const char* k_bases = "ACGT";

std::string substitution_figure(const VariantFigures& figures) {
    Plot plot;
    plot.id = "substitutions";
    plot.title = "Substitutions";
    plot.note =
        "SNVs by base of the reference and of the sample. The two of a complementary pair, such as A>C and "
        "T>G, should "
        "be equal.";
    plot.kind = Plot::Kind::bars;
    plot.x_title = "substitution";
    plot.y_title = "SNVs";
    plot.series = {{"SNVs", {}}};
    // Complements stand side by side.
    for (const size_t from : {size_t{0}, size_t{1}}) {
        for (size_t to = 0; to < 4; ++to) {
            if (to == from) continue;
            for (const auto& [a, b] : {std::pair{from, to}, std::pair{3 - from, 3 - to}}) {
                plot.labels.push_back(std::string(1, k_bases[a]) + ">" + k_bases[b]);
                plot.series[0].values.push_back(static_cast<double>(figures.substitutions[a][b]));
            }
        }
    }
    return figure_html(plot);
}

std::string indel_figure(const VariantFigures& figures) {
    constexpr int k_max = VariantFigures::k_max_indel_bp;
    Plot plot;
    plot.id = "indel-lengths";
    plot.title = "Lengths of indels";
    plot.note = "Deletions to the left, insertions to the right; those of " + std::to_string(k_max) +
                " bp or more at the ends.";
    plot.kind = Plot::Kind::bars;
    plot.x_title = "length, bp";
    plot.y_title = "alleles";
    plot.series = {{"alleles", {}}};
    for (int length = -k_max; length <= k_max; ++length) {
        plot.places.push_back(length);
        plot.labels.push_back(std::to_string(length));
        plot.series[0].values.push_back(
            static_cast<double>(figures.indels[static_cast<size_t>(length + k_max)]));
    }
    return figure_html(plot);
}

std::string fraction_figure(const VariantFigures& figures) {
    Plot plot;
    plot.id = "vaf";
    plot.title = "Fraction of alternate reads";
    plot.note =
        "SNVs with one alternate allele. A peak of heterozygous ones away from 0.5 is a sign of "
        "contamination.";
    plot.x_title = "VAF, from";
    plot.y_title = "SNVs";
    plot.series = {{"heterozygous", {}}, {"alternate only", {}}};
    for (size_t step = 0; step < VariantFigures::k_fractions; ++step) {
        const double from = static_cast<double>(step) / static_cast<double>(VariantFigures::k_fractions);
        plot.places.push_back(from);
        plot.labels.push_back(decimal(from, 2));
        for (size_t kind = 0; kind < 2; ++kind)
            plot.series[kind].values.push_back(static_cast<double>(figures.fractions[kind][step]));
    }
    return figure_html(plot);
}

/// GQ or QUAL of SNVs and others, up to the largest that occurs.
std::string phred_figure(
    const char* id, const char* title, const char* note, const char* x_title,
    const std::array<std::array<uint64_t, VariantFigures::k_max_quality + 1>, 2>& counts) {
    Plot plot;
    plot.id = id;
    plot.title = title;
    plot.note = note;
    plot.kind = Plot::Kind::bars;
    plot.x_title = x_title;
    plot.y_title = "records";
    plot.series = {{"SNVs", {}}, {"others", {}}};
    size_t last = 0;
    for (size_t value = 0; value <= VariantFigures::k_max_quality; ++value)
        if (counts[0][value] + counts[1][value] > 0) last = value;
    for (size_t value = 0; value <= last; ++value) {
        plot.places.push_back(static_cast<double>(value));
        plot.labels.push_back(std::to_string(value));
        for (size_t kind = 0; kind < 2; ++kind)
            plot.series[kind].values.push_back(static_cast<double>(counts[kind][value]));
    }
    return figure_html(plot);
}

std::string site_depth_figure(const VariantFigures& figures) {
    constexpr double k_drawn_sites = 0.995;
    Plot plot;
    plot.id = "depth-at-sites";
    plot.title = "Depth at called sites";
    plot.x_title = "DP";
    plot.y_title = "records";
    plot.series = {{"records", {}}};
    const auto all = static_cast<double>(figures.sites_with_depth());
    double seen = 0;
    for (size_t depth = 0; depth < figures.depths.size() && seen < k_drawn_sites * all; ++depth) {
        seen += static_cast<double>(figures.depths[depth]);
        plot.places.push_back(static_cast<double>(depth));
        plot.labels.push_back(std::to_string(depth));
        plot.series[0].values.push_back(static_cast<double>(figures.depths[depth]));
    }
    return figure_html(plot);
}

std::string count_table(const variants::CallStatistics& counts) {
    struct Row {
        const char* title;
        uint64_t variants::VariantCounts::*count;
    };
    using Counts = variants::VariantCounts;
    constexpr std::array<Row, 10> k_rows{{{"records", &Counts::records},
                                          {"with an SNV", &Counts::snps},
                                          {"with an indel", &Counts::indels},
                                          {"with two or more alternate alleles", &Counts::multiallelic},
                                          {"insertions", &Counts::insertions},
                                          {"deletions", &Counts::deletions},
                                          {"transitions", &Counts::transitions},
                                          {"transversions", &Counts::transversions},
                                          {"heterozygous", &Counts::heterozygous},
                                          {"homozygous alternate", &Counts::homozygous_alternate}}};
    std::string html =
        "<div class=\"scroll\"><table>\n<caption>Counts of the VCF</caption>\n<thead><tr><th "
        "scope=\"col\">what</th><th scope=\"col\">that pass</th><th "
        "scope=\"col\">all</th></tr></thead>\n<tbody>\n";
    for (const Row& row : k_rows)
        html += std::string("<tr><th scope=\"row\">") + row.title + "</th><td class=\"number\">" +
                grouped(counts.pass.*row.count) + "</td><td class=\"number\">" +
                grouped(counts.all.*row.count) + "</td></tr>\n";
    return html + "</tbody></table></div>\n";
}

std::string phase_figure(const Execution& execution) {
    Plot plot;
    plot.id = "phases";
    plot.title = "Phases";
    plot.kind = Plot::Kind::bars;
    plot.x_title = "phase, in their order";
    plot.y_title = "seconds";
    plot.decimals = 1;
    plot.unit = " s";
    plot.series = {{"elapsed", {}}};
    for (const PhaseTime& phase : execution.phases) {
        plot.labels.push_back(phase.name);
        plot.series[0].values.push_back(phase.elapsed_s);
    }
    return figure_html(plot);
}

/// Names of stages are long: a table with bars.
std::string stage_figure(const Execution& execution) {
    if (execution.stages.empty()) return absent_figure_html("Stages", "run.json has no times of stages");
    double most = 0;
    for (const StageTime& stage : execution.stages) most = std::max(most, stage.cpu_s);
    std::string html =
        "<figure class=\"plot\" id=\"stages\">\n<figcaption><h3>Stages</h3><p>CPU time of all threads, in "
        "the order of "
        "the work.</p></figcaption>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
        "aria-label=\"Stages\"><table>\n"
        "<thead><tr><th scope=\"col\">stage</th><th scope=\"col\">CPU s</th><th "
        "scope=\"col\">share</th></tr></thead>\n<tbody>\n";
    for (const StageTime& stage : execution.stages)
        html += "<tr><th scope=\"row\">" + escaped(stage.name) + "</th><td class=\"number\">" +
                decimal(stage.cpu_s, 1) +
                "</td><td><svg class=\"bar-cell\" viewBox=\"0 0 100 10\" "
                "preserveAspectRatio=\"none\" aria-hidden=\"true\"><path class=\"bar s0\" d=\"M0 0H" +
                shortest(most > 0 ? 100 * stage.cpu_s / most : 0, 1) + "V10H0z\"/></svg></td></tr>\n";
    return html + "</tbody></table></div>\n</figure>\n";
}

/// The lanes with most time; what is left together.
std::vector<Timeline::Lane> main_lanes(std::vector<Timeline::Lane> lanes) {
    constexpr size_t k_most = 6;
    if (lanes.size() <= k_most) return lanes;
    const auto sum = [](const Timeline::Lane& lane) {
        return std::accumulate(lane.busy.begin(), lane.busy.end(), 0.0);
    };
    std::stable_sort(lanes.begin(), lanes.end(),
                     [&sum](const auto& a, const auto& b) { return sum(a) > sum(b); });
    Timeline::Lane& others = lanes[k_most - 1];
    for (size_t lane = k_most; lane < lanes.size(); ++lane)
        for (size_t at = 0; at < others.busy.size(); ++at) others.busy[at] += lanes[lane].busy[at];
    others.name = "others";
    others.device = false;
    lanes.resize(k_most);
    return lanes;
}

std::string timeline_figure(const SampleFigures& figures) {
    const char* const title = "Timeline";
    if (!figures.timeline || figures.timeline->empty())
        return absent_figure_html(title, figures.run.execution.trace.empty()
                                             ? "the run had no --trace"
                                             : "the trace of the run is not there, or is empty");
    Plot plot;
    plot.id = "timeline";
    plot.title = title;
    plot.note = "Threads of the host in each step, beside the streams of devices that are at work.";
    plot.x_title = "time, s";
    plot.y_title = "busy";
    plot.decimals = 2;
    for (Timeline::Lane& lane : main_lanes(figures.timeline->lanes()))
        plot.series.push_back({(lane.device ? "device " : "host ") + lane.name, std::move(lane.busy)});
    const double step = figures.timeline->step_s();
    for (size_t at = 0; at < plot.series.front().values.size(); ++at) {
        plot.places.push_back(static_cast<double>(at) * step);
        plot.labels.push_back(shortest(static_cast<double>(at) * step, 3));
    }
    return figure_html(plot);
}

}  // namespace

std::string variant_figures(const SampleFigures& figures) {
    if (!figures.variants) return absent_figure_html("Variants", "there is no VCF");
    const VariantFigures& variants = *figures.variants;
    return count_table(variants.counts) + "<p class=\"soft\">The figures are of records that pass.</p>\n" +
           "<div class=\"plots\">\n" + substitution_figure(variants) + indel_figure(variants) +
           fraction_figure(variants) +
           phred_figure("genotype-quality", "Genotype quality", "GQ is limited to measured error rates.",
                        "GQ", variants.genotype_qualities) +
           phred_figure("quality", "Quality of records", "QUAL is limited to measured error rates.", "QUAL",
                        variants.qualities) +
           site_depth_figure(variants) + "</div>\n" + pileups_html(figures.pileups, figures.no_views);
}

std::string time_figures(const SampleFigures& figures) {
    return "<div class=\"plots\">\n" + timeline_figure(figures) + phase_figure(figures.run.execution) +
           stage_figure(figures.run.execution) + "</div>\n";
}

}  // namespace gannet::pipeline::report
