// SPDX-License-Identifier: MIT
// Tests the walk over the bases that differ against a comparison of one base at a time.
#include "variants/sequence/base_differences.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

namespace gannet::variants {
namespace {

std::vector<size_t> differences(const std::vector<data::Base>& a, const std::vector<data::Base>& b) {
    std::vector<size_t> found;
    for_each_difference(a.data(), b.data(), a.size(), [&](size_t k) { found.push_back(k); });
    return found;
}

TEST(BaseDifferences, of_every_length_are_each_given_once_and_in_order) {
    std::mt19937 random(6);
    for (size_t length = 0; length < 70; ++length) {
        for (const unsigned percent : {0u, 3u, 50u, 100u}) {
            std::vector<data::Base> a(length), b(length);
            std::vector<size_t> expected;
            for (size_t i = 0; i < length; ++i) {
                a[i] = b[i] = static_cast<data::Base>(random() % 5);
                if (random() % 100 >= percent) continue;
                b[i] = static_cast<data::Base>((a[i] + 1) % 5);
                expected.push_back(i);
            }
            EXPECT_EQ(differences(a, b), expected) << length << ", " << percent << " %";
        }
    }
}

TEST(BaseDifferences, behind_the_last_base_do_not_count) {
    const std::vector<data::Base> a(40, 1);
    std::vector<data::Base> b(40, 1);
    for (size_t length = 0; length < b.size(); ++length) {
        b[length] = 2;
        for_each_difference(a.data(), b.data(), length,
                            [&](size_t k) { ADD_FAILURE() << length << ' ' << k; });
        b[length] = 1;
    }
}

}  // namespace
}  // namespace gannet::variants
