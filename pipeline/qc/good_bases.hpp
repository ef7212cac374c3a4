// SPDX-License-Identifier: MIT
// Provides the finding of bases of quality 20 or better. Internal to qc/.
#pragma once

#include "data/record.hpp"
#include "pipeline/qc/word_counts.hpp"

#include <cstdint>
#include <span>

namespace gannet::pipeline::qc {

inline constexpr uint8_t k_min_quality = 20;  ///< of mappings and of bases

/// Calls use(offset in the read, offset from the start of the alignment, bases) for each M, = and X.
template <class Use>
void for_each_block(const data::RecordView& record, Use use) {
    size_t in_read = 0;
    size_t in_reference = 0;
    for (size_t i = 0; i < record.cigar_count(); ++i) {
        const size_t bases = data::cigar_length(record.cigar(i));
        const data::CigarOp op = data::cigar_op(record.cigar(i));
        if (data::cigar_consumes_query(op) && data::cigar_consumes_reference(op))
            use(in_read, in_reference, bases);
        if (data::cigar_consumes_query(op)) in_read += bases;
        if (data::cigar_consumes_reference(op)) in_reference += bases;
    }
}

/// Adds 1 for each good quality, all below 128, to `counts`, of which sixteen bytes more than qualities may
/// be written as they are. Returns how many are good.
inline uint32_t add_good(std::span<const uint8_t> qualities, uint8_t* counts) {
    uint32_t all = 0;
    for_each_lane(
        qualities, [&](size_t at, __m128i lane) __attribute__((always_inline)) {
            auto* const to = reinterpret_cast<__m128i*>(counts + at);
            const __m128i good = bytes_from(lane, k_min_quality);
            all += count_set(good);
            _mm_storeu_si128(to, _mm_sub_epi8(_mm_loadu_si128(to), good));
        });
    return all;
}

}  // namespace gannet::pipeline::qc
