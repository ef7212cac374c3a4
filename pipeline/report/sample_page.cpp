// SPDX-License-Identifier: MIT
// Provides the report of one sample.
#include "pipeline/report/pages.hpp"
#include "pipeline/report/sample_plots.hpp"
#include "pipeline/report/text.hpp"

#include <utility>

namespace gannet::pipeline::report {
namespace {

using Facts = std::vector<std::pair<std::string, std::string>>;  ///< what, HTML

std::string facts_table(const char* caption, const Facts& facts) {
    std::string html = std::string("<div class=\"scroll\"><table class=\"facts\">\n<caption>") + caption +
                       "</caption>\n<tbody>\n";
    for (const auto& [what, value] : facts)
        html += "<tr><th scope=\"row\">" + escaped(what) + "</th><td>" + value + "</td></tr>\n";
    return html + "</tbody></table></div>\n";
}

std::string list_html(const std::vector<std::string>& lines) {
    std::string html = "<ul>\n";
    for (const std::string& line : lines) html += "<li>" + escaped(line) + "</li>\n";
    return html + "</ul>\n";
}

std::string names_of(const std::vector<Check>& checks, Result result) {
    std::string names;
    for (const Check& check : checks)
        if (check.result == result) names += (names.empty() ? "" : ", ") + check.title;
    return names;
}

std::string verdict_line(const std::vector<Check>& checks) {
    std::string words;
    const std::pair<Result, const char*> k_kinds[] = {{Result::fail, "Outside of the limits: "},
                                                      {Result::look, "To be looked at: "},
                                                      {Result::not_judged, "Not judged: "}};
    for (const auto& [result, title] : k_kinds) {
        const std::string names = names_of(checks, result);
        if (!names.empty()) words += (words.empty() ? "" : " ") + (title + names) + ".";
    }
    return "<p class=\"verdict\">" + mark_html(verdict_of(checks)) + "<span>" +
           escaped(words.empty() ? "Everything is within the limits." : words) + "</span></p>\n";
}

std::string check_table(const std::vector<Check>& checks) {
    std::string html =
        "<div class=\"scroll\"><table class=\"checks\">\n<caption>What was checked, and the limits "
        "(<code>gannet report --limits</code> changes them)</caption>\n<thead><tr><th "
        "scope=\"col\">check</th><th "
        "scope=\"col\">value</th><th scope=\"col\">result</th><th scope=\"col\">passes</th><th "
        "scope=\"col\">to be "
        "looked at</th><th scope=\"col\">note</th></tr></thead>\n<tbody>\n";
    for (const Check& check : checks)
        html += "<tr><th scope=\"row\" title=\"limit " + check.name + "\">" + escaped(check.title) +
                "</th><td class=\"value\">" + escaped(check.text) + "</td><td class=\"result\">" +
                mark_html(check.result) + "</td><td class=\"limits\" data-label=\"passes\">" +
                escaped(check.pass_text) + "</td><td class=\"limits\" data-label=\"to be looked at\">" +
                escaped(check.look_text) + "</td><td class=\"note\">" + escaped(check.note) + "</td></tr>\n";
    return html + "</tbody></table></div>\n";
}

std::string gibibytes(uint64_t bytes) {
    return decimal(static_cast<double>(bytes) / static_cast<double>(uint64_t{1} << 30), 2) + " GiB";
}

std::string energy_text(const Execution& execution) {
    if (!execution.joules)
        return escaped("not known" + (execution.energy_unavailable.empty()
                                          ? std::string()
                                          : ": " + execution.energy_unavailable));
    std::string text = grouped(static_cast<uint64_t>(*execution.joules + 0.5)) + " J";
    if (execution.mean_watts) text += ", " + decimal(*execution.mean_watts, 0) + " W on average";
    if (execution.joules_per_million_reads)
        text += ", " + decimal(*execution.joules_per_million_reads, 0) + " J per million reads";
    return text;
}

std::string run_facts(const RunFile& run) {
    const Execution& execution = run.execution;
    if (execution.elapsed_s <= 0)
        return "<p>Not known: the steps ran apart, and run.json has the times of each.</p>\n";
    Facts facts = {{"started, ended", escaped(execution.start + ", " + execution.end)},
                   {"machine", escaped(execution.host + ", " + execution.machine)},
                   {"backend", escaped(execution.backend_choice)}};
    for (const std::string& device : execution.devices) facts.emplace_back("device", escaped(device));
    facts.emplace_back("threads", grouped(execution.threads));
    facts.emplace_back("elapsed", decimal(execution.elapsed_s, 1) + " s");
    facts.emplace_back("CPU time", decimal(execution.cpu_s, 1) + " s");
    if (execution.resumed) {
        facts.emplace_back("throughput", "not known: the run went on from a finished BAM");
    } else if (execution.elapsed_s > 0) {
        facts.emplace_back("throughput",
                           with_prefix(static_cast<double>(run.reads) / execution.elapsed_s) + " reads/s, " +
                               with_prefix(static_cast<double>(run.bases) / execution.elapsed_s) +
                               " bases/s, from reads to variants");
    }
    facts.emplace_back("memory", gibibytes(execution.peak_memory_bytes) + " at most, of a limit of " +
                                     gibibytes(execution.memory_bytes));
    facts.emplace_back("written to the temporary folder", gibibytes(execution.spilled_bytes));
    facts.emplace_back("energy", energy_text(execution));
    return facts_table("This run", facts);
}

std::string code(const std::string& text) { return "<code>" + escaped(text) + "</code>"; }

std::string provenance(const RunFile& run) {
    Facts facts = {{"program", escaped(run.program + " (" + run.build + ")")},
                   {"command", code(run.command)},
                   {"reference", code(run.reference)},
                   {"backend", escaped(run.backend)},
                   {"scorer", escaped(run.scorer.empty() ? "not used" : run.scorer)}};
    for (const std::string& input : run.inputs) facts.emplace_back("input", code(input));
    for (const auto& [what, path] : run.outputs) facts.emplace_back(what, code(path));
    for (const auto& [what, text] : run.parameters) facts.emplace_back(what, code(text));
    return facts_table("Where the numbers come from", facts);
}

}  // namespace

std::string sample_page(const SampleFigures& figures, const std::vector<Check>& checks,
                        std::string_view program) {
    Page page;
    page.title = figures.run.sample + ": " + word(verdict_of(checks)) + " (gannet)";
    page.heading = figures.run.sample;
    page.head_html = "<p class=\"soft\">" + grouped(figures.run.reads) + " reads, " +
                     with_prefix(static_cast<double>(figures.run.bases)) + " bases</p>\n" +
                     verdict_line(checks);
    std::string& body = page.body_html;
    body += section_html(page, "verdict", "Verdict", check_table(checks));
    if (!figures.run.warnings.empty())
        body += section_html(page, "warnings", "Warnings of the run", list_html(figures.run.warnings));
    body += section_html(page, "depth", "Depth", depth_figures(figures));
    body += section_html(page, "reads", "Reads", read_figures(figures));
    body += section_html(page, "alignments", "Alignments", alignment_figures(figures));
    body += section_html(page, "variants", "Variants", variant_figures(figures));
    body += section_html(
        page, "run", "Time, memory and energy",
        run_facts(figures.run) + (figures.run.execution.elapsed_s > 0 ? time_figures(figures) : ""));
    body += section_html(page, "provenance", "Versions and command", provenance(figures.run));
    if (!figures.missing.empty())
        body += section_html(page, "missing", "Not in this report", list_html(figures.missing));
    return page_html(page, program);
}

}  // namespace gannet::pipeline::report
