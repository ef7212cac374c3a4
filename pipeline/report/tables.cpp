// SPDX-License-Identifier: MIT
// Provides the reading of the texts of quality control.
#include "pipeline/report/tables.hpp"

#include "pipeline/report/rows.hpp"

#include <algorithm>

namespace gannet::pipeline::report {
namespace {

/// More columns, cycles or depths than this are not what gannet writes.
constexpr size_t k_max_columns = 256;
constexpr size_t k_max_depth = 1'000'000;

void add_summary_number(const Rows& row, StatsFile& stats) {
    std::string_view title = row[1];
    if (title.ends_with(':')) title.remove_suffix(1);
    stats.numbers[std::string(title)] = row.number<double>(2);
}

void add_qualities(const Rows& row, std::vector<std::vector<uint64_t>>& cycles) {
    if (row.size() > k_max_columns + 2) row.refuse("has too many qualities");
    std::vector<uint64_t> counts;
    for (size_t field = 2; field < row.size(); ++field) counts.push_back(row.number<uint64_t>(field));
    cycles.push_back(std::move(counts));
}

/// All depths beyond the table are rows of its last one.
void add_depth(const Rows& row, Counted& depths) {
    const auto depth = row.number<int64_t>(2);
    if (depths.empty() || depths.back().first != depth) depths.emplace_back(depth, 0);
    depths.back().second += row.number<uint64_t>(3);
}

/// The lines of a module of FastQC; empty where the text has no such module.
std::string_view fastqc_module(std::string_view text, const std::string& title) {
    const size_t at = text.find("\n>>" + title + "\t");
    if (at == std::string_view::npos) return {};
    const size_t begin = text.find('\n', at + 1);
    const size_t end = text.find("\n>>END_MODULE", at + 1);
    if (begin == std::string_view::npos || end == std::string_view::npos) return {};
    return text.substr(begin + 1, end - begin);
}

}  // namespace

std::optional<double> StatsFile::number(const std::string& of) const {
    const auto at = numbers.find(of);
    return at == numbers.end() ? std::nullopt : std::optional<double>(at->second);
}

std::optional<double> StatsFile::share(const std::string& part, const std::string& whole) const {
    const auto of = number(whole);
    const auto some = number(part);
    return of && some && *of > 0 ? std::optional<double>(*some / *of) : std::nullopt;
}

std::optional<double> StatsFile::share_of_quality(size_t quality) const {
    uint64_t all = 0;
    uint64_t good = 0;
    for (const auto& mate : qualities) {
        for (const auto& counts : mate) {
            for (size_t q = 0; q < counts.size(); ++q) {
                all += counts[q];
                good += q >= quality ? counts[q] : 0;
            }
        }
    }
    return all == 0 ? std::nullopt
                    : std::optional<double>(static_cast<double>(good) / static_cast<double>(all));
}

StatsFile parse_stats(std::string_view text, const std::string& name) {
    StatsFile stats;
    Rows row(text, name);
    while (row.next()) {
        if (row.line().empty() || row.line()[0] == '#') continue;
        const std::string_view tag = row[0];
        const auto counted = [&row](Counted& into) {
            into.emplace_back(row.number<int64_t>(1), row.number<uint64_t>(2));
        };
        if (tag == "SN")
            add_summary_number(row, stats);
        else if (tag == "FFQ" || tag == "LFQ")
            add_qualities(row, stats.qualities[tag[0] == 'L' ? 1 : 0]);
        else if (tag == "GCF" || tag == "GCL")
            stats.gc[tag[2] == 'L' ? 1 : 0].emplace_back(row.number<double>(1), row.number<uint64_t>(2));
        else if (tag == "GCT")
            stats.bases.push_back(
                {row.number<double>(2), row.number<double>(3), row.number<double>(4), row.number<double>(5)});
        else if (tag == "IS")
            counted(stats.inserts);
        else if (tag == "RL")
            counted(stats.lengths);
        else if (tag == "MAPQ")
            counted(stats.mapping_qualities);
        else if (tag == "COV")
            add_depth(row, stats.depths);
    }
    if (stats.numbers.empty()) data::throw_malformed(name, "is not a text of samtools stats");
    return stats;
}

DepthFile parse_depth_summary(std::string_view text, const std::string& name) {
    DepthFile file;
    Rows row(text, name);
    if (!row.next() || row[0] != "chrom") data::throw_malformed(name, "is not a summary of mosdepth");
    while (row.next()) {
        ContigDepth contig{std::string(row[0]), row.number<uint64_t>(1), row.number<uint64_t>(2)};
        // Of targets, after the row of the contig that they are on.
        const std::string& before = contig.name == "total_region" || file.contigs.empty()
                                        ? file.total.name
                                        : file.contigs.back().name;
        if (contig.name == before + "_region") continue;
        if (contig.name == "total")
            file.total = contig;
        else
            file.contigs.push_back(std::move(contig));
    }
    if (file.total.name.empty()) data::throw_malformed(name, "has no line of the total: the file was cut");
    return file;
}

std::vector<double> parse_depth_distribution(std::string_view text, const std::string& name) {
    std::vector<double> shares;
    Rows row(text, name);
    while (row.next()) {
        if (row[0] != "total") continue;
        const auto depth = row.number<uint64_t>(1);
        const auto share = row.number<double>(2);
        if (depth > k_max_depth || !(share >= 0 && share <= 1.01)) row.refuse("is not one of mosdepth");
        if (depth >= shares.size()) shares.resize(depth + 1, -1);
        shares[depth] = share;
    }
    double deeper = 0;
    for (size_t depth = shares.size(); depth-- > 0;) {
        if (shares[depth] < 0) shares[depth] = deeper;
        deeper = shares[depth];
    }
    return shares;
}

std::vector<MetricsRow> parse_metrics(std::string_view text, const std::string& name, TableEnd end) {
    std::vector<MetricsRow> rows;
    Rows row(text, name);
    bool found = false;
    while (!found && row.next()) found = row.line().starts_with("## METRICS CLASS");
    const bool may_lack_table = end == TableEnd::blank_line_after_rows || end == TableEnd::any_or_no_table;
    if (!found && may_lack_table && text.ends_with("\n\n")) return rows;
    if (!found)
        data::throw_malformed(name, "has no table of Picard's metrics: it was cut, or is another file");
    if (!row.next()) data::throw_malformed(name, "has no columns after METRICS CLASS: the file was cut");
    std::vector<std::string> columns;
    for (size_t field = 0; field < row.size(); ++field) columns.emplace_back(row[field]);
    bool has_blank_line = false;
    while (row.next() && !(has_blank_line = row.line().empty())) {
        if (row.size() != columns.size())
            row.refuse("has " + std::to_string(row.size()) + " fields, and there are " +
                       std::to_string(columns.size()) + " columns");
        MetricsRow values;
        for (size_t field = 0; field < row.size(); ++field) values[columns[field]] = std::string(row[field]);
        rows.push_back(std::move(values));
    }
    const bool needs_blank_line =
        end == TableEnd::blank_line || (end == TableEnd::blank_line_after_rows && !rows.empty());
    if (needs_blank_line && !has_blank_line)
        data::throw_malformed(name, "ends within its table of metrics: the file was cut");
    return rows;
}

std::optional<double> metric(const MetricsRow& row, const std::string& column) {
    const auto at = row.find(column);
    double value = 0;
    if (at == row.end() || !parse_number(std::string_view(at->second), value)) return std::nullopt;
    return value;
}

std::optional<SequencesFile> parse_fastqc_sequences(std::string_view archive, const std::string& name) {
    SequencesFile file;
    Rows level(fastqc_module(archive, "Sequence Duplication Levels"), name);
    if (!level.next()) return std::nullopt;
    file.deduplicated = level.number<double>(1);
    Rows row(fastqc_module(archive, "Overrepresented sequences"), name);
    while (row.next()) {
        if (row.line().starts_with('#')) continue;
        file.often.push_back(
            {std::string(row[0]), row.number<uint64_t>(1), row.number<double>(2), std::string(row[3])});
    }
    return file;
}

}  // namespace gannet::pipeline::report
