// SPDX-License-Identifier: MIT
// Provides the insert-size model from quartiles, in integers.
#include "align/pairing/insert_size.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace gannet::align {
namespace {

/// round(-16 * 0.721 * ln(erfc(z / sqrt(2)))) for z = 0, 1/4, ..., 8: the two-sided tail in units in which a
/// match scores 1 and a mismatch -4 (bits / 2, as scores of 1 and -4 have it).
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

int32_t insert_size(const Candidate& a, uint32_t length_a, const Candidate& b, uint32_t length_b) {
    if (a.strand == b.strand || a.contig != b.contig) return 0;
    const Candidate& forward = a.strand == 0 ? a : b;
    const Candidate& reverse = a.strand == 0 ? b : a;
    const uint32_t reverse_length = a.strand == 0 ? length_b : length_a;
    const int64_t begin = forward.target_begin - forward.query_begin;
    const int64_t end = reverse.target_end + (reverse_length - reverse.query_end);
    const int64_t insert = end - begin;
    return insert > 0 && insert <= k_longest_insert_bp ? static_cast<int32_t>(insert) : 0;
}

int32_t insert_penalty(const InsertSizeModel& model, int32_t insert) {
    const int64_t quarters = 4 * std::abs(int64_t{insert} - model.mean_bp) / std::max(1, model.sd_bp);
    return k_tail_penalty[std::min<size_t>(static_cast<size_t>(quarters), k_tail_penalty.size() - 1)];
}

InsertSizeModel Aligner::estimate_inserts(std::vector<int32_t> inserts) {
    if (inserts.size() < k_fewest_inserts) return k_fallback_model;
    std::sort(inserts.begin(), inserts.end());
    const auto quantile = [&](size_t part, size_t of) { return inserts[inserts.size() * part / of]; };
    const int32_t low = quantile(1, 4);
    const int32_t high = quantile(3, 4);
    // Outliers (chimeras, wrong places) are kept out of mean and deviation.
    const int32_t from = low - 2 * (high - low);
    const int32_t to = high + 2 * (high - low);
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
    model.low_bp = std::max(1, std::min(low - 3 * (high - low), model.mean_bp - 4 * model.sd_bp));
    model.high_bp = std::max(high + 3 * (high - low), model.mean_bp + 4 * model.sd_bp);
    return model;
}

}  // namespace gannet::align
