// SPDX-License-Identifier: MIT
// Provides the codes of a deflate block: lengths from the counts of symbols, and bits from lengths.
#pragma once

#include <cstdint>
#include <span>

namespace gannet::data::bgzf {

/// Symbols of a code, at most.
inline constexpr size_t k_max_code_symbols = 286;

/// The lengths of a Huffman code for symbols that occur `counts` times, none longer than `limit` (at most
/// 15): 0 for those that do not occur, 1 where only one does, else a complete code. Lengths that Huffman's
/// algorithm makes longer are cut, and shorter codes lengthened until all fit, which costs next to nothing.
/// After Moffat and Katajainen 1995, "In-place calculation of minimum-redundancy codes". Counts below 2^23,
/// their sum below 2^32, and no more symbols than 2^limit.
void code_lengths(std::span<const uint32_t> counts, unsigned limit, std::span<uint8_t> lengths);

/// The canonical code of these lengths (RFC 1951, 3.2.2), each code's first bit lowest, as a stream of bits
/// that is filled from its lowest bit takes it.
void code_bits(std::span<const uint8_t> lengths, std::span<uint16_t> bits);

}  // namespace gannet::data::bgzf
