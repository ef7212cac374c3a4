// SPDX-License-Identifier: MIT
// Provides the memory of the sorter's chunks, cut from huge pages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace gannet::align::sort {

/// Chunks of one size, not initialised. They are cut from slabs of a huge page each, whose memory the system
/// gives at once: pages that are asked for one by one when they are first written cost several times as much,
/// and records that go to hundreds of chunks in turn find more of them in the TLB. Where there are no huge
/// pages, the pages of a slab still come together (since Linux 5.14). A slab is given back to the system with
/// the last of its chunks.
/// Thread-safe, and so are the chunks, which may outlive this. Out of memory: std::bad_alloc.
class ChunkMemory {
  public:
    class Slab;
    struct GiveBack {
        Slab* slab = nullptr;  ///< null: memory of its own
        void operator()(uint8_t* bytes) const noexcept;
    };
    using Bytes = std::unique_ptr<uint8_t, GiveBack>;

    static constexpr size_t k_slab_bytes = size_t{2} << 20;

    /// A power of two, at most k_slab_bytes.
    explicit ChunkMemory(size_t chunk_bytes) : chunk_bytes_(chunk_bytes) {}
    ~ChunkMemory();
    ChunkMemory(const ChunkMemory&) = delete;
    ChunkMemory& operator=(const ChunkMemory&) = delete;

    size_t chunk_bytes() const { return chunk_bytes_; }
    Bytes chunk();
    /// Of any size, by itself.
    static Bytes large(size_t bytes) { return Bytes(new uint8_t[bytes]); }

  private:
    const size_t chunk_bytes_;
    std::mutex mutex_;
    std::vector<Slab*> open_;  // those that have chunks left; each holds itself alive until it is used up
};

}  // namespace gannet::align::sort
