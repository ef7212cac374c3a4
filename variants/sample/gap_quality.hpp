// SPDX-License-Identifier: MIT
// Provides the gap-open qualities of the pair-HMM by tandem repeat: those of a usual library, and those that
// fit what was counted in a sample.
#pragma once

#include "data/sequence.hpp"
#include "data/tandem_repeats.hpp"
#include "variants/sample/repeat_stutter.hpp"
#include "variants/sequence/allele.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace gannet::variants {

/// Gap-open Phred at each base of a tandem repeat; 45 elsewhere.
struct GapQualityTable {
    std::array<uint8_t, GapCounts::k_homopolymer_lengths>
        homopolymer{};                                          ///< by length, bp; longer ones have the last
    std::array<uint8_t, GapCounts::k_copy_numbers> period_2{};  ///< by whole copies; more have the last
    std::array<uint8_t, GapCounts::k_copy_numbers> longer{};    ///< periods 3 to 6, likewise
    /// Whether enough reads over homopolymers were counted to tell a usual library from one with much PCR.
    bool is_measured = false;

    /// By length of a homopolymer, by whole copies of longer units; `period` is 1 to 6.
    std::span<const uint8_t> of_period(size_t period) const;
    /// Whether the qualities are equal.
    bool operator==(const GapQualityTable& other) const {
        return homopolymer == other.homopolymer && period_2 == other.period_2 && longer == other.longer;
    }
};

/// Of a usual library. Indel errors of Illumina reads grow log-linearly with the length of the tract; the
/// rate is spread over the bases at which the gap can be put.
const GapQualityTable& usual_gap_qualities();

/// Reads per 10^9 that change the length of a repeat of `length` bases by one copy of its unit of `period`
/// bases (1 to 6), as the table has it; up to a few times 10^9 for the longest repeats, of which it says no
/// more than that most reads do.
uint64_t stutter_per_billion(const GapQualityTable& table, int64_t length, size_t period);

/// How many times as often as in a usual library reads change the length of repeats, x 10^6.
struct GapRatios {
    std::array<uint64_t, GapCounts::k_homopolymer_lengths> homopolymer{};
    std::array<uint64_t, GapCounts::k_copy_numbers> period_2{};
    std::array<uint64_t, GapCounts::k_copy_numbers> longer{};

    uint64_t of_length(int64_t length, size_t period) const;
};

/// By the ratio of changes to those that the usual table expects, length by length, drawn towards that of the
/// next shorter length as by 25 expected changes of homopolymers and 2 of other repeats. Before the shortest
/// homopolymer that ratio is 1; before other repeats it is the one of all homopolymers, which tells how much
/// PCR a library has seen. 1/4 (1 of other repeats) to 100.
GapRatios gap_ratios_of(const GapCounts& counts);

/// The usual table, moved by these ratios; repeats of periods 2 to 6, of which there are few, by those of the
/// changes that are certain (two standard deviations less). At most 20 Phred lower; homopolymers at most
/// 6 Phred higher, since mapping and alignment hide changes too. No longer repeat has a higher quality than a
/// shorter one. `counts` have no repeats of several lengths left (with_varied_repeats).
GapQualityTable gap_qualities_of(const GapCounts& counts);

/// Whether reads change homopolymers of some length at least 1.5 times as often as a usual library's (the
/// quality is lowered by 2), which tells a library with much PCR from one with few and variable repeats.
bool has_much_stutter(const GapQualityTable& table);
/// Whether they are such a library's, and change repeats of this `length` (bases) and `period` (1 to 6) at
/// least 1.5 times as often as a usual library's.
bool has_much_stutter(const GapQualityTable& table, int64_t length, size_t period);

/// For SiteStatistics: of the repeat that the allele lengthens or shortens, as the sample's gap qualities
/// have it, at most a million. 0 where that is less than 1.5 times as many as in a usual library, whose
/// errors the likelihoods are known to cover, in a library whose homopolymers are as usual
/// (has_much_stutter), and for indels of no unit of 1 to 6 bases.
int32_t stutter_per_million(const ReferenceSlice& slice, const Allele& allele,
                            const std::vector<data::Base>& arena, const GapQualityTable& gaps);

/// "as usual", or by how much they are moved: "raised by up to 4 in homopolymers, lowered by up to 13 in
/// repeats of period 2, ...".
std::string to_text(const GapQualityTable& table);

/// Gap-open Phred at each of the bases [begin, end) of a sequence by the tandem repeats that it is in, each
/// under its shortest period; N
/// repeats N.
void gap_qualities(const GapQualityTable& table, const data::TandemRepeats& repeats, size_t begin, size_t end,
                   std::vector<uint8_t>& out);

}  // namespace gannet::variants
