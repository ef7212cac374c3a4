// SPDX-License-Identifier: MIT
// Provides the text of FastQC.
#include "pipeline/qc/adapter_search.hpp"
#include "pipeline/qc/archive.hpp"
#include "pipeline/qc/base_content.hpp"
#include "pipeline/qc/fastqc_module.hpp"
#include "pipeline/qc/quality_control.hpp"
#include "pipeline/qc/text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>
#include <optional>

namespace gannet::pipeline::qc {
namespace {

using namespace data;

constexpr StatusLimits k_lower_quartile{10, 5};
constexpr StatusLimits k_median{25, 20};
constexpr StatusLimits k_mean_of_read{27, 20};
constexpr StatusLimits k_tile_deviation{5, 10};
constexpr StatusLimits k_base_difference{10, 20};
constexpr StatusLimits k_gc_deviation{15, 30};
constexpr StatusLimits k_unknown{5, 20};
constexpr StatusLimits k_adapter_share{5, 10};

/// Cycles [begin, end) that share a line.
struct Group {
    size_t begin;
    size_t end;
    std::string name() const {
        return end - begin == 1 ? std::to_string(end) : std::to_string(begin + 1) + "-" + std::to_string(end);
    }
};

/// The smallest of 2, 5, 10, 20, ... that makes fewer than 75 groups of the cycles after the ninth.
size_t interval_of(size_t cycles) {
    for (size_t scale = 1;; scale *= 10) {
        for (const size_t step : {2, 5, 10}) {
            if (9 + (cycles - 9 + step * scale - 1) / (step * scale) < 75) return step * scale;
        }
    }
}

std::vector<Group> groups_of(size_t cycles) {
    std::vector<Group> groups;
    const size_t interval = cycles <= 75 ? 1 : interval_of(cycles);
    for (size_t first = 1; first <= cycles;) {
        size_t next = first + (first < 10 ? 1 : interval);
        if (first == 10 && interval > 10) next = interval;  // up to the first multiple
        groups.push_back({first - 1, std::min(next - 1, cycles)});
        first = next;
    }
    return groups;
}

double mean_quality(const std::array<uint64_t, 256>& reads) {
    uint64_t count = 0;
    uint64_t sum = 0;
    for (size_t quality = 0; quality < reads.size(); ++quality) {
        count += reads[quality];
        sum += quality * reads[quality];
    }
    return static_cast<double>(sum) / static_cast<double>(count);
}

double percentile(const std::array<uint64_t, 256>& reads, uint64_t total, unsigned percent) {
    const uint64_t wanted = total * percent / 100;
    uint64_t count = 0;
    for (size_t quality = 0; quality < reads.size(); ++quality) {
        count += reads[quality];
        if (count >= wanted) return static_cast<double>(quality);
    }
    return 0;
}

void append_quality_by_cycle(std::string& text, const CycleCounts& counts) {
    constexpr std::array<unsigned, 5> k_percents{50, 25, 75, 10, 90};
    constexpr uint64_t k_min_reads = 100;  // that a percentile is made of
    std::string lines =
        "#Base\tMean\tMedian\tLower Quartile\tUpper Quartile\t10th Percentile\t90th Percentile\n";
    Status status = Status::pass;
    for (const Group& group : groups_of(counts.cycles())) {
        double mean = 0;
        std::array<double, k_percents.size()> sums{};
        size_t counted = 0;
        for (size_t cycle = group.begin; cycle < group.end; ++cycle) {
            const auto& reads = counts.qualities[cycle];
            const uint64_t total = std::accumulate(reads.begin(), reads.end(), uint64_t{0});
            mean += mean_quality(reads);
            if (total <= k_min_reads) continue;
            ++counted;
            for (size_t i = 0; i < sums.size(); ++i) sums[i] += percentile(reads, total, k_percents[i]);
        }
        lines += group.name() + "\t" + digits_of(mean / static_cast<double>(group.end - group.begin));
        for (double& sum : sums) {
            sum /= static_cast<double>(counted);  // NaN where no cycle has enough reads
            lines += "\t" + digits_of(sum);
        }
        lines += "\n";
        if (counted > 0)
            status =
                std::max({status, status_below(sums[0], k_median), status_below(sums[1], k_lower_quartile)});
    }
    if (counts.cycles() > 0) append_module(text, "Per base sequence quality", status, lines);
}

/// How far the mean quality of a tile is from that of all tiles.
void append_tiles(std::string& text, const TileQualities::Tiles& tiles) {
    size_t cycles = 0;
    for (const auto& [number, tile] : tiles) cycles = std::max(cycles, tile.reads.size());
    if (cycles == 0) return;
    const std::vector<Group> groups = groups_of(cycles);
    std::vector<std::vector<double>> means;
    std::vector<double> average(groups.size());
    for (const auto& [number, tile] : tiles) {
        std::vector<double>& of_tile = means.emplace_back(groups.size());
        for (size_t i = 0; i < groups.size(); ++i) {
            double sum = 0;
            size_t counted = 0;
            for (size_t cycle = groups[i].begin; cycle < std::min(groups[i].end, tile.reads.size());
                 ++cycle) {
                if (tile.reads[cycle] == 0) continue;
                sum += static_cast<double>(tile.sums[cycle]) / static_cast<double>(tile.reads[cycle]);
                ++counted;
            }
            if (counted > 0) of_tile[i] = sum / static_cast<double>(counted);
            average[i] += of_tile[i];
        }
    }
    std::string lines = "#Tile\tBase\tMean\n";
    double most = 0;
    size_t row = 0;
    for (const auto& [number, tile] : tiles) {
        for (size_t i = 0; i < groups.size(); ++i) {
            const double off = means[row][i] - average[i] / static_cast<double>(tiles.size());
            most = std::max(most, std::abs(off));
            lines += std::to_string(number) + "\t" + groups[i].name() + "\t" + digits_of(off) + "\n";
        }
        ++row;
    }
    append_module(text, "Per tile sequence quality", status_above(most, k_tile_deviation), lines);
}

void append_quality_by_read(std::string& text, const Histogram& reads) {
    std::string lines = "#Quality\tCount\n";
    size_t most_often = 0;
    std::optional<size_t> first;
    for (size_t quality = 0; quality < reads.size(); ++quality) {
        if (!first && reads[quality] == 0) continue;
        if (!first) first = most_often = quality;
        if (reads[quality] > reads[most_often]) most_often = quality;
        lines += std::to_string(quality) + "\t" + digits_of(static_cast<double>(reads[quality])) + "\n";
    }
    const auto mode = static_cast<double>(most_often);
    const Status status = mode <= k_mean_of_read.fail   ? Status::fail
                          : mode <= k_mean_of_read.warn ? Status::warn
                                                        : Status::pass;
    if (first) append_module(text, "Per sequence quality scores", status, lines);
}

Bases bases_of_group(const CycleCounts& counts, const Group& group) {
    Bases sums{};
    for (size_t cycle = group.begin; cycle < group.end; ++cycle) {
        const Bases bases = bases_at(counts, cycle, true);
        for (size_t base = 0; base < sums.size(); ++base) sums[base] += bases[base];
    }
    return sums;
}

void append_base_content(std::string& text, const CycleCounts& counts) {
    std::string lines = "#Base\tG\tA\tT\tC\n";
    Status status = Status::pass;
    for (const Group& group : groups_of(counts.cycles())) {
        const Bases bases = bases_of_group(counts, group);
        const auto known = static_cast<double>(bases[0] + bases[1] + bases[2] + bases[3]);
        const auto percent = [&](size_t base) { return static_cast<double>(bases[base]) / known * 100; };
        lines += group.name();
        for (const size_t base : {2, 0, 3, 1}) lines += "\t" + digits_of(percent(base));
        lines += "\n";
        status = std::max({status, status_above(std::abs(percent(1) - percent(2)), k_base_difference),
                           status_above(std::abs(percent(0) - percent(3)), k_base_difference)});
    }
    append_module(text, "Per base sequence content", status, lines);
}

void append_unknown(std::string& text, const CycleCounts& counts) {
    std::string lines = "#Base\tN-Count\n";
    Status status = Status::pass;
    for (const Group& group : groups_of(counts.cycles())) {
        const Bases bases = bases_of_group(counts, group);
        const auto all = static_cast<double>(std::accumulate(bases.begin(), bases.end(), uint64_t{0}));
        const double percent = 100 * (static_cast<double>(bases[4]) / all);
        lines += group.name() + "\t" + digits_of(percent) + "\n";
        status = std::max(status, status_above(percent, k_unknown));
    }
    append_module(text, "Per base N content", status, lines);
}

using GcPercents = std::array<double, 101>;

/// Reads of `length` bases by percent: a read with k C and G stands for k - 0.5 to k + 0.5 of them, and each
/// percent is shared by the counts that reach it.
void add_gc(GcPercents& percents, uint32_t length, const Histogram& reads) {
    const auto percent_of = [length](double count) {
        return static_cast<size_t>(
            std::floor(std::clamp(count, 0.0, static_cast<double>(length)) * 100 / length + 0.5));
    };
    std::array<unsigned, 101> sharing{};
    for (uint32_t gc = 0; gc <= length; ++gc)
        for (size_t percent = percent_of(gc - 0.5); percent <= percent_of(gc + 0.5); ++percent)
            ++sharing[percent];
    for (uint32_t gc = 0; gc <= length; ++gc)
        for (size_t percent = percent_of(gc - 0.5); percent <= percent_of(gc + 0.5); ++percent)
            percents[percent] += static_cast<double>(reads[gc]) / sharing[percent];
}

/// The mean of the percents around the most frequent one that have at least nine tenths of its reads; that
/// one where they reach an end.
double mode_of(const GcPercents& percents) {
    const auto most =
        static_cast<size_t>(std::max_element(percents.begin(), percents.end()) - percents.begin());
    const auto is_high = [&](size_t percent) {
        return percents[percent] > percents[most] - percents[most] / 10;
    };
    size_t first = most;
    size_t end = most;
    while (end < percents.size() && is_high(end)) ++end;
    while (first > 0 && is_high(first - 1)) --first;
    if (end == percents.size() || first == 0) return static_cast<double>(most);
    return static_cast<double>(first + end - 1) / 2;
}

/// How far the reads are from a normal distribution around the mode, in percent of the reads.
double deviation_from_normal(const GcPercents& percents) {
    const double total = std::accumulate(percents.begin(), percents.end(), 0.0);
    const double mode = mode_of(percents);
    double squares = 0;
    for (size_t i = 0; i < percents.size(); ++i)
        squares += (static_cast<double>(i) - mode) * (static_cast<double>(i) - mode) * percents[i];
    const double variance = squares / (total - 1);
    double deviation = 0;
    for (size_t i = 0; i < percents.size(); ++i) {
        const double off = static_cast<double>(i) - mode;
        const double expected =
            std::exp(-off * off / (2 * variance)) / std::sqrt(2 * std::numbers::pi * variance) * total;
        deviation += std::abs(expected - percents[i]);
    }
    return deviation / total * 100;
}

void append_gc(std::string& text, const CycleCounts& counts) {
    GcPercents percents{};
    for (const auto& [length, reads] : counts.gc_starts) add_gc(percents, length, reads);
    std::string lines = "#GC Content\tCount\n";
    for (size_t percent = 0; percent < percents.size(); ++percent)
        lines += std::to_string(percent) + "\t" + digits_of(percents[percent]) + "\n";
    append_module(text, "Per sequence GC content",
                  status_above(deviation_from_normal(percents), k_gc_deviation), lines);
}

void append_lengths(std::string& text, const Histogram& lengths, size_t shortest, size_t longest) {
    const size_t least = shortest > 0 ? shortest - 1 : 0;
    const size_t most = longest + 1;
    size_t interval = 1;
    for (size_t scale = 1; (most - least) / interval > 50; scale *= 10) {
        for (const size_t step : {1, 2, 5}) {
            interval = step * scale;
            if ((most - least) / interval <= 50) break;
        }
    }
    std::string lines = "#Length\tCount\n";
    const size_t start = least / interval * interval;
    for (size_t begin = start; begin <= most; begin += interval) {
        const size_t last = std::min(begin + interval - 1, most);
        uint64_t reads = 0;
        for (size_t length = begin; length <= last; ++length) reads += lengths[length];
        if (reads == 0 && (begin == start || begin + interval > most)) continue;
        lines += std::to_string(begin) + (interval == 1 ? "" : "-" + std::to_string(last)) + "\t" +
                 digits_of(static_cast<double>(reads)) + "\n";
    }
    const Status status = lengths[0] > 0 ? Status::fail : shortest < longest ? Status::warn : Status::pass;
    append_module(text, "Sequence Length Distribution", status, lines);
}

/// A read counts from the adapter on, up to the last place where one can begin in the longest read.
void append_adapters(std::string& text, const CycleCounts& counts, uint64_t reads, size_t longest) {
    if (longest <= k_adapter_bases) return append_module(text, "Adapter Content", Status::warn, "");
    const size_t places = longest - k_adapter_bases + 1;
    std::array<std::vector<uint64_t>, k_fastqc_adapters> seen;
    std::string lines = "#Position";
    for (size_t i = 0; i < seen.size(); ++i) {
        lines += std::string("\t") + k_adapter_list[i].name;
        for (size_t place = 0; place < places; ++place)
            seen[i].push_back((place == 0 ? 0 : seen[i].back()) + counts.adapters[i][place]);
    }
    lines += "\n";
    Status status = Status::pass;
    for (const Group& group : groups_of(places)) {
        lines += group.name();
        for (const std::vector<uint64_t>& of : seen) {
            double sum = 0;
            for (size_t place = group.begin; place < group.end; ++place)
                sum += static_cast<double>(of[place]) * 100 / static_cast<double>(reads);
            const double percent = sum / static_cast<double>(group.end - group.begin);
            status = std::max(status, status_above(percent, k_adapter_share));
            lines += "\t" + digits_of(percent);
        }
        lines += "\n";
    }
    append_module(text, "Adapter Content", status, lines);
}

/// Primary reads without bases.
uint64_t reads_without_bases(const Counts& counts, Fragment fragment) {
    uint64_t reads = 0;
    for (size_t flag = 0; flag < counts.flags_without_bases.size(); ++flag) {
        const bool is_last = (flag & k_flag_paired) != 0 && (flag & k_flag_read2) != 0;
        if ((flag & k_is_extra) == 0 && is_last == (fragment == k_last))
            reads += counts.flags_without_bases[flag];
    }
    return reads;
}

const char* part_of(const Counts& counts, Fragment fragment) {
    if (fragment == k_last) return "_R2";
    return counts.cycles[k_last].reads() > 0 ? "_R1" : "";
}

}  // namespace

std::string fastqc_text(const Counts& counts, const SequenceTracker* sequences, Fragment fragment,
                        const Origin& origin) {
    const CycleCounts& of = counts.cycles[fragment];
    Histogram lengths = of.lengths[0];
    lengths.merge(of.lengths[1]);
    lengths.add(0, reads_without_bases(counts, fragment));
    const uint64_t reads = lengths.total();
    size_t shortest = 0;
    while (shortest + 1 < lengths.size() && lengths[shortest] == 0) ++shortest;
    const size_t longest = lengths.size() - 1;
    const Bases bases = bases_of_group(of, {0, of.cycles()});
    const uint64_t known = bases[0] + bases[1] + bases[2] + bases[3];

    // FastQC's version comes first: MultiQC knows the layout by it.
    std::string text = "##FastQC\t0.11.9\n";
    std::string basics = "#Measure\tValue\n";
    append_line(basics, {"Filename", origin.sample + part_of(counts, fragment) + ".fastq.gz"});
    append_line(basics, {"File type", "Conventional base calls"});
    append_line(basics, {"Encoding", "Sanger / Illumina 1.9"});
    append_line(basics, {"Total Sequences", reads});
    append_line(basics, {"Sequences flagged as poor quality", 0});
    append_line(basics, {"Sequence length", std::to_string(shortest) +
                                                (shortest == longest ? "" : "-" + std::to_string(longest))});
    append_line(basics, {"%GC", known == 0 ? 0 : (bases[1] + bases[2]) * 100 / known});
    append_module(text, "Basic Statistics", Status::pass, basics);
    if (of.reads() == 0) return text;
    append_quality_by_cycle(text, of);
    if (sequences != nullptr) append_tiles(text, sequences->tiles(fragment).tiles());
    append_quality_by_read(text, of.mean_quality);
    append_base_content(text, of);
    append_gc(text, of);
    append_unknown(text, of);
    append_lengths(text, lengths, shortest, longest);
    if (sequences != nullptr) {
        append_duplication(text, sequences->file(fragment));
        append_overrepresented(text, sequences->file(fragment));
    }
    append_adapters(text, of, reads, longest);
    return text;
}

std::string fastqc_archive(const Counts& counts, const SequenceTracker* sequences, Fragment fragment,
                           const Origin& origin) {
    return archive_of(origin.sample + part_of(counts, fragment) + "_fastqc", "fastqc_data.txt",
                      fastqc_text(counts, sequences, fragment, origin));
}

}  // namespace gannet::pipeline::qc
