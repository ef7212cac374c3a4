// SPDX-License-Identifier: MIT
// Provides what happens to a fragment before it is sequenced: damage, stutter and errors of amplification.
// Every read of the fragment shares it, both mates and all duplicates.
#pragma once

#include "data/sequence.hpp"
#include "data/simulate/library.hpp"
#include "data/simulate/random.hpp"

#include <array>
#include <vector>

namespace gannet::data::simulate {

struct FragmentCounts {
    uint64_t oxidised_bases = 0;
    uint64_t deaminated_bases = 0;
    uint64_t stutters = 0;
    uint64_t pcr_substitutions = 0;
};

/// The tables of one library. Immutable; one for all threads.
class FragmentFaults {
  public:
    explicit FragmentFaults(const Library& library);

    /// Changes `bases`, the fragment in the direction of mate 1. What is drawn depends on `seed`, on
    /// `molecule` (the ordinal of the pair that was sequenced first) and on the bases. Cost: 2 us for 400
    /// bases with stutter, else 0.2 us; nothing where the library has none of these faults.
    FragmentCounts apply(uint64_t seed, uint64_t molecule, std::vector<Base>& bases) const;

    /// Probability that a repeat of `period` 1 to 6 and `length_bp` changes its length, per molecule, for
    /// slip_factor 1. Fitted; see docs/simulate.md.
    static double stutter_probability(uint32_t period, uint64_t length_bp);

  private:
    uint64_t oxidise(Random random, std::vector<Base>& bases) const;
    uint64_t deaminate(Random random, std::vector<Base>& bases) const;
    uint64_t deaminate_ends(Random random, std::vector<Base>& bases) const;
    uint64_t stutter(Random random, std::vector<Base>& bases) const;
    uint64_t substitute(Random random, std::vector<Base>& bases) const;

    static constexpr uint32_t k_max_tract_bp = 64;  ///< longer ones stutter like this one
    Probability oxidation_, oxidation_in_cgg_, deamination_, substitution_;
    static constexpr size_t k_damaged_end_bp = 25;
    std::array<Probability, k_damaged_end_bp> end_deamination_;  ///< by the distance from the end
    bool has_stutter_ = false;
    std::array<std::array<Probability, k_max_tract_bp + 1>, 7> stutter_;  ///< by period and length
};

}  // namespace gannet::data::simulate
