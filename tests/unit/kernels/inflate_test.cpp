// SPDX-License-Identifier: MIT
// Tests the op inflate: what it makes of streams is what zlib makes of them, and what it refuses zlib refuses
// too, also where streams are damaged or were made to break rules of the format.
#include "kernels/inflate/inflate.hpp"

#include "kernels/host_stream.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>
#include <zlib.h>

namespace gannet::kernels {
namespace {

using Bytes = std::vector<uint8_t>;
using Status = InflateStatus;

uint32_t checksum(const Bytes& bytes) {
    return static_cast<uint32_t>(crc32(0, bytes.data(), static_cast<uInt>(bytes.size())));
}

Bytes deflated(const Bytes& bytes, int level, int strategy = Z_DEFAULT_STRATEGY) {
    z_stream state{};
    EXPECT_EQ(deflateInit2(&state, level, Z_DEFLATED, -15, 8, strategy), Z_OK);
    Bytes stream(deflateBound(&state, bytes.size()) + 64);
    state.next_in = const_cast<uint8_t*>(bytes.data());
    state.avail_in = static_cast<uInt>(bytes.size());
    state.next_out = stream.data();
    state.avail_out = static_cast<uInt>(stream.size());
    EXPECT_EQ(deflate(&state, Z_FINISH), Z_STREAM_END);
    stream.resize(state.total_out);
    deflateEnd(&state);
    return stream;
}

/// What zlib makes of a stream, up to 65,536 bytes; nothing where it refuses it.
std::optional<Bytes> inflated(Bytes stream) {
    Bytes bytes(k_inflate_max_bytes + 1);
    z_stream state{};
    EXPECT_EQ(inflateInit2(&state, -15), Z_OK);
    stream.push_back(0);  // has an address
    state.next_in = stream.data();
    state.avail_in = static_cast<uInt>(stream.size() - 1);
    state.next_out = bytes.data();
    state.avail_out = static_cast<uInt>(bytes.size());
    const int result = inflate(&state, Z_FINISH);
    bytes.resize(state.total_out);
    inflateEnd(&state);
    if (result != Z_STREAM_END) return std::nullopt;
    return bytes;
}

/// A stream's bytes and status where it should give so many bytes.
struct Outcome {
    Status status;
    Bytes bytes;
};
Outcome outcome(const Bytes& stream, size_t size, uint32_t crc32, Backend backend) {
    Outcome result;
    result.bytes.assign(size, 0x5a);
    const InflateBlock block{stream, result.bytes, crc32};
    std::vector<InflateStatus> statuses(3);
    HostStream queue;
    inflate_function(backend)(queue, {&block, 1}, statuses);
    EXPECT_EQ(statuses.size(), 1U);
    result.status = statuses.at(0);
    return result;
}

uint32_t next_random(uint32_t& state) { return (state = state * 1664525 + 1013904223) >> 8; }

Bytes noise(size_t count, uint32_t kinds, uint32_t seed = 7) {
    Bytes bytes(count);
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(next_random(seed) % kinds);
    return bytes;
}

/// Noise with repeats near and far.
Bytes text(size_t count, uint32_t seed = 3) {
    Bytes bytes = noise(100, 40, seed);
    while (bytes.size() < count) {
        const size_t distance = 1 + next_random(seed) % std::min<size_t>(bytes.size(), 32'768);
        for (uint32_t k = 3 + next_random(seed) % 300; k > 0; --k)
            bytes.push_back(bytes[bytes.size() - distance]);
        for (uint32_t k = next_random(seed) % 9; k > 0; --k)
            bytes.push_back(static_cast<uint8_t>(next_random(seed)));
    }
    bytes.resize(count);
    return bytes;
}

/// Of bits as text: of a number the highest last, of a word of a code the highest first.
class StreamOfBits {
  public:
    StreamOfBits& number(uint32_t value, uint32_t bits) {
        for (uint32_t k = 0; k < bits; ++k) add(k < 32 && (value >> k & 1) != 0);
        return *this;
    }
    StreamOfBits& word(const char* bits) {
        for (; *bits != 0; ++bits) add(*bits == '1');
        return *this;
    }
    const Bytes& bytes() const { return bytes_; }
    bool is_whole() const { return used_ % 8 == 0; }

  private:
    void add(bool bit) {
        if (used_ % 8 == 0) bytes_.push_back(0);
        bytes_.back() |= static_cast<uint8_t>(bit << used_++ % 8);
    }
    Bytes bytes_;
    uint32_t used_ = 0;
};

/// The head of a last block with codes of its own, and lengths that are written plainly: all symbols of the
/// code of code lengths but the last three have 4 bits.
StreamOfBits dynamic(const Bytes& literals, const Bytes& distances) {
    constexpr uint8_t order[16] = {0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    StreamOfBits stream;
    stream.number(1, 1).number(2, 2);
    stream.number(static_cast<uint32_t>(literals.size() - 257), 5);
    stream.number(static_cast<uint32_t>(distances.size() - 1), 5);
    stream.number(19 - 4, 4);
    stream.number(0, 3).number(0, 3).number(0, 3);
    for (size_t k = 0; k < std::size(order); ++k) stream.number(4, 3);
    for (const Bytes* lengths : {&literals, &distances}) {
        for (const uint8_t length : *lengths) {
            for (uint32_t k = 4; k-- > 0;) stream.number(length >> k & 1, 1);
        }
    }
    return stream;
}

class Inflate : public testing::TestWithParam<Backend> {
  protected:
    static Outcome outcome_of(const Bytes& stream, size_t size, uint32_t crc32 = 0) {
        return outcome(stream, size, crc32, GetParam());
    }
    static Status status_of(const Bytes& stream, size_t size) { return outcome_of(stream, size).status; }
    static void expect_good(const Bytes& stream, const Bytes& bytes) {
        const Outcome made = outcome_of(stream, bytes.size(), checksum(bytes));
        EXPECT_EQ(made.status, Status::ok);
        EXPECT_TRUE(made.bytes == bytes);
    }
    /// As zlib: good for the bytes that it makes, or refused.
    static bool expect_as_zlib(const Bytes& stream, size_t size) {
        const std::optional<Bytes> expected = inflated(stream);
        if (!expected || expected->size() > k_inflate_max_bytes) {
            const Status status = status_of(stream, size);
            EXPECT_TRUE(status != Status::ok && status != Status::bad_checksum)
                << static_cast<uint32_t>(status);
            return false;
        }
        expect_good(stream, *expected);
        if (expected->size() < size) {
            EXPECT_EQ(status_of(stream, size), Status::too_short);
        }
        if (!expected->empty()) {
            EXPECT_EQ(status_of(stream, expected->size() - 1), Status::too_long);
        }
        return true;
    }
};
INSTANTIATE_TEST_SUITE_P(Backends, Inflate, testing::Values(Backend::reference, Backend::emulated));

TEST_P(Inflate, makes_what_zlib_compressed) {
    for (const size_t size : {0U, 1U, 7U, 8U, 9U, 127U, 128U, 129U, 5'000U, k_inflate_max_bytes}) {
        for (const Bytes& bytes : {text(size), noise(size, 2), Bytes(size, 'x'), noise(size, 41)}) {
            for (const int level : {0, 1, 6, 9}) {
                const Bytes stream = deflated(bytes, level);
                if (stream.size() <= k_inflate_max_bytes) expect_good(stream, bytes);
            }
            for (const int strategy : {Z_FIXED, Z_HUFFMAN_ONLY, Z_RLE})
                if (const Bytes stream = deflated(bytes, 6, strategy); stream.size() <= k_inflate_max_bytes)
                    expect_good(stream, bytes);
        }
    }
}

TEST_P(Inflate, several_blocks_follow_each_other) {
    Bytes stream;
    Bytes bytes;
    z_stream state{};
    ASSERT_EQ(deflateInit2(&state, 6, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY), Z_OK);
    for (uint32_t part = 0; part < 12; ++part) {
        ASSERT_EQ(deflateParams(&state, static_cast<int>(part % 4) * 3,
                                part % 3 == 2 ? Z_FIXED : Z_DEFAULT_STRATEGY),
                  Z_OK);
        Bytes more = text(300 * part, part + 1);
        Bytes out(more.size() + 200);
        state.next_in = more.data();
        state.avail_in = static_cast<uInt>(more.size());
        state.next_out = out.data();
        state.avail_out = static_cast<uInt>(out.size());
        deflate(&state, part == 11 ? Z_FINISH : part % 2 == 0 ? Z_SYNC_FLUSH : Z_PARTIAL_FLUSH);
        out.resize(out.size() - state.avail_out);
        stream.insert(stream.end(), out.begin(), out.end());
        bytes.insert(bytes.end(), more.begin(), more.end());
    }
    deflateEnd(&state);
    EXPECT_TRUE(inflated(stream) == bytes);
    expect_good(stream, bytes);
}

TEST_P(Inflate, words_of_fifteen_bits) {
    Bytes literals(257);
    for (uint8_t k = 0; k < 14; ++k) literals['a' + k] = static_cast<uint8_t>(k + 1);
    literals['z'] = 15;
    literals[256] = 15;
    StreamOfBits stream = dynamic(literals, {0});
    Bytes bytes;
    for (uint32_t k = 0; k < 14; ++k) {
        stream.word(std::string(k, '1').c_str()).word("0");
        bytes.push_back(static_cast<uint8_t>('a' + k));
    }
    stream.word("111111111111110").word("111111111111111");
    bytes.push_back('z');
    EXPECT_TRUE(inflated(stream.bytes()) == bytes);
    expect_good(stream.bytes(), bytes);
}

TEST_P(Inflate, every_distance_and_length) {
    const Bytes before = noise(32'768, 256);
    for (const uint32_t distance :
         {1U, 2U, 3U, 7U, 8U, 9U, 31U, 32U, 33U, 257U, 258U, 259U, 4'000U, 32'767U, 32'768U}) {
        Bytes bytes = before;
        for (uint32_t length = 3; length <= 258; ++length) {
            for (uint32_t k = 0; k < length && bytes.size() < k_inflate_max_bytes; ++k)
                bytes.push_back(bytes[bytes.size() - distance]);
            if (bytes.size() < k_inflate_max_bytes) bytes.push_back(static_cast<uint8_t>(length));
        }
        const Bytes stream = deflated(bytes, 9);
        if (stream.size() <= k_inflate_max_bytes) expect_good(stream, bytes);
    }
}

/// Incomplete codes: only those that zlib takes, and no more of their words.
TEST_P(Inflate, codes_that_are_not_complete) {
    Bytes only_end(257);
    only_end[256] = 1;
    EXPECT_TRUE(expect_as_zlib(dynamic(only_end, {0}).word("0").bytes(), 5));
    EXPECT_EQ(status_of(dynamic(only_end, {0}).word("1").bytes(), 5), Status::bad_code);
    EXPECT_FALSE(expect_as_zlib(dynamic(only_end, {0}).word("1").bytes(), 5));
    Bytes end_of_two(257);
    end_of_two[256] = 2;
    EXPECT_FALSE(expect_as_zlib(dynamic(end_of_two, {0}).word("00").bytes(), 5));
    EXPECT_FALSE(expect_as_zlib(dynamic(Bytes(257), {0}).word("0").bytes(), 5));  // without an end
    // 'a', the end, and length 3; distances: none, one of 1 bit, one of 2 bits, two of 1 bit, three of 1 bit.
    Bytes some(258);
    some['a'] = 1;
    some[256] = some[257] = 2;
    const auto with = [&](const Bytes& distances, const char* word) {
        return dynamic(some, distances).word("0").word("11").word(word).word("10").bytes();
    };
    EXPECT_FALSE(expect_as_zlib(with({0}, "0"), 9));
    EXPECT_TRUE(expect_as_zlib(dynamic(some, {0}).word("0").word("10").bytes(), 9));
    EXPECT_TRUE(expect_as_zlib(with({1}, "0"), 9));
    EXPECT_FALSE(expect_as_zlib(with({1}, "1"), 9));
    EXPECT_FALSE(expect_as_zlib(with({2}, "00"), 9));
    EXPECT_TRUE(expect_as_zlib(with({1, 1}, "0"), 9));
    EXPECT_EQ(status_of(with({1, 1}, "1"), 9), Status::bad_distance);  // 2, after one byte
    EXPECT_FALSE(expect_as_zlib(with({1, 1}, "1"), 9));
    EXPECT_FALSE(expect_as_zlib(with({1, 1, 1}, "0"), 9));
}

TEST_P(Inflate, rules_of_the_format) {
    const auto begin = [](uint32_t type) { return std::move(StreamOfBits().number(1, 1).number(type, 2)); };
    EXPECT_EQ(status_of(begin(3).number(0, 30).bytes(), 5), Status::bad_block);
    EXPECT_EQ(status_of(begin(0).number(0, 5).number(1, 16).number(1, 16).number(7, 8).bytes(), 1),
              Status::bad_block);
    const Bytes stored = begin(0).number(0, 5).number(2, 16).number(0xfffd, 16).number(0x6261, 16).bytes();
    expect_good(stored, {'a', 'b'});
    EXPECT_EQ(status_of(stored, 1), Status::too_long);
    EXPECT_EQ(status_of(stored, 3), Status::too_short);
    // The fixed codes have words for symbols that mean nothing.
    for (const char* word : {"11000110", "11000111"}) {
        EXPECT_EQ(status_of(begin(1).word(word).number(0, 20).bytes(), 5), Status::bad_code);
        EXPECT_FALSE(expect_as_zlib(begin(1).word(word).number(0, 20).bytes(), 5));
    }
    for (const char* word : {"11110", "11111"}) {
        const Bytes stream = begin(1).word("10010001").word("0000001").word(word).number(0, 20).bytes();
        EXPECT_EQ(status_of(stream, 9), Status::bad_code);
        EXPECT_FALSE(expect_as_zlib(stream, 9));
    }
    // Too many lengths; a run before any length; a run beyond the last.
    EXPECT_FALSE(expect_as_zlib(begin(2).number(30, 5).number(0, 5).number(15, 4).number(0, 99).bytes(), 5));
    EXPECT_FALSE(expect_as_zlib(begin(2).number(0, 5).number(30, 5).number(15, 4).number(0, 99).bytes(), 5));
    EXPECT_FALSE(expect_as_zlib(
        begin(2).number(0, 9).number(0, 5).number(1, 3).number(0, 9).number(0, 99).bytes(), 5));
    // A code of code lengths of 16 and 18.
    const auto runs = [&] {
        return std::move(
            begin(2).number(0, 10).number(0, 4).number(1, 3).number(0, 3).number(1, 3).number(0, 3));
    };
    EXPECT_EQ(status_of(runs().word("0").number(0, 99).bytes(), 5), Status::bad_code);
    EXPECT_EQ(status_of(runs().word("1").number(127, 7).word("1").number(127, 7).number(0, 99).bytes(), 5),
              Status::bad_code);
    EXPECT_EQ(status_of({}, 0), Status::ends_early);
    EXPECT_EQ(status_of({}, 5), Status::ends_early);
}

TEST_P(Inflate, checksums_are_compared) {
    for (const size_t size : {0U, 1U, 127U, 128U, 129U, 9'999U}) {
        const Bytes bytes = text(size);
        const Outcome made = outcome_of(deflated(bytes, 6), size, checksum(bytes) ^ 0x80);
        EXPECT_EQ(made.status, Status::bad_checksum);
        EXPECT_EQ(made.bytes, Bytes(size, 0x5a));  // nothing is given away
    }
}

TEST_P(Inflate, what_follows_the_stream_is_not_looked_at) {
    const Bytes bytes = text(3'000);
    Bytes stream = deflated(bytes, 6);
    stream.insert(stream.end(), 40, 0xff);
    expect_good(stream, bytes);
}

TEST_P(Inflate, every_truncation_ends_early) {
    for (const int level : {0, 1, 9}) {
        const Bytes bytes = text(700);
        const Bytes stream = deflated(bytes, level);
        for (size_t size = 0; size < stream.size(); ++size)
            EXPECT_EQ(status_of(Bytes(stream.begin(), stream.begin() + static_cast<std::ptrdiff_t>(size)),
                                bytes.size()),
                      Status::ends_early)
                << level << " " << size;
    }
}

/// Whatever an earlier stream had there: a distance that begins behind the end is the word 0, not the bits 1
/// that are none.
TEST_P(Inflate, bits_behind_the_end_are_zeros) {
    Bytes literals(258);
    literals['a'] = 1;
    literals[256] = literals[257] = 2;
    uint32_t streams = 0;
    for (uint32_t count = 1; count <= 40; ++count) {
        StreamOfBits stream = dynamic(literals, {1});
        for (uint32_t k = 0; k < count; ++k) stream.word("0");
        if (!stream.word("11").is_whole()) continue;
        status_of(Bytes(stream.bytes().size() + 3, 0xff), 5);
        EXPECT_EQ(status_of(stream.bytes(), count + 3), Status::ends_early) << count;
        ++streams;
    }
    EXPECT_GE(streams, 4U);
}

TEST_P(Inflate, damaged_streams_are_refused_as_zlib_refuses_them) {
    uint32_t random = 11;
    size_t good = 0;
    size_t bad = 0;
    for (uint32_t round = 0; round < 3'000; ++round) {
        const Bytes bytes = text(1 + next_random(random) % 900, round);
        Bytes stream = deflated(bytes, static_cast<int>(next_random(random) % 10),
                                next_random(random) % 5 == 0 ? Z_FIXED : Z_DEFAULT_STRATEGY);
        for (uint32_t k = next_random(random) % 3 + 1; k > 0; --k) {
            // Half of them at the begin, where the codes are.
            const size_t reach = k % 2 == 0 ? stream.size() : std::min<size_t>(stream.size(), 60);
            stream[next_random(random) % reach] ^= static_cast<uint8_t>(1U << next_random(random) % 8);
        }
        ++(expect_as_zlib(stream, bytes.size()) ? good : bad);
    }
    EXPECT_GT(good, 100U);
    EXPECT_GT(bad, 100U);
}

TEST_P(Inflate, too_large_blocks_are_refused) {
    EXPECT_THROW(outcome_of({3, 0}, k_inflate_max_bytes + 1), std::invalid_argument);
    EXPECT_THROW(outcome_of(Bytes(k_inflate_max_bytes + 1), 1), std::invalid_argument);
}

/// Also the status is the same, of streams that are damaged.
TEST(InflateBackends, agree_on_what_is_wrong) {
    uint32_t random = 5;
    std::vector<size_t> seen(8);
    for (uint32_t round = 0; round < 4'000; ++round) {
        const Bytes bytes = text(1 + next_random(random) % 600, round);
        Bytes stream = deflated(bytes, static_cast<int>(next_random(random) % 10));
        for (uint32_t k = next_random(random) % 3; k > 0; --k)
            stream[next_random(random) % stream.size()] = static_cast<uint8_t>(next_random(random));
        if (round % 5 == 0) stream.resize(next_random(random) % stream.size());
        const Outcome expected = outcome(stream, bytes.size(), checksum(bytes), Backend::reference);
        const Outcome here = outcome(stream, bytes.size(), checksum(bytes), Backend::emulated);
        EXPECT_EQ(here.status, expected.status) << round;
        EXPECT_TRUE(here.bytes == expected.bytes) << round;
        ++seen.at(static_cast<size_t>(expected.status));
    }
    for (size_t status = 0; status < seen.size(); ++status) EXPECT_GT(seen[status], 0U) << status;
}

TEST(InflateBackends, simd_has_none) { EXPECT_EQ(inflate_function(Backend::simd), nullptr); }

}  // namespace
}  // namespace gannet::kernels
