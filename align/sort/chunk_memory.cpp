// SPDX-License-Identifier: MIT
// Provides slabs of huge pages and their chunks.
#include "align/sort/chunk_memory.hpp"

#include <atomic>
#include <new>
#include <sys/mman.h>

namespace gannet::align::sort {

class ChunkMemory::Slab {
  public:
    Slab() {
        // Twice as much, of which the part that begins at a multiple of a huge page is kept.
        void* const mapped =
            mmap(nullptr, 2 * k_slab_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (mapped == MAP_FAILED) throw std::bad_alloc();
        const auto at = reinterpret_cast<uintptr_t>(mapped);
        const uintptr_t begin = (at + k_slab_bytes - 1) / k_slab_bytes * k_slab_bytes;
        if (begin > at) munmap(mapped, begin - at);
        const uintptr_t end = begin + k_slab_bytes;
        if (end < at + 2 * k_slab_bytes) munmap(reinterpret_cast<void*>(end), at + 2 * k_slab_bytes - end);
        bytes_ = reinterpret_cast<uint8_t*>(begin);
        // Hints: without them the memory is the same, and only slower.
        madvise(bytes_, k_slab_bytes, MADV_HUGEPAGE);
#ifdef MADV_POPULATE_WRITE
        madvise(bytes_, k_slab_bytes, MADV_POPULATE_WRITE);
#endif
    }
    ~Slab() { munmap(bytes_, k_slab_bytes); }
    Slab(const Slab&) = delete;
    Slab& operator=(const Slab&) = delete;

    /// Under the lock of the memory; null where there is none left.
    uint8_t* next(size_t chunk_bytes) {
        if (used_ + chunk_bytes > k_slab_bytes) return nullptr;
        users_.fetch_add(1, std::memory_order_relaxed);
        uint8_t* const chunk = bytes_ + used_;
        used_ += chunk_bytes;
        return chunk;
    }
    void leave() noexcept {
        if (users_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
    }

  private:
    uint8_t* bytes_ = nullptr;
    size_t used_ = 0;
    std::atomic<size_t> users_{1};  // its chunks, and the memory as long as it has any left
};

void ChunkMemory::GiveBack::operator()(uint8_t* bytes) const noexcept {
    if (slab != nullptr)
        slab->leave();
    else
        delete[] bytes;
}

ChunkMemory::~ChunkMemory() {
    for (Slab* slab : open_) slab->leave();
}

void ChunkMemory::add_slab() {
    auto slab = std::make_unique<Slab>();
    const std::lock_guard lock(mutex_);
    open_.push_back(slab.get());
    slab.release();
}

ChunkMemory::Ready ChunkMemory::make_ready(uint64_t bytes) {
    // Records need a few chunks more or fewer than their bytes, as buckets happen to be full.
    constexpr uint64_t k_spare_chunks = 16;
    const uint64_t wanted = promised_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
    uint64_t ready = ready_.load(std::memory_order_relaxed);
    while (ready < wanted + k_spare_chunks * chunk_bytes_) {
        if (!ready_.compare_exchange_weak(ready, ready + k_slab_bytes, std::memory_order_relaxed)) continue;
        add_slab();
        ready = ready_.load(std::memory_order_relaxed);
    }
    return Ready(*this, bytes);
}

ChunkMemory::Bytes ChunkMemory::chunk() {
    for (;;) {
        {
            const std::lock_guard lock(mutex_);
            while (!open_.empty()) {
                Slab* const slab = open_.back();
                if (uint8_t* const chunk = slab->next(chunk_bytes_)) {
                    ready_.fetch_sub(chunk_bytes_, std::memory_order_relaxed);
                    return Bytes(chunk, {slab});
                }
                open_.pop_back();
                slab->leave();
            }
        }
        ready_.fetch_add(k_slab_bytes, std::memory_order_relaxed);
        add_slab();
    }
}

}  // namespace gannet::align::sort
