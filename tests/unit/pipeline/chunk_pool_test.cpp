// SPDX-License-Identifier: MIT
// Shows that chunks of records get the memory of chunks that are no longer used, and nothing else of them.
#include "pipeline/stages/chunk_pool.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <optional>

namespace gannet::pipeline::stages {
namespace {

TEST(ChunkPool, chunk_has_the_memory_of_one_whose_last_owner_is_gone_and_is_empty) {
    ChunkPool pool;
    auto chunk = pool.take();
    chunk->bytes.assign(100'000, 7);
    chunk->entries.resize(300);
    const uint8_t* const memory = chunk->bytes.data();
    std::shared_ptr<const variants::RecordChunk> window = chunk;
    chunk.reset();
    EXPECT_NE(pool.take()->bytes.data(), memory) << "a window still reads it";
    EXPECT_EQ(window->bytes.size(), 100'000u);

    window.reset();
    const auto next = pool.take();
    EXPECT_EQ(next->bytes.data(), memory);
    EXPECT_TRUE(next->bytes.empty());
    EXPECT_TRUE(next->entries.empty());
    EXPECT_GE(next->bytes.capacity(), 100'000u);
}

TEST(ChunkPool, memory_of_a_pile_up_is_not_kept) {
    ChunkPool pool;
    pool.take()->bytes.reserve(ChunkPool::k_max_kept_bytes + 1);
    EXPECT_EQ(pool.take()->bytes.capacity(), 0u);
    pool.take()->bytes.reserve(ChunkPool::k_max_kept_bytes);
    EXPECT_EQ(pool.take()->bytes.capacity(), ChunkPool::k_max_kept_bytes);
}

TEST(ChunkPool, chunk_may_outlive_the_pool) {
    std::optional<ChunkPool> pool(std::in_place);
    const auto chunk = pool->take();
    pool.reset();
    chunk->bytes.assign(10, 1);
    EXPECT_EQ(chunk->bytes.size(), 10u);
}

}  // namespace
}  // namespace gannet::pipeline::stages
