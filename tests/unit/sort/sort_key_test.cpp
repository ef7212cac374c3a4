// SPDX-License-Identifier: MIT
// Tests the sort of keys against std::sort: dense and sparse positions, pile-ups, several contigs, unplaced.
#include "align/sort/sort_key.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace gannet::align::sort {
namespace {

/// With ordinals in random order.
std::vector<SortKey> keys_at(const std::vector<uint64_t>& positions, std::mt19937_64& random) {
    std::vector<SortKey> keys;
    for (const uint64_t position : positions)
        keys.push_back({position, keys.size() * 256, nullptr, static_cast<uint32_t>(keys.size())});
    for (size_t i = keys.size(); i-- > 1;) std::swap(keys[i].ordinal, keys[random() % (i + 1)].ordinal);
    return keys;
}

void expect_sorted(std::vector<SortKey> keys) {
    std::vector<SortKey> expected = keys;
    std::sort(expected.begin(), expected.end(), [](const SortKey& a, const SortKey& b) {
        return a.position != b.position ? a.position < b.position : a.ordinal < b.ordinal;
    });
    sort_keys(keys);
    ASSERT_EQ(keys.size(), expected.size());
    for (size_t i = 0; i < keys.size(); ++i) {
        ASSERT_EQ(keys[i].position, expected[i].position) << i;
        ASSERT_EQ(keys[i].ordinal, expected[i].ordinal) << i;
        ASSERT_EQ(keys[i].size, expected[i].size) << i;
    }
}

TEST(SortKeys, keys_of_random_positions_are_in_order) {
    std::mt19937_64 random(1);
    for (const uint64_t range : {1, 2, 100, 1'000, 20'000, 1'000'000'000}) {
        for (const size_t count : {0, 1, 2, 17, 2'000}) {
            std::vector<uint64_t> positions(count);
            for (uint64_t& position : positions) position = 7'000'000 + random() % range;
            expect_sorted(keys_at(positions, random));
        }
    }
}

TEST(SortKeys, pile_ups_and_neighbouring_contigs_are_in_order) {
    std::mt19937_64 random(2);
    std::vector<uint64_t> positions;
    for (int32_t i = 0; i < 3'000; ++i) {
        positions.push_back(position_key(0, 5'000 + static_cast<int32_t>(random() % 300)));
        positions.push_back(position_key(0, 5'150));
    }
    expect_sorted(keys_at(positions, random));
    positions.push_back(position_key(1, -1));
    positions.push_back(position_key(1, 0));
    expect_sorted(keys_at(positions, random));
}

TEST(SortKeys, unplaced_records_are_in_the_order_of_the_input) {
    std::mt19937_64 random(3);
    expect_sorted(keys_at(std::vector<uint64_t>(1'000, position_key(-1, -1)), random));
}

}  // namespace
}  // namespace gannet::align::sort
