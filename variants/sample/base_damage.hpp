// SPDX-License-Identifier: MIT
// Provides the damage of a library's DNA: bases that changed before the fragments were amplified, such as
// C to T in FFPE tissue and G to T by oxidation.
#pragma once

#include "data/sequence.hpp"
#include "variants/model/sample.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

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

/// What the profile of a sample counts on places without an apparent variant, in the direction of mate 1.
/// Sums, so that the order does not matter.
struct BaseChangeCounts {
    std::array<uint64_t, 4> bases{};                      ///< of reads, by the base of the reference
    std::array<std::array<uint64_t, 4>, 4> mismatches{};  ///< [base of the reference][base of the read]

    void add(const BaseChangeCounts& other);
    bool operator==(const BaseChangeCounts&) const = default;
};

/// By default there is none.
struct BaseDamage {
    /// [base of the genome][base that is read], in the direction of mate 1: how many are changed.
    std::array<std::array<int32_t, 4>, 4> per_million{};

    bool operator==(const BaseDamage&) const = default;
    bool none() const;
    bool has(size_t of_class) const;  ///< in either direction
    /// Of all bases of reads whose genome has the composition of `counts`.
    int32_t mismatches_per_million(const BaseChangeCounts& counts) const;
    /// The quality, Phred, that a base which differs from the reference in this way can have at most;
    /// reference and base in the direction of mate 1. 255 where there is no damage of this kind.
    uint8_t highest_quality(data::Base reference, data::Base base) const;
    /// "C>T 2.10 %, G>T 0.05 %"; "none".
    std::string to_text() const;
};

/// Errors of sequencing make a change as often as its complement, but for the difference between the mates;
/// what is read more often than its complement is damage (after Costello et al. 2013). Counted as such are
/// changes that are twice as frequent as their complement, beyond it by five standard deviations, and by
/// 200 per million bases, which is Q32.
BaseDamage estimate_base_damage(const BaseChangeCounts& counts);

}  // namespace gannet::variants
