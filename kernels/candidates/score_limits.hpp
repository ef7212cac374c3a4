// SPDX-License-Identifier: MIT
// Provides a limit to the scores of several diagonals of a read at once.
#pragma once

#include "kernels/genome/packed_words.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <emmintrin.h>
#include <vector>

namespace gannet::kernels::candidates {

/// Limits to what any stretch of a read scores on each of up to k_lanes diagonals, with `match` for a match
/// and `mismatch` off for a mismatch: blocks of 8 bases within a stretch count in full, those at its ends
/// with their matches. One diagonal takes a 16-bit lane. Memory is kept for the next use.
class ScoreLimits {
  public:
    static constexpr uint32_t k_lanes = 8;

    /// Whether all sums of a read fit the lanes.
    static constexpr bool fits(uint32_t length, int32_t match, int32_t mismatch) {
        return (length + int64_t{64}) * match + 8 * int64_t{mismatch} <= INT16_MAX;
    }
    /// Of a read of `length`: the words of every diagonal have to be set.
    void begin(uint32_t length) {
        pairs_ = (length + 63) / 64;
        words_.assign(2 * size_t{pairs_} * k_lanes, k_low_bits);
    }
    /// Sets 32 bases: the low bit of each 2 is set where it differs. Those outside the read have to differ.
    void set_word(uint32_t lane, uint32_t index, uint64_t bits) {
        words_[(size_t{index / 2} * k_lanes + lane) * 2 + index % 2] = bits;
    }
    /// The limits; of no use for lanes that were not set. The scores must fit.
    std::array<int16_t, k_lanes> find(int32_t match, int32_t mismatch) const {
        const __m128i of_block = _mm_set1_epi16(static_cast<int16_t>(8 * match));
        const __m128i one = _mm_set1_epi16(static_cast<int16_t>(match));
        const __m128i both = _mm_set1_epi16(static_cast<int16_t>(match + mismatch));
        __m128i best = _mm_setzero_si128();
        __m128i inner = best;  // of the best stretch that begins before this block and includes the last one
        for (uint32_t pair = 0; pair < pairs_; ++pair) {
            for (const __m128i count : counts_of(words_.data() + size_t{pair} * 2 * k_lanes)) {
                const __m128i matches = _mm_sub_epi16(of_block, _mm_mullo_epi16(count, one));
                best = _mm_max_epi16(best, _mm_add_epi16(inner, matches));
                const __m128i all = _mm_sub_epi16(of_block, _mm_mullo_epi16(count, both));
                inner = _mm_max_epi16(_mm_add_epi16(inner, all), matches);
            }
        }
        std::array<int16_t, k_lanes> limits;
        _mm_storeu_si128(reinterpret_cast<__m128i*>(limits.data()), best);
        return limits;
    }

  private:
    struct Counts {
        __m128i of_block[8];
        const __m128i* begin() const { return of_block; }
        const __m128i* end() const { return of_block + 8; }
    };

    /// Mismatches of 64 bases in blocks of 8: from two words of each lane to one vector of lanes a block.
    static Counts counts_of(const uint64_t* words) {
        const __m128i fours = _mm_set1_epi8(0x33);
        const __m128i bytes = _mm_set1_epi8(0x0f);
        const __m128i low_bytes = _mm_set1_epi16(0x00ff);
        __m128i own[k_lanes];  // of a lane, all blocks
        for (uint32_t lane = 0; lane < k_lanes; ++lane) {
            const __m128i bits = _mm_loadu_si128(reinterpret_cast<const __m128i*>(words + 2 * lane));
            __m128i sums =
                _mm_add_epi8(_mm_and_si128(bits, fours), _mm_and_si128(_mm_srli_epi16(bits, 2), fours));
            sums = _mm_and_si128(_mm_add_epi8(sums, _mm_srli_epi16(sums, 4)), bytes);
            own[lane] = _mm_and_si128(_mm_add_epi8(sums, _mm_srli_epi16(sums, 8)), low_bytes);
        }
        __m128i twos[8];  // of two blocks, four lanes
        for (uint32_t i = 0; i < 4; ++i) {
            twos[i] = _mm_unpacklo_epi16(own[2 * i], own[2 * i + 1]);
            twos[4 + i] = _mm_unpackhi_epi16(own[2 * i], own[2 * i + 1]);
        }
        Counts out;
        for (uint32_t half = 0; half < 2; ++half) {
            const __m128i* const of = twos + 4 * half;
            const __m128i low_a = _mm_unpacklo_epi32(of[0], of[1]);
            const __m128i low_b = _mm_unpacklo_epi32(of[2], of[3]);
            const __m128i high_a = _mm_unpackhi_epi32(of[0], of[1]);
            const __m128i high_b = _mm_unpackhi_epi32(of[2], of[3]);
            out.of_block[4 * half] = _mm_unpacklo_epi64(low_a, low_b);
            out.of_block[4 * half + 1] = _mm_unpackhi_epi64(low_a, low_b);
            out.of_block[4 * half + 2] = _mm_unpacklo_epi64(high_a, high_b);
            out.of_block[4 * half + 3] = _mm_unpackhi_epi64(high_a, high_b);
        }
        return out;
    }

    uint32_t pairs_ = 0;
    std::vector<uint64_t> words_;  ///< of each 64 bases, of each lane, two
};

}  // namespace gannet::kernels::candidates
