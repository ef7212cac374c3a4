// SPDX-License-Identifier: MIT
// Provides what a report says of duplicate and of over-represented sequences.
#include "pipeline/report/sample_plots.hpp"
#include "pipeline/report/text.hpp"

#include <algorithm>

namespace gannet::pipeline::report {
namespace {

constexpr size_t k_max_sequences = 20;  ///< of a file, in the table

const char* reads_name(const SampleFigures& figures, size_t mate) {
    if (!figures.sequences[1]) return "reads";
    return mate == 0 ? "first reads" : "second reads";
}

std::string often_table(const SequencesFile& file, const char* reads) {
    std::string html =
        std::string(
            "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Over-represented "
            "sequences of ") +
        reads + "\"><table>\n<caption>Sequences of more than 0.1 % of the " + reads +
        " (FastQC)</caption>\n<thead><tr><th scope=\"col\">sequence</th><th scope=\"col\">reads</th><th "
        "scope=\"col\">share</th><th scope=\"col\">possible source</th></tr></thead>\n<tbody>\n";
    const size_t rows = std::min(file.often.size(), k_max_sequences);
    for (size_t i = 0; i < rows; ++i) {
        const SequencesFile::Row& row = file.often[i];
        html += "<tr><th scope=\"row\"><code>" + escaped(row.sequence) + "</code></th><td class=\"number\">" +
                grouped(row.count) + "</td><td class=\"number\">" + percent_of_one(row.percent / 100) +
                "</td><td>" + escaped(row.source) + "</td></tr>\n";
    }
    html += "</tbody></table></div>\n";
    if (rows < file.often.size())
        html += "<p>And " + grouped(file.often.size() - rows) + " more sequences.</p>\n";
    return html;
}

}  // namespace

std::string sequence_tables(const SampleFigures& figures) {
    std::string shares;
    std::string tables;
    for (size_t mate = 0; mate < figures.sequences.size(); ++mate) {
        if (!figures.sequences[mate]) continue;
        const SequencesFile& file = *figures.sequences[mate];
        const char* const reads = reads_name(figures, mate);
        shares += (shares.empty() ? "" : ", ") + percent_of_one(file.deduplicated / 100) + " of the " + reads;
        if (!file.often.empty()) tables += often_table(file, reads);
    }
    if (shares.empty()) return "";
    return "<p>Left without duplicate sequences: " + shares +
           " (as FastQC estimates it from the first 100,000 different ones)." +
           (tables.empty() ? " No sequence is over-represented." : "") + "</p>\n" + tables;
}

}  // namespace gannet::pipeline::report
