// SPDX-License-Identifier: MIT
// Tests that newlines are counted and found as a plain search does.
#include "data/line_marks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

namespace gannet::data {
namespace {

/// One letter in `rarity` is a newline.
std::string lines(size_t size, unsigned rarity, unsigned seed) {
    std::mt19937 random(seed);
    std::string text(size, 'x');
    for (char& letter : text)
        if (random() % rarity == 0) letter = '\n';
    return text;
}

TEST(LineMarks, counts_and_places_are_those_of_a_search) {
    unsigned seed = 0;
    for (const size_t size : {size_t{0}, size_t{1}, size_t{15}, size_t{16}, size_t{17}, size_t{4095},
                              size_t{4096}, size_t{4097}, size_t{70000}}) {
        for (const unsigned rarity : {1u, 2u, 50u, 9000u}) {
            const std::string text = lines(size, rarity, ++seed);
            LineMarks marks;
            marks.count(lines(5000, 3, seed));  // what it knew before is gone
            marks.count(text);
            const auto total = static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
            EXPECT_EQ(count_newlines(text), total);
            EXPECT_EQ(marks.total(), total);
            size_t n = 0;
            for (size_t at = 0; at < size; ++at) {
                if (at % 61 == 0 || at % 4096 < 2) {
                    EXPECT_EQ(marks.before(text, at), n) << at;
                }
                if (text[at] != '\n') continue;
                ++n;
                if (n % 37 != 0 && n + 3 < total) continue;
                EXPECT_EQ(marks.end_of(text, n), at + 1);
                EXPECT_EQ(end_of_line(text, n), at + 1);
            }
            EXPECT_EQ(marks.before(text, size), total);
        }
    }
}

/// The sums of 16 counters are added up before one of them overflows.
TEST(LineMarks, text_of_newlines_alone_is_counted) {
    const std::string text(100'003, '\n');
    LineMarks marks;
    marks.count(text);
    EXPECT_EQ(count_newlines(text), text.size());
    EXPECT_EQ(marks.total(), text.size());
    EXPECT_EQ(marks.end_of(text, 100'003), text.size());
    EXPECT_EQ(marks.before(text, 77'777), 77'777u);
}

}  // namespace
}  // namespace gannet::data
