// SPDX-License-Identifier: MIT
// Provides the reading of the texts of quality control: samtools stats, mosdepth and Picard metrics, as far
// as a report shows them.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gannet::pipeline::report {

/// All functions throw Error(malformed_input), with file and line, on rows that are not what the program of
/// the name writes. `name`: of the file, for messages.

/// Pairs of a value and how often it was seen, ascending.
using Counted = std::vector<std::pair<int64_t, uint64_t>>;

/// Of `samtools stats`; docs of its sections: samtools-stats(1).
struct StatsFile {
    std::map<std::string, double> numbers;                        ///< SN, by its name without the colon
    std::array<std::vector<std::vector<uint64_t>>, 2> qualities;  ///< FFQ, LFQ: cycle, then quality
    std::array<std::vector<std::pair<double, uint64_t>>, 2> gc;   ///< GCF, GCL: percent GC, reads
    std::vector<std::array<double, 4>> bases;                     ///< GCT: percent of A, C, G, T by cycle
    Counted inserts;                                              ///< IS: insert size, pairs
    Counted lengths;                                              ///< RL
    Counted mapping_qualities;                                    ///< MAPQ
    Counted depths;  ///< COV: depth, positions; the last one may be of greater depths, too

    /// Nothing where the file has no such number.
    std::optional<double> number(const std::string& of) const;
    /// numbers[part] / numbers[whole]; nothing where one is missing or the whole is 0.
    std::optional<double> share(const std::string& part, const std::string& whole) const;
    /// Bases with a quality of at least `quality`; nothing without bases.
    std::optional<double> share_of_quality(size_t quality) const;
};
StatsFile parse_stats(std::string_view text, const std::string& name);

/// A row of mosdepth's summary: its own bases and length, in the file's order; "total" is apart.
struct ContigDepth {
    std::string name;
    uint64_t length = 0;
    uint64_t bases = 0;
    double mean() const { return length == 0 ? 0 : static_cast<double>(bases) / static_cast<double>(length); }
};
struct DepthFile {
    std::vector<ContigDepth> contigs;
    ContigDepth total;
};
DepthFile parse_depth_summary(std::string_view text, const std::string& name);

/// "total" of mosdepth's distribution: share of positions (two decimals) of at least the depth, by depth from
/// 0 on; depths that the file leaves out have the share of the next deeper one that it has.
std::vector<double> parse_depth_distribution(std::string_view text, const std::string& name);

/// The table of METRICS CLASS of a Picard file: rows of texts by column.
using MetricsRow = std::map<std::string, std::string>;
/// What follows the table. A file that was cut between two rows has no such line. Of `blank_line_after_rows`
/// and `any_or_no_table` there may be no table, where a blank line is the last.
enum class TableEnd { blank_line, blank_line_after_rows, any, any_or_no_table };
std::vector<MetricsRow> parse_metrics(std::string_view text, const std::string& name, TableEnd end);
/// A number of a row; nothing where it is missing, empty or "?".
std::optional<double> metric(const MetricsRow& row, const std::string& column);

/// Of FastQC's modules of duplicate and of over-represented sequences, in its archive without compression.
struct SequencesFile {
    struct Row {
        std::string sequence;
        uint64_t count = 0;
        double percent = 0;  ///< of the reads
        std::string source;
    };
    double deduplicated = 0;  ///< percent of the sequences that would be left
    std::vector<Row> often;   ///< the most frequent first
};
/// Nothing where the archive has not these modules.
std::optional<SequencesFile> parse_fastqc_sequences(std::string_view archive, const std::string& name);

}  // namespace gannet::pipeline::report
