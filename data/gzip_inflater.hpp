// SPDX-License-Identifier: MIT
// Provides inflating of a stream of gzip members, one piece after the other.
#pragma once

#include "data/stored_piece.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace gannet::data {

/// Inflates gzip (RFC 1952) of any number of members with ISA-L and checks the CRC-32 and size of each. Zero
/// bytes after the last member are padding. About 0.5 GB of text per second of one core: a stream cannot be
/// divided among threads.
class GzipInflater {
  public:
    explicit GzipInflater(std::string file);  ///< the name is for messages
    ~GzipInflater();
    GzipInflater(const GzipInflater&) = delete;
    GzipInflater& operator=(const GzipInflater&) = delete;

    struct Result {
        size_t bytes = 0;         ///< written to `out`
        bool piece_done = false;  ///< continue with the next piece; otherwise `out` is full
    };
    /// Goes on inside `piece`, which follows the one of the call before. Throws Error(malformed_input) for
    /// truncated or damaged gzip and for bytes after it that are not gzip; not usable after that.
    Result inflate(StoredPiece& piece, std::span<uint8_t> out);

  private:
    struct State;
    [[noreturn]] void fail(const std::string& cause) const;
    bool begin_member(StoredPiece& piece);
    void check(int result) const;
    void check_flags(std::span<const uint8_t> bytes);

    std::string file_;
    std::unique_ptr<State> state_;
    bool started_ = false;
    bool in_member_ = false;
    bool padding_ = false;
    size_t head_bytes_ = 0;  ///< of the member's header that have been seen, as far as they are looked at
    uint64_t members_ = 0;
};

}  // namespace gannet::data
