// SPDX-License-Identifier: MIT
// Provides the finding of bases of quality 20 or better. Internal to qc/.
#pragma once

#include "data/record.hpp"
#include "pipeline/qc/word_counts.hpp"

#include <cstdint>
#include <cstring>
#include <span>

namespace gannet::pipeline::qc {

inline constexpr uint8_t k_min_quality = 20;  ///< of mappings and of bases
inline constexpr size_t k_word = sizeof(uint64_t);

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

/// Of eight qualities below 128, a byte of 1 for each good one.
inline uint64_t good_of(uint64_t qualities) {
    constexpr uint64_t k_ones = 0x0101010101010101;
    return (qualities + k_ones * (128u - k_min_quality)) >> 7 & k_ones;
}

/// Adds 1 for each good quality to `counts`, of which eight bytes more than qualities may be written.
inline void add_good(std::span<const uint8_t> qualities, uint8_t* counts) {
    const auto add = [&](size_t at, uint64_t word) {
        uint64_t sums = 0;
        std::memcpy(&sums, counts + at, k_word);
        sums += good_of(word);
        std::memcpy(counts + at, &sums, k_word);
    };
    size_t at = 0;
    for (; at + k_word <= qualities.size(); at += k_word) add(at, word_at(&qualities[at]));
    if (at < qualities.size()) add(at, word_at(&qualities[at], qualities.size() - at));
}

}  // namespace gannet::pipeline::qc
