// SPDX-License-Identifier: MIT
// Provides the packing of a BAM record's bases from 4 bits into 2.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gannet::align::sort {

/// Room that pack_bases() may use for `bases` bases.
constexpr size_t max_packed_bytes(size_t bases) { return (bases + 1) / 2 + 16; }

/// Writes the bases of `nibbles` (two per byte, the first in the upper half, as in BAM) to `out` and returns
/// the bytes: one that says how, then 2 bits per base, or the nibbles themselves where a base is not A, C, G
/// or T.
size_t pack_bases(const uint8_t* nibbles, size_t bases, uint8_t* out);

/// The bytes that pack_bases() wrote for so many bases, by the first of them.
size_t packed_bytes(uint8_t first, size_t bases);

/// The inverse of pack_bases(); writes (bases + 1) / 2 bytes.
void unpack_bases(const uint8_t* packed, size_t bases, uint8_t* nibbles);

}  // namespace gannet::align::sort
