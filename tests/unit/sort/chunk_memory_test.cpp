// SPDX-License-Identifier: MIT
// Checks the memory of the sorter's chunks: apart for threads, and given back.
#include "align/sort/chunk_memory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

namespace gannet::align::sort {
namespace {

uint64_t resident_bytes() {
    std::ifstream file("/proc/self/statm");
    uint64_t pages = 0;
    file >> pages >> pages;
    return pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

TEST(ChunkMemory, chunks_of_threads_are_apart) {
    constexpr size_t k_chunk = 16 << 10;
    constexpr size_t k_threads = 4;
    constexpr size_t k_each = 1000;
    ChunkMemory memory(k_chunk);
    std::vector<std::vector<ChunkMemory::Bytes>> chunks(k_threads);
    std::vector<std::thread> threads;
    for (size_t t = 0; t < k_threads; ++t) {
        threads.emplace_back([&, t] {
            for (size_t i = 0; i < k_each; ++i) {
                chunks[t].push_back(memory.chunk());
                std::fill_n(chunks[t].back().get(), k_chunk, static_cast<uint8_t>(t * 50 + i % 50));
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    std::set<const uint8_t*> begins;
    for (size_t t = 0; t < k_threads; ++t) {
        for (size_t i = 0; i < k_each; ++i) {
            const uint8_t* const bytes = chunks[t][i].get();
            begins.insert(bytes);
            EXPECT_EQ(reinterpret_cast<uintptr_t>(bytes) % k_chunk, 0);
            EXPECT_EQ(std::count(bytes, bytes + k_chunk, static_cast<uint8_t>(t * 50 + i % 50)), k_chunk);
        }
    }
    EXPECT_EQ(begins.size(), k_threads * k_each);
}

TEST(ChunkMemory, slab_goes_back_with_its_last_chunk) {
    constexpr size_t k_chunk = 64 << 10;
    constexpr size_t k_slabs = 64;
    constexpr size_t k_per_slab = ChunkMemory::k_slab_bytes / k_chunk;
    const uint64_t before = resident_bytes();
    std::vector<ChunkMemory::Bytes> chunks;
    ChunkMemory::Bytes last;
    {
        ChunkMemory memory(k_chunk);
        for (size_t i = 0; i < k_slabs * k_per_slab; ++i) {
            chunks.push_back(memory.chunk());
            std::fill_n(chunks.back().get(), k_chunk, uint8_t{1});
        }
        last = memory.chunk();
        last.get()[k_chunk - 1] = 7;
    }
    const uint64_t bytes = k_slabs * ChunkMemory::k_slab_bytes;
#if defined(__SANITIZE_ADDRESS__)
    const uint64_t more = bytes / 8;  // the sanitizer's shadow of them stays
#else
    const uint64_t more = 0;
#endif
    EXPECT_GT(resident_bytes(), before + bytes * 9 / 10);
    chunks.resize(chunks.size() / 2);
    EXPECT_LT(resident_bytes(), before + bytes * 6 / 10 + more);
    chunks.clear();
    EXPECT_LT(resident_bytes(), before + bytes / 10 + more);
    EXPECT_EQ(last.get()[k_chunk - 1], 7);  // although the memory it came from is gone
}

TEST(ChunkMemory, chunks_that_are_ready_take_no_memory_from_the_system) {
    constexpr size_t k_chunk = 64 << 10;
    constexpr size_t k_chunks = 1000;
    constexpr uint64_t k_bytes = k_chunk * k_chunks;
    ChunkMemory memory(k_chunk);
    const uint64_t before = resident_bytes();
    std::vector<ChunkMemory::Bytes> chunks;
    {
        const ChunkMemory::Ready first = memory.make_ready(k_bytes / 2);
        const ChunkMemory::Ready second = memory.make_ready(k_bytes / 2);
        const uint64_t ready = resident_bytes();
        EXPECT_GT(ready, before + k_bytes * 9 / 10);
        for (size_t i = 0; i < k_chunks; ++i) chunks.push_back(memory.chunk());
        EXPECT_LT(resident_bytes(), ready + ChunkMemory::k_slab_bytes);
    }
    const uint64_t used = resident_bytes();
    for (int again = 0; again < 100; ++again) {
        const ChunkMemory::Ready ready = memory.make_ready(4 * k_chunk);
        EXPECT_LT(resident_bytes(), used + 3 * ChunkMemory::k_slab_bytes);  // nobody has taken the last ones
    }
}

TEST(ChunkMemory, large_chunk_is_by_itself) {
    const ChunkMemory::Bytes bytes = ChunkMemory::large(5'000'001);
    std::fill_n(bytes.get(), 5'000'001, uint8_t{3});
    EXPECT_EQ(bytes.get_deleter().slab, nullptr);
}

}  // namespace
}  // namespace gannet::align::sort
