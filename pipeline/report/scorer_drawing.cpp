// SPDX-License-Identifier: MIT
// Provides the examples of the scorer as drawings and as text.
#include "pipeline/report/scorer_view.hpp"
#include "pipeline/report/text.hpp"

#include <array>
#include <cctype>
#include <string_view>
#include <vector>

namespace gannet::pipeline::report {
namespace {

using ml::pileup::k_channels;
using ml::pileup::k_columns;
using ml::pileup::k_row_bytes;

constexpr std::array<uint8_t, 3> k_pool_order = {ml::k_pool_allele, ml::k_pool_reference, ml::k_pool_other};
constexpr std::array<std::string_view, 3> k_pool_titles = {"of the allele", "of the reference", "others"};
/// A base of lower quality is written in lower case.
constexpr uint8_t k_upper_case_quality = 20;

/// One read of an example.
struct ExampleRow {
    std::span<const uint8_t> bytes;

    uint8_t channel(size_t column, const ml::Feature& feature) const {
        return bytes[column * k_channels + feature.offset];
    }
    uint8_t feature(const ml::Feature& feature) const {
        return bytes[k_columns * k_channels + feature.offset];
    }
    /// At the feature's scale.
    int value(const ml::Feature& of) const { return feature(of) / of.scale; }
    bool is_reverse() const { return feature(ml::row_feature("reverse")) != 0; }
    int mapping_quality() const { return value(ml::row_feature("mapping_quality")); }
};

constexpr ml::Feature k_match = ml::row_channel("match");
constexpr ml::Feature k_mismatch = ml::row_channel("mismatch");
constexpr ml::Feature k_deleted = ml::row_channel("deleted");
constexpr ml::Feature k_inserted = ml::row_channel("inserted");
constexpr ml::Feature k_clipped = ml::row_channel("clipped");
constexpr ml::Feature k_candidate = ml::row_channel("candidate");
constexpr ml::Feature k_shows_allele = ml::row_channel("allele");
constexpr ml::Feature k_read_base = ml::row_channel("base");

std::vector<ExampleRow> pool_rows(std::span<const uint8_t> rows, uint8_t pool) {
    std::vector<ExampleRow> out;
    for (size_t at = 0; at + k_row_bytes <= rows.size(); at += k_row_bytes) {
        const ExampleRow row{rows.subspan(at, k_row_bytes)};
        if (row.feature(ml::row_feature("pool")) == pool) out.push_back(row);
    }
    return out;
}

/// The letter of a base that differs; 'N' where it is none of the four.
char differing_base(const ExampleRow& row, size_t column) {
    const size_t code = (row.channel(column, k_read_base) + 1) / k_read_base.scale;  // 1 to 4
    return code == 0 ? 'N' : "ACGT"[code - 1];
}

/// In upper case from quality 20 on.
char cell_letter(const ExampleRow& row, size_t column) {
    const char letter = differing_base(row, column);
    const int quality = row.channel(column, k_mismatch) / k_mismatch.scale;
    return quality >= k_upper_case_quality ? letter : static_cast<char>(std::tolower(letter));
}

/// The reference of the columns.
std::string reference_of(const variants::AlleleView& allele) {
    constexpr ml::Feature k_bases = ml::site_channel("bases");
    std::string letters(k_columns, 'N');
    for (size_t column = 0; column < k_columns; ++column) {
        for (size_t base = 0; base < 4; ++base)
            if (allele.site[column * ml::k_site_channels + k_bases.offset + base] != 0)
                letters[column] = "ACGT"[base];
    }
    return letters;
}

// The drawing, in its own units.
constexpr double k_cell_width = 9, k_row_height = 9, k_bar_height = 7.5;
constexpr double k_quality_at_full_height = 40;
constexpr double k_map_width = k_cell_width * k_columns;
constexpr double k_mapq_begin = k_map_width + 6, k_mapq_width = 36, k_strand_begin = k_mapq_begin + 42;
constexpr double k_drawing_width = k_strand_begin + 12;

std::string number_text(double value) { return shortest(value, 1); }

/// The outline of bars whose heights are the qualities of a channel: nothing where there are none.
std::string quality_bars(const ExampleRow& row, const ml::Feature& channel, double bottom) {
    std::string path;
    double height = 0;
    const auto go_to = [&](double wanted, size_t column) {
        if (wanted == height) return;
        if (height == 0)
            path += "M" + number_text(k_cell_width * static_cast<double>(column)) + " " + number_text(bottom);
        else
            path += "H" + number_text(k_cell_width * static_cast<double>(column));
        path += "v" + number_text(height - wanted);
        if (wanted == 0) path += "z";
        height = wanted;
    };
    for (size_t column = 0; column < k_columns; ++column) {
        const double quality = static_cast<double>(row.channel(column, channel)) / channel.scale;
        const double height_here = std::min(k_bar_height, k_bar_height * quality / k_quality_at_full_height);
        go_to(static_cast<int>(height_here * 2 + 0.5) / 2.0, column);  // half units: fewer steps
    }
    go_to(0, k_columns);
    return path;
}

std::string cell_frame(size_t column, double top, double inset) {
    return "M" + number_text(k_cell_width * static_cast<double>(column) + inset) + " " +
           number_text(top + inset) + "h" + number_text(k_cell_width - 2 * inset) + "v" +
           number_text(k_bar_height + 1 - 2 * inset) + "h-" + number_text(k_cell_width - 2 * inset) + "z";
}

/// The paths and letters of a drawing, by what they show.
struct DrawingParts {
    std::string match, clipped, deleted, inserted, allele, candidate, mapping_quality, strand, letters;
};

void draw_row(const ExampleRow& row, double top, DrawingParts& parts) {
    const double bottom = top + k_bar_height + 0.5;
    parts.match += quality_bars(row, k_match, bottom);
    parts.clipped += quality_bars(row, k_clipped, bottom);
    for (size_t column = 0; column < k_columns; ++column) {
        const double left = k_cell_width * static_cast<double>(column);
        if (row.channel(column, k_mismatch) != 0) {
            const char letter = cell_letter(row, column);
            parts.letters += "<text class=\"base " + std::string(1, static_cast<char>(std::toupper(letter))) +
                             "\" x=\"" + number_text(left + k_cell_width / 2) + "\" y=\"" +
                             number_text(bottom - 0.5) + "\">" + letter + "</text>";
        }
        if (row.channel(column, k_deleted) != 0)
            parts.deleted += "M" + number_text(left) + " " + number_text(top + k_row_height / 2) + "h" +
                             number_text(k_cell_width);
        if (row.channel(column, k_inserted) != 0)
            parts.inserted += "M" + number_text(left + k_cell_width) + " " + number_text(top) + "v" +
                              number_text(k_row_height);
        if (row.channel(column, k_shows_allele) != 0) parts.allele += cell_frame(column, top, 0.5);
        if (row.channel(column, k_candidate) != 0) parts.candidate += cell_frame(column, top, 1);
    }
    constexpr double k_best_mapping_quality = 60;
    parts.mapping_quality += "M" + number_text(k_mapq_begin) + " " + number_text(top + 1) + "h" +
                             number_text(k_mapq_width * row.mapping_quality() / k_best_mapping_quality) +
                             "v" + number_text(k_bar_height - 1) + "H" + number_text(k_mapq_begin) + "z";
    const double tip = row.is_reverse() ? k_strand_begin : k_strand_begin + 9;
    const double base = row.is_reverse() ? k_strand_begin + 9 : k_strand_begin;
    parts.strand += "M" + number_text(base) + " " + number_text(top + 1) + "V" + number_text(top + 8) + "L" +
                    number_text(tip) + " " + number_text(top + 4.5) + "z";
}

std::string path_of(const char* name, const std::string& path) {
    return path.empty() ? "" : "<path class=\"" + std::string(name) + "\" d=\"" + path + "\"/>";
}

}  // namespace

PoolCounts pool_counts(std::span<const uint8_t> rows, uint8_t pool) {
    PoolCounts counts;
    double matches = 0, match_sum = 0, mismatches = 0, mapping_sum = 0;
    for (const ExampleRow& row : pool_rows(rows, pool)) {
        ++counts.reads;
        counts.forward += !row.is_reverse();
        mapping_sum += row.mapping_quality();
        for (size_t column = 0; column < k_columns; ++column) {
            if (const uint8_t byte = row.channel(column, k_match)) {
                ++matches;
                match_sum += static_cast<double>(byte) / k_match.scale;
            }
            mismatches += row.channel(column, k_mismatch) != 0;
        }
    }
    if (counts.reads == 0) return counts;
    counts.mapping_quality = mapping_sum / static_cast<double>(counts.reads);
    counts.mismatches = mismatches / static_cast<double>(counts.reads);
    if (matches > 0) counts.match_quality = match_sum / matches;
    return counts;
}

std::string example_svg(const variants::AlleleView& allele, const std::string& title) {
    constexpr double k_header = 24, k_title_height = 15;
    DrawingParts parts;
    std::string texts;
    double top = k_header;
    for (size_t pool = 0; pool < k_pool_order.size(); ++pool) {
        const std::vector<ExampleRow> rows = pool_rows(allele.rows, k_pool_order[pool]);
        texts += "<text x=\"0\" y=\"" + number_text(top + 11.5) + "\">" + std::string(k_pool_titles[pool]) +
                 ": " + grouped(rows.size()) + (rows.size() == 1 ? " read" : " reads") + "</text>";
        top += k_title_height;
        for (const ExampleRow& row : rows) {
            draw_row(row, top, parts);
            top += k_row_height;
        }
    }
    const std::string reference = reference_of(allele);
    for (size_t column = 0; column < k_columns; ++column)
        texts += "<text class=\"base\" x=\"" +
                 number_text(k_cell_width * (static_cast<double>(column) + 0.5)) + "\" y=\"22\">" +
                 reference[column] + "</text>";
    texts += "<text x=\"0\" y=\"11\">reference</text><text x=\"" + number_text(k_mapq_begin) +
             "\" y=\"11\">MAPQ</text>";
    const double middle = k_cell_width * (static_cast<double>(ml::k_event_column) + 0.5);
    return "<svg class=\"pileup example\" viewBox=\"0 0 " + number_text(k_drawing_width) + " " +
           number_text(top + 2) + "\" role=\"img\" aria-label=\"What the network read of " + escaped(title) +
           "; as text below\"><path class=\"site\" d=\"M" + number_text(middle) + " 14V" + number_text(top) +
           "\"/>" + path_of("quality", parts.match) + path_of("clip", parts.clipped) +
           path_of("deleted", parts.deleted) + path_of("inserted", parts.inserted) +
           path_of("shows", parts.allele) + path_of("other", parts.candidate) +
           path_of("quality", parts.mapping_quality) + path_of("strand", parts.strand) + texts +
           parts.letters + "</svg>\n";
}

std::string example_text(const variants::AlleleView& allele) {
    std::string text = std::string(static_cast<size_t>(ml::k_event_column), ' ') + "v\n" +
                       reference_of(allele) + "  MAPQ strand support (log10)\n";
    for (size_t pool = 0; pool < k_pool_order.size(); ++pool) {
        const std::vector<ExampleRow> rows = pool_rows(allele.rows, k_pool_order[pool]);
        const PoolCounts counts = pool_counts(allele.rows, k_pool_order[pool]);
        text += std::string(k_pool_titles[pool]) + ": " + std::to_string(rows.size());
        if (counts.reads > 0)
            text += ", " + std::to_string(counts.forward) + " forward, means: MAPQ " +
                    decimal(counts.mapping_quality, 1) + ", quality of equal bases " +
                    decimal(counts.match_quality, 1) + ", other bases " + decimal(counts.mismatches, 1);
        text += "\n";
        for (const ExampleRow& row : rows) {
            for (size_t column = 0; column < k_columns; ++column) {
                char cell = ' ';
                if (row.channel(column, k_deleted) != 0) cell = '*';
                if (row.channel(column, k_clipped) != 0) cell = '~';
                if (const int quality = row.channel(column, k_match) / k_match.scale)
                    cell = quality >= k_upper_case_quality ? '.' : ':';
                if (row.channel(column, k_mismatch) != 0) cell = cell_letter(row, column);
                if (row.channel(column, k_inserted) != 0) cell = '+';
                text += cell;
            }
            const double support =
                static_cast<double>(row.feature(ml::row_feature("support")) - ml::k_undecided) /
                ml::k_support_scale;
            text += "  " + std::to_string(row.mapping_quality()) + (row.is_reverse() ? " - " : " + ") +
                    shortest(support, 1) + "\n";
        }
    }
    return text;
}

}  // namespace gannet::pipeline::report
