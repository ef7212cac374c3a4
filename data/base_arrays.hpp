// SPDX-License-Identifier: MIT
// Provides loops over arrays of bases and qualities that each record of each read goes through.
#pragma once

#include "data/sequence.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace gannet::data {

/// out[i] = in[n-1-i]; sizes equal, no overlap.
void reverse_bytes(std::span<const uint8_t> in, std::span<uint8_t> out);
/// out[i] = the complement of in[i]; sizes equal.
void complement_bases(std::span<const Base> in, std::span<Base> out);
/// BAM nibbles, two bases a byte, the first in the high half; `out` has (bases.size() + 1) / 2 bytes.
void to_nibbles(std::span<const Base> bases, uint8_t* out);
/// The first of `count` bases at which the two differ or one is N; `count` if there is none.
size_t first_mismatch(const Base* a, const Base* b, size_t count);
/// `count` bases from base `from` on of 2-bit words, the first base of a word in its lowest bits.
void unpack_bases(std::span<const uint64_t> packed, uint64_t from, size_t count, Base* out);

}  // namespace gannet::data
