// SPDX-License-Identifier: MIT
// Provides the reads around called sites.
#include "pipeline/report/pileup.hpp"

#include "data/bam/reader.hpp"
#include "data/error.hpp"
#include "pipeline/report/rows.hpp"
#include "pipeline/report/scorer_view.hpp"
#include "pipeline/report/text.hpp"

#include <algorithm>
#include <cctype>

namespace gannet::pipeline::report {
namespace {

constexpr size_t k_batch_bytes = size_t{1} << 20;
constexpr size_t k_max_seen_reads = 2000;  // at a site; what is deeper is not read to its end
constexpr int64_t k_near_bp = 3;           // of the site

bool is_letter(char cell) { return std::isalpha(static_cast<unsigned char>(cell)) != 0; }

/// Positions of bases that differ from the reference, in the window.
void mark_mismatches(const data::RecordView& record, int64_t begin, std::string& differs) {
    const auto text = record.string_tag("MD");
    if (!text) return;
    int64_t position = record.position();
    bool deleted = false;
    int64_t matches = 0;
    for (const char letter : *text) {
        if (letter >= '0' && letter <= '9') {
            deleted = false;
            matches = std::min<int64_t>(matches * 10 + (letter - '0'), INT32_MAX);
            continue;
        }
        position += matches;
        matches = 0;
        if (letter == '^') {
            deleted = true;
            continue;
        }
        const int64_t column = position - begin;
        if (!deleted && column >= 0 && column < k_pileup_columns) differs[static_cast<size_t>(column)] = 1;
        ++position;
    }
}

/// Differs at the site or close to it.
bool differs_near(const PileupRead& read) {
    for (int64_t column = k_pileup_reach_bp - k_near_bp; column <= k_pileup_reach_bp + k_near_bp; ++column) {
        const char cell = read.cells[static_cast<size_t>(column)];
        if (cell == '*' || is_letter(cell)) return true;
    }
    return std::any_of(read.insertions.begin(), read.insertions.end(), [](const auto& insertion) {
        return std::abs(insertion.first - k_pileup_reach_bp) <= k_near_bp;
    });
}

Pileup pileup_of(data::bam::Reader& reader, uint32_t contig, const ShownSite& site) {
    constexpr uint16_t k_left_out = data::k_flag_unmapped | data::k_flag_secondary | data::k_flag_qc_fail |
                                    data::k_flag_duplicate | data::k_flag_supplementary;
    Pileup pileup{site, {}, 0, {}};
    reader.seek({contig, site.position, site.position + 1});
    data::RecordBatch batch;
    while (pileup.all_reads < k_max_seen_reads && reader.read(batch, k_batch_bytes)) {
        for (size_t i = 0; i < batch.entries.size(); ++i) {
            const data::RecordView record = batch.view(i);
            if (record.has(k_left_out)) continue;
            ++pileup.all_reads;
            pileup.reads.push_back(pileup_read(record, site.position - k_pileup_reach_bp));
        }
        batch.clear();
    }
    std::stable_sort(pileup.reads.begin(), pileup.reads.end(), [](const PileupRead& a, const PileupRead& b) {
        return differs_near(a) > differs_near(b);
    });
    if (pileup.reads.size() > k_max_pileup_reads) pileup.reads.resize(k_max_pileup_reads);
    return pileup;
}

std::string title_of(const ShownSite& site) {
    const std::string place = site.contig + ":" + grouped(static_cast<uint64_t>(site.position) + 1);
    if (site.alleles.empty()) return place;
    std::string alternates;
    for (size_t i = 1; i < site.alleles.size(); ++i) alternates += (i > 1 ? "," : "") + site.alleles[i];
    constexpr size_t k_max_letters = 40;
    std::string change = site.alleles.front() + ">" + alternates;
    if (change.size() > k_max_letters) change = change.substr(0, k_max_letters) + "...";
    return place + " " + change;
}

std::string record_html(const ShownSite& site) {
    if (site.why == ShownAs::asked_uncalled) return "asked for; the VCF has no record here";
    const char* const why = site.why == ShownAs::doubtful ? "doubtful"
                            : site.why == ShownAs::usual  ? "usual"
                            : site.why == ShownAs::scored ? "shown to the network"
                                                          : "asked for";
    return std::string(why) + ": QUAL " + escaped(site.quality) + ", " +
           (site.why == ShownAs::asked ? "FILTER " + escaped(site.filter) + ", " : "") +
           escaped(site.format) + " <code>" + escaped(site.sample) + "</code>";
}

std::string pileup_svg(const Pileup& pileup, const std::string& title) {
    constexpr double k_cell = 6.5, k_row = 8, k_bar = 6.5;
    const double height = k_row * static_cast<double>(pileup.reads.size()) + 4;
    const double middle = k_cell * (static_cast<double>(k_pileup_reach_bp) + 0.5);
    std::string svg = "<svg class=\"pileup\" viewBox=\"0 0 " + shortest(k_cell * k_pileup_columns, 1) + " " +
                      shortest(height, 1) + "\" role=\"img\" aria-label=\"Reads at " + escaped(title) +
                      "; as text below\"><path class=\"site\" d=\"M" + shortest(middle, 2) + " 0V" +
                      shortest(height, 1) + "\"/>";
    for (size_t row = 0; row < pileup.reads.size(); ++row) {
        const PileupRead& read = pileup.reads[row];
        const double top = k_row * static_cast<double>(row) + 2;
        const size_t first = read.cells.find_first_not_of(' ');
        if (first == std::string::npos) continue;
        const size_t last = read.cells.find_last_not_of(' ');
        const auto x = [](size_t column) { return shortest(k_cell * static_cast<double>(column), 1); };
        svg += "<path class=\"read" + std::string(read.is_reverse ? " reverse" : "") + "\" d=\"M" + x(first) +
               " " + shortest(top, 1) + "H" + x(last + 1) + "v" + shortest(k_bar, 1) + "H" + x(first) +
               "z\"/>";
        for (size_t column = first; column <= last; ++column) {
            const char cell = read.cells[column];
            if (cell == '*')
                svg += "<path class=\"deleted\" d=\"M" + x(column) + " " + shortest(top + k_bar / 2, 2) +
                       "h" + shortest(k_cell, 1) + "\"/>";
            else if (is_letter(cell))
                svg += "<text class=\"base " + std::string(1, static_cast<char>(std::toupper(cell))) +
                       "\" x=\"" + shortest(k_cell * (static_cast<double>(column) + 0.5), 2) + "\" y=\"" +
                       shortest(top + k_bar - 0.6, 1) + "\">" +
                       std::string(1, static_cast<char>(std::toupper(cell))) + "</text>";
        }
        for (const auto& [column, bases] : read.insertions)
            svg += "<path class=\"inserted\" d=\"M" + x(static_cast<size_t>(column)) + " " +
                   shortest(top - 0.5, 1) + "v" + shortest(k_bar + 1, 1) + "\"><title>" +
                   std::to_string(bases) + " bases inserted</title></path>";
    }
    return svg + "</svg>\n";
}

/// "GT 0/1, GQ 12".
std::string genotype_of(const ShownSite& site) {
    std::vector<std::string_view> keys, values;
    split_fields(site.format, keys, ':');
    split_fields(site.sample, values, ':');
    std::string text;
    for (size_t i = 0; i < keys.size() && i < values.size(); ++i) {
        if (keys[i] != "GT" && keys[i] != "GQ") continue;
        text += (text.empty() ? "" : ", ") + std::string(keys[i]) + " " + std::string(values[i]);
    }
    return text;
}

std::string view_html(const Pileup& pileup, const std::string& title, bool has_views) {
    if (pileup.view) return scorer_view_html(*pileup.view, genotype_of(pileup.site), title);
    if (!has_views || pileup.site.alleles.empty()) return "";
    return "<p class=\"soft\">What the scorer saw of it was not kept.</p>\n";
}

std::string pileup_text(const Pileup& pileup) {
    std::string text = std::string(static_cast<size_t>(k_pileup_reach_bp), ' ') + "v  MAPQ\n";
    for (const PileupRead& read : pileup.reads) {
        text += read.cells + "  " + std::to_string(read.mapping_quality);
        for (const auto& [column, bases] : read.insertions)
            text += ", +" + std::to_string(bases) + " before column " + std::to_string(column + 1);
        text += "\n";
    }
    return text;
}

}  // namespace

PileupRead pileup_read(const data::RecordView& record, int64_t begin) {
    PileupRead read;
    read.is_reverse = record.has(data::k_flag_reverse);
    read.mapping_quality = record.mapping_quality();
    read.cells.assign(static_cast<size_t>(k_pileup_columns), ' ');
    std::string differs(static_cast<size_t>(k_pileup_columns), 0);
    mark_mismatches(record, begin, differs);
    int64_t position = record.position();
    size_t base = 0;
    for (size_t i = 0; i < record.cigar_count(); ++i) {
        const data::CigarOp op = data::cigar_op(record.cigar(i));
        const uint32_t length = data::cigar_length(record.cigar(i));
        const bool in_read = data::cigar_consumes_query(op);
        if (op == data::k_cigar_insertion && length > 0 && position > begin &&
            position - begin < k_pileup_columns)
            read.insertions.emplace_back(position - begin, length);
        if (data::cigar_consumes_reference(op)) {
            for (uint32_t step = 0; step < length; ++step) {
                const int64_t column = position + step - begin;
                if (column < 0 || column >= k_pileup_columns) continue;
                const auto at = static_cast<size_t>(column);
                const size_t of_read = base + step;
                if (!in_read || of_read >= record.read_length()) {
                    read.cells[at] = '*';
                } else if (differs[at] != 0) {
                    const char letter = data::k_letter_of_base[std::min<size_t>(record.base(of_read), 4)];
                    read.cells[at] = read.is_reverse
                                         ? static_cast<char>(std::tolower(static_cast<unsigned char>(letter)))
                                         : letter;
                } else {
                    read.cells[at] = read.is_reverse ? ',' : '.';
                }
            }
            position += length;
        }
        if (in_read) base += length;
    }
    return read;
}

std::vector<Pileup> read_pileups(const std::string& alignments, const std::string& reference,
                                 const std::vector<ShownSite>& sites) {
    std::vector<Pileup> pileups;
    const auto reader = data::bam::Reader::open(alignments, reference);
    if (!reader->has_index()) return pileups;
    for (const ShownSite& site : sites) {
        const auto& contigs = reader->contigs();
        const auto contig = std::find_if(contigs.begin(), contigs.end(),
                                         [&site](const auto& one) { return one.name == site.contig; });
        const bool is_asked = site.why == ShownAs::asked || site.why == ShownAs::asked_uncalled;
        if (is_asked && (contig == contigs.end() || site.position >= static_cast<int64_t>(contig->length))) {
            throw data::Error(data::ErrorKind::reference_mismatch,
                              "--sites " + site.contig + ":" + std::to_string(site.position + 1) +
                                  ": is not in the reference of " + alignments);
        }
        if (contig == contigs.end()) continue;
        pileups.push_back(pileup_of(*reader, static_cast<uint32_t>(contig - contigs.begin()), site));
    }
    return pileups;
}

std::string pileups_html(const std::vector<Pileup>& pileups, const std::string& no_views) {
    if (pileups.empty()) return "";
    std::string html =
        "<h3>Reads at some sites</h3>\n<p class=\"soft\">Sites that were asked for; the records with the "
        "lowest GQ of those that pass, and of those that the scorer's network was asked about; and usual "
        "ones with GQ of 25 or more. Reads that differ near the site "
        "come first; duplicates are left out. Pale "
        "reads are forward, darker ones reverse; letters differ from the reference, lines are deletions, "
        "bars insertions.</p>\n";
    html +=
        "<p class=\"soft\">" +
        (no_views.empty()
             ? std::string(
                   "Below them is what the neural scorer saw and said, which the run keeps of the records "
                   "with the lowest GQ and of the usual ones. Its drawing has a row per read: bars are as "
                   "high as the quality of a base that equals the reference, hollow ones are soft-clipped; "
                   "letters are other bases (lower case: below 20), lines deletions, thick bars "
                   "insertions; frames mark the allele, broken ones other candidates. The network also "
                   "reads of each read its support, places, mate and fits, and of the site a summary "
                   "(docs/scorer.md); S.scorer_views.json has all bytes.")
             : escaped("Scorer: " + no_views + ".")) +
        "</p>\n<div class=\"plots\">\n";
    for (const Pileup& pileup : pileups) {
        const std::string title = title_of(pileup.site);
        html +=
            "<figure class=\"plot\">\n<figcaption><h4>" + escaped(title) + "</h4><p>" +
            record_html(pileup.site) + "; " + grouped(pileup.reads.size()) + " of " +
            grouped(pileup.all_reads) + " reads</p></figcaption>\n" + pileup_svg(pileup, title) +
            "<details><summary>Reads as text<span class=\"hidden\"> at " + escaped(title) +
            "</span></summary><div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Reads at " +
            escaped(title) + "\"><pre>" + escaped(pileup_text(pileup)) + "</pre></div></details>\n" +
            view_html(pileup, title, no_views.empty()) + "</figure>\n";
    }
    return html + "</div>\n";
}

}  // namespace gannet::pipeline::report
