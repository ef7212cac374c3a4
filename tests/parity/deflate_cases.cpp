// SPDX-License-Identifier: MIT
// Provides the parity cases of deflate. Every stream is inflated again, by libdeflate.
#include "kernels/deflate/deflate.hpp"
#include "tests/parity/parity.hpp"

#include <libdeflate.h>

#include <array>
#include <cstring>

namespace gannet::parity {

namespace {

using kernels::DeflateBatch;
using kernels::DeflateResults;
using kernels::k_deflate_max_block;
using Bytes = std::vector<uint8_t>;

void add(DeflateBatch& batch, const Bytes& bytes) {
    batch.bytes.insert(batch.bytes.end(), bytes.begin(), bytes.end());
    batch.end_block();
}

/// Bytes that are one of the first `kinds`.
Bytes random_bytes(Random& random, size_t count, uint32_t kinds) {
    Bytes bytes(count);
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random.below(kinds));
    return bytes;
}

/// Appends `length` of its own bytes from `distance` before its end on.
void repeat(Bytes& bytes, size_t distance, size_t length) {
    for (size_t k = 0; k < length; ++k) bytes.push_back(bytes[bytes.size() - distance]);
}

void make_none(Random&, DeflateBatch&) {}

/// 0 to 100 bytes: around the tiles, and around the bytes that are hashed.
void make_short(Random& random, DeflateBatch& batch) {
    for (uint32_t k = 0; k < 60; ++k)
        add(batch, random_bytes(random, random.below(101), random.chance(50) ? 2 : 256));
}

void make_equal(Random& random, DeflateBatch& batch) {
    for (const size_t size : {size_t{1}, size_t{2}, size_t{263}, size_t{random.between(1, 3000)}})
        add(batch, Bytes(size, static_cast<uint8_t>(random.next())));
    if (random.chance(10)) add(batch, Bytes(k_deflate_max_block, 7));
}

/// From bytes that cannot be compressed to those of one bit.
void make_random(Random& random, DeflateBatch& batch) {
    constexpr std::array<uint32_t, 7> k_kinds{2, 3, 16, 40, 150, 250, 256};
    for (const uint32_t kinds : k_kinds) add(batch, random_bytes(random, random.between(1, 4000), kinds));
}

/// Repeats at every distance, also just within and beyond reach, of every length, also beyond the longest.
void make_repeats(Random& random, DeflateBatch& batch) {
    constexpr std::array<uint32_t, 12> k_distances{1,   2,   6,      31,     32,     33,
                                                   255, 256, 32'767, 32'768, 32'769, 50'000};
    const uint32_t most = random.chance(30) ? 50'000 : 3'000;
    Bytes bytes = random_bytes(random, random.between(most / 2, most), random.chance(50) ? 256 : 30);
    while (bytes.size() < most + 1'000) {
        const Bytes some = random_bytes(random, random.below(20), 256);
        bytes.insert(bytes.end(), some.begin(), some.end());
        const uint32_t wanted =
            random.chance(50) ? k_distances[random.below(k_distances.size())] : random.between(1, 33'000);
        repeat(bytes, std::min<size_t>(wanted, bytes.size()),
               random.chance(20) ? random.between(250, 600) : random.between(1, 40));
    }
    add(batch, bytes);
}

/// Counts of symbols that grow as Fibonacci's numbers, which would take words of more than 15 bits.
void make_deep(Random& random, DeflateBatch& batch) {
    Bytes bytes;
    uint32_t count = 1;
    uint32_t next = 1;
    for (uint32_t symbol = 0; bytes.size() + count < k_deflate_max_block && symbol < 22; ++symbol) {
        bytes.insert(bytes.end(), count, static_cast<uint8_t>(symbol * 11));
        std::swap(count, next);
        next += count;
    }
    for (size_t k = bytes.size(); k > 1; --k) std::swap(bytes[k - 1], bytes[random.below(k)]);
    add(batch, bytes);
}

/// As BAM records are: names with a common beginning, bases of a genome that overlap, qualities of few or of
/// many values, tags that are alike.
Bytes records(Random& random, size_t most) {
    const Bytes genome = random_bytes(random, 2'000, 256);
    const uint32_t kinds = random.chance(50) ? 4 : 40;
    Bytes bytes;
    for (uint32_t position = 0;; position += random.between(0, 9)) {
        Bytes record(36, 0);
        for (const size_t k : {size_t{8}, size_t{9}, size_t{32}})
            record[k] = static_cast<uint8_t>(position >> k % 8);
        const std::string name = "HWI:1:" + std::to_string(1'000 + random.below(200)) + ":" +
                                 std::to_string(random.below(100'000));
        record.insert(record.end(), name.begin(), name.end());
        const size_t begin = position % 1'900;
        record.insert(record.end(), genome.begin() + static_cast<std::ptrdiff_t>(begin),
                      genome.begin() + static_cast<std::ptrdiff_t>(begin + 75));
        uint8_t quality = 30;
        for (uint32_t k = 0; k < 150; ++k) {
            if (random.chance(60)) quality = static_cast<uint8_t>(2 + random.below(kinds));
            record.push_back(quality);
        }
        const std::string tags =
            "NMC" + std::string(1, static_cast<char>(random.below(4))) + "MDZ150RGZlane1";
        record.insert(record.end(), tags.begin(), tags.end());
        if (bytes.size() + record.size() > most) return bytes;
        bytes.insert(bytes.end(), record.begin(), record.end());
    }
}

void make_records(Random& random, DeflateBatch& batch) {
    for (uint32_t k = random.between(1, 4); k > 0; --k)
        add(batch, records(random, random.between(1, 20'000)));
}

/// Sizes around tiles and around the largest.
void make_edges(Random& random, DeflateBatch& batch) {
    for (uint32_t k = 0; k < 12; ++k) {
        Bytes bytes = random_bytes(random, 32 * random.between(0, 12) + random.between(0, 2), 5);
        if (!bytes.empty())
            repeat(bytes, random.between(1, static_cast<uint32_t>(bytes.size())), random.below(9));
        add(batch, bytes);
    }
}

void make_largest(Random& random, DeflateBatch& batch) {
    Bytes bytes = random.chance(50) ? records(random, k_deflate_max_block)
                                    : random_bytes(random, k_deflate_max_block - random.below(3),
                                                   random.chance(50) ? 256 : random.between(1, 200));
    while (bytes.size() < k_deflate_max_block && random.chance(80)) bytes.push_back(9);
    add(batch, bytes);
}

const std::array<Maker<DeflateBatch>, 9> k_makers{{{{"none", 0}, make_none},
                                                   {{"short", 8}, make_short},
                                                   {{"equal", 2}, make_equal},
                                                   {{"random", 4}, make_random},
                                                   {{"repeats", 2}, make_repeats},
                                                   {{"deep", 1}, make_deep},
                                                   {{"records", 2}, make_records},
                                                   {{"edges", 4}, make_edges},
                                                   {{"longest", 1}, make_largest}}};

Bytes inflated(std::span<const uint8_t> stream) {
    thread_local libdeflate_decompressor* const decompressor = libdeflate_alloc_decompressor();
    Bytes bytes(k_deflate_max_block + 1);
    size_t size = 0;
    size_t read = 0;
    const libdeflate_result result = libdeflate_deflate_decompress_ex(
        decompressor, stream.data(), stream.size(), bytes.data(), bytes.size(), &read, &size);
    EXPECT_TRUE(result == LIBDEFLATE_SUCCESS && read == stream.size());
    bytes.resize(size);
    return bytes;
}

struct DeflateOp : MadeByTable<DeflateBatch, k_makers> {
    using Results = std::vector<Bytes>;

    static std::string name() { return "deflate"; }
    static uint64_t cost() { return 40; }
    static bool has(const kernels::OpTable& table) { return table.deflate != nullptr; }
    static size_t size(const DeflateBatch& jobs) { return jobs.size(); }

    static DeflateBatch select(const DeflateBatch& jobs, std::span<const uint32_t> order) {
        DeflateBatch result;
        for (const uint32_t job : order) add(result, {jobs.block(job).begin(), jobs.block(job).end()});
        result.bytes.shrink_to_fit();  // so that a sanitizer sees reads beyond the end
        return result;
    }

    static Results run(const kernels::OpTable& table, const DeflateBatch& jobs) {
        DeflateResults found;
        dirty(found.bytes, jobs.bytes.size());
        dirty(found.offset, jobs.size() + 1);
        kernels::Stream& stream = stream_of(table);
        table.deflate(stream, jobs, found);
        stream.wait();
        EXPECT_EQ(found.size(), jobs.size());
        EXPECT_EQ(found.offset.front(), 0U);
        EXPECT_EQ(found.offset.back(), found.bytes.size());
        Results results;
        for (size_t k = 0; k < std::min(found.size(), jobs.size()); ++k) {
            const std::span<const uint8_t> stream_of_block = found.stream(k);
            const std::span<const uint8_t> block = jobs.block(k);
            EXPECT_LE(stream_of_block.size(), block.size() + kernels::k_deflate_stored_bytes);
            EXPECT_TRUE(inflated(stream_of_block) == Bytes(block.begin(), block.end())) << "block " << k;
            results.emplace_back(stream_of_block.begin(), stream_of_block.end());
        }
        return results;
    }

    static std::string difference(const Results& expected, const Results& actual,
                                  std::span<const uint32_t> order) {
        for (size_t k = 0; k < order.size(); ++k) {
            const Bytes& wanted = expected[order[k]];
            if (k < actual.size() && actual[k] == wanted) continue;
            const Bytes here = k < actual.size() ? actual[k] : Bytes();
            const size_t at = static_cast<size_t>(
                std::mismatch(wanted.begin(), wanted.end(), here.begin(), here.end()).first - wanted.begin());
            return "block " + std::to_string(order[k]) + ": reference " + std::to_string(wanted.size()) +
                   " bytes, here " + std::to_string(here.size()) + ", first difference at " +
                   std::to_string(at);
        }
        return "";
    }
};

}  // namespace

void register_deflate() { register_op<DeflateOp>(); }

}  // namespace gannet::parity
