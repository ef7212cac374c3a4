// SPDX-License-Identifier: MIT
// Provides edit distance and the nearest name.
#include "pipeline/cli/nearest.hpp"

#include <algorithm>

namespace gannet::pipeline::cli {

size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
    for (size_t j = 0; j <= b.size(); ++j) last[j] = j;
    for (size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (size_t j = 1; j <= b.size(); ++j) {
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                row[j] = std::min(row[j], before[j - 2] + 1);
            }
        }
        std::swap(before, last);
        std::swap(last, row);
    }
    return last[b.size()];
}

namespace {

std::string_view without_dashes(std::string_view name) {
    name.remove_prefix(std::min(name.find_first_not_of('-'), name.size()));
    return name;
}

size_t max_distance(size_t letters) { return letters <= 4 ? 1 : letters <= 8 ? 2 : 3; }

}  // namespace

std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& candidates) {
    word = without_dashes(word);
    std::optional<std::string> best;
    size_t best_distance = max_distance(word.size()) + 1;
    size_t continued = 0;
    std::string continuation;
    for (const std::string& candidate : candidates) {
        const std::string_view name = without_dashes(candidate);
        if (word.size() >= 3 && name.starts_with(word)) {
            ++continued;
            continuation = candidate;
        }
        // One letter is near every other letter: short options are never offered.
        if (name.size() < 2) continue;
        const size_t distance = edit_distance(word, name);
        if (distance < best_distance && distance < name.size()) {
            best_distance = distance;
            best = candidate;
        }
    }
    if (best) return best;
    return continued == 1 ? std::optional(continuation) : std::nullopt;
}

}  // namespace gannet::pipeline::cli
