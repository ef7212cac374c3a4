// SPDX-License-Identifier: MIT
// Provides how many copies of the sequence of a window the sample has, from depth and allele fractions.
#pragma once

#include "variants/evidence/evidence.hpp"
#include "variants/model/alleles.hpp"
#include "variants/sample/expected_depth.hpp"
#include "variants/sequence/allele.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace gannet::variants {

inline constexpr int64_t k_copy_bin_bp = k_depth_bin_bases;            ///< the resolution
inline constexpr int32_t k_max_copies = alleles_number("copies_max");  ///< more are counted as this many

/// An SNV allele and its reads.
struct AlleleFraction {
    int64_t position = 0;
    int32_t support = 0;
    int32_t depth = 0;    ///< reads of any base
    data::Base base = 0;  ///< of the allele
};

/// The depth that two copies have, by bin, x 256; 0: unknown, the bin says nothing of its depth.
struct CopyDepth {
    std::span<const int64_t> diploid;
    bool is_of_sample = true;       ///< false: the window's own, which uneven depth makes too low
    int32_t deviation_percent = 0;  ///< ExpectedDepth::deviation_percent
};

/// The most probable path through the copy numbers 1 to k_max_copies along a window: a hidden Markov model
/// over bins of k_copy_bin_bp. n copies have n / 2 of the depth of a diploid site, give or take 15 %, and
/// alleles that 1, 2, ... n - 1 of the n copies have; one change in 10^5 bins. Where the depth of the sample
/// varies by more than 15 %, it counts for as much less, taken to vary alike over 5 kb. Nine of ten alleles
/// of a stretch are on the same number of copies, which is part of the state: those of a copy that both
/// haplotypes have are on two of four. Where a read has more than three alleles on average, all of them
/// together say as much as three: they are on the same fragments, of which a stretch by chance has more from
/// one haplotype. How dense alleles are says nothing: two haplotypes of the MHC differ by 20 and more per kb
/// in places. So a depth of one and a half times the usual one makes three copies where the allele fractions
/// are a third or two thirds, and is accidental where they are a half; twice the depth makes four copies
/// although the fractions would fit two. Where the depth is the window's own, which may be far from that of
/// the sample, all fractions of n copies are equally probable instead, so that many alleles in half of the
/// reads are two copies. Integers only: exact on every machine. Linear in bins and alleles.
class CopyNumber {
  public:
    /// `alleles` sorted by position. The first bin of `depth` begins at evidence.begin.
    void load(const Evidence& evidence, std::span<const AlleleFraction> alleles, const CopyDepth& depth,
              int32_t usual_copies);
    /// The stretch has no more than the usual copies: what is there more often is the sample's own.
    void set_usual(int64_t begin, int64_t end);
    /// Copies at the position; those of the nearest end outside the window.
    int32_t at(int64_t position) const;
    /// The bins around the position that have more copies than usual: positions [begin, end), empty if the
    /// position itself has not.
    std::pair<int64_t, int64_t> extra_around(int64_t position) const;
    /// The depth of the bins of [begin, end), in thousandths of that of two copies; that of k_max_copies
    /// where it is the window's own or not known, so that it does not speak against extra copies.
    int64_t depth_permille(int64_t begin, int64_t end) const;
    /// The mean depth of two copies in the bins of [begin, end), x 256; 0 where it is the window's own or not
    /// known.
    int64_t diploid_depth_x256(int64_t begin, int64_t end) const;

    /// What a bin may be: a number of copies, of which `shared` have most of the alleles of the stretch.
    struct State {
        int32_t copies = 0;
        int32_t shared = 0;
    };
    static constexpr size_t k_state_count = 1 + size_t{k_max_copies} * (k_max_copies - 1) / 2;
    /// All states, by copies, then shared.
    static constexpr std::array<State, k_state_count> make_states() {
        std::array<State, k_state_count> states{};
        size_t i = 0;
        states[i++] = {1, 0};
        for (int32_t copies = 2; copies <= k_max_copies; ++copies) {
            for (int32_t shared = 1; shared < copies; ++shared) states[i++] = {copies, shared};
        }
        return states;
    }

  private:
    using Scores = std::array<int64_t, k_state_count>;  // log10 x 65536
    struct DepthSums {
        int64_t depth = 0;
        int64_t expected = 0;  ///< of two copies
        int64_t bases = 0;
    };
    size_t bin_of(int64_t position) const;
    int64_t bases_of(size_t bin) const;
    DepthSums depth_sums(int64_t begin, int64_t end) const;
    void add_depth(const Evidence& evidence, size_t bin, int64_t diploid_depth);
    void add_allele(const AlleleFraction& allele, bool is_shared, int64_t weight);
    int64_t weight_of(size_t bin, int64_t read_span) const;
    void trace(size_t bins);

    int64_t begin_ = 0, end_ = 0;
    int32_t usual_copies_ = 2;
    bool depth_is_of_sample_ = true;
    int64_t variance_of_bins_ = 0;          // percent^2: of the depth, beyond what is usual
    std::vector<int32_t> copies_;           // by bin
    std::vector<int32_t> allele_counts_;    ///< by bin
    std::vector<int64_t> depths_;           ///< by bin, summed over its bases
    std::vector<int64_t> expected_depths_;  ///< likewise, of two copies; 0: unknown
    std::vector<Scores> scores_;
    std::vector<std::array<uint8_t, k_state_count>> from_;
};

}  // namespace gannet::variants
