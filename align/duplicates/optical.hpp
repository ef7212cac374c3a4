// SPDX-License-Identifier: MIT
// Provides optical duplicates: where on a flow cell a pair was read, and how many pairs of a set lie side by
// side there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace gannet::align::duplicates {

/// How far apart, in x and in y, the clusters of optical duplicates are at most (Picard's
/// OPTICAL_DUPLICATE_PIXEL_DISTANCE, which is to be 2,500 for patterned flow cells).
inline constexpr uint32_t k_optical_distance_pixels = 100;

/// Sets that are larger have no optical duplicates (Picard's MAX_OPTICAL_DUPLICATE_SET_SIZE).
inline constexpr size_t k_max_optical_set = 300'000;

/// Where a cluster lies, in pixels of its tile.
struct FlowCellPlace {
    int32_t x;
    int32_t y;
    int16_t tile;
};

/// From the name of a read, by Picard's default READ_NAME_REGEX: the last three of five or seven fields
/// between colons begin with digits, and the low 16 bits of the first of them are the tile. Empty for other
/// names, and for tile -1.
std::optional<FlowCellPlace> place_of_name(std::string_view name);

/// A pair of a set of duplicates.
struct PlacedPair {
    uint64_t set;  ///< any number that no other set has
    int32_t x;
    int32_t y;
    int16_t tile;  ///< -1: its name has no place
    uint16_t read_group;
    uint16_t library;
    bool left_is_read1;
};
static_assert(sizeof(PlacedPair) == 24);

/// How many pairs of a set are optical duplicates: of pairs of one read group and tile, joined where both
/// coordinates differ by at most `distance_pixels`, all but one; pairs whose other mate is left count apart.
/// As Picard's OpticalDuplicateFinder 3.5, whose coordinates have 32 bits (before: 16). `pairs`, of one set,
/// come back in another order. Cost: n log n, however many lie at one place.
uint64_t count_optical(std::span<PlacedPair> pairs, uint32_t distance_pixels);

}  // namespace gannet::align::duplicates
