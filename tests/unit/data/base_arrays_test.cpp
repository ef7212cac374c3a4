// SPDX-License-Identifier: MIT
// Tests the loops over arrays of bases against one base at a time, at every length up to several words.
#include "data/base_arrays.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace gannet::data {
namespace {

constexpr size_t k_longest = 75;
constexpr uint8_t k_guard = 0xa7;

/// Bases of which one in eight is N.
std::vector<Base> random_bases(size_t count, std::mt19937& random) {
    std::vector<Base> bases(count);
    for (Base& base : bases) base = random() % 8 == 0 ? k_base_n : static_cast<Base>(random() % 4);
    return bases;
}

TEST(BaseArrays, reverse_complement_is_that_of_each_base) {
    std::mt19937 random(1);
    for (size_t length = 0; length <= k_longest; ++length) {
        const std::vector<Base> bases = random_bases(length, random);
        std::vector<Base> out(length + 1, k_guard);
        reverse_complement(bases, std::span(out).first(length));
        for (size_t i = 0; i < length; ++i)
            ASSERT_EQ(out[i], complement(bases[length - 1 - i])) << i << " of " << length;
        EXPECT_EQ(out[length], k_guard);
        complement_bases(bases, std::span(out).first(length));
        for (size_t i = 0; i < length; ++i) ASSERT_EQ(out[i], complement(bases[i])) << i << " of " << length;
        EXPECT_EQ(out[length], k_guard);
    }
}

TEST(BaseArrays, reversed_bytes_are_all_there_in_reverse) {
    std::mt19937 random(2);
    for (size_t length = 0; length <= k_longest; ++length) {
        std::vector<uint8_t> bytes(length);
        for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
        std::vector<uint8_t> out(length + 1, k_guard);
        reverse_bytes(bytes, std::span(out).first(length));
        EXPECT_EQ(std::vector<uint8_t>(bytes.rbegin(), bytes.rend()),
                  std::vector<uint8_t>(out.begin(), out.end() - 1));
        EXPECT_EQ(out[length], k_guard);
    }
}

TEST(BaseArrays, nibbles_are_those_of_bam) {
    std::mt19937 random(3);
    for (size_t length = 0; length <= k_longest; ++length) {
        const std::vector<Base> bases = random_bases(length, random);
        std::vector<uint8_t> out((length + 1) / 2 + 1, k_guard);
        to_nibbles(bases, out.data());
        for (size_t i = 0; i < length; ++i) {
            const int nibble = i % 2 == 0 ? out[i / 2] >> 4 : out[i / 2] & 15;
            ASSERT_EQ(nibble, k_nibble_of_base[bases[i]]) << i << " of " << length;
        }
        if (length % 2 != 0) {
            EXPECT_EQ(out[length / 2] & 15, 0);
        }
        EXPECT_EQ(out.back(), k_guard);
    }
}

TEST(BaseArrays, first_mismatch_is_the_first_of_any_kind) {
    std::mt19937 random(4);
    for (size_t length = 0; length <= k_longest; ++length) {
        std::vector<Base> a(length);
        for (Base& base : a) base = static_cast<Base>(random() % 4);
        std::vector<Base> b = a;
        EXPECT_EQ(first_mismatch(a.data(), b.data(), length), length);
        for (size_t at = length; at-- > 0;) {
            // What is behind the first one does not matter.
            const Base kept = b[at];
            for (const Base other : {Base{0}, Base{1}, Base{2}, Base{3}, k_base_n}) {
                if (other == kept) continue;
                b[at] = other;
                ASSERT_EQ(first_mismatch(a.data(), b.data(), length), at);
                ASSERT_EQ(first_mismatch(b.data(), a.data(), length), at);
            }
            a[at] = b[at] = k_base_n;  // N is not even like N
            ASSERT_EQ(first_mismatch(a.data(), b.data(), length), at);
        }
    }
}

TEST(BaseArrays, unpacked_bases_are_those_of_the_words) {
    std::mt19937_64 random(5);
    std::vector<uint64_t> packed(4);
    for (uint64_t& word : packed) word = random();
    for (size_t from = 0; from < 66; ++from) {
        for (size_t count = 0; from + count <= 32 * packed.size(); ++count) {
            std::vector<Base> out(count + 1, k_guard);
            unpack_bases(packed, from, count, out.data());
            for (size_t i = 0; i < count; ++i)
                ASSERT_EQ(out[i], packed[(from + i) / 32] >> 2 * ((from + i) % 32) & 3);
            ASSERT_EQ(out[count], k_guard);
        }
    }
}

}  // namespace
}  // namespace gannet::data
