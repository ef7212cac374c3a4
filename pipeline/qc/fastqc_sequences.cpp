// SPDX-License-Identifier: MIT
// Provides FastQC's modules of duplicate and of over-represented sequences.
#include "pipeline/qc/fastqc_module.hpp"
#include "pipeline/qc/known_adapters.hpp"
#include "pipeline/qc/text.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <vector>

namespace gannet::pipeline::qc {
namespace {

constexpr StatusLimits k_deduplicated{70, 50};     // percent
constexpr StatusLimits k_overrepresented{0.1, 1};  // percent of the reads

/// Different sequences that are read `times` times in the whole file, of which `observed` were among the
/// first reads: more by the chance of one to be missed by all of them.
double corrected(uint64_t observed, uint64_t times, const TrackedSequences& tracked) {
    const auto reads = static_cast<int64_t>(tracked.reads());
    const auto looked_at = static_cast<int64_t>(tracked.reads_at_limit());
    const auto count = static_cast<double>(observed);
    // The second: no room for another one, by FastQC's rule.
    if (looked_at == reads || reads - static_cast<int64_t>(observed) < looked_at) return count;
    const double least = 1 - count / (count + 0.01);  // below it the correction is nothing
    double missed = 1;
    for (int64_t read = 0; read < looked_at; ++read) {
        missed *= static_cast<double>(reads - read - static_cast<int64_t>(times)) /
                  static_cast<double>(reads - read);
        if (missed < least) return count;
    }
    return count / (1 - missed);
}

/// Levels of duplication: 1 to 9 each, then the times from which on one begins.
constexpr std::array<uint64_t, 16> k_level_begins{1, 2,  3,  4,   5,   6,    7,    8,
                                                  9, 10, 51, 101, 501, 1001, 5001, 10'001};
constexpr std::array<const char*, 16> k_level_names{"1", "2",   "3",   "4",    "5",    "6",   "7",   "8",
                                                    "9", ">10", ">50", ">100", ">500", ">1k", ">5k", ">10k+"};

/// How Java's HashMap, by which FastQC orders sequences that are as frequent, spreads texts over its places.
uint32_t place_in_java_map(std::string_view letters, size_t entries) {
    uint32_t hash = 0;
    for (const char letter : letters) hash = 31 * hash + static_cast<unsigned char>(letter);
    uint64_t places = 16;
    while (4 * entries > 3 * places) places *= 2;
    return static_cast<uint32_t>((hash ^ hash >> 16) & (places - 1));
}

struct AdapterHit {
    std::string_view name;
    size_t length = 0;
    size_t percent = 0;
};

std::string reverse_complement_letters(std::string_view bases) {
    std::string out(bases.rbegin(), bases.rend());
    for (char& letter : out)
        letter =
            data::k_letter_of_base[data::complement(data::k_base_of_letter[static_cast<uint8_t>(letter)])];
    return out;
}

/// The longest stretch of more than 20 bases with at most one difference, the adapter's first base at
/// `offset` of the sequence.
void look_along(std::string_view adapter, std::string_view sequence, int64_t offset, AdapterHit& best) {
    constexpr int64_t k_min_bases = 21;
    const auto end = std::min<int64_t>(std::ssize(adapter), std::ssize(sequence) - offset);
    int64_t begin = std::max<int64_t>(0, -offset);
    int64_t last = begin - 1;  // equal base
    size_t differences = 0;
    size_t differences_to_last = 0;
    const auto take = [&] {
        const int64_t length = last + 1 - begin;
        if (length < k_min_bases || length <= static_cast<int64_t>(best.length)) return;
        best.length = static_cast<size_t>(length);
        best.percent = (best.length - differences_to_last) * 100 / best.length;
    };
    for (int64_t i = begin; i < end; ++i) {
        if (adapter[static_cast<size_t>(i)] == sequence[static_cast<size_t>(i + offset)]) {
            last = i;
            differences_to_last = differences;
        } else if (++differences > 1) {
            take();
            begin = i + 1;
            last = i;
            differences = differences_to_last = 0;
        }
    }
    take();
}

AdapterHit hit_of(const KnownAdapter& adapter, std::string_view sequence) {
    constexpr size_t k_min_short_bp = 8;
    constexpr int64_t k_aligned_bp = 20;
    AdapterHit best{adapter.name};
    for (const std::string& strand :
         {std::string(adapter.bases), reverse_complement_letters(adapter.bases)}) {
        if (sequence.size() < k_aligned_bp && sequence.size() >= k_min_short_bp && best.length == 0 &&
            strand.find(sequence) != std::string::npos)
            best = {adapter.name, sequence.size(), 100};
        for (int64_t offset = k_aligned_bp - std::ssize(strand); offset < std::ssize(sequence) - k_aligned_bp;
             ++offset)
            look_along(strand, sequence, offset, best);
    }
    return best;
}

std::string source_of(std::string_view sequence) {
    AdapterHit best;
    for (const KnownAdapter& adapter : k_known_adapters) {
        const AdapterHit hit = hit_of(adapter, sequence);
        if (hit.length > best.length) best = hit;
    }
    if (best.length == 0) return "No Hit";
    return std::string(best.name) + " (" + std::to_string(best.percent) + "% over " +
           std::to_string(best.length) + "bp)";
}

}  // namespace

void append_duplication(std::string& text, const TrackedSequences& tracked) {
    std::map<uint64_t, uint64_t> sequences_by_times;
    for (const auto& [start, times] : tracked.tracked()) ++sequences_by_times[times];
    double different = 0;
    double reads = 0;
    std::array<double, k_level_names.size()> different_of{};
    std::array<double, k_level_names.size()> reads_of{};
    for (const auto& [times, observed] : sequences_by_times) {
        const double count = corrected(observed, times, tracked);
        const double of_reads = count * static_cast<double>(times);
        const auto above = std::upper_bound(k_level_begins.begin(), k_level_begins.end(), times);
        const auto level = static_cast<size_t>(above - k_level_begins.begin()) - 1;
        different += count;
        reads += of_reads;
        different_of[level] += count;
        reads_of[level] += of_reads;
    }
    const double deduplicated = reads > 0 ? different / reads * 100 : 100;
    std::string lines = "#Total Deduplicated Percentage\t" + digits_of(deduplicated) +
                        "\n#Duplication Level\tPercentage of deduplicated\tPercentage of total\n";
    for (size_t level = 0; level < k_level_names.size(); ++level)
        append_line(lines, {k_level_names[level], digits_of(different_of[level] / different * 100),
                            digits_of(reads_of[level] / reads * 100)});
    append_module(text, "Sequence Duplication Levels", status_below(deduplicated, k_deduplicated), lines);
}

void append_overrepresented(std::string& text, const TrackedSequences& tracked) {
    struct Row {
        uint64_t count;
        uint32_t place;
        std::string letters;
    };
    const auto percent_of = [&tracked](uint64_t count) {
        return static_cast<double>(count) / static_cast<double>(tracked.reads()) * 100;
    };
    std::vector<Row> rows;
    for (const auto& [start, count] : tracked.tracked()) {
        if (!(percent_of(count) > k_overrepresented.warn)) continue;
        std::string letters = start.letters();
        const uint32_t place = place_in_java_map(letters, tracked.tracked().size());
        rows.push_back({count, place, std::move(letters)});
    }
    std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
        return std::tuple(b.count, a.place) < std::tuple(a.count, b.place);
    });
    std::string lines = rows.empty() ? "" : "#Sequence\tCount\tPercentage\tPossible Source\n";
    for (const Row& row : rows)
        append_line(lines,
                    {row.letters, row.count, digits_of(percent_of(row.count)), source_of(row.letters)});
    const double most = rows.empty() ? 0 : percent_of(rows.front().count);
    append_module(text, "Overrepresented sequences", status_above(most, k_overrepresented), lines);
}

}  // namespace gannet::pipeline::qc
