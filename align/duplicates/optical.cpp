// SPDX-License-Identifier: MIT
// Provides the reading of places from names, and the joining of those that are near.
#include "align/duplicates/optical.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iterator>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace gannet::align::duplicates {
namespace {

/// The number that a field begins with; what follows its digits is passed over ("1234#ACGT/1"). Overflows
/// wrap.
std::optional<int32_t> leading_number(std::string_view field) {
    const bool is_negative = field.starts_with('-');
    if (is_negative) field.remove_prefix(1);
    uint32_t value = 0;
    size_t digits = 0;
    for (; digits < field.size() && field[digits] >= '0' && field[digits] <= '9'; ++digits)
        value = value * 10 + static_cast<uint32_t>(field[digits] - '0');
    if (digits == 0) return std::nullopt;
    return static_cast<int32_t>(is_negative ? 0 - value : value);
}

/// Pairs of one tile, ascending by x. Returns how many have been joined to another one. Pairs that lie at
/// most `distance` behind in x are kept by y. Two of them that are both above a pair, or both below it, and
/// near it are near each other as well, so joining the nearest one of either side joins all.
uint64_t count_joined(std::span<const PlacedPair> tile, int64_t distance) {
    std::vector<uint32_t> parents(tile.size());
    std::iota(parents.begin(), parents.end(), 0u);
    const auto root_of = [&](uint32_t i) {
        while (parents[i] != i) i = parents[i] = parents[parents[i]];
        return i;
    };
    uint64_t joined = 0;
    std::set<std::pair<int32_t, uint32_t>> near;  // y and index of those that are near in x
    const auto join = [&](uint32_t i, std::pair<int32_t, uint32_t> other) {
        if (std::abs(int64_t{other.first} - tile[i].y) > distance) return;
        const uint32_t a = root_of(other.second);
        const uint32_t b = root_of(i);
        if (a == b) return;
        parents[b] = a;
        ++joined;
    };
    uint32_t first = 0;  // that is near in x
    for (uint32_t i = 0; i < tile.size(); ++i) {
        for (; int64_t{tile[i].x} - tile[first].x > distance; ++first) near.erase({tile[first].y, first});
        const auto here = near.emplace(tile[i].y, i).first;
        if (here != near.begin()) join(i, *std::prev(here));
        if (std::next(here) != near.end()) join(i, *std::next(here));
    }
    return joined;
}

/// Calls visit(span) for each run of neighbours whose key is the same.
template <class Key, class Visit>
void for_each_run(std::span<const PlacedPair> pairs, Key key_of, Visit visit) {
    for (size_t begin = 0, end; begin < pairs.size(); begin = end) {
        for (end = begin + 1; end < pairs.size() && key_of(pairs[end]) == key_of(pairs[begin]); ++end) {
        }
        visit(pairs.subspan(begin, end - begin));
    }
}

}  // namespace

std::optional<FlowCellPlace> place_of_name(std::string_view name) {
    // A colon in front of everything separates nothing.
    size_t fields = 1;
    std::array<size_t, 3> colons{};  // the last ones
    for (size_t i = 1; i < name.size(); ++i) {
        if (name[i] != ':') continue;
        ++fields;
        colons = {colons[1], colons[2], i};
    }
    if (fields != 5 && fields != 7) return std::nullopt;
    const auto tile = leading_number(name.substr(colons[0] + 1, colons[1] - colons[0] - 1));
    const auto x = leading_number(name.substr(colons[1] + 1, colons[2] - colons[1] - 1));
    const auto y = leading_number(name.substr(colons[2] + 1));
    if (!tile || !x || !y || static_cast<int16_t>(*tile) == -1) return std::nullopt;
    return FlowCellPlace{*x, *y, static_cast<int16_t>(*tile)};
}

uint64_t count_optical(std::span<PlacedPair> pairs, uint32_t distance_pixels) {
    std::sort(pairs.begin(), pairs.end(), [](const PlacedPair& a, const PlacedPair& b) {
        return std::tuple(a.left_is_read1, a.read_group, a.tile, a.x, a.y) <
               std::tuple(b.left_is_read1, b.read_group, b.tile, b.x, b.y);
    });
    uint64_t optical = 0;
    for_each_run(
        std::span<const PlacedPair>(pairs), [](const PlacedPair& pair) { return pair.left_is_read1; },
        [&](std::span<const PlacedPair> side) {
            if (side.size() > k_max_optical_set) return;
            for_each_run(
                side, [](const PlacedPair& pair) { return std::pair(pair.read_group, pair.tile); },
                [&](std::span<const PlacedPair> tile) {
                    if (tile.size() > 1 && tile[0].tile != -1) optical += count_joined(tile, distance_pixels);
                });
        });
    return optical;
}

}  // namespace gannet::align::duplicates
