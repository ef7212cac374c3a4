// SPDX-License-Identifier: MIT
// Provides the sort of the keys of a bucket.
#include "align/sort/sort_key.hpp"

#include <algorithm>

namespace gannet::align::sort {
namespace {

/// Positions that there may be for each key; the counts of more would cost more than comparing keys.
constexpr uint64_t k_max_positions_per_key = 16;

bool comes_before(const SortKey& a, const SortKey& b) {
    return a.position != b.position ? a.position < b.position : a.ordinal < b.ordinal;
}

}  // namespace

void sort_keys(std::vector<SortKey>& keys) {
    if (keys.empty()) return;
    const auto [first, last] = std::minmax_element(
        keys.begin(), keys.end(), [](const SortKey& a, const SortKey& b) { return a.position < b.position; });
    const uint64_t low = first->position;
    const uint64_t span = last->position - low;
    if (span >= k_max_positions_per_key * keys.size() || keys.size() > UINT32_MAX) {
        std::sort(keys.begin(), keys.end(), comes_before);
        return;
    }
    std::vector<uint32_t> next(span + 2, 0);  // of each position, where its next key goes
    for (const SortKey& key : keys) ++next[key.position - low + 1];
    for (size_t i = 1; i < next.size(); ++i) next[i] += next[i - 1];
    std::vector<SortKey> sorted(keys.size());
    for (const SortKey& key : keys) sorted[next[key.position - low]++] = key;
    for (auto begin = sorted.begin(); begin != sorted.end();) {
        auto end = begin + 1;
        while (end != sorted.end() && end->position == begin->position) ++end;
        if (end - begin > 1) std::sort(begin, end, comes_before);
        begin = end;
    }
    keys.swap(sorted);
}

}  // namespace gannet::align::sort
