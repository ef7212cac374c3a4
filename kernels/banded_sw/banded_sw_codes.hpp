// SPDX-License-Identifier: MIT
// Provides the sequences of a lane group, transposed so that one vector holds one position of every job.
// Only for sources that gannet_isa_sources() compiles; everything is in the namespace of the ISA.
//
// A substitution cost is one look-up in a table of 16 bytes, at query code xor target code. Bytes: codes 0-3
// as they are, target padding 8, so that 0 is a match, 1-3 are mismatches and 8-11 are beyond the end of a
// target; code 4 shows in bit 2 and is left to words. Words: query 0-4, target 0-3 and 8 for N, so that 4-12
// are ambiguous; the query's high byte is 0x80, which looks up 0, and becomes 15, which looks up 255, against
// the padding 0x8f00 beyond the end of a target.
#pragma once

#include "kernels/banded_sw/banded_sw_lanes.hpp"
#include "kernels/simd/integer_lanes.hpp"

namespace gannet::kernels::GANNET_ISA {

inline constexpr uint8_t k_query_padding = 0;
inline constexpr uint8_t k_target_padding = 8;
inline constexpr uint8_t k_ambiguous_bit = 4;

/// One side of a group's jobs.
struct Sequences {
    const uint8_t* bases;
    size_t bases_bytes;
    const uint32_t* offset;
    const uint16_t* length;
    uint32_t jobs;
    uint8_t padding;
};

/// Positions [position, position + 16) of a job; padding beyond its end.
inline __m128i load_positions(const Sequences& from, uint32_t job, size_t position) {
    alignas(16) static constexpr uint8_t k_valid[32] = {255, 255, 255, 255, 255, 255, 255, 255,
                                                        255, 255, 255, 255, 255, 255, 255, 255};
    const __m128i padding = _mm_set1_epi8(static_cast<char>(from.padding));
    if (job >= from.jobs || position >= from.length[job]) return padding;
    const size_t valid = from.length[job] - position < 16 ? from.length[job] - position : 16;
    const size_t begin = from.offset[job] + position;
    __m128i codes;
    if (begin + 16 <= from.bases_bytes) {
        codes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from.bases + begin));
    } else {
        codes = padding;
        __builtin_memcpy(&codes, from.bases + begin, valid);
    }
    codes = _mm_min_epu8(codes, _mm_set1_epi8(4));
    const __m128i keep = _mm_loadu_si128(reinterpret_cast<const __m128i*>(k_valid + 16 - valid));
    return _mm_or_si128(_mm_and_si128(keep, codes), _mm_andnot_si128(keep, padding));
}

/// 16 jobs by 16 positions: four rounds of a perfect shuffle.
inline void transpose(__m128i (&block)[16]) {
    __m128i shuffled[16];
    for (int round = 0; round < 2; ++round) {
        for (int k = 0; k < 8; ++k) {
            shuffled[2 * k] = _mm_unpacklo_epi8(block[k], block[k + 8]);
            shuffled[2 * k + 1] = _mm_unpackhi_epi8(block[k], block[k + 8]);
        }
        for (int k = 0; k < 8; ++k) {
            block[2 * k] = _mm_unpacklo_epi8(shuffled[k], shuffled[k + 8]);
            block[2 * k + 1] = _mm_unpackhi_epi8(shuffled[k], shuffled[k + 8]);
        }
    }
}

/// Writes position p of all jobs to `to` + p * stride, for p up to `positions` rounded up to a block. Returns
/// the or of all codes of each of the 16 jobs from `first_job`.
inline __m128i transpose_jobs(const Sequences& from, uint32_t first_job, size_t positions, uint8_t* to,
                              size_t stride) {
    __m128i seen = _mm_setzero_si128();
    for (size_t position = 0; position < positions; position += 16) {
        __m128i block[16];
        for (uint32_t k = 0; k < 16; ++k) block[k] = load_positions(from, first_job + k, position);
        transpose(block);
        for (size_t k = 0; k < 16; ++k) {
            seen = _mm_or_si128(seen, block[k]);
            _mm_store_si128(reinterpret_cast<__m128i*>(to + (position + k) * stride + first_job), block[k]);
        }
    }
    return seen;
}

/// Bytes: the codes themselves. Returns a bit for every lane that holds a code 4.
inline uint64_t lay_out(Bytes, const Sequences& from, size_t positions, uint8_t*, uint8_t* to) {
    uint64_t ambiguous = 0;
    for (uint32_t first = 0; first < Bytes::k_lanes; first += 16) {
        const __m128i seen = transpose_jobs(from, first, positions, to, Bytes::k_lanes);
        const __m128i flagged = _mm_cmpeq_epi8(_mm_and_si128(seen, _mm_set1_epi8(k_ambiguous_bit)),
                                               _mm_set1_epi8(k_ambiguous_bit));
        ambiguous |= uint64_t{static_cast<uint32_t>(_mm_movemask_epi8(flagged))} << first;
    }
    return ambiguous;
}

/// Words: by way of `codes`, with what is said above for high bytes and N.
inline uint64_t lay_out(Words, const Sequences& from, size_t positions, uint8_t* codes, uint8_t* to) {
    constexpr size_t k_stride = Words::k_lanes < 16 ? 16 : Words::k_lanes;
    for (uint32_t first = 0; first < Words::k_lanes; first += 16) {
        transpose_jobs(from, first, positions, codes, k_stride);
    }
    const Words four = broadcast(Words{}, 4);
    const Words high = broadcast(Words{}, 0x8000);
    const Words padding = broadcast(Words{}, k_target_padding);
    const Words padding_code = broadcast(Words{}, 0x8f00);
    for (size_t position = 0; position < positions; ++position) {
        Words code{widen(codes + position * k_stride)};
        if (from.padding == k_query_padding) {
            code = either(code, high);
        } else {
            code = plus(code, both(equal(code, four), four));
            code = select(equal({widen(codes + position * k_stride)}, padding), padding_code, code);
        }
        store_vector(to + position * sizeof(Vector), code.v);
    }
    return 0;
}

}  // namespace gannet::kernels::GANNET_ISA
