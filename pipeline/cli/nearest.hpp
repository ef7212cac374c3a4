// SPDX-License-Identifier: MIT
// Provides the nearest known name for a mistyped one.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gannet::pipeline::cli {

/// Optimal string alignment distance (Damerau 1964, no substring edited twice): swaps of neighbours count
/// one.
size_t edit_distance(std::string_view a, std::string_view b);

/// The candidate of least distance, the first of equals; none when all are further than half of the word's
/// length (at least 2).
std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace gannet::pipeline::cli
