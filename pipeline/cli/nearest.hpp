// SPDX-License-Identifier: MIT
// Provides the nearest known name for a mistyped one.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gannet::pipeline::cli {

/// Optimal string alignment distance (Damerau 1964, no substring edited twice): a swap of two neighbouring
/// letters counts 1.
size_t edit_distance(std::string_view a, std::string_view b);

/// The candidate with the smallest distance to `word`, the first of equals. Leading dashes do not count. None
/// where that distance is above 1 for names of up to 4 letters, 2 for up to 8, 3 for longer ones, unless
/// `word` (3 letters or more) is the beginning of exactly one candidate.
std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace gannet::pipeline::cli
