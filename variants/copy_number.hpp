// SPDX-License-Identifier: MIT
// Provides how many copies of the sequence of a window the sample has, from depth and allele fractions.
#pragma once

#include "variants/allele.hpp"
#include "variants/evidence.hpp"
#include "variants/expected_depth.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace gannet::variants {

inline constexpr int64_t k_copy_bin_bp = k_depth_bin_bases;  ///< the resolution
inline constexpr int32_t k_max_copies = 8;                   ///< more are counted as this many

/// An SNV allele and its reads.
struct AlleleFraction {
    int64_t position = 0;
    int32_t support = 0;
    int32_t depth = 0;    ///< reads of any base
    data::Base base = 0;  ///< of the allele
};

/// The most probable path through the copy numbers 1 to k_max_copies along a window: a hidden Markov model
/// over bins of k_copy_bin_bp. n copies have n / 2 of the depth of a diploid site, give or take 15 %, and
/// alleles that 1, 2, ... n - 1 of the n copies have; one change of the number in 10^5 bins. So a depth of
/// one and a half times the usual one makes three copies where the allele fractions are a third or two
/// thirds, and is accidental where they are a half. Integers only: exact on every machine. Linear in bins and
/// alleles.
class CopyNumber {
  public:
    /// `alleles` sorted by position. `diploid_depth[i]`: the expected depth of bin i (the first begins at
    /// evidence.begin), x 256, with two copies; 0: unknown, the bin says nothing of its depth.
    void load(const Evidence& evidence, std::span<const AlleleFraction> alleles,
              std::span<const int64_t> diploid_depth, int32_t usual_copies);
    /// Copies at the position; those of the nearest end outside the window.
    int32_t at(int64_t position) const;
    /// The bins around the position that have more copies than usual: positions [begin, end), empty if the
    /// position itself has not.
    std::pair<int64_t, int64_t> extra_around(int64_t position) const;

  private:
    using Scores = std::array<int64_t, k_max_copies>;  // log10 x 65536, by copies - 1
    size_t bin_of(int64_t position) const;
    void add_depth(const Evidence& evidence, size_t bin, int64_t diploid_depth);
    void trace(size_t bins);

    int64_t begin_ = 0;
    int32_t usual_copies_ = 2;
    std::vector<int32_t> copies_;  // by bin
    std::vector<Scores> scores_;
    std::vector<std::array<uint8_t, k_max_copies>> from_;
};

}  // namespace gannet::variants
