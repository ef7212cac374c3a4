// SPDX-License-Identifier: MIT
// Provides reading of BED.
#include "data/bed/reader.hpp"

#include "data/error.hpp"
#include "data/input_stream.hpp"
#include "data/line_reader.hpp"

#include <charconv>
#include <optional>
#include <string_view>
#include <vector>

namespace gannet::data::bed {
namespace {

/// The next column of `line`, cut off from it. Columns are separated by tabs; BED allows blanks too.
std::string_view take_column(std::string_view& line, const char* separators = "\t ") {
    const size_t end = std::min(line.find_first_of(separators), line.size());
    const std::string_view column = line.substr(0, end);
    line.remove_prefix(std::min(end + 1, line.size()));
    return column;
}

std::optional<int64_t> parse_position(std::string_view text) {
    int64_t value = 0;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
    if (result.ec != std::errc() || result.ptr != text.data() + text.size() || value < 0) return std::nullopt;
    return value;
}

/// Of the UCSC genome browser. A contig's name may begin with such a word.
bool is_line_of_browser(std::string_view line) {
    const std::string_view word = line.substr(0, line.find_first_of(" \t"));
    return word == "track" || word == "browser";
}

/// Of BED, or of a Picard interval_list: contig, first and last base (from 1), strand, name.
std::optional<Row> parse_line(std::string_view line, uint64_t number, const std::string& file,
                              const Reference& reference, bool is_interval_list) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || line[0] == '#' || is_line_of_browser(line)) return std::nullopt;
    if (is_interval_list && line[0] == '@') return std::nullopt;
    const auto refuse = [&](const std::string& cause) {
        throw_malformed(file,
                        "line " + std::to_string(number) + ": " + cause +
                            (is_interval_list ? " (behind a header of SAM: an interval_list is expected, "
                                                "with contig, begin, end, strand and name)"
                                              : ""));
    };
    const char* const start = line.data();
    const std::string_view name = take_column(line);
    const std::string_view begin_text = take_column(line);
    const std::string_view end_text = take_column(line);
    if (end_text.empty()) refuse("has fewer than three columns (contig, begin, end): this is not BED");
    auto begin = parse_position(begin_text);
    const auto end = parse_position(end_text);
    if (!begin) refuse("its begin '" + std::string(begin_text) + "' is not a number from 0 on");
    if (!end) refuse("its end '" + std::string(end_text) + "' is not a number from 0 on");
    // A name may have blanks where tabs separate the columns.
    const auto take_name = [&] {
        const bool has_tabs = line.data() > start && line.data()[-1] == '\t';
        return std::string(has_tabs ? take_column(line, "\t") : take_column(line));
    };
    std::string region_name = take_name();
    std::string strand;
    if (is_interval_list) {
        if (region_name != "+" && region_name != "-") refuse("its fourth column is not a strand (+ or -)");
        if (*begin == 0) refuse("its begin is 0, but it counts from 1");
        --*begin;
        strand = std::move(region_name);
        region_name = take_name();
    } else {
        take_name();  // the score
        strand = take_name();
    }
    if (*end < *begin) refuse("ends before it begins");
    const auto contig = reference.find(name);
    if (!contig) {
        throw Error(ErrorKind::reference_mismatch, file + ": line " + std::to_string(number) + ": " +
                                                       unknown_contig_message(name, reference));
    }
    const uint64_t length = reference.contigs()[*contig].length;
    if (*end > static_cast<int64_t>(length)) {
        refuse("ends at " + std::to_string(*end) + ", past the end of contig '" + std::string(name) + "' (" +
               std::to_string(length) + " bp)");
    }
    const bool has_strand = strand == "+" || strand == "-";
    return Row{{*contig, *begin, *end}, std::move(region_name), has_strand ? strand[0] : '.'};
}

}  // namespace

std::vector<Row> load_rows(const std::string& path, const Reference& reference) {
    auto stream = std::make_unique<InputStream>(path);
    const bool may_be_interval_list = stream->holds_alignments();  // its header is that of SAM
    LineReader lines(std::move(stream));
    std::vector<Row> rows;
    std::string_view line;
    while (lines.read(line)) {
        if (lines.number() == 1) {
            if (may_be_interval_list && !line.starts_with('@'))
                throw_malformed(lines.name(), "holds alignments (SAM, BAM or CRAM), not BED");
            line = without_byte_order_mark(line);
        }
        auto row = parse_line(line, lines.number(), lines.name(), reference, may_be_interval_list);
        if (row) rows.push_back(std::move(*row));
    }
    return rows;
}

RegionSet regions_of(std::span<const Row> rows) {
    std::vector<Region> regions;
    for (const Row& row : rows) regions.push_back(row.region);
    return RegionSet(std::move(regions));
}

RegionSet load(const std::string& path, const Reference& reference) {
    return regions_of(load_rows(path, reference));
}

}  // namespace gannet::data::bed
