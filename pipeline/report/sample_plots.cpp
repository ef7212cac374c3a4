// SPDX-License-Identifier: MIT
// Provides the figures of depth, reads and alignments of a sample's report.
#include "pipeline/report/sample_plots.hpp"

#include "pipeline/report/plot.hpp"
#include "pipeline/report/text.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <map>
#include <string_view>

namespace gannet::pipeline::report {
namespace {

/// Of what is counted, this share is drawn: the rest are single values far away.
constexpr double k_drawn_share = 0.995;
constexpr size_t k_max_depth_rows = 400;
constexpr const char* k_no_stats = "there is no file of samtools stats";

void add_place(Plot& plot, double place, const std::string& label) {
    plot.places.push_back(place);
    plot.labels.push_back(label);
}

std::string depth_distribution(const SampleFigures& figures) {
    if (!figures.stats || figures.stats->depths.empty())
        return absent_figure_html("Depth of positions", k_no_stats);
    uint64_t positions = 0;
    for (const auto& [depth, count] : figures.stats->depths) positions += count;
    Plot plot;
    plot.id = "depth-distribution";
    plot.title = "Depth of positions";
    plot.x_title = "depth, reads";
    plot.y_title = "positions";
    plot.series = {{"positions", {}}};
    std::map<int64_t, uint64_t> at;
    for (const auto& [depth, count] : figures.stats->depths) at[depth] += count;
    uint64_t seen = 0;
    for (int64_t depth = 1; plot.places.size() < k_max_depth_rows; ++depth) {
        if (static_cast<double>(seen) >= k_drawn_share * static_cast<double>(positions)) break;
        const auto found = at.find(depth);
        const uint64_t count = found == at.end() ? 0 : found->second;
        seen += count;
        add_place(plot, static_cast<double>(depth), std::to_string(depth));
        plot.series[0].values.push_back(static_cast<double>(count));
    }
    plot.note = "As samtools stats counts it, duplicates included.";
    if (figures.run.known_bases > positions)
        plot.note += " " + grouped(figures.run.known_bases - positions) +
                     " known bases of the reference have no reads and are not drawn.";
    return figure_html(plot);
}

std::string breadth_figure(const SampleFigures& figures) {
    if (figures.depth_shares.empty())
        return absent_figure_html("Breadth", "there is no distribution of mosdepth with reads");
    Plot plot;
    plot.id = "breadth";
    plot.title = "Breadth";
    plot.note =
        "Positions of the contigs with reads that are at least so deep (mosdepth; without duplicates).";
    plot.x_title = "depth";
    plot.y_title = "% of positions";
    plot.y_max = 100;
    plot.unit = " %";
    plot.series = {{"at least so deep", {}}};
    const size_t rows = std::min(figures.depth_shares.size(), k_max_depth_rows);
    for (size_t depth = 0; depth < rows; ++depth) {
        add_place(plot, static_cast<double>(depth), std::to_string(depth));
        plot.series[0].values.push_back(100 * figures.depth_shares[depth]);
    }
    return figure_html(plot);
}

/// Where at least one in ten thousand windows of the reference is.
std::string picard_gc_bias_figure(const std::vector<MetricsRow>& rows) {
    constexpr double k_min_share = 1e-4;
    double windows = 0;
    for (const MetricsRow& row : rows) windows += metric(row, "WINDOWS").value_or(0);
    Plot plot;
    plot.id = "depth-by-gc";
    plot.title = "Read starts by GC content";
    plot.note =
        "Against the mean of all windows of 100 bases of the reference (Picard CollectGcBiasMetrics).";
    plot.x_title = "GC content of the window, %";
    plot.y_title = "normalized coverage";
    plot.decimals = 2;
    plot.series = {{"normalized coverage", {}}};
    for (const MetricsRow& row : rows) {
        if (metric(row, "WINDOWS").value_or(0) < k_min_share * windows) continue;
        const double percent = metric(row, "GC").value_or(0);
        add_place(plot, percent, shortest(percent, 0));
        plot.series[0].values.push_back(metric(row, "NORMALIZED_COVERAGE").value_or(0));
    }
    return plot.series[0].values.empty() ? "" : figure_html(plot);
}

std::string gc_bias_figure(const SampleFigures& figures) {
    if (const std::string figure = picard_gc_bias_figure(figures.gc_bias); !figure.empty()) return figure;
    constexpr int k_step = 5, k_all = 100;
    const char* const title = "Depth by GC content";
    if (figures.run.depth_by_gc.empty())
        return absent_figure_html(title, "the run saw too few bases to measure it");
    Plot plot;
    plot.id = "depth-by-gc";
    plot.title = title;
    plot.note =
        "Expected depth of one copy pair by the GC content around it, as the caller measured it before "
        "calling.";
    plot.x_title = "GC content, %";
    plot.y_title = "depth";
    plot.decimals = 1;
    plot.unit = "x";
    plot.series = {{"depth", {}}};
    const auto& steps = figures.run.depth_by_gc;
    for (int gc = steps.front().first; gc < k_all; gc += k_step) {
        double depth = 0;
        for (const auto& [from, value] : steps) depth = from <= gc ? value : depth;
        add_place(plot, gc, std::to_string(gc));
        plot.series[0].values.push_back(depth);
    }
    return figure_html(plot);
}

/// Fields of a row of Picard as a table, those that are there.
std::string metrics_table(const std::string& caption, const MetricsRow& row,
                          std::initializer_list<const char*> columns) {
    std::string html = "<div class=\"scroll\"><table class=\"facts\">\n<caption>" + escaped(caption) +
                       "</caption>\n<tbody>\n";
    for (const char* column : columns) {
        const auto value = metric(row, column);
        if (!value) continue;
        const bool is_share = std::string_view(column).find("PCT") != std::string_view::npos;
        html += std::string("<tr><th scope=\"row\">") + column + "</th><td>" +
                (is_share ? shortest(100 * *value, 2) + " %" : shortest(*value, 2)) + "</td></tr>\n";
    }
    return html + "</tbody></table></div>\n";
}

std::string coverage_tables(const SampleFigures& figures) {
    std::string html;
    if (figures.targets)
        html += metrics_table(
            "Targets (Picard CollectHsMetrics, the targets as baits)", *figures.targets,
            {"TARGET_TERRITORY", "MEAN_TARGET_COVERAGE", "MEDIAN_TARGET_COVERAGE", "PCT_TARGET_BASES_10X",
             "PCT_TARGET_BASES_20X", "PCT_TARGET_BASES_30X", "PCT_TARGET_BASES_100X", "ZERO_CVG_TARGETS_PCT",
             "FOLD_80_BASE_PENALTY", "FOLD_ENRICHMENT", "PCT_SELECTED_BASES", "PCT_OFF_BAIT", "AT_DROPOUT",
             "GC_DROPOUT"});
    if (figures.wgs)
        html += metrics_table(
            "Genome (Picard CollectWgsMetrics: bases and mappings of quality 20 or better, pairs)",
            *figures.wgs,
            {"GENOME_TERRITORY", "MEAN_COVERAGE", "SD_COVERAGE", "MEDIAN_COVERAGE", "PCT_1X", "PCT_10X",
             "PCT_20X", "PCT_30X", "PCT_EXC_MAPQ", "PCT_EXC_DUPE", "PCT_EXC_UNPAIRED", "PCT_EXC_BASEQ",
             "PCT_EXC_OVERLAP", "FOLD_80_BASE_PENALTY"});
    return html;
}

std::string along_list(const SampleFigures& figures) {
    if (figures.along.empty())
        return "<p>Depth along contigs is not drawn: there is no BAM with an index and reads.</p>\n";
    std::string html =
        "<h3>Depth along contigs</h3>\n<p class=\"soft\">Estimated from the index of the BAM, as indexcov "
        "does: what "
        "share of the file's bytes lies in each window, of the bases that mosdepth counts. The upper edge "
        "is twice the mean depth of the contigs that are drawn.</p>\n<ul class=\"strips\">\n";
    double bases = 0;
    double length = 0;
    for (const DepthAlong& contig : figures.along) {
        for (size_t at = 0; at < contig.depths.size(); ++at) {
            const uint64_t begin = at * contig.window_bp;
            const auto size = static_cast<double>(std::min(contig.window_bp, contig.length - begin));
            if (contig.depths[at] <= 0) continue;  // gaps of the reference say nothing of the depth
            bases += contig.depths[at] * size;
            length += size;
        }
    }
    const double mean = length > 0 ? bases / length : 0;
    for (const DepthAlong& contig : figures.along) {
        const std::string words = contig.contig + ", " + grouped(contig.length) + " bp, windows of " +
                                  grouped(contig.window_bp) + " bp";
        html +=
            "<li>" + escaped(words) + strip_svg(contig.depths, 2 * mean, "Depth along " + words) + "</li>\n";
    }
    html +=
        "</ul>\n<details><summary>Numbers of depth along contigs</summary><div class=\"scroll\" "
        "tabindex=\"0\" "
        "role=\"region\" aria-label=\"Numbers of depth along contigs\"><table>\n<thead><tr><th "
        "scope=\"col\">contig</th><th scope=\"col\">depth of its windows</th></tr></thead>\n<tbody>\n";
    for (const DepthAlong& contig : figures.along) {
        html += "<tr><th scope=\"row\">" + escaped(contig.contig) + "</th><td>";
        for (const double depth : contig.depths) html += shortest(depth, 1) + " ";
        html += "</td></tr>\n";
    }
    return html + "</tbody></table></div></details>\n";
}

std::string contig_table(const SampleFigures& figures) {
    constexpr size_t k_max_rows = 100;
    if (!figures.depth || figures.depth->contigs.empty()) return "";
    std::string html =
        "<details><summary>Mean depth of contigs</summary><div class=\"scroll\" tabindex=\"0\" "
        "role=\"region\" "
        "aria-label=\"Mean depth of contigs\"><table>\n<thead><tr><th scope=\"col\">contig</th><th "
        "scope=\"col\">length</th><th scope=\"col\">mean depth</th></tr></thead>\n<tbody>\n";
    const size_t rows = std::min(figures.depth->contigs.size(), k_max_rows);
    for (size_t row = 0; row < rows; ++row) {
        const ContigDepth& contig = figures.depth->contigs[row];
        html += "<tr><th scope=\"row\">" + escaped(contig.name) + "</th><td class=\"number\">" +
                grouped(contig.length) + "</td><td class=\"number\">" + decimal(contig.mean(), 2) +
                "x</td></tr>\n";
    }
    html += "</tbody></table></div>";
    if (rows < figures.depth->contigs.size())
        html +=
            "<p>And " + grouped(figures.depth->contigs.size() - rows) + " more in the file of mosdepth.</p>";
    return html + "</details>\n";
}

double mean_quality(const std::vector<uint64_t>& counts) {
    double bases = 0;
    double sum = 0;
    for (size_t quality = 0; quality < counts.size(); ++quality) {
        bases += static_cast<double>(counts[quality]);
        sum += static_cast<double>(counts[quality]) * static_cast<double>(quality);
    }
    return bases > 0 ? sum / bases : 0;
}

std::string quality_figure(const StatsFile& stats) {
    Plot plot;
    plot.id = "quality-by-cycle";
    plot.title = "Base quality by cycle";
    plot.note = "Mean of the qualities as the sequencer reports them.";
    plot.x_title = "cycle";
    plot.y_title = "mean quality";
    plot.decimals = 1;
    const size_t cycles = std::max(stats.qualities[0].size(), stats.qualities[1].size());
    for (size_t cycle = 0; cycle < cycles; ++cycle)
        add_place(plot, static_cast<double>(cycle + 1), std::to_string(cycle + 1));
    for (size_t mate = 0; mate < 2; ++mate) {
        if (stats.qualities[mate].empty()) continue;
        Series series{mate == 0 ? "first reads" : "second reads", std::vector<double>(cycles)};
        for (size_t cycle = 0; cycle < stats.qualities[mate].size(); ++cycle)
            series.values[cycle] = mean_quality(stats.qualities[mate][cycle]);
        plot.series.push_back(std::move(series));
    }
    return figure_html(plot);
}

std::string base_figure(const StatsFile& stats) {
    Plot plot;
    plot.id = "base-content";
    plot.title = "Base content by cycle";
    plot.note = "Of the reads as they were sequenced, first and second ones together.";
    plot.x_title = "cycle";
    plot.y_title = "% of bases";
    plot.decimals = 2;
    plot.unit = " %";
    plot.series = {{"A", {}}, {"C", {}}, {"G", {}}, {"T", {}}};
    for (size_t cycle = 0; cycle < stats.bases.size(); ++cycle) {
        add_place(plot, static_cast<double>(cycle + 1), std::to_string(cycle + 1));
        for (size_t base = 0; base < 4; ++base) plot.series[base].values.push_back(stats.bases[cycle][base]);
    }
    return figure_html(plot);
}

/// samtools writes steps between values that change; between them it is a line here.
double at_percent(const std::vector<std::pair<double, uint64_t>>& rows, double percent) {
    for (size_t row = 0; row < rows.size(); ++row) {
        if (rows[row].first < percent) continue;
        const auto right = static_cast<double>(rows[row].second);
        if (row == 0 || rows[row].first == percent) return rows[row].first == percent ? right : 0;
        const auto left = static_cast<double>(rows[row - 1].second);
        const double part = (percent - rows[row - 1].first) / (rows[row].first - rows[row - 1].first);
        return left + (right - left) * part;
    }
    return 0;
}

std::string gc_figure(const StatsFile& stats) {
    constexpr int k_all = 100;
    Plot plot;
    plot.id = "gc-of-reads";
    plot.title = "GC content of reads";
    plot.note = "A second peak or a wide one is a sign of another species.";
    plot.x_title = "GC content of a read, %";
    plot.y_title = "reads";
    for (int percent = 0; percent <= k_all; ++percent) add_place(plot, percent, std::to_string(percent));
    for (size_t mate = 0; mate < 2; ++mate) {
        if (stats.gc[mate].empty()) continue;
        Series series{mate == 0 ? "first reads" : "second reads", {}};
        for (int percent = 0; percent <= k_all; ++percent)
            series.values.push_back(at_percent(stats.gc[mate], percent));
        plot.series.push_back(std::move(series));
    }
    return figure_html(plot);
}

/// Values far away from all others are left out at the end.
Plot counted_plot(const Counted& counts, double share) {
    uint64_t all = 0;
    for (const auto& [value, count] : counts) all += count;
    Plot plot;
    uint64_t seen = 0;
    for (const auto& [value, count] : counts) {
        if (static_cast<double>(seen) >= share * static_cast<double>(all)) break;
        seen += count;
        add_place(plot, static_cast<double>(value), std::to_string(value));
        if (plot.series.empty()) plot.series.emplace_back();
        plot.series[0].values.push_back(static_cast<double>(count));
    }
    return plot;
}

std::string length_figure(const StatsFile& stats) {
    if (stats.lengths.size() == 1)
        return "<p>All reads have a length of " + grouped(static_cast<uint64_t>(stats.lengths[0].first)) +
               " bases.</p>\n";
    Plot plot = counted_plot(stats.lengths, 1);
    plot.id = "read-lengths";
    plot.title = "Read lengths";
    plot.x_title = "length, bases";
    plot.y_title = "reads";
    if (!plot.series.empty()) plot.series[0].name = "reads";
    return figure_html(plot);
}

std::string insert_figure(const SampleFigures& figures) {
    const char* const title = "Insert size";
    if (!figures.stats) return absent_figure_html(title, k_no_stats);
    Plot plot = counted_plot(figures.stats->inserts, k_drawn_share);
    if (plot.series.empty()) return absent_figure_html(title, "there are no pairs");
    plot.id = "insert-size";
    plot.title = title;
    if (figures.inserts) {
        const auto value = [&](const char* column) {
            return shortest(metric(*figures.inserts, column).value_or(0), 1);
        };
        plot.note = "Median " + value("MEDIAN_INSERT_SIZE") + " bp, median absolute deviation " +
                    value("MEDIAN_ABSOLUTE_DEVIATION") + " bp (Picard).";
    }
    plot.x_title = "insert size, bp";
    plot.y_title = "pairs";
    plot.series[0].name = "pairs";
    return figure_html(plot);
}

std::string mapq_figure(const SampleFigures& figures) {
    const char* const title = "Mapping quality";
    if (!figures.stats) return absent_figure_html(title, k_no_stats);
    constexpr size_t k_values = 61;
    Plot plot;
    plot.id = "mapping-quality";
    plot.title = title;
    plot.note = "Of primary records that are no duplicates.";
    plot.kind = Plot::Kind::bars;
    plot.x_title = "MAPQ";
    plot.y_title = "reads";
    plot.series = {{"reads", std::vector<double>(k_values)}};
    for (size_t value = 0; value < k_values; ++value)
        add_place(plot, static_cast<double>(value), std::to_string(value));
    for (const auto& [value, count] : figures.stats->mapping_qualities)
        plot.series[0].values[std::min(static_cast<size_t>(std::max<int64_t>(0, value)), k_values - 1)] +=
            static_cast<double>(count);
    return figure_html(plot);
}

/// What --trim-adapters did, as a sentence.
std::string trimming_text(const RunFile& run) {
    if (!run.trims_adapters) return "";
    const auto part = [](uint64_t count, uint64_t all) {
        return grouped(count) + " of " + grouped(all) + " " +
               (all == 0 ? ""
                         : "(" + percent_of_one(static_cast<double>(count) / static_cast<double>(all)) + ")");
    };
    return "<p>Adapters were removed before alignment (<code>--trim-adapters</code>): from " +
           part(run.trimmed_reads, run.reads) + " reads, " +
           part(run.trimmed_bases, run.bases + run.trimmed_bases) + " bases.</p>\n";
}

/// By library, what Picard's MarkDuplicates says of pairs and single reads.
std::string duplicate_table(const SampleFigures& figures) {
    constexpr size_t k_max_libraries = 100;
    if (figures.libraries.empty()) return "";
    constexpr std::array<std::pair<const char*, const char*>, 6> k_columns = {
        {{"pairs", "READ_PAIRS_EXAMINED"},
         {"duplicate pairs", "READ_PAIR_DUPLICATES"},
         {"of these optical", "READ_PAIR_OPTICAL_DUPLICATES"},
         {"single reads", "UNPAIRED_READS_EXAMINED"},
         {"duplicate single reads", "UNPAIRED_READ_DUPLICATES"},
         {"estimated size of the library, pairs", "ESTIMATED_LIBRARY_SIZE"}}};
    std::string html =
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Duplicates by "
        "library\"><table class=\"libraries\">\n<caption>Duplicates by library (Picard MarkDuplicates); "
        "optical ones lie side by side on the flow cell, by the names of the reads</caption>\n<thead><tr><th "
        "scope=\"col\">library</th>";
    for (const auto& [title, column] : k_columns) html += std::string("<th scope=\"col\">") + title + "</th>";
    html += "</tr></thead>\n<tbody>\n";
    const size_t rows = std::min(figures.libraries.size(), k_max_libraries);
    for (size_t row = 0; row < rows; ++row) {
        const MetricsRow& library = figures.libraries[row];
        const auto name = library.find("LIBRARY");
        html += "<tr><th scope=\"row\">" + escaped(name == library.end() ? "" : name->second) + "</th>";
        for (const auto& [title, column] : k_columns) {
            const auto value = metric(library, column);
            html +=
                "<td class=\"number\">" +
                (value && *value >= 0 ? grouped(static_cast<uint64_t>(*value)) : std::string("not known")) +
                "</td>";
        }
        html += "</tr>\n";
    }
    html += "</tbody></table></div>\n";
    if (rows < figures.libraries.size())
        html += "<p>And " + grouped(figures.libraries.size() - rows) + " more libraries.</p>\n";
    return html;
}

}  // namespace

std::string depth_figures(const SampleFigures& figures) {
    return "<div class=\"plots\">\n" + depth_distribution(figures) + breadth_figure(figures) +
           gc_bias_figure(figures) + "</div>\n" + coverage_tables(figures) + along_list(figures) +
           contig_table(figures);
}

std::string read_figures(const SampleFigures& figures) {
    const std::string trimming = trimming_text(figures.run);
    if (!figures.stats) return trimming + absent_figure_html("Qualities and bases", k_no_stats);
    const std::string lengths = length_figure(*figures.stats);
    const bool is_text = lengths.starts_with("<p>");
    return trimming + (is_text ? lengths : "") + "<div class=\"plots\">\n" + quality_figure(*figures.stats) +
           base_figure(*figures.stats) + gc_figure(*figures.stats) + (is_text ? "" : lengths) + "</div>\n" +
           sequence_tables(figures);
}

std::string alignment_figures(const SampleFigures& figures) {
    return "<div class=\"plots\">\n" + insert_figure(figures) + mapq_figure(figures) + "</div>\n" +
           duplicate_table(figures);
}

}  // namespace gannet::pipeline::report
