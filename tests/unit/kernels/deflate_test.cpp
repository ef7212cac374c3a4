// SPDX-License-Identifier: MIT
// Tests the op deflate by its streams: known ones, and what zlib makes of them. Parity inflates them with
// libdeflate.
#include "kernels/deflate/deflate.hpp"

#include "kernels/host_stream.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>
#include <zlib.h>

namespace gannet::kernels {
namespace {

using Bytes = std::vector<uint8_t>;

Bytes bytes_of(const std::string& text) { return {text.begin(), text.end()}; }

std::vector<Bytes> deflated(const std::vector<Bytes>& blocks, Backend backend) {
    DeflateBatch batch;
    for (const Bytes& block : blocks) {
        batch.bytes.insert(batch.bytes.end(), block.begin(), block.end());
        batch.end_block();
    }
    DeflateResults results;
    HostStream stream;
    deflate_function(backend)(stream, batch, results);
    std::vector<Bytes> streams;
    for (size_t k = 0; k < results.size(); ++k)
        streams.emplace_back(results.stream(k).begin(), results.stream(k).end());
    return streams;
}

/// By zlib; all of the stream must be used.
Bytes inflated(Bytes stream) {
    Bytes bytes(k_deflate_max_block);
    z_stream state{};
    EXPECT_EQ(inflateInit2(&state, -15), Z_OK);
    state.next_in = stream.data();
    state.avail_in = static_cast<uInt>(stream.size());
    state.next_out = bytes.data();
    state.avail_out = static_cast<uInt>(bytes.size());
    EXPECT_EQ(inflate(&state, Z_FINISH), Z_STREAM_END);
    EXPECT_EQ(state.avail_in, 0U);
    bytes.resize(state.total_out);
    inflateEnd(&state);
    return bytes;
}

uint32_t next_random(uint32_t& state) { return state = state * 1664525 + 1013904223; }

Bytes noise(size_t count, uint32_t kinds) {
    Bytes bytes(count);
    uint32_t state = 7;
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>((next_random(state) >> 16) % kinds);
    return bytes;
}

class Deflate : public testing::TestWithParam<Backend> {};
INSTANTIATE_TEST_SUITE_P(Backends, Deflate, testing::Values(Backend::reference, Backend::emulated));

TEST_P(Deflate, short_blocks_have_the_fixed_codes) {
    const std::vector<Bytes> streams = deflated({{}, bytes_of("a"), bytes_of("abcabcabcabc")}, GetParam());
    EXPECT_EQ(streams[0], (Bytes{0x03, 0x00}));
    EXPECT_EQ(streams[1], (Bytes{0x4b, 0x04, 0x00}));
    // What repeats within a tile of 32 positions is not found.
    EXPECT_EQ(streams[2],
              (Bytes{0x4b, 0x4c, 0x4a, 0x4e, 0x4c, 0x4a, 0x4e, 0x4c, 0x4a, 0x4e, 0x4c, 0x4a, 0x06, 0x00}));
}

TEST_P(Deflate, noise_is_stored) {
    const Bytes block = noise(k_deflate_max_block, 256);
    const Bytes stream = deflated({block}, GetParam())[0];
    ASSERT_EQ(stream.size(), block.size() + k_deflate_stored_bytes);
    EXPECT_EQ(Bytes(stream.begin(), stream.begin() + 5), (Bytes{1, 0x00, 0xff, 0xff, 0x00}));
    EXPECT_TRUE(std::equal(block.begin(), block.end(), stream.begin() + 5));
    EXPECT_TRUE(inflated(stream) == block);
}

TEST_P(Deflate, equal_bytes_are_runs) {
    const Bytes block(k_deflate_max_block, 'x');
    const Bytes stream = deflated({block}, GetParam())[0];
    EXPECT_LT(stream.size(), 100U);
    EXPECT_TRUE(inflated(stream) == block);
}

TEST_P(Deflate, zlib_reads_what_is_made) {
    std::vector<Bytes> blocks;
    for (const uint32_t kinds : {1U, 2U, 3U, 20U, 100U, 200U}) {
        for (const size_t size : {1U, 31U, 32U, 33U, 5'000U, k_deflate_max_block})
            blocks.push_back(noise(size, kinds));
    }
    // Codes that would be longer than 15 bits.
    Bytes deep;
    uint32_t one = 1;
    uint32_t two = 1;
    for (uint8_t symbol = 0; symbol < 22; ++symbol) {
        deep.insert(deep.end(), one, symbol);
        two += std::exchange(one, two);
    }
    deep.resize(k_deflate_max_block, 3);
    uint32_t state = 5;
    for (size_t k = deep.size(); k > 1; --k) std::swap(deep[k - 1], deep[next_random(state) % k]);
    blocks.push_back(deep);
    const std::vector<Bytes> streams = deflated(blocks, GetParam());
    for (size_t k = 0; k < blocks.size(); ++k) EXPECT_TRUE(inflated(streams[k]) == blocks[k]) << k;
}

TEST_P(Deflate, blocks_do_not_depend_on_each_other) {
    const std::vector<Bytes> blocks{noise(3'000, 30), noise(3'000, 30), noise(500, 4)};
    const std::vector<Bytes> streams = deflated(blocks, GetParam());
    EXPECT_EQ(streams[0], streams[1]);
    EXPECT_EQ(deflated({blocks[2]}, GetParam())[0], streams[2]);
}

TEST_P(Deflate, too_large_blocks_are_refused) {
    EXPECT_THROW(deflated({Bytes(k_deflate_max_block + 1)}, GetParam()), std::invalid_argument);
}

TEST(DeflateBackends, simd_has_none) { EXPECT_EQ(deflate_function(Backend::simd), nullptr); }

}  // namespace
}  // namespace gannet::kernels
