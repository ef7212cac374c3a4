// SPDX-License-Identifier: MIT
// Tests the search for tandem repeats against base-by-base walks: the bits, the maximal repeats, and the
// lists that the simulator and the profile of a sample take from them.
#include "data/tandem_repeats.hpp"

#include "tests/support/repeat_rich_bases.hpp"

#include <gtest/gtest.h>

#include <tuple>

namespace gannet::data {
namespace {

using testing::repeat_rich_bases;
using Repeat = TandemRepeats::Repeat;
using Row = std::tuple<size_t, size_t, size_t>;  // period, begin, end

std::vector<Base> bases_of(std::string_view letters) {
    std::vector<Base> bases(letters.size());
    to_bases(letters, bases);
    return bases;
}

std::vector<Row> repeats_of(std::string_view letters, size_t period, size_t shortest,
                            UnknownBases unknown = UnknownBases::never_repeat) {
    TandemRepeats repeats;
    repeats.find(bases_of(letters));
    std::vector<Row> rows;
    repeats.for_each(period, shortest, 0, unknown, [&](const Repeat& r) {
        rows.emplace_back(r.period, r.begin, r.end);
        return true;
    });
    return rows;
}

TEST(TandemRepeats, a_repeat_is_its_unit_and_the_bases_that_repeat_it) {
    EXPECT_EQ(repeats_of("GACACACATT", 2, 6), (std::vector<Row>{{2, 1, 8}}));
    EXPECT_EQ(repeats_of("GACACACATT", 1, 2), (std::vector<Row>{{1, 8, 10}}));
    EXPECT_EQ(repeats_of("GACACACATT", 2, 8), std::vector<Row>());
    EXPECT_EQ(repeats_of("AAATTT", 1, 3), (std::vector<Row>{{1, 0, 3}, {1, 3, 6}}));
}

TEST(TandemRepeats, n_repeats_n_only_where_asked_to) {
    EXPECT_EQ(repeats_of("ACNNNNNGT", 1, 3), std::vector<Row>());
    EXPECT_EQ(repeats_of("ACNNNNNGT", 1, 3, UnknownBases::repeat_each_other), (std::vector<Row>{{1, 2, 7}}));
    EXPECT_EQ(repeats_of("TANANANAC", 2, 6, UnknownBases::repeat_each_other), (std::vector<Row>{{2, 1, 8}}));
    EXPECT_EQ(repeats_of("TANANANAC", 2, 6), std::vector<Row>());
}

TEST(TandemRepeats, nothing_is_found_in_nothing) {
    TandemRepeats repeats;
    repeats.find({});
    EXPECT_EQ(repeats.repeated_from(1, 0), 0u);
    EXPECT_EQ(repeats.repeated_before(1, 0), 0u);
    EXPECT_EQ(repeats_of("", 1, 2), std::vector<Row>());
    EXPECT_EQ(repeats_of("A", 1, 2), std::vector<Row>());
}

TEST(TandemRepeats, a_repeat_of_many_words_is_one) {
    const std::string letters = "GC" + std::string(1'000, 'A') + "C";
    EXPECT_EQ(repeats_of(letters, 1, 65), (std::vector<Row>{{1, 2, 1'002}}));
    TandemRepeats repeats;
    repeats.find(bases_of(letters));
    EXPECT_EQ(repeats.repeated_from(1, 3), 999u);
    EXPECT_EQ(repeats.repeated_before(6, 1'002), 994u);
}

TEST(TandemRepeats, a_unit_may_be_copies_of_a_shorter_one) {
    TandemRepeats repeats;
    repeats.find(bases_of("CTGTGTGTGTGTGA"));
    EXPECT_FALSE(repeats.has_shorter_period({2, 1, 13}));
    EXPECT_TRUE(repeats.has_shorter_period({4, 1, 13}));
    EXPECT_TRUE(repeats.has_shorter_period({6, 1, 13}));
    repeats.find(bases_of("CNNNNNNNNA"));
    EXPECT_FALSE(repeats.has_shorter_period({2, 1, 9}));
    EXPECT_TRUE(repeats.has_shorter_period({2, 1, 9}, UnknownBases::repeat_each_other));
}

TEST(UnitLength, is_that_of_the_shortest_unit_of_whole_copies) {
    EXPECT_EQ(unit_length(bases_of("A")), 1u);
    EXPECT_EQ(unit_length(bases_of("AAAA")), 1u);
    EXPECT_EQ(unit_length(bases_of("ACAC")), 2u);
    EXPECT_EQ(unit_length(bases_of("ACACA")), 5u);
    EXPECT_EQ(unit_length(bases_of("ACGACG")), 3u);
}

TEST(IsTandemRepeat, allows_a_partial_last_copy) {
    EXPECT_TRUE(is_tandem_repeat(bases_of("ACGTAACGTAAC")));
    EXPECT_TRUE(is_tandem_repeat(bases_of("ACGTACG")));  // period 4
    EXPECT_FALSE(is_tandem_repeat(bases_of("ACGTTGCACGTA")));
}

/// The walks that TandemRepeats stands in place of, as they were written.
namespace walk {

bool is_equal(std::span<const Base> bases, size_t at, size_t period, UnknownBases unknown) {
    return at >= period && bases[at] == bases[at - period] &&
           (bases[at] < k_base_n || unknown == UnknownBases::repeat_each_other);
}

std::vector<Row> maximal_repeats(std::span<const Base> bases, size_t period, size_t shortest, size_t from,
                                 UnknownBases unknown) {
    std::vector<Row> rows;
    for (size_t at = period; at < bases.size(); ++at) {
        if (!is_equal(bases, at, period, unknown)) continue;
        size_t end = at;
        while (end < bases.size() && is_equal(bases, end, period, unknown)) ++end;
        if (end - at + period >= shortest && end > from) rows.emplace_back(period, at - period, end);
        at = end;
    }
    return rows;
}

bool is_primitive(std::span<const Base> unit) {
    for (size_t part = 1; part < unit.size(); ++part) {
        if (unit.size() % part == 0 &&
            std::equal(unit.begin() + static_cast<std::ptrdiff_t>(part), unit.end(), unit.begin()))
            return false;
    }
    return true;
}

/// Of the profile of a sample.
std::vector<Row> stutter_repeats(std::span<const Base> bases) {
    std::vector<Row> rows;
    for (size_t period = 1; period <= 6; ++period) {
        const size_t shortest = period <= 2 ? (period == 1 ? 6 : 10) : std::max<size_t>(12, 3 * period);
        for (size_t first = 0, last = 0; first + period < bases.size(); first = last) {
            last = first + period;
            while (last < bases.size() && bases[last] == bases[last - period]) ++last;
            const std::span<const Base> unit = bases.subspan(first, period);
            const bool is_known =
                std::all_of(unit.begin(), unit.end(), [](Base base) { return base < k_base_n; });
            if (last - first >= shortest && is_known && is_primitive(unit))
                rows.emplace_back(period, first, last);
            last -= period - 1;
        }
    }
    return rows;
}

/// Of the variants of a simulated sample.
std::vector<Row> variant_tracts(const std::vector<Base>& bases) {
    constexpr std::array<uint64_t, 6> shortest{6, 9, 12, 15, 18, 21};
    std::vector<Row> tracts;
    for (size_t period = 1; period <= 6; ++period) {
        size_t begin = 1;
        for (size_t i = 1 + period; i <= bases.size(); ++i) {
            if (i < bases.size() && bases[i] == bases[i - period] && bases[i] < k_base_n) continue;
            if (i - begin >= shortest[period - 1] && bases[begin] < k_base_n && bases[begin - 1] < k_base_n &&
                bases[begin - 1] != bases[begin - 1 + period] &&
                is_primitive(std::span(bases).subspan(begin, period)))
                tracts.emplace_back(period, begin, i);
            begin = i + 1 - period;
        }
    }
    return tracts;
}

/// Of the polymerase of a simulated library.
std::vector<Row> faulty_tracts(const std::vector<Base>& bases) {
    constexpr std::array<size_t, 6> shortest{5, 8, 9, 12, 15, 18};
    std::vector<Row> tracts;
    for (size_t period = 1; period <= 6; ++period) {
        size_t begin = 0;
        for (size_t i = period; i <= bases.size(); ++i) {
            if (i < bases.size() && bases[i] == bases[i - period] && bases[i] < k_base_n) continue;
            const size_t old_begin = begin;
            begin = i + 1 - period;
            if (i - old_begin >= shortest[period - 1] &&
                is_primitive(std::span(bases).subspan(old_begin, period)))
                tracts.emplace_back(period, old_begin, i);
        }
    }
    return tracts;
}

}  // namespace walk

std::vector<Row> all_repeats(const TandemRepeats& repeats, const ShortestRepeats& shortest) {
    std::vector<Row> rows;
    for_each_tandem_repeat(repeats, shortest,
                           [&](const Repeat& r) { rows.emplace_back(r.period, r.begin, r.end); });
    return rows;
}

class RandomSequence : public ::testing::Test {
  protected:
    template <class Check>
    void for_each_sequence(Check&& check) {
        std::mt19937_64 random(32);
        for (int round = 0; round < 3'000; ++round) {
            const std::vector<Base> bases = repeat_rich_bases(random, random() % 700);
            repeats_.find(bases);
            SCOPED_TRACE(to_letters(bases));
            check(bases, random);
            if (HasFailure()) return;
        }
    }
    TandemRepeats repeats_;
};

TEST_F(RandomSequence, repeated_bases_are_those_of_a_walk) {
    for_each_sequence([&](const std::vector<Base>& bases, std::mt19937_64&) {
        for (size_t period = 1; period <= 6; ++period) {
            for (const UnknownBases unknown : {UnknownBases::never_repeat, UnknownBases::repeat_each_other}) {
                size_t count = 0;
                for (size_t at = bases.size() + 2; at-- > 0;) {
                    const bool is_equal = at < bases.size() && walk::is_equal(bases, at, period, unknown);
                    count = is_equal ? count + 1 : 0;
                    ASSERT_EQ(repeats_.repeated_from(period, at, unknown), count) << period << " " << at;
                }
            }
            size_t count = 0;
            for (size_t end = 0; end < bases.size() + 2; ++end) {
                const bool is_equal = end > 0 && end <= bases.size() &&
                                      walk::is_equal(bases, end - 1, period, UnknownBases::never_repeat);
                count = is_equal ? count + 1 : 0;
                ASSERT_EQ(repeats_.repeated_before(period, end), count) << period << " " << end;
            }
        }
    });
}

TEST_F(RandomSequence, maximal_repeats_are_those_of_a_walk) {
    for_each_sequence([&](const std::vector<Base>& bases, std::mt19937_64& random) {
        for (size_t period = 1; period <= 6; ++period) {
            const size_t shortest = period + 1 + random() % 64;
            const size_t from = random() % 3 == 0 ? random() % 700 : 0;
            const auto unknown =
                random() % 2 == 0 ? UnknownBases::never_repeat : UnknownBases::repeat_each_other;
            std::vector<Row> found;
            repeats_.for_each(period, shortest, from, unknown, [&](const Repeat& r) {
                found.emplace_back(r.period, r.begin, r.end);
                return true;
            });
            ASSERT_EQ(found, walk::maximal_repeats(bases, period, shortest, from, unknown))
                << period << " " << shortest << " " << from;
        }
    });
}

TEST_F(RandomSequence, repeats_of_the_profile_and_of_the_simulator_are_those_of_their_walks) {
    size_t found = 0;
    for_each_sequence([&](const std::vector<Base>& bases, std::mt19937_64&) {
        const auto profile = all_repeats(repeats_, {6, 10, 12, 12, 15, 18});
        ASSERT_EQ(profile, walk::stutter_repeats(bases));
        ASSERT_EQ(all_repeats(repeats_, {5, 8, 9, 12, 15, 18}), walk::faulty_tracts(bases));
        std::vector<Row> tracts;
        for (const Row& row : all_repeats(repeats_, {6, 9, 12, 15, 18, 21})) {
            const size_t begin = std::get<1>(row);
            if (begin > 0 && bases[begin - 1] < k_base_n) tracts.push_back(row);
        }
        ASSERT_EQ(tracts, walk::variant_tracts(bases));
        found += profile.size();
    });
    EXPECT_GT(found, 10'000u);
}

}  // namespace
}  // namespace gannet::data
