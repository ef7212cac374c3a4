// SPDX-License-Identifier: MIT
// Provides the tables of gap-open qualities, their fit to a sample, and the search for repeats.
#include "variants/sample/gap_quality.hpp"

#include "variants/arithmetic/integer_root.hpp"
#include "variants/arithmetic/log_math.hpp"
#include "variants/model/sample.hpp"

#include <algorithm>

namespace gannet::variants {

namespace {

constexpr GapQualityTable k_usual = {
    sample_numbers<uint8_t, GapCounts::k_homopolymer_lengths>("gap_open_homopolymer"),
    sample_numbers<uint8_t, GapCounts::k_copy_numbers>("gap_open_period_2"),
    sample_numbers<uint8_t, GapCounts::k_copy_numbers>("gap_open_period_3_to_6")};
constexpr uint8_t k_no_repeat = sample_number("gap_open_no_repeat");
static_assert(k_no_repeat <= log_tables::k_max_rate_phred);
// The longest repeats with the quality of no repeat, as the table has it: shorter ones are not looked for.
constexpr size_t k_min_copies = 3;
constexpr size_t k_min_equal_bp = 4;
static_assert(k_usual.homopolymer[k_min_equal_bp] == k_no_repeat &&
              k_usual.longer[k_min_copies - 1] == k_no_repeat &&
              k_usual.period_2[k_min_copies - 1] == k_no_repeat);

// Expected changes that stand for a ratio before any is counted. The table of homopolymers is known to fit
// usual libraries, and one heterozygous repeat that is taken for a homozygous one adds up to five changes.
constexpr uint64_t k_homopolymer_prior = sample_number("gap_prior_homopolymer");
constexpr uint64_t k_period_prior = sample_number("gap_prior_longer");
constexpr uint64_t k_max_ratio = sample_number("gap_max_ratio");
constexpr uint64_t k_ratio_unit = 1'000'000;  // a ratio of 1
constexpr uint64_t k_lowest_ratio = k_ratio_unit / sample_number("gap_min_ratio_part");
constexpr int64_t k_lowest_quality = sample_number("gap_open_lowest");
constexpr size_t k_first_moved = k_min_copies;  // shorter ones have the quality of no repeat
constexpr uint64_t k_billion = 1'000'000'000;
constexpr uint64_t k_certain_deviations = sample_number("gap_certain_deviations");
constexpr uint8_t k_many_phred = sample_number("stutter_many_phred");
constexpr uint64_t k_many_percent = sample_number("stutter_many_percent");
// A further base of a gap is one in so many.
constexpr uint64_t k_gap_extension = sample_number("gap_extension_part");

constexpr uint64_t ratio_of(uint64_t changed_billionths, uint64_t expected_billionths) {
    return changed_billionths / (expected_billionths / k_ratio_unit);
}

constexpr uint64_t raising_ratio(uint64_t ratio) {
    return std::clamp(ratio, k_ratio_unit, k_max_ratio * k_ratio_unit);
}

uint64_t deviations(uint64_t changed, uint64_t number) {
    return number * static_cast<uint64_t>(integer_root(static_cast<int64_t>(changed)));
}

/// The ratio of counted changes to expected ones at each length, as gap_qualities_of() states it; `ratio` is
/// that of the shortest length before any are counted, `lowest` the least one.
template <size_t n>
void fit(std::array<uint64_t, n>& ratios, const std::array<GapCounts::Count, n>& counts, uint64_t prior,
         uint64_t ratio, uint64_t lowest, uint64_t certain) {
    ratios.fill(k_ratio_unit);
    for (size_t i = k_first_moved; i < n; ++i) {
        const uint64_t before = prior * k_billion / k_ratio_unit * ratio;
        const uint64_t expected = counts[i].expected_billionths + prior * k_billion;
        const auto of_changed = [&](uint64_t changed) {
            return ratio_of(changed * k_billion + before, expected);
        };
        // Less some deviations: few may be of the other haplotype of a few repeats.
        const uint64_t changed = counts[i].changed;
        const uint64_t at_least = of_changed(changed - std::min(changed, deviations(changed, certain)));
        const uint64_t at_most = of_changed(changed + deviations(changed, certain));
        ratio = at_least > k_ratio_unit ? raising_ratio(at_least) : std::clamp(at_most, lowest, k_ratio_unit);
        ratios[i] = ratio;
    }
}

template <size_t n>
void move(std::array<uint8_t, n>& qualities, const std::array<uint64_t, n>& ratios) {
    for (size_t i = k_first_moved; i < n; ++i) {
        const int64_t offset_centi = int64_t{log_of_ratio(ratios[i], k_ratio_unit)} * 1000 / k_log_scale;
        const int64_t quality = (int64_t{qualities[i]} * 100 - offset_centi + 50) / 100;
        qualities[i] = static_cast<uint8_t>(std::clamp<int64_t>(quality, k_lowest_quality, qualities[i - 1]));
    }
}

/// More copies than the table has are as its last entry.
uint8_t of_copies(std::span<const uint8_t> qualities, size_t copies) {
    return qualities[std::min(copies, qualities.size() - 1)];
}

uint64_t expected_in_homopolymers(const GapCounts& counts) {
    uint64_t expected = 0;
    for (const GapCounts::Count& count : counts.homopolymer) expected += count.expected_billionths;
    return expected;
}

/// Of all homopolymers together.
uint64_t ratio_of_homopolymers(const GapCounts& counts) {
    uint64_t changed = 0;
    for (const GapCounts::Count& count : counts.homopolymer) changed += count.changed;
    return raising_ratio(ratio_of((changed + k_homopolymer_prior) * k_billion,
                                  expected_in_homopolymers(counts) + k_homopolymer_prior * k_billion));
}

GapRatios ratios_of(const GapCounts& counts, uint64_t certain) {
    GapRatios ratios;
    fit(ratios.homopolymer, counts.homopolymer, k_homopolymer_prior, k_ratio_unit, k_lowest_ratio, 0);
    const uint64_t library = ratio_of_homopolymers(counts);
    fit(ratios.period_2, counts.period_2, k_period_prior, library, k_ratio_unit, certain);
    fit(ratios.longer, counts.longer, k_period_prior, library, k_ratio_unit, certain);
    return ratios;
}

}  // namespace

std::span<const uint8_t> GapQualityTable::of_period(size_t period) const {
    if (period == 1) return homopolymer;
    return period == 2 ? period_2 : longer;
}

const GapQualityTable& usual_gap_qualities() { return k_usual; }

uint64_t stutter_per_billion(const GapQualityTable& table, int64_t length, size_t period) {
    const auto bases = static_cast<size_t>(length);
    const uint64_t at_each = billionths_of_phred(of_copies(table.of_period(period), bases / period));
    // A deletion can be put at each base, an insertion also behind the last one.
    if (period == 1) return (2 * bases + 1) * at_each;
    uint64_t rate = 2 * bases * at_each;
    for (size_t i = 1; i < period; ++i) rate /= k_gap_extension;
    return rate;
}

uint64_t GapRatios::of_length(int64_t length, size_t period) const {
    const auto copies = static_cast<size_t>(length) / period;
    if (period == 1) return homopolymer[std::min(copies, homopolymer.size() - 1)];
    const auto& ratios = period == 2 ? period_2 : longer;
    return ratios[std::min(copies, ratios.size() - 1)];
}

GapRatios gap_ratios_of(const GapCounts& counts) { return ratios_of(counts, 0); }

GapQualityTable gap_qualities_of(const GapCounts& counts) {
    GapQualityTable table = k_usual;
    const GapRatios ratios = ratios_of(counts, k_certain_deviations);
    move(table.homopolymer, ratios.homopolymer);
    move(table.period_2, ratios.period_2);
    move(table.longer, ratios.longer);
    table.is_measured = expected_in_homopolymers(counts) >= k_homopolymer_prior * k_billion;
    return table;
}

bool has_much_stutter(const GapQualityTable& table) {
    return !std::ranges::equal(table.homopolymer, k_usual.homopolymer,
                               [](uint8_t quality, uint8_t usual) { return quality + k_many_phred > usual; });
}

bool has_much_stutter(const GapQualityTable& table, int64_t length, size_t period) {
    return has_much_stutter(table) &&
           100 * stutter_per_billion(table, length, period) >=
               k_many_percent * stutter_per_billion(usual_gap_qualities(), length, period);
}

int32_t stutter_per_million(const ReferenceSlice& slice, const Allele& allele,
                            const std::vector<data::Base>& arena, const GapQualityTable& gaps) {
    if (!allele.is_indel() || !has_much_stutter(gaps)) return 0;
    const RepeatContext repeat = repeat_of(slice, allele, arena);
    const auto period = static_cast<size_t>(repeat.period);
    if (period == 0 || period > GapCounts::k_max_period) return 0;
    const int64_t length = int64_t{repeat.period} * repeat.copies;
    if (!has_much_stutter(gaps, length, period)) return 0;
    return static_cast<int32_t>(
        std::min<uint64_t>(stutter_per_billion(gaps, length, period) / 1000, 1'000'000));
}

std::string to_text(const GapQualityTable& table) {
    std::string text;
    const auto add = [&text](const char* how, std::span<const uint8_t> more, std::span<const uint8_t> less,
                             const char* where) {
        int most = 0;
        for (size_t i = 0; i < more.size(); ++i) most = std::max(most, more[i] - less[i]);
        if (most == 0) return;
        if (!text.empty()) text += ", ";
        text += how + std::string(" by up to ") + std::to_string(most) + " in " + where;
    };
    add("raised", table.homopolymer, k_usual.homopolymer, "homopolymers");
    add("lowered", k_usual.homopolymer, table.homopolymer, "homopolymers");
    add("lowered", k_usual.period_2, table.period_2, "repeats of period 2");
    add("lowered", k_usual.longer, table.longer, "repeats of periods 3 to 6");
    return text.empty() ? "as usual" : text;
}

/// Only repeats of k_min_copies copies, and of more than k_min_equal_bp equal bases, have another quality.
void gap_qualities(const GapQualityTable& table, const data::TandemRepeats& repeats, size_t begin, size_t end,
                   std::vector<uint8_t>& out) {
    constexpr auto k_unknown = data::UnknownBases::repeat_each_other;
    out.assign(end - begin, k_no_repeat);
    for (size_t period = 1; period <= GapCounts::k_max_period; ++period) {
        const std::span<const uint8_t> qualities = table.of_period(period);
        const size_t shortest = std::max(k_min_equal_bp + 1, k_min_copies * period);
        repeats.for_each(period, shortest, begin, k_unknown, [&](const data::TandemRepeats::Repeat& repeat) {
            if (repeat.begin >= end) return false;
            const uint8_t quality = of_copies(qualities, repeat.length() / period);
            // Reads of TGTGTG... change length as those of period 2 do, not as those of 4 and 6.
            if (quality >= k_no_repeat || repeats.has_shorter_period(repeat, k_unknown)) return true;
            const size_t last = std::min(repeat.end, end);
            for (size_t i = std::max(repeat.begin, begin); i < last; ++i)
                out[i - begin] = std::min(out[i - begin], quality);
            return true;
        });
    }
}

}  // namespace gannet::variants
