// SPDX-License-Identifier: MIT
// Provides stutter, how often reads change the length of homopolymers and of tandem repeats: counts of one
// window of the genome, and their sums over a sample.
#pragma once

#include "data/record.hpp"
#include "data/sequence.hpp"
#include "data/tandem_repeats.hpp"
#include "variants/model/sample.hpp"

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace gannet::variants {

/// Reads that change the length of a repeat, for the gap qualities of the pair-HMM (gap_quality.hpp). Of
/// repeats that at least 6 reads reach over. Those whose reads have one length are counted by it, others are
/// kept: they may be heterozygous (stutter_rates.hpp).
struct GapCounts {
    static constexpr size_t k_max_period = data::TandemRepeats::k_max_period;
    static constexpr size_t k_homopolymer_lengths = 21;
    static constexpr size_t k_copy_numbers = 17;
    struct Count {
        uint64_t changed = 0;              ///< reads of another length than their haplotype has
        uint64_t expected_billionths = 0;  ///< those that a usual library would have, x 10^9
        bool operator==(const Count&) const = default;
    };
    std::array<Count, k_homopolymer_lengths>
        homopolymer{};                             ///< by length, bp; longer ones count for the last
    std::array<Count, k_copy_numbers> period_2{};  ///< by whole copies; more count for the last
    std::array<Count, k_copy_numbers> longer{};    ///< periods 3 to 6, likewise

    static constexpr int32_t k_stutter_reach_bp = sample_number("stutter_reach_bp");
    /// A repeat whose reads have several lengths.
    struct Varied {
        uint8_t period = 0;
        uint16_t length = 0;                                       ///< of the reference, bp
        std::array<uint16_t, 2 * k_stutter_reach_bp + 1> reads{};  ///< by their change, -4 to 4 bp
        auto operator<=>(const Varied&) const = default;
    };
    std::vector<Varied> varied;  ///< in no order

    std::span<Count> of_period(size_t period);
    /// Of repeats of `length` bases, at least a unit.
    Count& count_of(int64_t length, size_t period);
    /// Of a repeat of `length` bases that changes by `change` bases, -4 to 4: so much or more of longer units
    /// is one copy.
    static int64_t changed_length(int64_t length, size_t period, int32_t change);
    void add(const GapCounts& other);
    bool operator==(const GapCounts&) const = default;
};

/// Stutter (reads that change the length of a repeat) of a sample, by class of repeat; sums, so that the
/// order in which windows are added does not matter.
struct StutterCounts {
    /// Homopolymers of 6-8, 9-11, 12-14, and 15 bases or more; repeats of period 2 with 10 bases or more.
    static constexpr size_t k_classes = 5;
    static constexpr size_t k_period_2 = k_classes - 1;
    /// A class with fewer reads says nothing.
    static constexpr uint64_t k_min_reads = sample_number("stutter_min_reads_of_class");

    std::array<uint64_t, k_classes> reads{};    ///< that reach over a repeat
    std::array<uint64_t, k_classes> changed{};  ///< those of another length than most reads have there
    GapCounts gaps;

    void add(const StutterCounts& other);
    bool is_known(size_t k) const { return reads[k] >= k_min_reads; }
    /// Phred x 100 of the share of reads that are changed; a class must be known.
    int64_t phred_centi(size_t k) const;
    /// "homopolymers of 6-8 bp 0.08 %, 9-11 bp 0.51 %, ..."; "not measured" where no class is known.
    std::string to_text() const;
    bool operator==(const StutterCounts&) const = default;
};

/// Counts one window. Where the second most frequent length has more than 3 in 10 of the reads, or fewer than
/// 8 reads reach over the repeat, nothing is counted: the sample may be heterozygous. Where it is homozygous
/// for another length, that one is what most reads have. Memory: 48 bytes per repeat.
class StutterWindow {
  public:
    /// `bases`: those of the reference from position `begin` on. Repeats before `counted_from` are left out.
    StutterWindow(std::span<const data::Base> bases, int64_t begin, int64_t counted_from);
    /// The record's alignment may have clips and gaps; it counts for a repeat if it is aligned from at least
    /// 5 bases before it to at least 5 bases behind it.
    void add(const data::RecordView& record);
    void finish(StutterCounts& counts) const;

  private:
    /// Changes of more bases count as so many.
    static constexpr int32_t k_reach = GapCounts::k_stutter_reach_bp;
    struct Repeat {
        int64_t begin;
        int64_t end;
        size_t kind;
        size_t period;
        std::array<uint16_t, 2 * k_reach + 1> reads{};  // by change of length
    };

    static void count_gaps(const Repeat& repeat, GapCounts& gaps);

    std::vector<Repeat> repeats_;  // ascending by begin
    struct Gap {
        int64_t begin;  // on the reference; an insertion is before it
        int64_t end;
        int32_t change;
    };
    std::vector<Gap> gaps_;  // of the record that is being added
};

}  // namespace gannet::variants
