// SPDX-License-Identifier: MIT
// Provides the compression of streams of like bytes for temporary files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace gannet::data {

/// Compresses complete streams by zstd at its fast levels (RFC 8878). Not thread-safe: one object per thread.
class StreamCodec {
  public:
    enum class Method {
        frequencies,  ///< a Huffman code and next to no search for matches: qualities
        matches,      ///< short steps of the search: text that repeats
        long_steps    ///< fewer matches, at less cost
    };
    StreamCodec();
    ~StreamCodec();
    StreamCodec(const StreamCodec&) = delete;
    StreamCodec& operator=(const StreamCodec&) = delete;

    /// Returns the bytes written to `out` (at least as large as `bytes`), or 0 where they would not be fewer
    /// than `bytes`.
    size_t compress(std::span<const uint8_t> bytes, Method method, std::span<uint8_t> out);
    /// `out` has the size of the stream. Throws Error(internal) where `bytes` is not what compress() wrote.
    void decompress(std::span<const uint8_t> bytes, std::span<uint8_t> out);

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace gannet::data
