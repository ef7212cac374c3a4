// SPDX-License-Identifier: MIT
// Tests what the steps of calling ask about repeats against the walks, base by base, that answered it before.
#include "variants/sequence/repeats.hpp"

#include "tests/support/repeat_rich_bases.hpp"
#include "tests/unit/variants/caller_support.hpp"
#include "variants/alleles/likelihoods.hpp"
#include "variants/sequence/sequence_context.hpp"

#include <gtest/gtest.h>

namespace gannet::variants {
namespace {

using gannet::testing::repeat_rich_bases;
using testing::make_reference;
using testing::random_letters;

/// The walks as they were written, each with limits of its own.
namespace walk {

int64_t left_align_shift(const ReferenceSlice& slice, const Allele& allele,
                         const std::vector<data::Base>& arena) {
    int64_t shift = 0;
    if (allele.reference_length == 0) {
        const int64_t length = allele.alternate_length;
        const data::Base* bases = arena.data() + allele.alternate;
        while (slice.at(allele.position - 1 - shift) < data::k_base_n &&
               slice.at(allele.position - 1 - shift) == bases[length - 1 - shift % length])
            ++shift;
    } else {
        while (slice.at(allele.position - 1 - shift) < data::k_base_n &&
               slice.at(allele.position - 1 - shift) == slice.at(allele.end() - 1 - shift))
            ++shift;
    }
    return shift;
}

int64_t rightward_shift_bp(const ReferenceSlice& slice, const Allele& allele,
                           const std::vector<data::Base>& arena) {
    int64_t shift = 0;
    if (allele.reference_length == 0) {
        const auto bases = bases_of(allele, arena);
        while (shift < 1400 &&
               slice.at(allele.position + shift) == bases[static_cast<size_t>(shift) % bases.size()])
            ++shift;
    } else {
        while (shift < 1400 && slice.at(allele.position + shift) < data::k_base_n &&
               slice.at(allele.position + shift) == slice.at(allele.end() + shift))
            ++shift;
    }
    return shift;
}

RepeatContext repeat_of(const ReferenceSlice& slice, const Allele& allele,
                        const std::vector<data::Base>& arena) {
    const int64_t length = std::max(allele.reference_length, allele.alternate_length);
    const auto base = [&](int64_t i) {
        return allele.reference_length > 0 ? slice.at(allele.position + i)
                                           : arena[allele.alternate + static_cast<size_t>(i)];
    };
    int64_t period = 1;
    for (; period < length; ++period) {
        if (length % period != 0) continue;
        int64_t i = period;
        while (i < length && base(i) == base(i - period)) ++i;
        if (i == length) break;
    }
    int64_t tract = 0;
    while (tract < 400 && slice.at(allele.position + tract) == base(tract % period) &&
           slice.at(allele.position + tract) < data::k_base_n)
        ++tract;
    return {static_cast<int32_t>(period), static_cast<int32_t>(tract / period)};
}

int64_t homopolymer_bp(const ReferenceSlice& slice, int64_t at, int64_t step, int64_t longest) {
    int64_t run = 0;
    const data::Base base = slice.at(at);
    while (run < longest && base < 4 && slice.at(at) == base) ++run, at += step;
    return run;
}

int64_t longest_homopolymer(const ReferenceSlice& slice, int64_t position, int64_t reach) {
    int64_t longest = 0;
    for (int64_t start = position - reach; start <= position + reach; ++start) {
        const data::Base base = slice.at(start);
        if (base > 3) continue;
        int64_t begin = start, end = start + 1;
        while (start - begin < 30 && slice.at(begin - 1) == base) --begin;
        while (end - start < 30 && slice.at(end) == base) ++end;
        longest = std::max(longest, end - begin);
    }
    return longest;
}

int64_t tandem_repeat_bp(const ReferenceSlice& slice, int64_t position) {
    int64_t longest = 0;
    for (int64_t period = 2; period <= 6; ++period) {
        int64_t begin = position, end = position + 1;
        const auto is_same = [&](int64_t a, int64_t b) {
            return slice.at(a) < data::k_base_n && slice.at(a) == slice.at(b);
        };
        while (position - begin < 60 && is_same(begin - 1, begin - 1 + period)) --begin;
        while (end - position < 60 && is_same(end, end - period)) ++end;
        if (end - begin >= 2 * period) longest = std::max(longest, end - begin);
    }
    return longest;
}

int64_t repeat_reach(const ReferenceSlice& slice, int64_t position, int64_t step) {
    int64_t reach = 0;
    for (int64_t start = 0; start < 6; ++start) {
        for (int64_t period = 1; period <= 6; ++period) {
            int64_t at = start;
            while (at < 120 && slice.at(position + step * at) == slice.at(position + step * (at - period)) &&
                   slice.at(position + step * at) < data::k_base_n)
                ++at;
            if (at - start >= std::max<int64_t>(3, period)) reach = std::max(reach, at);
        }
    }
    return reach;
}

int64_t repeat_beyond(const ReferenceSlice& slice, int64_t border, bool to_right) {
    const int64_t step = to_right ? 1 : -1;
    const int64_t first = to_right ? border : border - 1;
    int64_t longest = 0;
    for (int64_t period = 1; period <= 6; ++period) {
        int64_t length = period;
        while (length < 500 && slice.at(first + step * length) <= 3 &&
               slice.at(first + step * length) == slice.at(first + step * (length - period)))
            ++length;
        longest = std::max(longest, length);
    }
    return longest;
}

int64_t shared_with_shift_bp(const ReferenceSlice& slice, int64_t position, int64_t shift, bool is_right) {
    const int64_t step = is_right ? 1 : -1;
    int64_t length = 0;
    while (length < 512) {
        const int64_t at = position + step * (length + 1);
        if (slice.at(at) >= data::k_base_n || slice.at(at) != slice.at(at + shift)) break;
        ++length;
    }
    return length;
}

std::vector<RepeatEdge> repeat_edges(const ReferenceSlice& slice, int64_t begin, int64_t end_of_window) {
    const int64_t stop = end_of_window + 512;
    const std::span<const data::Base> bases = slice.span(begin, stop + 12);
    const auto size = static_cast<size_t>(end_of_window - begin);
    std::vector<int64_t> needed(size, 0);
    const auto last = static_cast<size_t>(stop - begin);
    for (size_t period = 1; period <= 6; ++period) {
        const size_t shortest = std::max(period, 6 - period);
        const auto repeats = [&](size_t at) { return bases[at] < 4 && bases[at] == bases[at + period]; };
        for (size_t at = shortest; at <= last; at += shortest) {
            if (!repeats(at)) continue;
            size_t first = at;
            while (first > 0 && repeats(first - 1)) --first;
            size_t end = at + 1;
            while (end <= last && repeats(end)) ++end;
            at += (end - at) / shortest * shortest;
            if (first == 0 || first > size || end - first < period) continue;
            const size_t before = first - 1;
            if (bases[before] == bases[before + period]) continue;
            needed[before] = std::max(needed[before], static_cast<int64_t>(end + 1 + period));
        }
    }
    std::vector<RepeatEdge> edges;
    for (size_t p = 0; p < size; ++p) {
        if (needed[p] - static_cast<int64_t>(p) <= 7) continue;
        edges.push_back({begin + static_cast<int64_t>(p), begin + needed[p]});
    }
    return edges;
}

}  // namespace walk

class RandomSlice : public ::testing::Test {
  protected:
    /// Loads of each random sequence from a part of it to more than all.
    template <class Check>
    void for_each_slice(size_t rounds, size_t longest, Check&& check) {
        for (size_t round = 0; round < rounds; ++round) {
            const size_t size = 1 + random_() % longest;
            const std::string letters = data::to_letters(repeat_rich_bases(random_, size));
            const auto length = static_cast<int64_t>(size);
            const int64_t begin = static_cast<int64_t>(random_() % 80) - 60;
            const int64_t end = length + 40 - static_cast<int64_t>(random_() % 60);
            if (end <= begin) continue;
            slice_.load(*make_reference(letters), 0, begin, end);
            SCOPED_TRACE(letters + " of [" + std::to_string(begin) + ", " + std::to_string(end) + ")");
            check();
            if (HasFailure()) return;
        }
    }
    /// Also beyond the slice.
    template <class Check>
    void for_each_position(Check&& check) {
        for (int64_t position = slice_.begin() - 10; position < slice_.end() + 10; ++position) {
            check(position);
            if (HasFailure()) return;
        }
    }
    /// A deletion, or an insertion of what is beside it or of something else.
    Allele random_indel() {
        const auto size = static_cast<uint64_t>(slice_.end() - slice_.begin());
        const int64_t position = slice_.begin() + static_cast<int64_t>(random_() % size);
        const int64_t length = 1 + static_cast<int64_t>(random_() % (random_() % 4 == 0 ? 40 : 8));
        if (random_() % 2 == 0 && position + length <= slice_.end())
            return {position, static_cast<int32_t>(length), 0, 0};
        arena_.clear();
        const int64_t shift = random_() % 2 == 0 ? 0 : -length;
        for (int64_t i = 0; i < length; ++i) {
            const data::Base copied = slice_.at(position + shift + i);
            const bool is_other = random_() % 40 == 0;
            arena_.push_back(is_other ? static_cast<data::Base>(random_() % 4) : copied);
        }
        return {position, 0, 0, static_cast<int32_t>(length)};
    }

    std::mt19937_64 random_{3};
    ReferenceSlice slice_;
    std::vector<data::Base> arena_;
};

TEST_F(RandomSlice, indels_are_shifted_as_by_a_walk) {
    int64_t shifted = 0;
    for_each_slice(3'000, 400, [&] {
        for (int i = 0; i < 50; ++i) {
            Allele allele = random_indel();
            const int64_t shift = walk::left_align_shift(slice_, allele, arena_);
            const std::vector<data::Base> given = arena_;
            const RepeatContext expected = walk::repeat_of(slice_, allele, arena_);
            const RepeatContext repeat = repeat_of(slice_, allele, arena_);
            ASSERT_EQ(repeat.period, expected.period);
            ASSERT_EQ(repeat.copies, expected.copies);
            // Inserted N fit what is beyond the slice, where the walk went on.
            const int64_t rightward = walk::rightward_shift_bp(slice_, allele, arena_);
            const bool is_inside = allele.end() + rightward <= slice_.end();
            ASSERT_TRUE(is_inside || std::count(arena_.begin(), arena_.end(), data::k_base_n) > 0);
            if (is_inside) {
                ASSERT_EQ(rightward_shift_bp(slice_, allele, arena_), rightward)
                    << allele.position << " -" << allele.reference_length << " +"
                    << data::to_letters(bases_of(allele, arena_));
            }
            const Allele before = allele;
            left_align(slice_, allele, arena_);
            ASSERT_EQ(before.position - allele.position, shift);
            const int64_t length = allele.alternate_length;
            for (int64_t k = 0; k < length; ++k)
                ASSERT_EQ(arena_[static_cast<size_t>((k + shift) % length)], given[static_cast<size_t>(k)]);
            shifted += shift > 0;
        }
    });
    EXPECT_GT(shifted, 20'000);
}

TEST_F(RandomSlice, homopolymers_and_repeats_are_those_of_walks) {
    for_each_slice(400, 500, [&] {
        for_each_position([&](int64_t position) {
            constexpr int64_t k_longest_run = 15;
            ASSERT_EQ(std::min(k_longest_run, homopolymer_bp(slice_, position, Direction::rightward)),
                      walk::homopolymer_bp(slice_, position, 1, k_longest_run));
            ASSERT_EQ(std::min(k_longest_run, homopolymer_bp(slice_, position, Direction::leftward)),
                      walk::homopolymer_bp(slice_, position, -1, k_longest_run));
            ASSERT_EQ(longest_homopolymer(slice_, position, 2),
                      walk::longest_homopolymer(slice_, position, 2));
            ASSERT_EQ(tandem_repeat_bp(slice_, position), walk::tandem_repeat_bp(slice_, position));
        });
    });
}

TEST_F(RandomSlice, repeats_beside_a_position_are_those_of_walks) {
    for_each_slice(400, 700, [&] {
        for_each_position([&](int64_t position) {
            for (const bool is_right : {false, true}) {
                const Direction direction = is_right ? Direction::rightward : Direction::leftward;
                ASSERT_EQ(repeat_reach_bp(slice_, position, direction, k_max_tract_bp),
                          walk::repeat_reach(slice_, position, is_right ? 1 : -1))
                    << position << (is_right ? " right" : " left");
                ASSERT_EQ(repeat_beside_bp(slice_, position, direction, 500),
                          walk::repeat_beyond(slice_, position, is_right));
                for (int64_t shift = -6; shift <= 6; ++shift) {
                    if (shift == 0) continue;
                    ASSERT_EQ(shared_with_shift_bp(slice_, position, shift, direction, 512),
                              walk::shared_with_shift_bp(slice_, position, shift, is_right))
                        << position << " " << shift << (is_right ? " right" : " left");
                }
            }
        });
    });
}

TEST_F(RandomSlice, repeats_that_begin_after_a_position_are_those_of_a_walk) {
    size_t found = 0;
    std::vector<RepeatEdge> edges;
    for (int round = 0; round < 1'000; ++round) {
        const std::string letters = data::to_letters(repeat_rich_bases(random_, 1 + random_() % 3'000));
        slice_.load(*make_reference(letters), 0, -2'048, 3'000 + 2'048);
        const auto begin = static_cast<int64_t>(random_() % 1'000);
        const auto end = begin + 1 + static_cast<int64_t>(random_() % 2'000);
        find_repeat_edges(slice_, begin, end, 6, 512, edges);
        ASSERT_EQ(edges, walk::repeat_edges(slice_, begin, end)) << letters << " " << begin << " " << end;
        found += edges.size();
    }
    EXPECT_GT(found, 10'000u);
}

/// As long as any of the limits.
TEST_F(RandomSlice, long_repeats_are_followed_as_far_as_by_walks) {
    for (const std::string unit : {"A", "AC", "ACG", "AACGT", "ACGTTCGA"}) {
        std::string letters(500, 'G');
        for (int i = 0; i < 2'000; ++i) letters += unit[static_cast<size_t>(i) % unit.size()];
        letters += "GT";
        slice_.load(*make_reference(letters), 0, -2'048, 8'000);
        const auto size = static_cast<int32_t>(unit.size());
        const Allele deletion{500, size, 0, 0};
        arena_.assign(unit.size(), 0);
        data::to_bases(unit, arena_);
        const Allele insertion{500, 0, 0, size};
        for (const Allele& allele : {deletion, insertion}) {
            EXPECT_EQ(rightward_shift_bp(slice_, allele, arena_), k_max_rightward_shift_bp);
            EXPECT_EQ(walk::rightward_shift_bp(slice_, allele, arena_), k_max_rightward_shift_bp);
            EXPECT_EQ(repeat_of(slice_, allele, arena_).copies,
                      walk::repeat_of(slice_, allele, arena_).copies);
            EXPECT_EQ(repeat_of(slice_, allele, arena_).copies, 400 / size);
        }
        std::vector<RepeatEdge> edges;
        for (const int64_t end : {600, 1'900, 1'983, 1'984, 1'985, 1'986, 1'987, 1'990, 2'100}) {
            find_repeat_edges(slice_, 400, end, 6, 512, edges);
            EXPECT_EQ(edges, walk::repeat_edges(slice_, 400, end)) << unit << " " << end;
        }
    }
}

/// A copy of the bases of either side, in which one base of eight may differ.
TEST(Repeats, a_copy_of_its_neighbour_may_differ_in_one_base_of_eight) {
    std::mt19937_64 random(23);
    const std::string unit = random_letters(random, 24);
    std::string other = unit;
    for (const size_t i : {0u, 11u, 23u}) other[i] = other[i] == 'A' ? 'C' : 'A';
    const std::string letters = random_letters(random, 300) + unit + other + random_letters(random, 300);
    const auto reference = make_reference(letters);
    ReferenceSlice slice;
    slice.load(*reference, 0, 0, static_cast<int64_t>(letters.size()));
    EXPECT_TRUE(is_copy_of_neighbour(slice, 300, 324, slice.span(300, 324))) << "the next one";
    EXPECT_TRUE(is_copy_of_neighbour(slice, 324, 348, slice.span(324, 348))) << "the one before";
    EXPECT_TRUE(is_copy_of_neighbour(slice, 348, 348, slice.span(300, 324))) << "inserted";
    EXPECT_FALSE(is_copy_of_neighbour(slice, 348, 372, slice.span(348, 372)));
    std::vector<data::Base> fourth(slice.span(324, 348).begin(), slice.span(324, 348).end());
    fourth[5] = static_cast<data::Base>(3 - fourth[5]);
    EXPECT_FALSE(is_copy_of_neighbour(slice, 300, 300, fourth)) << "four of 24 differ";
    EXPECT_FALSE(is_copy_of_neighbour(slice, 300, 315, slice.span(324, 339))) << "15 bases";
    EXPECT_FALSE(is_copy_of_neighbour(slice, 10, 30, slice.span(0, 20))) << "beyond the contig's begin";
}

}  // namespace
}  // namespace gannet::variants
