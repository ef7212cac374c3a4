// SPDX-License-Identifier: MIT
// Tests the compression of spilled records: any record comes back as it was.
#include "align/sort/record_codec.hpp"

#include "align/sort/packed_bases.hpp"
#include "data/error.hpp"
#include "tests/unit/sort/sort_cases.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <limits>
#include <random>

namespace gannet::align::sort {
namespace {

std::vector<uint8_t> frames_of(const data::RecordBatch& batch) {
    std::vector<uint8_t> frames;
    for (const data::RecordEntry& entry : batch.entries) {
        const size_t at = frames.size();
        frames.resize(at + k_frame_bytes + entry.size_bytes);
        std::memcpy(frames.data() + at, &entry.ordinal, 8);
        std::memcpy(frames.data() + at + 8, &entry.size_bytes, 4);
        std::memcpy(frames.data() + at + k_frame_bytes, batch.bytes.data() + entry.offset, entry.size_bytes);
    }
    return frames;
}

/// The stored bytes; expects that `frames` come back from them.
std::vector<uint8_t> expect_round_trip(RecordCodec& codec, std::span<const uint8_t> frames) {
    const std::span<const uint8_t> stored = codec.encode({&frames, 1});
    const std::vector<uint8_t> kept(stored.begin(), stored.end());
    std::vector<uint8_t> back(frames.size());
    codec.decode(kept, back);
    EXPECT_TRUE(std::equal(frames.begin(), frames.end(), back.begin()));
    return kept;
}

/// Records of any length with any value in any field.
data::RecordBatch odd_records(uint64_t seed, size_t count) {
    std::mt19937_64 random(seed);
    const auto pick = [&random](std::initializer_list<int32_t> values) {
        return values.begin()[random() % values.size()];
    };
    constexpr int32_t k_max = std::numeric_limits<int32_t>::max();
    constexpr int32_t k_min = std::numeric_limits<int32_t>::min();
    data::RecordBatch batch;
    for (size_t i = 0; i < count; ++i) {
        std::string name(random() % 8 == 0 ? random() % 255 : 3 + random() % 5, 'n');
        for (char& letter : name) letter = static_cast<char>('!' + random() % (random() % 2 ? 2 : 90));
        std::vector<data::Base> bases(random() % 4 == 0 ? random() % 20 : random() % 400);
        for (data::Base& base : bases)
            base = static_cast<data::Base>(random() % (i % 3 == 0 && random() % 50 == 0 ? 5 : 4));
        std::vector<uint8_t> qualities(random() % 5 == 0 ? 0 : bases.size());
        for (uint8_t& quality : qualities) quality = static_cast<uint8_t>(random() % 64);
        std::vector<uint32_t> cigar(random() % 4);
        for (uint32_t& element : cigar) element = static_cast<uint32_t>(random());
        data::RecordFields fields;
        fields.contig = pick({-1, 0, 1, 24, k_max});
        fields.position = pick({-1, 0, 5, 100'000, k_max - 1});
        fields.mapping_quality = static_cast<uint8_t>(random());
        fields.flag = static_cast<uint16_t>(random());
        fields.mate_contig = pick({-1, 0, 1, k_max, k_min});
        fields.mate_position = pick({-1, 0, 300, k_max, k_min});
        fields.template_length = pick({0, 400, -400, k_max, k_min});
        fields.name = name;
        fields.bases = bases;
        fields.qualities = qualities;
        fields.cigar = cigar;
        fields.ordinal = random();
        data::RecordAppender appender(batch, fields);
        if (random() % 2) appender.tag("XX", std::string(random() % 300, 'x'));
    }
    return batch;
}

TEST(RecordCodec, any_record_comes_back) {
    RecordCodec codec;
    for (uint64_t seed = 0; seed < 60; ++seed)
        expect_round_trip(codec, frames_of(odd_records(seed, seed < 20 ? seed : 300)));
}

TEST(RecordCodec, pieces_are_one_stretch_of_frames) {
    RecordCodec codec;
    std::vector<std::vector<uint8_t>> parts;
    std::vector<std::span<const uint8_t>> pieces;
    std::vector<uint8_t> all;
    for (uint64_t seed = 0; seed < 5; ++seed) parts.push_back(frames_of(odd_records(seed, seed * 7)));
    for (const std::vector<uint8_t>& part : parts) {
        pieces.emplace_back(part);
        all.insert(all.end(), part.begin(), part.end());
    }
    const std::span<const uint8_t> stored = codec.encode(pieces);
    const std::vector<uint8_t> kept(stored.begin(), stored.end());
    std::vector<uint8_t> back(all.size());
    codec.decode(kept, back);
    EXPECT_EQ(back, all);
}

TEST(RecordCodec, reads_as_sequenced_take_less_than_half_of_their_bytes) {
    std::mt19937_64 random(3);
    data::RecordBatch batch;
    std::vector<data::Base> bases(150);
    std::vector<uint8_t> qualities(150);
    const std::vector<uint32_t> cigar = {data::cigar_element(150, data::k_cigar_match)};
    for (uint64_t i = 0; i < 2000; ++i) {
        for (data::Base& base : bases) base = static_cast<data::Base>(random() % 4);
        // About 3.5 bits of information in a quality, as in reads of 40 different ones.
        for (uint8_t& quality : qualities)
            quality = static_cast<uint8_t>(40 - std::popcount(random() & 0xffff) * 2);
        const std::string name = "A00123:45:HXXXXXXXX:1:1101:" + std::to_string(1000 + i * 17) + ":1000";
        data::RecordFields fields;
        fields.contig = 3;
        fields.position = static_cast<int32_t>(1'000'000 + random() % 131'072);
        fields.flag = i % 2 ? 99 : 147;
        fields.mate_contig = 3;
        fields.mate_position = fields.position + (i % 2 ? 200 : -200);
        fields.template_length = i % 2 ? 350 : -350;
        fields.mapping_quality = 60;
        fields.name = name;
        fields.bases = bases;
        fields.qualities = qualities;
        fields.cigar = cigar;
        fields.ordinal = i * 256 * 90;
        data::RecordAppender appender(batch, fields);
        appender.tag("NM", int64_t{0});
        appender.tag("MD", std::string_view("150"));
        appender.tag("RG", std::string_view("sample"));
    }
    RecordCodec codec;
    const std::vector<uint8_t> frames = frames_of(batch);
    EXPECT_LT(expect_round_trip(codec, frames).size() * 100, batch.bytes.size() * 45);
}

TEST(RecordCodec, what_was_not_encoded_is_refused) {
    RecordCodec codec;
    const std::vector<uint8_t> frames = frames_of(odd_records(1, 50));
    const std::vector<uint8_t> stored = expect_round_trip(codec, frames);
    std::vector<uint8_t> back(frames.size());
    EXPECT_THROW(codec.decode(std::span(stored).first(stored.size() - 1), back), data::Error);
    EXPECT_THROW(codec.decode(std::span(stored).first(10), back), data::Error);
    EXPECT_THROW(codec.decode(stored, std::span(back).first(back.size() - 1)), data::Error);
    back.resize(frames.size() + 1);
    EXPECT_THROW(codec.decode(stored, back), data::Error);
    std::vector<uint8_t> cut = frames;
    cut.pop_back();
    const std::span<const uint8_t> piece = cut;
    EXPECT_THROW(codec.encode({&piece, 1}), data::Error);
}

TEST(PackedBases, any_length_and_any_nibble) {
    std::mt19937_64 random(1);
    std::vector<uint8_t> packed;
    for (size_t bases = 0; bases < 200; ++bases) {
        const size_t bytes = (bases + 1) / 2;
        // -1: all known; else the position of an N; `bases`: bits in the unused half of the last byte.
        for (int odd = -1; odd <= static_cast<int>(bases); ++odd) {
            std::vector<uint8_t> nibbles(bytes);
            for (size_t i = 0; i < bases; ++i)
                nibbles[i / 2] =
                    static_cast<uint8_t>(nibbles[i / 2] | (1u << random() % 4) << (i % 2 ? 0 : 4));
            if (odd >= 0 && static_cast<size_t>(odd) / 2 < bytes)
                nibbles[static_cast<size_t>(odd) / 2] =
                    static_cast<uint8_t>(nibbles[static_cast<size_t>(odd) / 2] | (odd % 2 ? 15 : 15 << 4));
            packed.assign(max_packed_bytes(bases), 0);
            const size_t size = pack_bases(nibbles.data(), bases, packed.data());
            ASSERT_LE(size, packed.size());
            ASSERT_EQ(packed_bytes(packed[0], bases), size);
            if (odd < 0) {
                ASSERT_LE(size, 1 + bases / 4 + 4);
            }
            std::vector<uint8_t> back(bytes, 0xee);
            unpack_bases(packed.data(), bases, back.data());
            ASSERT_EQ(back, nibbles) << bases << " bases, odd one " << odd;
        }
    }
}

}  // namespace
}  // namespace gannet::align::sort
