// SPDX-License-Identifier: MIT
// Provides a model of systematic errors: those that a place in the genome causes on one strand, in many of
// the reads there.
#pragma once

#include "variants/arithmetic/log_math.hpp"
#include "variants/model/sample.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace gannet::variants {

/// Fragments of a place by strand (forward, reverse): with the reference's base and with one other base.
struct StrandCounts {
    std::array<int32_t, 2> reference{};
    std::array<int32_t, 2> alternate{};
};

/// By strand: whether the other base is that of the reference just before the place, in the direction in
/// which the strand is read. Most systematic errors of Illumina's sequencers are such a base that the
/// sequencer lags behind by (Meacham et al. 2011, Nakamura et al. 2011), and less than a quarter of the SNVs.
using RepeatsBaseBefore = std::array<bool, 2>;

/// What the profile of a sample counts, by whether the other base repeats the one before ([1]). Sites are
/// places with at least two fragments on each strand where one other base is on at least two fragments, an
/// eighth and at most three in ten of them. Sums, so that the order does not matter.
struct SystematicErrorCounts {
    /// Of a site, and of the places where one could be.
    static constexpr uint32_t k_max_depth = sample_number("systematic_max_depth");

    std::array<uint64_t, 2> one_strand{};  ///< sites with all of these fragments on one strand
    /// How many would be so if strands had nothing to do with it, x 2^20, and the variance of the sum of
    /// both.
    std::array<uint64_t, 2> expected{};
    uint64_t variance = 0;
    /// How many sites would be seen if every place were prone to errors on every strand, x 2^20.
    uint64_t opportunities = 0;

    /// Counts the place if it is a site.
    void add_place(const StrandCounts& counts, const RepeatsBaseBefore& repeats);
    /// So many places have this depth.
    void add_depth(uint32_t depth, uint64_t places);
    void add(const SystematicErrorCounts& other);
    bool operator==(const SystematicErrorCounts&) const = default;
};

/// Places prone to errors per 10^9 bases of one strand, among those where an error would or would not repeat
/// the base before ([1], [0]). By default there are none.
struct SystematicErrors {
    std::array<int64_t, 2> per_billion{};

    bool none() const { return per_billion[0] == 0 && per_billion[1] == 0; }
    /// "24 per Mb and strand", of all.
    std::string to_text() const;
};

/// From how many more sites than by chance have these fragments on one strand, less a standard deviation;
/// none where that is not at least three of them and five sites.
SystematicErrors estimate_systematic_errors(const SystematicErrorCounts& counts);

/// log10 of the odds, x 65536, that the place is prone to errors and the sample homozygous for the reference,
/// against a heterozygous SNV, each fragment of which has either base with probability 1/2. A place's errors
/// are on one strand, in 6, 12, 22, 38 or 60 % of the reads, places with more of them being rarer (about a
/// log-normal distribution with a median of 4 %, after Minoche et al. 2011, who saw up to 18.7 %). Far below
/// 0 where there are none. Determinism class: exact-int.
int64_t systematic_error_odds(const SystematicErrors& errors, const StrandCounts& counts,
                              const RepeatsBaseBefore& repeats);
inline constexpr int64_t k_no_systematic_error = -1000 * int64_t{k_log_scale};

}  // namespace gannet::variants
