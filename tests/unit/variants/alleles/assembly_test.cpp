// SPDX-License-Identifier: MIT
// Tests local assembly: what differs from the reference is found, tangles are given up.
#include "variants/alleles/assembly.hpp"

#include "tests/unit/variants/placed_reads.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace gannet::variants {
namespace {

using namespace testing;

/// Haplotypes assembled from perfect reads, every `step` bases, of each of `samples`.
std::vector<std::string> assemble(const std::string& reference, const std::vector<std::string>& samples,
                                  size_t step = 5) {
    ReadSet set;
    std::vector<uint32_t> indices;
    for (const std::string& sample : samples) {
        for (size_t begin = 0; begin + 100 <= sample.size(); begin += step) {
            CallRead read;
            read.bases = static_cast<uint32_t>(set.bases.size());
            read.length = 100;
            set.bases.resize(set.bases.size() + 100);
            data::to_bases(std::string_view(sample).substr(begin, 100), std::span(set.bases).last(100));
            set.qualities.resize(set.bases.size(), 30);
            indices.push_back(static_cast<uint32_t>(set.reads.size()));
            set.reads.push_back(read);
        }
    }
    std::vector<data::Base> bases(reference.size()), haplotypes;
    data::to_bases(reference, bases);
    std::vector<uint32_t> offsets;
    Assembler().assemble(set, indices, 0, bases, haplotypes, offsets);
    std::vector<std::string> found;
    for (size_t h = 0; h + 1 < offsets.size(); ++h) {
        found.push_back(
            data::to_letters(std::span(haplotypes).subspan(offsets[h], offsets[h + 1] - offsets[h])));
    }
    return found;
}

TEST(Assembler, reference_reads_give_nothing_new) {
    std::mt19937_64 random(1);
    const std::string reference = random_letters(random, 300);
    EXPECT_TRUE(assemble(reference, {reference}).empty());
}

TEST(Assembler, long_insertion_is_found) {
    std::mt19937_64 random(2);
    const std::string reference = random_letters(random, 300);
    const std::string sample = reference.substr(0, 150) + random_letters(random, 60) + reference.substr(150);
    EXPECT_EQ(assemble(reference, {reference, sample}), std::vector<std::string>{sample});
}

TEST(Assembler, long_deletion_is_found) {
    std::mt19937_64 random(3);
    const std::string reference = random_letters(random, 300);
    const std::string sample = reference.substr(0, 120) + reference.substr(180);
    EXPECT_EQ(assemble(reference, {reference, sample}), std::vector<std::string>{sample});
}

TEST(Assembler, edges_of_single_reads_are_ignored) {
    std::mt19937_64 random(4);
    const std::string reference = random_letters(random, 300);
    std::string sample = reference;
    sample[150] = sample[150] == 'A' ? 'C' : 'A';
    EXPECT_TRUE(assemble(reference, {reference, sample.substr(100, 100)}).empty());
    EXPECT_EQ(assemble(reference, {reference, sample}).size(), 1u);
}

TEST(Assembler, short_repeat_takes_a_longer_k) {
    std::mt19937_64 random(5);
    const std::string unit = random_letters(random, 30);  // longer than the smallest k
    const std::string reference =
        random_letters(random, 100) + unit + random_letters(random, 40) + unit + random_letters(random, 100);
    std::string sample = reference;
    sample[150] = sample[150] == 'A' ? 'C' : 'A';
    EXPECT_EQ(assemble(reference, {reference, sample}), std::vector<std::string>{sample});
}

/// `bases` with another base at each of the positions.
std::string with_snvs(std::string bases, const std::vector<size_t>& positions) {
    for (const size_t p : positions) bases[p] = bases[p] == 'A' ? 'C' : 'A';
    return bases;
}

TEST(Assembler, a_haplotype_with_many_differences_comes_before_its_recombinations) {
    std::mt19937_64 random(7);
    const std::string reference = random_letters(random, 500);
    // Of eight differences, 256 combinations; fewer reads have each than have the reference.
    const std::string sample = with_snvs(reference, {110, 150, 190, 230, 270, 310, 350, 390});
    std::vector<std::string> found = assemble(reference, {reference, reference, sample});
    ASSERT_EQ(found.size(), Assembler::k_max_paths);
    EXPECT_EQ(found.front(), sample);
}

TEST(Assembler, reads_tell_haplotypes_from_their_recombinations) {
    std::mt19937_64 random(8);
    const std::string reference = random_letters(random, 500);
    const std::string left = with_snvs(reference, {110, 190, 270, 350});
    const std::string right = with_snvs(reference, {150, 230, 310, 390});
    std::vector<std::string> found = assemble(reference, {left, right});
    ASSERT_EQ(found.size(), Assembler::k_max_paths);
    std::sort(found.begin(), found.begin() + 2);
    EXPECT_EQ((std::vector<std::string>{found[0], found[1]}),
              (std::vector<std::string>{std::min(left, right), std::max(left, right)}));
}

TEST(Assembler, a_rare_difference_beside_many_is_found) {
    std::mt19937_64 random(9);
    const std::string reference = random_letters(random, 500);
    const std::string sample = with_snvs(reference, {150, 190, 230, 270, 310, 350, 390});
    const std::string rare = with_snvs(sample, {110});
    std::vector<std::string> found = assemble(reference, {reference, sample, sample, rare.substr(0, 250)});
    EXPECT_TRUE(std::find(found.begin(), found.end(), rare) != found.end());
}

TEST(Assembler, long_tandem_repeats_are_not_assembled) {
    std::mt19937_64 random(6);
    std::string tract;
    for (int i = 0; i < 50; ++i) tract += "CAG";
    const std::string reference = random_letters(random, 100) + tract + random_letters(random, 100);
    EXPECT_TRUE(assemble(reference, {reference, reference.substr(0, 130) + reference.substr(136)}).empty());
}

/// The stretch is the reference's bases 250 to 550; the sample differs from it every 12 bases, so that no
/// k-mer is in both.
class AnchorsTest : public PlacedReads {
  protected:
    void SetUp() override {
        make("");
        sample_ = letters_;
        for (size_t i = 200; i < 600; i += 12) sample_[i] = letters_[i] == 'A' ? 'C' : 'A';
    }
    std::vector<std::string> assemble_stretch() {
        std::vector<uint32_t> indices;
        for (uint32_t i = 0; i < set_.reads.size(); ++i) indices.push_back(i);
        std::vector<data::Base> haplotypes;
        std::vector<uint32_t> offsets;
        Assembler().assemble(set_, indices, 250, slice_.span(250, 550), haplotypes, offsets);
        std::vector<std::string> found;
        for (size_t h = 0; h + 1 < offsets.size(); ++h)
            found.push_back(
                data::to_letters(std::span(haplotypes).subspan(offsets[h], offsets[h + 1] - offsets[h])));
        return found;
    }
    std::string sample_;
};

TEST_F(AnchorsTest, reads_that_differ_at_the_ends_of_the_stretch_are_assembled) {
    for (int64_t begin = 150; begin <= 550; begin += 5)
        add(sample_.substr(static_cast<size_t>(begin), 100), begin, {match(100)});
    EXPECT_EQ(assemble_stretch(),
              std::vector<std::string>{letters_.substr(250, 25) + sample_.substr(275, 250) +
                                       letters_.substr(525, 25)});
}

TEST_F(AnchorsTest, clipped_reads_and_gaps_are_placed_by_their_alignment) {
    const std::string inserted = "GATTACAGATTACAGGCATT";
    const std::string haplotype = sample_.substr(0, 400) + inserted + sample_.substr(400);
    for (size_t begin = 150; begin <= 560; begin += 5) {
        const std::string bases = haplotype.substr(begin, 100);
        const auto at = static_cast<int64_t>(begin);
        if (begin + 100 <= 400)
            add(bases, at, {match(100)});
        else if (begin < 350)
            add(bases, at,
                {match(static_cast<uint32_t>(400 - begin)), clip(static_cast<uint32_t>(begin - 300))});
        else if (begin < 400)  // reaches over the insertion to 380 at least
            add(bases, at,
                {match(static_cast<uint32_t>(400 - begin)), data::cigar_element(20, data::k_cigar_insertion),
                 match(static_cast<uint32_t>(begin - 320))});
        else if (begin < 420)
            add(bases, 400,
                {clip(static_cast<uint32_t>(420 - begin)), match(static_cast<uint32_t>(begin - 320))});
        else
            add(bases, at - 20, {match(100)});
    }
    EXPECT_EQ(assemble_stretch(),
              std::vector<std::string>{letters_.substr(250, 25) + sample_.substr(275, 125) + inserted +
                                       sample_.substr(400, 125) + letters_.substr(525, 25)});
}

}  // namespace
}  // namespace gannet::variants
