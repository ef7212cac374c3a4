// SPDX-License-Identifier: MIT
// Provides what goes between QualityCounter and its code per instruction set. Internal to qc/.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gannet::pipeline::qc {

inline constexpr size_t k_block_reads = 8;
inline constexpr size_t k_block_columns = 64;  ///< strides are multiples of this
inline constexpr size_t k_max_common = 32;
inline constexpr uint8_t k_common_end = 64;  ///< qualities from here on are never common

/// Qualities of k_block_reads reads by cycle; behind a read's last one there is 255.
struct QualityBlock {
    const uint8_t* rows;  ///< [read][stride]
    size_t stride;
    size_t columns;  ///< a multiple of the bytes of a vector
};

struct CommonQualities {
    uint8_t values[k_max_common] = {};
    size_t count = 0;
    uint8_t rare[16] = {};  ///< by the lower half of a value: a bit for each upper one, set if not common
};

/// Adds the common ones to `counters` ([common][stride], which wrap) and sets the bit of each quality below
/// k_common_end that is not common in `rare` ([read][stride / 8]), of the columns only. Returns whether there
/// is any.
namespace sse42 {
bool count_qualities(const QualityBlock& block, const CommonQualities& common, uint8_t* counters,
                     uint8_t* rare);
}
namespace avx2 {
bool count_qualities(const QualityBlock& block, const CommonQualities& common, uint8_t* counters,
                     uint8_t* rare);
}
namespace avx512 {
bool count_qualities(const QualityBlock& block, const CommonQualities& common, uint8_t* counters,
                     uint8_t* rare);
}

}  // namespace gannet::pipeline::qc
