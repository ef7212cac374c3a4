// SPDX-License-Identifier: MIT
// Provides tests of the bits of differing bases: every query against a list of flags, base by base.
#include "kernels/candidates/mismatches.hpp"

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
        int32_t best = 0;  // stretch that ends here, and of all
        int32_t score = 0;
        for (uint32_t i = flags.begin; i < flags.end; ++i) {
            score = std::max(0, score + (flags.differs[i] ? -4 : 1));
            best = std::max(best, score);
        }
        ASSERT_GE(mismatches.highest_score(1, 4), best) << round;
        ASSERT_LE(mismatches.highest_score(1, 4), static_cast<int32_t>(matches)) << round;
        // Only the blocks of 8 at its ends may count too much.
        ASSERT_LE(mismatches.highest_score(1, 4), best + 14) << round;
    }
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
