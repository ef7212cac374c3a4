// SPDX-License-Identifier: MIT
// Provides the interface through which `data` has many BGZF blocks inflated at once, by somebody who is not a
// thread of the program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace gannet::data {

/// Has places, each for a batch of blocks at a time: reserve(), begin(), collect(). Thread-safe, for
/// different places. Must outlive the objects that were given it.
class BatchInflater {
  public:
    /// A raw DEFLATE stream (RFC 1951), and what its container says of it.
    struct Block {
        std::span<const uint8_t> stream;
        std::span<uint8_t> out;  ///< as many bytes as it should be inflated to
        uint32_t crc32 = 0;      ///< of these
    };
    /// Most blocks of a piece of a file (StoredPiece): those of a piece with more are too small to be worth a
    /// batch.
    static constexpr size_t k_max_piece_blocks = 64;

    virtual ~BatchInflater() = default;
    /// Pieces whose blocks make up a batch; constant.
    virtual size_t batch_pieces() const = 0;
    /// False: it has no place now and will never have one again.
    virtual bool works() const = 0;
    virtual bool has_room() const = 0;
    /// A free place, if there is one, which is the caller's until collect() or release().
    virtual std::optional<size_t> reserve() = 0;
    virtual void release(size_t place) = 0;
    /// Of one block at least. `done` is called once, by any thread, maybe before begin() returns: collect()
    /// does not wait from then on. The blocks and what they name must stay until then. What goes wrong is
    /// thrown by collect().
    virtual void begin(size_t place, std::span<const Block> blocks, std::function<void()> done) = 0;
    /// good[k]: block k has been inflated, and is as long and has the checksum that it should; of others
    /// nothing is known, they are to be inflated elsewhere. `use` is called then, if all went well, so that
    /// its time counts as that of the batch. Frees the place, also where it throws.
    virtual void collect(size_t place, std::vector<bool>& good, const std::function<void()>& use) = 0;
};

}  // namespace gannet::data
