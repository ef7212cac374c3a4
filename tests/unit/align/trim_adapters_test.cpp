// SPDX-License-Identifier: MIT
// Tests the trimming of adapters by the overlap of mates, beside an obvious comparison of every base.
#include "align/trim_adapters.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

namespace gannet::align {
namespace {

using Bases = std::vector<data::Base>;

Bases random_bases(std::mt19937& random, size_t length) {
    Bases bases(length);
    for (data::Base& base : bases) base = static_cast<data::Base>(random() % 4);
    return bases;
}

Bases reversed(const Bases& bases) {
    Bases out(bases.size());
    data::reverse_complement(bases, out);
    return out;
}

/// The definition, without packed comparisons.
std::optional<size_t> plain_fragment_bp(const Bases& mate1, const Bases& mate2) {
    const Bases other = reversed(mate2);
    const auto count1 = static_cast<int>(mate1.size());
    const auto count2 = static_cast<int>(mate2.size());
    std::vector<int> displacements;
    for (int i = 0; i < count1; ++i) displacements.push_back(i);
    for (int i = 1; i < count2; ++i) displacements.push_back(-i);
    for (const int displacement : displacements) {
        const int begin = std::max(0, displacement);
        const int end = std::min(count1, displacement + count2);
        if (end - begin < static_cast<int>(k_min_overlap_bp)) continue;
        int differ = 0;
        int differ_in_head = 0;
        for (int i = begin; i < end; ++i) {
            const data::Base a = mate1[static_cast<size_t>(i)];
            differ += a == data::k_base_n || a != other[static_cast<size_t>(i - displacement)];
            if (i - begin < 50) differ_in_head = differ;
        }
        if (differ_in_head <= 5 && differ <= (end - begin) / 5)
            return static_cast<size_t>(displacement + count2);
    }
    return std::nullopt;
}

/// The mates of a fragment, with what follows it.
std::pair<Bases, Bases> mates(std::mt19937& random, size_t fragment_bp, size_t length1, size_t length2) {
    const Bases fragment = random_bases(random, fragment_bp);
    Bases one = fragment;
    Bases two = reversed(fragment);
    for (Bases* mate : {&one, &two}) {
        const Bases adapter = random_bases(random, 300);
        mate->insert(mate->end(), adapter.begin(), adapter.end());
    }
    one.resize(length1);
    two.resize(length2);
    return {one, two};
}

TEST(TrimAdapters, length_of_a_fragment_is_found_from_30_bp_on) {
    std::mt19937 random(1);
    for (size_t fragment = 1; fragment < 300; ++fragment) {
        const auto [one, two] = mates(random, fragment, 150, 150);
        const auto found = OverlapFinder().fragment_bp(one, two);
        const bool expected = fragment >= 30 && fragment <= 270;
        EXPECT_EQ(found.has_value(), expected) << fragment;
        EXPECT_EQ(found.value_or(fragment), fragment);
    }
}

TEST(TrimAdapters, equals_the_plain_comparison_with_errors_n_and_any_lengths) {
    std::mt19937 random(2);
    OverlapFinder finder;
    size_t found = 0;
    for (int i = 0; i < 4000; ++i) {
        auto [one, two] = mates(random, 1 + random() % 200, random() % 160, random() % 160);
        for (Bases* mate : {&one, &two}) {
            const size_t errors = mate->empty() ? 0 : random() % (i % 2 == 0 ? 8 : 30);
            for (size_t k = 0; k < errors; ++k)
                (*mate)[random() % mate->size()] = static_cast<data::Base>(random() % 5);
        }
        if (i % 10 == 0) std::fill(one.begin(), one.end(), data::Base{0});  // repeats
        if (i % 20 == 0) std::fill(two.begin(), two.end(), data::Base{3});
        const auto expected = plain_fragment_bp(one, two);
        EXPECT_EQ(finder.fragment_bp(one, two), expected) << i;
        found += expected.has_value();
    }
    EXPECT_GT(found, 800u);
}

TEST(TrimAdapters, batch_keeps_the_fragments_and_counts_what_went) {
    std::mt19937 random(3);
    data::ReadBatch batch;
    batch.clear();
    batch.paired = true;
    const std::vector<size_t> fragments = {400, 100, 149, 150, 20, 60};
    std::vector<Bases> expected;
    for (const size_t fragment : fragments) {
        const auto [one, two] = mates(random, fragment, 150, 150);
        for (const Bases& mate : {one, two}) {
            batch.bases.insert(batch.bases.end(), mate.begin(), mate.end());
            for (size_t i = 0; i < mate.size(); ++i) batch.qualities.push_back(static_cast<uint8_t>(i % 64));
            batch.base_offset.push_back(static_cast<uint32_t>(batch.bases.size()));
            expected.push_back(mate);
            if (fragment >= 30 && fragment < 150) expected.back().resize(fragment);
        }
        batch.name_offset.push_back(0);
    }
    data::ReadBatch single = batch;
    OverlapFinder finder;
    const TrimCounts counts = trim_adapters(batch, finder);
    EXPECT_EQ(counts.reads, 6u);
    EXPECT_EQ(counts.bases, 2u * (50 + 1 + 90));
    ASSERT_EQ(batch.reads(), expected.size());
    for (size_t i = 0; i < expected.size(); ++i) {
        const auto bases = batch.read_bases(i);
        EXPECT_TRUE(std::equal(bases.begin(), bases.end(), expected[i].begin(), expected[i].end())) << i;
        const auto qualities = batch.read_qualities(i);
        for (size_t k = 0; k < qualities.size(); ++k) EXPECT_EQ(qualities[k], k % 64);
    }
    EXPECT_EQ(batch.bases.size(), batch.qualities.size());
    EXPECT_EQ(trim_adapters(batch, finder).reads, 0u);  // nothing is left to trim
    single.paired = false;
    EXPECT_EQ(trim_adapters(single, finder).reads, 0u);
}

}  // namespace
}  // namespace gannet::align
