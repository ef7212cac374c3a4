// SPDX-License-Identifier: MIT
// Tests the compression of BGZF blocks: what is inflated is what went in, at each level and on each
// compressor.
#include "data/bgzf/block.hpp"
#include "data/bgzf/block_inflater.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace gannet::data::bgzf {
namespace {

using Bytes = std::vector<uint8_t>;

Bytes random_bytes(size_t count, unsigned values) {
    std::mt19937 random(7);
    Bytes bytes(count);
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random() % values);
    return bytes;
}

/// Empty, short, like records, of one value, and what no compression makes smaller; the largest too.
std::vector<Bytes> payloads() {
    return {{},
            {42},
            random_bytes(31, 4),
            random_bytes(30'000, 6),
            Bytes(k_max_payload_bytes, 0),
            random_bytes(5'000, 256),
            random_bytes(k_max_payload_bytes, 9),
            random_bytes(k_max_payload_bytes, 256)};
}

Bytes inflated(const Bytes& block) {
    BlockInflater inflater;
    StoredPiece piece;
    piece.memory = block;
    piece.end = block.size();
    Bytes out(k_max_inflated_bytes);
    out.resize(inflater.inflate(piece, out, "block"));
    EXPECT_EQ(piece.error, nullptr);
    return out;
}

TEST(Bgzf, blocks_of_every_level_give_back_what_went_in) {
    for (int level = 0; level <= 12; ++level) {
        for (const BlockBytes bytes : {BlockBytes::on_every_machine, BlockBytes::on_this_machine}) {
            BlockCompressor compressor(level, bytes);
            for (const Bytes& payload : payloads()) {
                Bytes block;
                const size_t size = compressor.append(payload, block);
                EXPECT_EQ(size, block.size());
                EXPECT_LE(block.size(), payload.size() + 31);
                ASSERT_EQ(block_size(block), block.size());
                EXPECT_EQ(inflated(block), payload) << "level " << level;
            }
        }
    }
}

TEST(Bgzf, a_block_does_not_depend_on_those_before_it) {
    for (const BlockBytes bytes : {BlockBytes::on_every_machine, BlockBytes::on_this_machine}) {
        BlockCompressor used(1, bytes);
        std::vector<Bytes> all = payloads();
        for (int round = 0; round < 2; ++round) {
            for (const Bytes& payload : all) {
                Bytes block;
                Bytes fresh;
                used.append(payload, block);
                BlockCompressor(1, bytes).append(payload, fresh);
                EXPECT_EQ(block, fresh) << payload.size() << " bytes";
            }
            std::reverse(all.begin(), all.end());
        }
    }
}

TEST(Bgzf, the_fast_compressor_is_taken_at_level_1_only) {
    const Bytes payload = random_bytes(30'000, 6);
    for (const int level : {1, 2, 6}) {
        Bytes everywhere;
        Bytes here;
        BlockCompressor(level).append(payload, everywhere);
        BlockCompressor(level, BlockBytes::on_this_machine).append(payload, here);
        EXPECT_EQ(everywhere == here, level != 1);
        EXPECT_LT(static_cast<double>(here.size()), 1.1 * static_cast<double>(everywhere.size()));
    }
}

}  // namespace
}  // namespace gannet::data::bgzf
