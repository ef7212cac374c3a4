// SPDX-License-Identifier: MIT
// Tests which bases of reads are compared with the haplotypes of a region.
#include "variants/alleles/likelihoods.hpp"

#include "tests/unit/variants/placed_reads.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace gannet::variants {
namespace {

using namespace testing;

/// A region around position 400, and a read of 100 bases of which the last 40 are clipped 10 bases behind it.
class Segments : public PlacedReads {
  protected:
    static constexpr int64_t k_place = 400;
    static constexpr uint32_t k_clip = 40;

    Segments() { make(""); }
    void add_clipped(const std::string& clipped) {
        const int64_t begin = k_place + 10 - 60;
        add(letters_.substr(static_cast<size_t>(begin), 60) + clipped, begin, {match(60), clip(k_clip)});
    }
    /// The same on the other side.
    void add_clipped_at_left(const std::string& clipped) {
        const int64_t begin = k_place - 10;
        add(clipped + letters_.substr(static_cast<size_t>(begin), 60), begin, {clip(k_clip), match(60)});
    }
    /// Bases of each read that are compared, with the alleles on the second haplotype.
    std::vector<uint32_t> compared(const std::vector<Allele>& alleles) {
        RegionHaplotypes haplotypes;
        haplotypes.alleles = alleles;
        haplotypes.haplotypes = {0, 1};
        haplotypes.longest_change = std::abs(alleles.front().size_change());
        std::vector<uint32_t> reads;
        for (uint32_t i = 0; i < set_.reads.size(); ++i) reads.push_back(i);
        kernels::PairHmmBatch jobs;
        std::vector<LikelihoodRow> rows;
        JobScratch scratch;
        add_jobs(set_, slice_, arena_, {k_place - 30, k_place + 30}, reads, usual_gap_qualities(), haplotypes,
                 jobs, rows, scratch);
        std::vector<uint32_t> sizes;
        for (size_t i = 0; i + 1 < jobs.read_offset.size(); ++i)
            sizes.push_back(static_cast<uint32_t>(jobs.read_offset[i + 1] - jobs.read_offset[i]));
        return sizes;
    }
    std::string foreign() {
        std::mt19937_64 random(23);
        return random_letters(random, k_clip);
    }

    std::vector<data::Base> arena_{0};
    Allele snv_{k_place, 1, 0, 1};
};

TEST_F(Segments, clipped_bases_of_other_sequence_do_not_count_where_haplotypes_are_equally_long) {
    if (letters_[k_place] == 'A') arena_[0] = 1;
    add_clipped_at_left(foreign());
    add_clipped(foreign());
    EXPECT_EQ(compared({snv_}), (std::vector<uint32_t>{40, 40})) << "the aligned bases of the region";
    EXPECT_EQ(compared({{k_place, 5, 0, 0}}), (std::vector<uint32_t>{65, 65})) << "a deletion may explain it";
}

TEST_F(Segments, clipped_bases_with_some_mismatches_count) {
    if (letters_[k_place] == 'A') arena_[0] = 1;
    const auto nearly = [&](int64_t begin) {
        std::string bases = letters_.substr(static_cast<size_t>(begin), k_clip);
        for (size_t at = 2; at < bases.size(); at += 5) bases[at] = bases[at] == 'A' ? 'C' : 'A';
        return bases;
    };
    add_clipped_at_left(nearly(k_place - 10 - k_clip));
    add_clipped(nearly(k_place + 10));
    EXPECT_EQ(compared({snv_}), (std::vector<uint32_t>{60, 60}));
}

}  // namespace
}  // namespace gannet::variants
