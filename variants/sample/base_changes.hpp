// SPDX-License-Identifier: MIT
// Provides the counts of bases that differ from the reference, by change, in the direction of mate 1, and by
// their distance from the ends of the fragment.
#pragma once

#include "data/sequence.hpp"
#include "variants/model/sample.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace gannet::variants {

/// Damage is on one strand of a molecule. That strand becomes mate 1, or a read without a mate, and mate 2
/// is its reverse complement. A change "in the direction of mate 1" is thus the same in both mates.
constexpr bool is_against_mate_1(bool reverse, bool read2) { return reverse != read2; }
constexpr data::Base in_direction_of_mate_1(data::Base base, bool against_mate_1) {
    return against_mate_1 ? data::complement(base) : base;
}

/// Complementary changes are one class: A>C, A>G, A>T, C>A, C>G and C>T of either strand.
inline constexpr size_t k_change_classes = 6;
constexpr size_t change_class(data::Base from, data::Base to) {
    const bool complements = from > 1;
    const data::Base first = complements ? data::complement(from) : from;
    const data::Base second = complements ? data::complement(to) : to;
    return first * 3u + second - (second > first ? 1u : 0u);
}

/// Of the distance from an end: 0, 1, 2, 3 to 4, 5 to 8, 9 to 16 bases, and so on, twice as many each.
inline constexpr size_t k_end_classes = sample_number("damage_end_classes");
inline constexpr int64_t k_end_reach_bp = (int64_t{1} << (k_end_classes - 2)) + 1;  ///< at an end
/// Inside, which is 0; the classes of the fragment's begin in the direction of mate 1; those of its end.
inline constexpr size_t k_fragment_places = 1 + 2 * k_end_classes;
constexpr size_t begin_place(size_t end_class) { return 1 + end_class; }
constexpr size_t end_place(size_t end_class) { return 1 + k_end_classes + end_class; }

/// What is known of the fragment of a read.
struct FragmentEnds {
    int64_t read_bp = 0;      ///< of the read as it was sequenced, from the fragment's end on
    int64_t fragment_bp = 0;  ///< of a read without a mate its own length; 0: not known
    bool is_read2 = false;
    bool is_reverse = false;  ///< on the reference

    static FragmentEnds of(uint16_t flags, int64_t read_bp, int64_t template_length);
    /// Of the base at this offset in the order of the reference, where the read has `read_bp` bases.
    size_t place_of(int64_t offset) const;
};

/// Damage is read with good qualities. The errors of low ones, as of late cycles of mate 2, need not be as
/// frequent as their complements.
inline constexpr uint8_t k_min_change_quality = sample_number("damage_min_quality");

/// What the profile of a sample counts on places without an apparent variant, in the direction of mate 1, of
/// bases from k_min_change_quality on. Sums, so that the order does not matter.
struct BaseChangeCounts {
    struct Counts {
        std::array<uint64_t, 4> bases{};                      ///< of reads, by the base of the reference
        std::array<std::array<uint64_t, 4>, 4> mismatches{};  ///< [base of the reference][base of the read]
        /// Of the mismatches of each position of the genome: where some have many, as of reads that belong
        /// elsewhere, the number of all of them says less.
        std::array<std::array<uint64_t, 4>, 4> squares{};
        bool operator==(const Counts&) const = default;
    };
    std::array<Counts, k_fragment_places> places{};

    void add(const BaseChangeCounts& other);
    /// A change at a place, bases in the direction of mate 1; `before`: how often the same was added for this
    /// position of the genome.
    void add_mismatch(size_t place, data::Base from, data::Base to, uint64_t before);
    /// Takes the bases of a read from offset `first` on, which are aligned to these of the reference and have
    /// been counted as inside: those of low quality away, others near ends of the fragment to their places.
    /// Numbers may wrap below 0; the sum has all.
    void correct(const FragmentEnds& ends, int64_t first, std::span<const data::Base> reference,
                 const uint8_t* qualities);
    bool operator==(const BaseChangeCounts&) const = default;
};

}  // namespace gannet::variants
