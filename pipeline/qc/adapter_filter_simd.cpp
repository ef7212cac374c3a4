// SPDX-License-Identifier: MIT
// Provides the filter of places where an adapter may begin, for one instruction set.
//
// Compiled once per ISA: everything is in the namespace of the ISA and nothing of the standard library is
// instantiated.
#include "kernels/simd/integer_lanes.hpp"
#include "pipeline/qc/adapter_filter.hpp"

namespace gannet::pipeline::qc::GANNET_ISA {

using kernels::GANNET_ISA::and_bits;
using kernels::GANNET_ISA::Bytes;
using kernels::GANNET_ISA::high_nibbles;
using kernels::GANNET_ISA::load_unaligned;
using kernels::GANNET_ISA::lookup;
using kernels::GANNET_ISA::repeat;
using kernels::GANNET_ISA::Vector;

size_t find_adapter_places(const uint8_t* packed, size_t bytes, const AdapterFilter& filter,
                           uint32_t* places) {
    const Bytes none = broadcast(Bytes{}, 0);
    const Bytes low = broadcast(Bytes{}, 15);
    Vector upper[k_filter_bytes];
    Vector lower[k_filter_bytes];
    for (size_t byte = 0; byte < k_filter_bytes; ++byte) {
        upper[byte] = repeat(_mm_loadu_si128(reinterpret_cast<const __m128i*>(filter.upper[byte])));
        lower[byte] = repeat(_mm_loadu_si128(reinterpret_cast<const __m128i*>(filter.lower[byte])));
    }
    size_t found = 0;
    for (size_t at = 0; at < bytes; at += Bytes::k_lanes) {
        const auto groups_of = [&](size_t byte) __attribute__((always_inline)) {
            const Vector pairs = load_unaligned(packed + at + byte);
            return and_bits(lookup(upper[byte], high_nibbles(pairs)),
                            lookup(lower[byte], and_bits(pairs, low.v)));
        };
        const Vector groups =
            and_bits(and_bits(groups_of(0), groups_of(1)), and_bits(groups_of(2), groups_of(3)));
        constexpr uint64_t k_all = ~uint64_t{0} >> (64 - Bytes::k_lanes);
        for (uint64_t some = k_all & ~lane_mask(equal(Bytes{groups}, none)); some != 0; some &= some - 1)
            places[found++] = static_cast<uint32_t>(at) + static_cast<uint32_t>(__builtin_ctzll(some));
    }
    return found;
}

}  // namespace gannet::pipeline::qc::GANNET_ISA
