// SPDX-License-Identifier: MIT
// Provides the CRC-32 of the three texts of a record. Internal to qc/.
#pragma once

#include "kernels/backend.hpp"
#include "pipeline/qc/simd_choice.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace gannet::pipeline::qc {

inline constexpr size_t k_sum_vector_bytes = 64;
inline constexpr size_t k_max_folded_bytes = 1024;  ///< longer texts take data::crc32()

/// By the vector's place from the end of the text and its lane of 16 bytes: what the first and the last half
/// of the lane are multiplied by, modulo the polynomial of CRC-32.
struct FoldFactors {
    alignas(k_sum_vector_bytes) uint64_t of[k_max_folded_bytes / k_sum_vector_bytes][4][2];
};

struct SummedText {
    const uint8_t* bytes;
    size_t size;
};

namespace avx512 {
/// Remainders of the texts, each of at most k_max_folded_bytes, as if a CRC began with 0 and ended unchanged.
/// Needs VPCLMULQDQ.
void fold_texts(const SummedText (&texts)[3], const FoldFactors& factors, uint32_t (&remainders)[3]);
}  // namespace avx512

/// Lanes of texts are independent of each other and the three of a record share the last steps, where a CRC
/// for long texts waits for each of its steps. Follows Gopal et al., Fast CRC Computation for Generic
/// Polynomials Using PCLMULQDQ Instruction (Intel, 2009).
class TextSums {
  public:
    using Texts = std::array<std::span<const uint8_t>, 3>;

    explicit TextSums(kernels::SimdLevel level = chosen_simd_level());
    /// data::crc32() of each.
    std::array<uint32_t, 3> of(const Texts& texts) const;

  private:
    bool folds_;
};

}  // namespace gannet::pipeline::qc
