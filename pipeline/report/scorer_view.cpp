// SPDX-License-Identifier: MIT
// Provides the words and the numbers of what the scorer saw and said of a site.
#include "pipeline/report/scorer_view.hpp"

#include "data/vcf/text.hpp"
#include "pipeline/report/text.hpp"

#include <algorithm>

namespace gannet::pipeline::report {
namespace {

using variants::AlleleView;
using variants::Asked;
using variants::CopyLogs;
using variants::Decided;
using variants::SiteView;

std::string log_text(int32_t value) { return decimal(static_cast<double>(value) / (1 << 16), 3); }

std::string change_text(const AlleleView& allele) {
    constexpr size_t k_max_letters = 30;
    const std::string change = allele.reference + ">" + allele.alternate;
    return change.size() > k_max_letters ? change.substr(0, k_max_letters) + "..." : change;
}

/// "SNP, unique, 31 fragments".
std::string place_text(const ml::ExampleFacts& facts) {
    return std::string(facts.kind == 0 ? "SNP" : "indel") + ", " +
           std::string(ml::k_context_names[facts.context]) + ", " + grouped(facts.fragments) + " fragments" +
           (facts.is_haploid ? ", haploid" : "");
}

std::string stratum_text(const AlleleView& allele) {
    if (!allele.stratum) return "no stratum: nothing of the output counts";
    const ml::Stratum& stratum = *allele.stratum;
    constexpr int32_t k_no_end = 100'000;  // of fragments
    const auto number = [](int32_t value) {
        return shortest(static_cast<double>(value) / ml::k_decision_unit, 3);
    };
    return "stratum from " + std::to_string(stratum.depth_begin) + " fragments" +
           (stratum.depth_end < k_no_end ? " to " + std::to_string(stratum.depth_end - 1) : "") +
           ", direction " + std::string(ml::k_direction_names[static_cast<size_t>(stratum.direction)]) +
           ", prior " + number(stratum.prior) + ", temperature " + number(stratum.temperature);
}

std::string why_not_asked(const SiteView& view) {
    switch (view.asked) {
        case Asked::no_candidate:
            return "the caller's probability of every alternate allele is below the model's minimum presence";
        case Asked::not_measured:
            return "the sample has too few reads to be measured";
        case Asked::long_reads:
            return "the reads are longer than those that it has learned from";
        case Asked::improper_pairs:
            return "most pairs of the sample are not proper ones, unlike those that it has learned from";
        case Asked::settled: {
            uint16_t quality = 0;
            for (const AlleleView& allele : view.alleles)
                if (allele.facts) quality = std::max(quality, allele.facts->plain_phred);
            return "the caller has settled it, with a genotype quality of " + std::to_string(quality) +
                   " and nothing unusual";
        }
        case Asked::given:
            return "the record is one of --alleles, which the caller alone genotypes";
        default:
            return "the model names no stratum for its kind, depth and context";
    }
}

std::string words_of(const SiteView& view, const std::string& genotype) {
    const std::string record = genotype.empty() ? "" : ": " + escaped(genotype);
    if (view.asked != Asked::yes)
        return "<strong>The network was not asked</strong>, since " + why_not_asked(view) +
               ". The record is the caller's" + record + ".";
    switch (view.decided) {
        case Decided::with_network:
            return "<strong>The network was asked</strong>, and the record is what the corrected posterior "
                   "says" +
                   record + ".";
        case Decided::neither:
            return "<strong>The network was asked</strong>. Neither the caller's call nor the corrected one "
                   "passes, so the caller's record stands" +
                   record + ".";
        default:
            return "<strong>The network was asked</strong>, but nothing of its output counts: the caller's "
                   "record stands" +
                   record + ".";
    }
}

std::string row_of_logs(const char* what, const CopyLogs& logs) {
    std::string html = std::string("<tr><th scope=\"row\">") + what + "</th>";
    for (const int32_t value : logs) html += "<td class=\"number\">" + log_text(value) + "</td>";
    return html + "</tr>\n";
}

std::string allele_table(const AlleleView& allele, bool was_asked) {
    std::string html = "<div class=\"scroll\"><table class=\"scores\">\n<caption>" +
                       escaped(change_text(allele)) + ": " + place_text(*allele.facts) + "; " +
                       stratum_text(allele) +
                       "</caption>\n<thead><tr><th scope=\"col\">log10 of copies</th><th scope=\"col\" "
                       "class=\"number\">0</th><th scope=\"col\" class=\"number\">1</th><th scope=\"col\" "
                       "class=\"number\">2</th></tr></thead>\n<tbody>\n" +
                       row_of_logs("caller (base)", allele.facts->base);
    if (was_asked)
        html += row_of_logs("network's output", allele.raw) +
                row_of_logs("what of it counts", allele.correction) +
                row_of_logs("posterior", allele.posterior);
    html += "</tbody></table></div>\n";
    const std::string filters = data::vcf::filter_names(allele.facts->filters, ", ");
    if (!filters.empty())
        html += "<p class=\"soft\">By the caller alone the allele fails " + filters +
                ", which is a part of the base.</p>\n";
    return html;
}

}  // namespace

std::string scorer_view_html(const SiteView& view, const std::string& genotype, const std::string& title) {
    std::string html = "<div class=\"scorer\"><h5>Scorer<span class=\"hidden\"> at " + escaped(title) +
                       "</span></h5>\n<p>" + words_of(view, genotype) + "</p>\n";
    const bool was_asked = view.asked == Asked::yes;
    for (const AlleleView& allele : view.alleles) {
        if (!allele.facts) {
            html += "<p class=\"soft\">" + escaped(change_text(allele)) +
                    ": below the model's minimum presence.</p>\n";
            continue;
        }
        html += allele_table(allele, was_asked);
        if (!was_asked) continue;
        const std::string what = change_text(allele) + " at " + title;
        html += example_svg(allele, what) +
                "<details><summary>Network's input as text<span class=\"hidden\"> of " + escaped(what) +
                "</span></summary><div class=\"scroll\" tabindex=\"0\" role=\"region\" "
                "aria-label=\"Network's input of " +
                escaped(what) + "\"><pre>" + escaped(example_text(allele)) + "</pre></div></details>\n";
    }
    return html + "</div>\n";
}

}  // namespace gannet::pipeline::report
