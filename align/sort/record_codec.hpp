// SPDX-License-Identifier: MIT
// Provides the compression of spilled records: fields, names, CIGARs with tags, bases and qualities apart.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace gannet::align::sort {

/// Bytes before each record of a frame: its ordinal (8 bytes) and its size (4), both little-endian.
inline constexpr uint64_t k_frame_bytes = 12;

/// Compresses frames (ordinal, size, BAM record) and gives the same bytes back. Each record is divided into
/// five streams, which zstd compresses by themselves: fixed fields as differences to what they usually are,
/// byte by byte; names without the prefix they share with the name before; CIGARs and tags; bases as 2 bits;
/// qualities by their frequency alone, since matches of them are rare and cost most. Bases that are not all
/// A, C, G or T stay as they are. About 0.5 us per record of 150 bases in both directions together
/// (docs/sorting.md). Not thread-safe: one object per thread. Holds the streams of one call, about the bytes
/// of its frames.
class RecordCodec {
  public:
    RecordCodec();
    ~RecordCodec();
    RecordCodec(const RecordCodec&) = delete;
    RecordCodec& operator=(const RecordCodec&) = delete;

    /// `pieces`: complete frames one after another, together less than 2 GiB. The result is valid until the
    /// next call. Throws Error(internal) where a record's lengths do not add up.
    std::span<const uint8_t> encode(std::span<const std::span<const uint8_t>> pieces);
    /// Memory for what encode() returned, to be read back into; valid until the next call.
    std::span<uint8_t> room_for(uint64_t stored_bytes);
    /// `stored`: what encode() returned; `frames`: exactly as many bytes as its pieces had. Throws
    /// Error(internal) where they do not fit; what comes from a disk is to be verified first.
    void decode(std::span<const uint8_t> stored, std::span<uint8_t> frames);

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace gannet::align::sort
