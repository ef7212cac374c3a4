// SPDX-License-Identifier: MIT
// Provides the decoding of a record's bases and qualities, sixteen at a time.
#pragma once

#include "data/sequence.hpp"

#include <array>
#include <cstdint>
#include <span>

namespace gannet::variants {

/// The base quality that is used, by the one that a record reports.
using QualityMap = std::array<uint8_t, 256>;

/// Codes of the packed bases, two a byte, for all of `out`: `nibbles` has half as many bytes, rounded up.
void decode_bases(std::span<const uint8_t> nibbles, std::span<data::Base> out);

/// out[i] = map[qualities[i]]; both are of the same size.
void map_qualities(const QualityMap& map, std::span<const uint8_t> qualities, std::span<uint8_t> out);

}  // namespace gannet::variants
