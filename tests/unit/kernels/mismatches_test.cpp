// SPDX-License-Identifier: MIT
// Provides tests of the bits of differing bases: every query, and the limits to scores, against a list of
// flags, base by base.
#include "kernels/candidates/mismatches.hpp"

#include "kernels/candidates/score_limits.hpp"
#include "tests/parity/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

namespace gannet::kernels::candidates {
namespace {

/// Differing bases of a read, of which those outside [begin, end) differ.
struct Flags {
    std::vector<bool> differs;
    uint32_t begin = 0;
    uint32_t end = 0;

    Mismatches mismatches() const {
        Mismatches out;
        out.clear(static_cast<uint32_t>(differs.size()));
        for (uint32_t base = begin / 32 * 32; base < end; base += 32) {
            uint64_t bits = 0;
            for (uint32_t i = 0; i < std::min(32u, end - base); ++i)
                bits |= uint64_t{differs[base + i]} << 2 * i;
            out.set_word(base / 32, bits, end - base);
        }
        return out;
    }
};

Flags random_flags(parity::Random& random) {
    Flags out;
    const uint64_t lengths[] = {1, 31, 32, 33, 63, 64, 65, 150, 250, 1'000};
    const uint64_t length = random.below(2) ? lengths[random.below(10)] : 1 + random.below(300);
    out.begin = random.below(4) == 0 ? static_cast<uint32_t>(random.below(length)) : 0;
    out.end = static_cast<uint32_t>(random.below(4) == 0 ? out.begin + random.below(length - out.begin + 1)
                                                         : length);
    // From nearly no mismatch to nearly nothing else, in stretches.
    uint64_t of_64 = 0;
    for (uint32_t i = 0; i < length; ++i) {
        if (i % 40 == 0) of_64 = std::array<uint64_t, 5>{0, 1, 3, 16, 50}[random.below(5)];
        out.differs.push_back(i < out.begin || i >= out.end || random.below(64) < of_64);
    }
    return out;
}

TEST(Mismatches, every_query_equals_a_list_of_flags) {
    parity::Random random(71);
    for (int round = 0; round < 2'000; ++round) {
        const Flags flags = random_flags(random);
        Mismatches mismatches = flags.mismatches();
        const auto length = static_cast<uint32_t>(flags.differs.size());
        uint32_t matches = 0;
        BaseRange longest{flags.begin, flags.begin};
        for (uint32_t from = 0; from <= length; ++from) {
            uint32_t end = from;
            while (end < length && !flags.differs[end]) ++end;
            uint32_t begin = from;
            while (begin > 0 && !flags.differs[begin - 1]) --begin;
            ASSERT_EQ(mismatches.run_end(from), end) << round << " from " << from << " of " << length;
            ASSERT_EQ(mismatches.run_begin(from), begin) << round << " to " << from << " of " << length;
            ASSERT_EQ(mismatches.matches_before(from), matches) << round << " to " << from;
            if (end - from > longest.end - longest.begin) longest = {from, end};
            matches += from < length && !flags.differs[from];
        }
        const BaseRange found = mismatches.longest_run(flags.begin, flags.end);
        ASSERT_EQ(found.begin, longest.begin) << round;
        ASSERT_EQ(found.end, longest.end) << round;
    }
}

/// The highest sum of a stretch.
int32_t best_of(const std::vector<bool>& differs, int32_t match, int32_t mismatch) {
    int32_t best = 0;
    int32_t score = 0;  // of the best stretch that ends here
    for (const bool each : differs) {
        score = std::max(0, score + (each ? -mismatch : match));
        best = std::max(best, score);
    }
    return best;
}

TEST(ScoreLimits, of_each_lane_are_at_least_its_score_and_not_much_more) {
    parity::Random random(72);
    ScoreLimits limits;
    for (int round = 0; round < 400; ++round) {
        const auto length = static_cast<uint32_t>(1 + random.below(round % 2 == 0 ? 300 : 1'500));
        const auto match = static_cast<int32_t>(1 + random.below(3));
        const auto mismatch = static_cast<int32_t>(random.below(12));
        ASSERT_TRUE(ScoreLimits::fits(length, match, mismatch));
        std::vector<std::vector<bool>> lanes(1 + random.below(ScoreLimits::k_lanes));
        limits.begin(length);
        for (uint32_t lane = 0; lane < lanes.size(); ++lane) {
            std::vector<bool>& differs = lanes[lane];
            uint64_t of_64 = 0;
            for (uint32_t i = 0; i < length; ++i) {
                if (i % 40 == 0) of_64 = std::array<uint64_t, 5>{0, 1, 3, 16, 50}[random.below(5)];
                differs.push_back(random.below(64) < of_64);
            }
            for (uint32_t base = 0; base < length; base += 32) {
                uint64_t bits = 0;
                for (uint32_t i = 0; i < 32; ++i)
                    bits |= uint64_t{base + i >= length || differs[base + i]} << 2 * i;
                limits.set_word(lane, base / 32, bits);
            }
        }
        const auto found = limits.find(match, mismatch);
        for (size_t lane = 0; lane < lanes.size(); ++lane) {
            const int32_t best = best_of(lanes[lane], match, mismatch);
            const auto matches =
                static_cast<int32_t>(std::count(lanes[lane].begin(), lanes[lane].end(), false));
            ASSERT_GE(found[lane], best) << round << " lane " << lane;
            ASSERT_LE(found[lane], matches * match) << round << " lane " << lane;
            // Only the blocks of 8 at its ends may count too much.
            ASSERT_LE(found[lane], best + 14 * match) << round << " lane " << lane;
        }
    }
}

TEST(ScoreLimits, tell_which_scores_fit) {
    EXPECT_TRUE(ScoreLimits::fits(4'096, 1, 4));
    EXPECT_TRUE(ScoreLimits::fits(150, 100, 1'000));
    EXPECT_FALSE(ScoreLimits::fits(4'096, 8, 32));
    constexpr uint32_t k_length = 31'936;
    ASSERT_TRUE(ScoreLimits::fits(k_length, 1, 95));
    ScoreLimits limits;
    limits.begin(k_length);
    for (uint32_t word = 0; word < k_length / 32; ++word) limits.set_word(7, word, 0);
    EXPECT_EQ(limits.find(1, 95)[7], static_cast<int16_t>(k_length));
}

TEST(Mismatches, ambiguous_bases_are_forgotten_with_the_rest) {
    Mismatches mismatches;
    mismatches.clear(40);
    EXPECT_FALSE(mismatches.ambiguous(33));
    mismatches.set_word(1, 0, 8);
    mismatches.set_ambiguous_word(1, uint64_t{1} << 2);
    EXPECT_TRUE(mismatches.ambiguous(33));
    EXPECT_EQ(mismatches.run_end(32), 33u);  // it differs
    EXPECT_FALSE(mismatches.ambiguous(1));
    mismatches.clear(40);
    mismatches.set_ambiguous_word(0, uint64_t{1} << 4);
    EXPECT_FALSE(mismatches.ambiguous(33));
}

}  // namespace
}  // namespace gannet::kernels::candidates
