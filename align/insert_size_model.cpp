// SPDX-License-Identifier: MIT
// Provides the insert-size model from quartiles, in integers.
#include "align/insert_size_model.hpp"

#include "kernels/pairing/pairing_terms.hpp"

#include <algorithm>

namespace gannet::align {
namespace {

using kernels::k_outlier_ranges;
using kernels::k_proper_deviations;
using kernels::k_proper_ranges;

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
    return kernels::pairing_terms::insert_penalty(insert_bp, model.mean_bp, model.sd_bp, match);
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
