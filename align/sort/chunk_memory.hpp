// SPDX-License-Identifier: MIT
// Provides the memory of the sorter's chunks, cut from huge pages.
#pragma once

#include <atomic>
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
    class Ready;
    /// For a caller who is going to ask for chunks of so many bytes under a lock: adds slabs until there are
    /// enough for all whose Ready lives, and a few chunks more. The system takes a tenth of a millisecond or
    /// longer for a slab, in which everybody who needs the lock would wait.
    [[nodiscard]] Ready make_ready(uint64_t bytes);
    /// Of what is ready, or of a new slab.
    Bytes chunk();
    /// Of any size, by itself.
    static Bytes large(size_t bytes) { return Bytes(new uint8_t[bytes]); }

  private:
    void add_slab();

    const size_t chunk_bytes_;
    std::mutex mutex_;
    std::vector<Slab*> open_;  // those that have chunks left; each holds itself alive until it is used up
    std::atomic<uint64_t> promised_{0};  // to all that are Ready
    std::atomic<uint64_t> ready_{0};     // not yet cut, in open_ and in slabs that are being made
};

class ChunkMemory::Ready {
  public:
    ~Ready() { memory_.promised_.fetch_sub(bytes_, std::memory_order_relaxed); }
    Ready(const Ready&) = delete;
    Ready& operator=(const Ready&) = delete;

  private:
    friend class ChunkMemory;
    Ready(ChunkMemory& memory, uint64_t bytes) : memory_(memory), bytes_(bytes) {}
    ChunkMemory& memory_;
    const uint64_t bytes_;
};

}  // namespace gannet::align::sort
