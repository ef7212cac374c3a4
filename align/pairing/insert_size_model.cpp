// SPDX-License-Identifier: MIT
// Provides the insert-size model from quartiles, in integers.
#include "align/pairing/insert_size_model.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace gannet::align {
namespace {

/// Inserts further than this many interquartile ranges from the quartiles do not count towards mean and
/// deviation: they are chimeras and wrong alignments. As bwa mem's.
constexpr int32_t k_outlier_ranges = 2;
/// The limits of a proper pair: the wider one of interquartile ranges beyond the quartiles, and standard
/// deviations from the mean. As bwa mem's.
constexpr int32_t k_proper_ranges = 3;
constexpr int32_t k_proper_deviations = 4;

/// round(-16 * 0.721 * ln(erfc(z / sqrt(2)))) for z = 0, 1/4, ..., 8: the two-sided tail, in 1 / k_score_unit
/// of the units in which a match scores 1. Such a unit is two bits: 0.721 = 1 / ln 4. As bwa mem's.
constexpr std::array<int32_t, 33> k_tail_penalty{0,   3,   6,   9,   13,  18,  23,  29,  36,  43,  51,
                                                 59,  68,  78,  89,  100, 112, 124, 137, 151, 166, 181,
                                                 197, 214, 231, 249, 268, 288, 308, 329, 350, 373, 396};

int64_t integer_root(int64_t value) {
    int64_t root = 0;
    for (int64_t bit = int64_t{1} << 31; bit > 0; bit >>= 1) {
        if ((root + bit) * (root + bit) <= value) root += bit;
    }
    return root;
}

}  // namespace

InsertSizeModel usable(const InsertSizeModel& model) { return model.valid ? model : k_fallback_model; }

int32_t insert_penalty(const InsertSizeModel& model, int32_t insert_bp, int32_t match) {
    const int64_t quarters = 4 * std::abs(int64_t{insert_bp} - model.mean_bp) / std::max(1, model.sd_bp);
    return match * k_tail_penalty[std::min<size_t>(static_cast<size_t>(quarters), k_tail_penalty.size() - 1)];
}

InsertSizeModel estimate_insert_sizes(std::vector<int32_t> inserts) {
    if (inserts.size() < k_min_inserts) return k_fallback_model;
    std::sort(inserts.begin(), inserts.end());
    const auto quantile = [&](size_t part, size_t of) { return inserts[inserts.size() * part / of]; };
    const int32_t low = quantile(1, 4);
    const int32_t high = quantile(3, 4);
    const int32_t range = high - low;
    const int32_t from = low - k_outlier_ranges * range;
    const int32_t to = high + k_outlier_ranges * range;
    int64_t count = 0;
    int64_t sum = 0;
    for (const int32_t insert : inserts) {
        if (insert < from || insert > to) continue;
        ++count;
        sum += insert;
    }
    const int64_t mean = (sum + count / 2) / count;
    int64_t squares = 0;
    for (const int32_t insert : inserts) {
        if (insert >= from && insert <= to) squares += (insert - mean) * (insert - mean);
    }
    InsertSizeModel model;
    model.valid = true;
    model.mean_bp = static_cast<int32_t>(mean);
    model.sd_bp = std::max(1, static_cast<int32_t>(integer_root(squares / count)));
    model.low_bp = std::max(
        1, std::min(low - k_proper_ranges * range, model.mean_bp - k_proper_deviations * model.sd_bp));
    model.high_bp =
        std::max(high + k_proper_ranges * range, model.mean_bp + k_proper_deviations * model.sd_bp);
    return model;
}

}  // namespace gannet::align
