// SPDX-License-Identifier: MIT
// Provides the codes of bases and the conversions between letters, codes, 2-bit words and BAM nibbles.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace gannet::data {

/// Base codes: A 0, C 1, G 2, T 3, anything else (N, IUPAC) 4. One byte a base unless a name says `packed`.
using Base = uint8_t;
inline constexpr Base k_base_n = 4;

/// Letter (either case; U reads as T) to code.
extern const std::array<Base, 256> k_base_of_letter;
/// 1 for letters that a FASTA or FASTQ sequence may hold (IUPAC, either case), 0 else.
extern const std::array<uint8_t, 256> k_is_iupac;
inline constexpr char k_letter_of_base[6] = "ACGTN";
/// BAM nibble (=ACMGRSVTWYHKDBN) of a code, and back.
inline constexpr uint8_t k_nibble_of_base[5] = {1, 2, 4, 8, 15};
inline constexpr Base k_base_of_nibble[16] = {4, 0, 1, 4, 2, 4, 4, 4, 3, 4, 4, 4, 4, 4, 4, 4};

constexpr Base complement(Base base) { return base < 4 ? static_cast<Base>(3 - base) : base; }

/// out[i] = complement of in[n-1-i]; sizes equal, no overlap.
void reverse_complement(std::span<const Base> in, std::span<Base> out);
std::string to_letters(std::span<const Base> bases);
void to_bases(std::string_view letters, std::span<Base> out);

}  // namespace gannet::data
