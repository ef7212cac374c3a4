// SPDX-License-Identifier: MIT
// Provides the contract of the op inflate: raw DEFLATE streams (RFC 1951), as BGZF blocks have them, each
// inflated by itself into as many bytes as its block states, and checked. It is made for a warp per stream;
// on CPUs a library that is kept up by others is faster, so that the backend simd has no such op.
//
// A stream may have any number of deflate blocks of any type. It is good where zlib inflates it: codes are
// complete, but for a code of distances without words and for codes with a single word, of one bit; the code
// of literals has a word for the end; at most 286 lengths of it, and 30 of distances, are written; and no
// distance reaches before the first byte. What follows the last deflate block is not looked at.
//
// The status is that of the first fault in the order of the stream. A symbol takes its bits and those behind
// it before it is looked at, what is no word takes none, and a stored block takes its bytes; bits behind the
// end of the stream are zeros, and a stream that took any of these ends early, whatever else was seen.
#pragma once

#include "kernels/backend.hpp"
#include "kernels/stream.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace gannet::kernels {

inline constexpr uint32_t k_inflate_max_bytes = 65'536;  ///< of a stream, and of what it is inflated to

/// A stream, and what its container says of it.
struct InflateBlock {
    std::span<const uint8_t> stream;
    std::span<uint8_t> out;  ///< as many bytes as it should be inflated to
    uint32_t crc32 = 0;      ///< of these (RFC 1952, 8)
};

enum class InflateStatus : uint32_t {
    ok,
    ends_early,
    bad_block,     ///< a type that does not exist, or a length that does not match its complement
    bad_code,      ///< lengths that give no code, bits that are no word of it, or a symbol without a meaning
    bad_distance,  ///< before the first byte
    too_long,
    too_short,
    bad_checksum
};

/// Of blocks with at most k_inflate_max_bytes on either side and 2^31 in all, else the op throws
/// std::invalid_argument. Where the status is ok, all of `out` is written, else nothing of it. On a device
/// the blocks and what they name must stay until Stream::wait(), which writes.
/// Determinism class: exact-int; equal bytes and statuses on every backend, whatever the order or the split
/// of the blocks. Cost: for each symbol a look into a table, one after the other; for each deflate block the
/// tables. The most of a good stream of n bytes is 1,032 n bytes out, of a bad one as many as `out` has.
/// Thread-safe on CPU backends; scratch is kept per thread.
using InflateFunction = void (*)(Stream&, std::span<const InflateBlock>, std::vector<InflateStatus>&);

/// What a stream of a device needs for so many blocks whose streams, and what these are inflated to, have so
/// many bytes in all.
StreamSize inflate_stream_size(uint64_t blocks, uint64_t stream_bytes, uint64_t out_bytes);

/// The function for a backend that is available (backend_status); nullptr where it has none: simd, and
/// devices without the kernel.
InflateFunction inflate_function(Backend backend);

}  // namespace gannet::kernels
