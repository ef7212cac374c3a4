// SPDX-License-Identifier: MIT
// Provides what goes between AdapterSearch and its code per instruction set. Internal to qc/.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gannet::pipeline::qc {

inline constexpr size_t k_filter_bytes = 4;

/// Of bytes that adapters have one after another, in groups: per byte, by the value of its upper and of its
/// lower half, the bits of the groups that have it there.
struct AdapterFilter {
    uint8_t upper[k_filter_bytes][16] = {};
    uint8_t lower[k_filter_bytes][16] = {};
};

/// Lists the offsets of bytes that begin a part of a group, of packed bases ascending; `places` has room for
/// all bytes, rounded up to a vector. Bytes up to k_filter_bytes - 1 behind the last vector are read.
namespace sse42 {
size_t find_adapter_places(const uint8_t* packed, size_t bytes, const AdapterFilter& filter,
                           uint32_t* places);
}
namespace avx2 {
size_t find_adapter_places(const uint8_t* packed, size_t bytes, const AdapterFilter& filter,
                           uint32_t* places);
}
namespace avx512 {
size_t find_adapter_places(const uint8_t* packed, size_t bytes, const AdapterFilter& filter,
                           uint32_t* places);
}

}  // namespace gannet::pipeline::qc
