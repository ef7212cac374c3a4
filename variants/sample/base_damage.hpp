// SPDX-License-Identifier: MIT
// Provides the damage of a library's DNA: bases that changed before the fragments were amplified, such as
// C to T in FFPE tissue and at the ends of ancient DNA, and G to T by oxidation.
#pragma once

#include "data/sequence.hpp"
#include "variants/sample/base_changes.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace gannet::variants {

/// By default there is none.
struct BaseDamage {
    /// [base of the genome][base that is read], in the direction of mate 1: how many are changed.
    using Rates = std::array<std::array<int32_t, 4>, 4>;
    std::array<Rates, k_fragment_places> per_million{};

    bool operator==(const BaseDamage&) const = default;
    bool none() const;
    bool has(size_t of_class) const;  ///< in either direction
    /// Of all bases that were counted.
    int32_t mismatches_per_million(const BaseChangeCounts& counts) const;
    /// The quality, Phred, that a base which differs from the reference in this way can have at most;
    /// reference and base in the direction of mate 1, `place` as FragmentEnds::place_of() gives it. 255 where
    /// there is no damage of this kind.
    uint8_t highest_quality(data::Base reference, data::Base base, size_t place) const;
    /// "C>T 2.10 %, G>T 0.05 %"; "none". With what is twice as frequent or more at the ends of fragments:
    /// "C>T 1.00 %, at the begin C>T 28.00 %, at the end G>A 25.00 %".
    std::string to_text() const;

  private:
    Rates highest_of(size_t first_place) const;
};

/// Errors of sequencing make a change as often as its complement, but for the difference between the mates;
/// what is read more often than its complement is damage (after Costello et al. 2013). Counted as such are
/// changes that are twice as frequent as their complement, beyond it by five standard deviations, and by
/// 200 per million bases, which is Q32. Near the ends of fragments, where mates do not make up for each
/// other, it must be 2,000 per million, and what is not found there is as inside.
BaseDamage estimate_base_damage(const BaseChangeCounts& counts);

}  // namespace gannet::variants
