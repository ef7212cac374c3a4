// SPDX-License-Identifier: MIT
// Provides the counting of common qualities of a block of reads, for one instruction set.
//
// Compiled once per ISA: everything is in the namespace of the ISA and nothing of the standard library is
// instantiated.
#include "kernels/simd/integer_lanes.hpp"
#include "pipeline/qc/quality_counts.hpp"

namespace gannet::pipeline::qc::GANNET_ISA {

using kernels::GANNET_ISA::and_bits;
using kernels::GANNET_ISA::Bytes;
using kernels::GANNET_ISA::high_nibbles;
using kernels::GANNET_ISA::load_unaligned;
using kernels::GANNET_ISA::lookup;
using kernels::GANNET_ISA::or_bits;
using kernels::GANNET_ISA::repeat;
using kernels::GANNET_ISA::store_unaligned;
using kernels::GANNET_ISA::Vector;

bool count_qualities(const QualityBlock& block, const CommonQualities& common, uint8_t* counters,
                     uint8_t* rare) {
    const Bytes none = broadcast(Bytes{}, 0);
    const Bytes low = broadcast(Bytes{}, 15);
    const Vector is_rare = repeat(_mm_loadu_si128(reinterpret_cast<const __m128i*>(common.rare)));
    const Vector bit_of = repeat(_mm_setr_epi8(1, 2, 4, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
    const size_t stride = block.stride;
    Vector all_found = none.v;
    for (size_t at = 0; at < block.columns; at += Bytes::k_lanes) {
        Bytes reads[k_block_reads];
#pragma GCC unroll 8
        for (size_t read = 0; read < k_block_reads; ++read) {
            const Vector qualities = load_unaligned(block.rows + read * stride + at);
            reads[read] = {qualities};
            // A bit for each 16 values, in the byte of the value's lower half.
            const Vector found = and_bits(lookup(is_rare, and_bits(qualities, low.v)),
                                          lookup(bit_of, high_nibbles(qualities)));
            all_found = or_bits(all_found, found);
            const uint64_t mask = ~lane_mask(equal(Bytes{found}, none));
            __builtin_memcpy(rare + (read * stride + at) / 8, &mask, Bytes::k_lanes / 8);
        }
        for (size_t i = 0; i < common.count; ++i) {
            uint8_t* const to = counters + i * stride + at;
            const Bytes quality = broadcast(Bytes{}, common.values[i]);
            Bytes sum = {load_unaligned(to)};
#pragma GCC unroll 8
            for (size_t read = 0; read < k_block_reads; ++read)
                sum = plus_where_equal(sum, reads[read], quality);
            store_unaligned(to, sum.v);
        }
    }
    return lane_mask(equal(Bytes{all_found}, none)) != lane_mask(equal(none, none));
}

}  // namespace gannet::pipeline::qc::GANNET_ISA
