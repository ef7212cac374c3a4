// SPDX-License-Identifier: MIT
// Tests the decoding of bases and qualities against one look-up per base.
#include "variants/sequence/read_decoding.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

namespace gannet::variants {
namespace {

TEST(ReadDecoding, bases_of_every_length_are_those_of_their_nibbles) {
    std::mt19937_64 random(3);
    for (size_t length = 0; length < 70; ++length) {
        std::vector<uint8_t> nibbles((length + 1) / 2);
        for (uint8_t& byte : nibbles) byte = static_cast<uint8_t>(random());
        std::vector<data::Base> bases(length + 1, 99);
        decode_bases(nibbles, std::span(bases).first(length));
        for (size_t i = 0; i < length; ++i) {
            const uint8_t byte = nibbles[i / 2];
            EXPECT_EQ(bases[i], data::k_base_of_nibble[i % 2 == 0 ? byte >> 4 : byte & 15])
                << length << ' ' << i;
        }
        EXPECT_EQ(bases[length], 99) << length;
    }
}

TEST(ReadDecoding, qualities_of_every_length_and_value_are_those_of_the_map) {
    std::mt19937_64 random(4);
    QualityMap map;
    for (uint8_t& quality : map) quality = static_cast<uint8_t>(random());
    for (size_t length = 0; length < 70; ++length) {
        for (const uint32_t most : {45u, 63u, 64u, 255u}) {
            std::vector<uint8_t> qualities(length);
            for (uint8_t& quality : qualities) quality = static_cast<uint8_t>(random() % (most + 1));
            std::vector<uint8_t> mapped(length + 1, 99);
            map_qualities(map, qualities, std::span(mapped).first(length));
            for (size_t i = 0; i < length; ++i) EXPECT_EQ(mapped[i], map[qualities[i]]) << length << ' ' << i;
            EXPECT_EQ(mapped[length], 99) << length;
        }
    }
}

}  // namespace
}  // namespace gannet::variants
