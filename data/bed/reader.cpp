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

std::optional<Row> parse_line(std::string_view line, uint64_t number, const std::string& file,
                              const Reference& reference) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || line[0] == '#' || is_line_of_browser(line)) return std::nullopt;
    const auto refuse = [&](const std::string& cause) {
        throw_malformed(file, "line " + std::to_string(number) + ": " + cause);
    };
    const char* const start = line.data();
    const std::string_view name = take_column(line);
    const std::string_view begin_text = take_column(line);
    const std::string_view end_text = take_column(line);
    if (end_text.empty()) refuse("has fewer than three columns (contig, begin, end): this is not BED");
    const auto begin = parse_position(begin_text);
    const auto end = parse_position(end_text);
    if (!begin) refuse("its begin '" + std::string(begin_text) + "' is not a number from 0 on");
    if (!end) refuse("its end '" + std::string(end_text) + "' is not a number from 0 on");
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
    // A name may have blanks where tabs separate the columns.
    const bool has_tabs = line.data() > start && line.data()[-1] == '\t';
    return Row{{*contig, *begin, *end}, std::string(has_tabs ? take_column(line, "\t") : take_column(line))};
}

}  // namespace

std::vector<Row> load_rows(const std::string& path, const Reference& reference) {
    auto stream = std::make_unique<InputStream>(path);
    if (stream->holds_alignments())
        throw_malformed(stream->name(), "holds alignments (SAM, BAM or CRAM), not BED");
    LineReader lines(std::move(stream));
    std::vector<Row> rows;
    std::string_view line;
    while (lines.read(line)) {
        auto row = parse_line(line, lines.number(), lines.name(), reference);
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
