// SPDX-License-Identifier: MIT
// Provides the keys that records of a bucket are sorted by, their collection from frames, and their sort.
#pragma once

#include "align/sort/record_codec.hpp"
#include "data/prefetch.hpp"
#include "data/record.hpp"

#include <cstdint>
#include <cstring>
#include <vector>

namespace gannet::align::sort {

struct SortKey {
    uint64_t position;  // contig and position
    uint64_t ordinal;
    const uint8_t* bytes;
    uint32_t size;
};

/// Order of SAM's coordinate sort: by contig, then position (-1 first); without a contig last.
inline uint64_t position_key(int32_t contig, int32_t position) {
    if (contig < 0) return ~uint64_t{0};
    return static_cast<uint64_t>(contig) << 32 | (static_cast<uint32_t>(position) + 1u);
}

/// Appends the keys of all records of `size` bytes of frames.
inline void collect_frames(const uint8_t* at, uint64_t size, std::vector<SortKey>& keys) {
    constexpr size_t k_ahead_bytes = 4096;  // some twelve records
    const uint8_t* const end = at + size;
    while (at != end) {
        SortKey key;
        std::memcpy(&key.ordinal, at, 8);
        std::memcpy(&key.size, at + 8, 4);
        data::prefetch({at + k_ahead_bytes, key.size});
        key.bytes = at + k_frame_bytes;
        const data::RecordView view({key.bytes, key.size});
        key.position = position_key(view.contig(), view.position());
        keys.push_back(key);
        at = key.bytes + key.size;
    }
}

/// By position, then ordinal, which no two keys share. Keys that lie densely, as those of a bucket of a
/// sequenced genome do, are counted by position: O(n), with memory for a second array of keys and for 4 bytes
/// per position between the first and the last (at most 16 positions per key).
void sort_keys(std::vector<SortKey>& keys);

}  // namespace gannet::align::sort
