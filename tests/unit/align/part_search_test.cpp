// SPDX-License-Identifier: MIT
// Provides tests of the search of other places for a supplementary alignment: copies made on purpose.
#include "align/pairing/part_search.hpp"

#include "tests/unit/align/packed_batch.hpp"

#include <gtest/gtest.h>

namespace gannet::align {
namespace {

using tests::Genome;
using tests::other_base;
using tests::Random;
using tests::reverse_complement;

constexpr size_t k_unique_bp = 90;
constexpr size_t k_part_bp = 60;

/// A read of 90 bases of unique sequence and 60 of a part; the genome has both, apart.
class PartSearchTest : public testing::Test {
  protected:
    PartSearchTest() : unique(random.bases(k_unique_bp)), part(random.bases(k_part_bp)) { place(unique); }
    /// What precedes a copy is not what precedes the part in the read.
    std::string before() { return random.bases(999) + other_base(unique.back()); }
    void place(const std::string& copy) { sequence += before() + copy; }
    static std::string changed(std::string copy, std::initializer_list<size_t> at) {
        for (const size_t base : at) copy[base] = other_base(copy[base]);
        return copy;
    }
    /// The best rival of the alignment of the part to `copy`, which is placed first.
    int32_t best_rival(const std::string& copy) {
        const std::string first = random.bases(500) + before();
        const std::string letters = first + copy + random.bases(500) + sequence + random.bases(1'000);
        const Genome genome({{"c", letters}});
        const tests::PackedBatch packed(genome, tests::make_batch({unique + part}, false));
        Candidate chosen;
        chosen.diagonal = static_cast<int64_t>(genome.reference->contigs()[0].offset + first.size()) -
                          static_cast<int64_t>(k_unique_bp);
        EXPECT_TRUE(packed.ungapped.compare(0, chosen));
        EXPECT_EQ(chosen.query_begin, k_unique_bp);
        return PartSearch(packed.positions).best_rival(0, chosen);
    }

    Random random{7};
    std::string unique;
    std::string part;
    std::string sequence;
};

TEST_F(PartSearchTest, a_part_without_copies_has_no_rival) {
    place(unique);  // of another part of the read
    EXPECT_EQ(best_rival(part), 0);
}

TEST_F(PartSearchTest, a_better_copy_is_found_on_both_strands) {
    place(part);
    EXPECT_EQ(best_rival(changed(part, {8, 50})), 60);
    sequence = reverse_complement(sequence);
    EXPECT_EQ(best_rival(changed(part, {8, 50})), 60);
}

TEST_F(PartSearchTest, of_many_copies_the_nearest_one_is_found) {
    // Each seed of the exact copy has 40 others, which come first by context or by position.
    part[5] = 'A';
    part[55] = 'T';
    for (size_t i = 0; i < 40; ++i) {
        place(changed(part, {5}));
        place(changed(part, {55}));
    }
    place(part);
    EXPECT_EQ(best_rival(changed(part, {8, 50})), 60);
}

}  // namespace
}  // namespace gannet::align
