// SPDX-License-Identifier: MIT
// Provides memory of the host in pages that are there at once.
#include "kernels/cuda/host_pages.hpp"

#include <algorithm>
#include <atomic>
#include <sys/mman.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace gannet::kernels::cuda {

namespace {

/// A thread is worth its start for so much; and beyond so many the memory's rate is the limit.
constexpr uint64_t k_bytes_per_thread = uint64_t{4} << 20;
constexpr uint64_t k_max_threads = 16;

uint64_t page_bytes() {
    static const auto bytes = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
    return bytes;
}

uint64_t rounded_up(uint64_t bytes, uint64_t step) { return (bytes + step - 1) / step * step; }

/// The first write makes a page. Large ones are cleared as a whole by it, so that the others cost little.
void touch(uint8_t* begin, uint8_t* end) {
    for (volatile uint8_t* at = begin; at < end; at += page_bytes()) *at = 0;
}

void touch_by_threads(uint8_t* data, uint64_t bytes) {
    constexpr uint64_t k_piece = HostPages::k_large_page_bytes;
    std::atomic<uint64_t> next{0};
    const auto work = [&] {
        for (uint64_t begin = next.fetch_add(k_piece); begin < bytes; begin = next.fetch_add(k_piece))
            touch(data + begin, data + std::min(bytes, begin + k_piece));
    };
    const uint64_t wanted = std::min({bytes / k_bytes_per_thread, k_max_threads,
                                      uint64_t{std::max(1u, std::thread::hardware_concurrency())}});
    std::vector<std::thread> others;
    try {
        for (uint64_t thread = 1; thread < wanted; ++thread) others.emplace_back(work);
    } catch (const std::system_error&) {
        // There are no more: those that there are do it.
    }
    work();
    for (std::thread& other : others) other.join();
}

/// `bytes`, aligned, and a page without access behind them; nullptr where that cannot be had.
uint8_t* map(uint64_t bytes) {
    const uint64_t used = bytes + page_bytes();
    const uint64_t mapped = used + HostPages::k_large_page_bytes;
    void* const memory = mmap(nullptr, mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return nullptr;
    auto* const begin = static_cast<uint8_t*>(memory);
    const uint64_t before = rounded_up(reinterpret_cast<uint64_t>(begin), HostPages::k_large_page_bytes) -
                            reinterpret_cast<uint64_t>(begin);
    if (before > 0) munmap(begin, before);
    uint8_t* const data = begin + before;
    munmap(data + used, mapped - before - used);
    if (mprotect(data, bytes, PROT_READ | PROT_WRITE) == 0) return data;
    munmap(data, used);
    return nullptr;
}

}  // namespace

HostPages::HostPages(uint64_t bytes) {
    bytes = rounded_up(bytes, page_bytes());
    data_ = map(bytes);
    if (data_ == nullptr) return;
    bytes_ = bytes;
    // Where it is refused, or the system gives none, the pages are small ones.
    (void)madvise(data_, bytes_, MADV_HUGEPAGE);
    touch_by_threads(data_, bytes_);
}

HostPages::~HostPages() {
    if (data_ != nullptr) munmap(data_, bytes_ + page_bytes());
}

HostPages::HostPages(HostPages&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

HostPages& HostPages::operator=(HostPages&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
}

}  // namespace gannet::kernels::cuda
