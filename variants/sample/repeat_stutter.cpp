// SPDX-License-Identifier: MIT
// Provides the counts of reads that change the length of a repeat.
#include "variants/sample/repeat_stutter.hpp"

#include "variants/arithmetic/log_math.hpp"
#include "variants/model/sample.hpp"
#include "variants/sample/gap_quality.hpp"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <limits>

namespace gannet::variants {

namespace {

constexpr int64_t k_flank_bp = sample_number("stutter_flank_bp");
constexpr uint32_t k_min_reads_of_repeat = sample_number("stutter_min_reads");
constexpr uint32_t k_min_reads_of_gaps = sample_number("stutter_min_reads_of_gaps");
// A second length with more than so many in ten of the reads may be the sample's other haplotype.
constexpr uint32_t k_max_second_tenths = sample_number("stutter_max_second_tenths");
constexpr uint32_t k_max_beyond_part = sample_number("stutter_max_beyond_part");
constexpr size_t k_no_class = StutterCounts::k_classes;
constexpr auto k_class_ends =
    sample_numbers<int64_t, 3>("stutter_class_ends_bp");  // of homopolymers, bp, excluded

size_t class_of(int64_t length, size_t period) {
    if (period == 2) return StutterCounts::k_period_2;
    if (period > 2) return k_no_class;
    return static_cast<size_t>(
        std::count_if(k_class_ends.begin(), k_class_ends.end(), [=](int64_t end) { return length >= end; }));
}

/// Homopolymers of 6 bases, repeats of period 2 of 10 bases, others of 12 and of three copies.
constexpr data::ShortestRepeats k_shortest_bp =
    sample_numbers<data::ShortestRepeats::value_type, 6>("stutter_shortest_bp");

}  // namespace

std::span<GapCounts::Count> GapCounts::of_period(size_t period) {
    if (period == 1) return homopolymer;
    return period == 2 ? std::span<Count>(period_2) : std::span<Count>(longer);
}

GapCounts::Count& GapCounts::count_of(int64_t length, size_t period) {
    const std::span<Count> counts = of_period(period);
    return counts[std::min(static_cast<size_t>(length) / period, counts.size() - 1)];
}

int64_t GapCounts::changed_length(int64_t length, size_t period, int32_t change) {
    const auto unit = static_cast<int32_t>(period);
    if (unit > k_stutter_reach_bp && std::abs(change) == k_stutter_reach_bp)
        change = change > 0 ? unit : -unit;
    return std::max<int64_t>(length + change, unit);
}

void GapCounts::add(const GapCounts& other) {
    const auto add_to = [](std::span<Count> sums, std::span<const Count> counts) {
        for (size_t i = 0; i < sums.size(); ++i) {
            sums[i].changed += counts[i].changed;
            sums[i].expected_billionths += counts[i].expected_billionths;
        }
    };
    add_to(homopolymer, other.homopolymer);
    add_to(period_2, other.period_2);
    add_to(longer, other.longer);
    varied.insert(varied.end(), other.varied.begin(), other.varied.end());
}

void StutterCounts::add(const StutterCounts& other) {
    for (size_t k = 0; k < k_classes; ++k) {
        reads[k] += other.reads[k];
        changed[k] += other.changed[k];
    }
    gaps.add(other.gaps);
}

int64_t StutterCounts::phred_centi(size_t k) const {
    return variants::phred_centi(log_of_ratio(2 * changed[k] + 1, 2 * reads[k] + 1));
}

std::string StutterCounts::to_text() const {
    static constexpr std::array<const char*, k_classes> k_names{"6-8 bp", "9-11 bp", "12-14 bp",
                                                                "15 bp or more", "period 2"};
    constexpr uint64_t k_per_percent = 10000;
    std::string text;
    for (size_t k = 0; k < k_classes; ++k) {
        if (!is_known(k)) continue;
        const uint64_t share = (changed[k] * k_per_percent + reads[k] / 2) / reads[k];
        const std::string digits = std::to_string(share % 100);
        text += (text.empty() ? "" : ", ") + std::string(k_names[k]) + " " + std::to_string(share / 100) +
                "." + (digits.size() < 2 ? "0" : "") + digits + " %";
    }
    return text.empty() ? "not measured" : text;
}

StutterWindow::StutterWindow(std::span<const data::Base> bases, int64_t begin, int64_t counted_from) {
    data::TandemRepeats repeats;
    repeats.find(bases);
    data::for_each_tandem_repeat(repeats, k_shortest_bp, [&](const data::TandemRepeats::Repeat& repeat) {
        const int64_t first = begin + static_cast<int64_t>(repeat.begin);
        const auto length = static_cast<int64_t>(repeat.length());
        if (first < counted_from) return;
        repeats_.push_back({first, first + length, class_of(length, repeat.period), repeat.period, {}});
    });
    std::sort(repeats_.begin(), repeats_.end(),
              [](const Repeat& a, const Repeat& b) { return a.begin < b.begin; });
}

void StutterWindow::add(const data::RecordView& record) {
    gaps_.clear();
    int64_t at = record.position();
    for (size_t i = 0; i < record.cigar_count(); ++i) {
        const data::CigarOp op = data::cigar_op(record.cigar(i));
        const auto length = static_cast<int32_t>(data::cigar_length(record.cigar(i)));
        if (length == 0) continue;
        if (op == data::k_cigar_skip) return;
        if (op == data::k_cigar_insertion) gaps_.push_back({at, at, length});
        if (op == data::k_cigar_deletion) gaps_.push_back({at, at + length, -length});
        if (data::cigar_consumes_reference(op)) at += length;
    }
    auto repeat = std::lower_bound(repeats_.begin(), repeats_.end(), record.position() + k_flank_bp,
                                   [](const Repeat& r, int64_t position) { return r.begin < position; });
    for (; repeat != repeats_.end() && repeat->begin + k_flank_bp < at; ++repeat) {
        if (repeat->end + k_flank_bp > at) continue;
        int32_t change = 0;
        for (const Gap& gap : gaps_) {
            if (gap.begin <= repeat->end && gap.end >= repeat->begin) change += gap.change;
        }
        uint16_t& count = repeat->reads[static_cast<size_t>(std::clamp(change, -k_reach, k_reach) + k_reach)];
        if (count < std::numeric_limits<uint16_t>::max()) ++count;
    }
}

void StutterWindow::finish(StutterCounts& counts) const {
    for (const Repeat& repeat : repeats_) {
        std::array<uint16_t, 2 * k_reach + 1> sorted = repeat.reads;
        std::sort(sorted.begin(), sorted.end(), std::greater<>());
        uint32_t reads = 0;
        for (const uint16_t n : sorted) reads += n;
        if (reads < k_min_reads_of_repeat || 10u * sorted[1] > k_max_second_tenths * reads) continue;
        if (repeat.kind == k_no_class) continue;
        counts.reads[repeat.kind] += reads;
        counts.changed[repeat.kind] += reads - sorted[0];
    }
    for (const Repeat& repeat : repeats_) count_gaps(repeat, counts.gaps);
}

void StutterWindow::count_gaps(const Repeat& repeat, GapCounts& gaps) {
    uint32_t reads = 0;
    for (const uint16_t n : repeat.reads) reads += n;
    if (reads < k_min_reads_of_gaps) return;
    const int64_t reference_bp = repeat.end - repeat.begin;
    const auto most = std::max_element(repeat.reads.begin(), repeat.reads.end());
    if (*most == reads) {
        const auto change = static_cast<int32_t>(most - repeat.reads.begin()) - k_reach;
        const int64_t length = GapCounts::changed_length(reference_bp, repeat.period, change);
        gaps.count_of(length, repeat.period).expected_billionths +=
            reads * stutter_per_billion(usual_gap_qualities(), length, repeat.period);
        return;
    }
    // Of whole copies, what changes by so much or more has one length only where that is one copy or two.
    const uint32_t beyond = uint32_t{repeat.reads.front()} + repeat.reads.back();
    const bool is_known = repeat.period == 2 || repeat.period >= static_cast<size_t>(k_reach);
    if (!is_known && k_max_beyond_part * beyond > reads) return;
    const auto length = std::min<int64_t>(reference_bp, std::numeric_limits<uint16_t>::max());
    gaps.varied.push_back({static_cast<uint8_t>(repeat.period), static_cast<uint16_t>(length), repeat.reads});
}

}  // namespace gannet::variants
