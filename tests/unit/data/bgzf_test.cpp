// SPDX-License-Identifier: MIT
// Tests the compression of BGZF blocks: what is inflated is what went in, at each level and on each
// compressor.
#include "data/bgzf/block.hpp"
#include "data/bgzf/block_inflater.hpp"
#include "data/bgzf/section_deflater.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <span>
#include <string>
#include <utility>
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

using Sections = std::vector<PayloadSection>;

/// Cuts `size` bytes into sections of any kind; some are empty.
Sections random_sections(size_t size, std::mt19937& random) {
    Sections sections;
    uint32_t at = 0;
    while (at < size) {
        at = static_cast<uint32_t>(std::min<size_t>(size, at + random() % (random() % 8 == 0 ? 5000 : 200)));
        sections.push_back({at, static_cast<SectionKind>(random() % 3)});
    }
    return sections;
}

/// What repeats at all distances and lengths, with changes in between: runs, copies of earlier bytes, new
/// ones.
Bytes repetitive_bytes(size_t size, std::mt19937& random) {
    Bytes bytes;
    const auto values = static_cast<unsigned>(1 + random() % 256);
    while (bytes.size() < size) {
        const size_t length = 1 + random() % (random() % 4 == 0 ? 700 : 30);
        const size_t back = bytes.empty() ? 0 : 1 + random() % bytes.size();
        const auto kind = static_cast<unsigned>(random() % 3);
        for (size_t i = 0; i < length; ++i)
            bytes.push_back(kind == 0 || back == 0 ? static_cast<uint8_t>(random() % values)
                            : kind == 1            ? bytes.back()
                                                   : bytes[bytes.size() - back]);
    }
    bytes.resize(size);
    return bytes;
}

/// As `body` is in a block; what it holds.
Bytes inflated_body(std::span<const uint8_t> body, const Bytes& payload) {
    Bytes block;
    BlockCompressor(0).append(payload, block);
    const Bytes trailer(block.end() - 8, block.end());  // CRC and size are those of the payload
    block.resize(18);
    block.insert(block.end(), body.begin(), body.end());
    block.insert(block.end(), trailer.begin(), trailer.end());
    const size_t size = block.size() - 1;
    block[16] = static_cast<uint8_t>(size);
    block[17] = static_cast<uint8_t>(size >> 8);
    return inflated(block);
}

TEST(SectionDeflater, gives_back_what_went_in_whatever_the_sections) {
    constexpr int k_payloads = 1500;
    std::mt19937 random(3);
    SectionDeflater used;
    int made = 0;
    for (int number = 0; number < k_payloads; ++number) {
        const size_t most = number % 10 == 0 ? k_max_payload_bytes : 3000;
        const size_t size = number % 100 == 0 ? k_max_payload_bytes : 1 + random() % most;
        const Bytes payload =
            number % 7 == 0 ? random_bytes(size, 1 + random() % 256) : repetitive_bytes(size, random);
        const Sections sections = random_sections(size, random);
        used.suits(payload, sections);
        constexpr uint8_t k_guard = 0xa5;
        const size_t room = size + 5;
        Bytes out(room + SectionDeflater::k_spare_bytes + 16, k_guard);
        const size_t bytes = used.deflate(payload, sections, out.data(), room);
        ASSERT_LE(bytes, room);
        for (size_t i = room + SectionDeflater::k_spare_bytes; i < out.size(); ++i)
            ASSERT_EQ(out[i], k_guard) << "payload " << number;
        if (bytes == 0) continue;
        ++made;
        ASSERT_EQ(inflated_body(std::span(out).first(bytes), payload), payload) << "payload " << number;
        Bytes again(room + SectionDeflater::k_spare_bytes);
        ASSERT_EQ(SectionDeflater().deflate(payload, sections, again.data(), room), bytes);
        ASSERT_TRUE(
            std::equal(again.begin(), again.begin() + static_cast<std::ptrdiff_t>(bytes), out.begin()));
        // One byte less is too little.
        ASSERT_EQ(used.deflate(payload, sections, out.data(), bytes - 1), 0u);
    }
    EXPECT_GT(made, k_payloads * 2 / 3);
}

/// Records with `values` different qualities, in runs of `run`.
std::pair<Bytes, Sections> like_records(unsigned values, unsigned run) {
    constexpr size_t k_field_bytes = 60;
    constexpr size_t k_packed_bases = 75;
    constexpr size_t k_qualities = 150;
    std::mt19937 random(5);
    const Bytes genome = random_bytes(20'000, 256);
    std::pair<Bytes, Sections> made;
    auto& [bytes, sections] = made;
    const auto end_section = [&](SectionKind kind) {
        sections.push_back({static_cast<uint32_t>(bytes.size()), kind});
    };
    for (size_t at = 0; bytes.size() + k_field_bytes + k_packed_bases + k_qualities <= k_max_payload_bytes;
         at += 3) {
        for (size_t i = 0; i < k_field_bytes; ++i) bytes.push_back(static_cast<uint8_t>(i == 4 ? at : i));
        end_section(SectionKind::text);
        bytes.insert(bytes.end(), genome.begin() + static_cast<std::ptrdiff_t>(at),
                     genome.begin() + static_cast<std::ptrdiff_t>(at + k_packed_bases));
        end_section(SectionKind::bases);
        for (size_t i = 0; i < k_qualities; ++i)
            bytes.push_back(i % run == 0 ? static_cast<uint8_t>(random() % values) : bytes.back());
        end_section(SectionKind::qualities);
    }
    return made;
}

TEST(SectionDeflater, suits_qualities_without_repeats_and_finds_the_repeats_of_the_rest) {
    SectionDeflater deflater;
    const auto [noisy, sections] = like_records(40, 1);
    EXPECT_TRUE(deflater.suits(noisy, sections));
    const auto [runs, same_sections] = like_records(40, 50);
    EXPECT_FALSE(deflater.suits(runs, same_sections));
    EXPECT_FALSE(deflater.suits(noisy, Sections{{static_cast<uint32_t>(noisy.size()), SectionKind::text}}));

    BlockCompressor fast(1, BlockBytes::on_this_machine);
    Bytes by_sections;
    Bytes plain;
    fast.append(noisy, sections, by_sections);
    fast.append(noisy, plain);
    EXPECT_EQ(inflated(by_sections), noisy);
    EXPECT_NE(by_sections, plain);
    EXPECT_LT(static_cast<double>(by_sections.size()), 1.01 * static_cast<double>(plain.size()));
    // A payload that does not suit is compressed as without sections; so is any at other levels.
    Bytes runs_by_sections;
    Bytes runs_plain;
    fast.append(runs, same_sections, runs_by_sections);
    fast.append(runs, runs_plain);
    EXPECT_EQ(runs_by_sections, runs_plain);
}

}  // namespace
}  // namespace gannet::data::bgzf
