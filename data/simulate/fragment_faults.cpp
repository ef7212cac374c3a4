// SPDX-License-Identifier: MIT
// Provides oxidation, deamination, stutter of tandem repeats and substitutions of PCR.
#include "data/simulate/fragment_faults.hpp"

#include "data/simulate/portable_math.hpp"
#include "data/tandem_repeats.hpp"

#include <algorithm>

namespace gannet::data::simulate {

namespace {

constexpr Base k_a = 0, k_c = 1, k_g = 2, k_t = 3;
constexpr ShortestRepeats k_shortest_bp{5, 8, 9, 12, 15, 18};  ///< of a repeat, by period
constexpr double k_max_stutter = 0.6;
constexpr double k_end_decay = 0.7;  ///< of deamination, per base from the end
constexpr double k_cgg_factor = 4;   ///< oxidation of the middle base of CGG

}  // namespace

double FragmentFaults::stutter_probability(uint32_t period, uint64_t length_bp) {
    // Fitted: docs/simulate.md, "Measured on real reads".
    if (period < 1 || period > 6 || length_bp < k_shortest_bp[period - 1]) return 0;
    constexpr std::array<double, 7> homopolymer{1.5e-4, 3e-4,   7e-4, 1.5e-3,
                                                3e-3,   5.5e-3, 8e-3};  // 5 to 11 bp
    constexpr std::array<double, 7> first{0,    8e-3, 5e-4, 2e-4,
                                          3e-4, 3e-4, 2e-4};  // shortest; of one base: 11 bp
    constexpr std::array<double, 7> growth{0, 1.32, 1.28, 1.2, 1.15, 1.13, 1.12};  // per base beyond
    const uint64_t from = period == 1 ? k_shortest_bp[0] + homopolymer.size() - 1 : k_shortest_bp[period - 1];
    if (length_bp < from) return homopolymer[length_bp - k_shortest_bp[0]];
    const auto beyond = static_cast<double>(std::min<uint64_t>(length_bp, k_max_tract_bp) - from);
    return std::min(0.25, first[period] * portable_exp(beyond * portable_log(growth[period])));
}

FragmentFaults::FragmentFaults(const Library& library)
    : oxidation_(probability(library.oxidation_rate)),
      oxidation_in_cgg_(probability(std::min(1.0, k_cgg_factor * library.oxidation_rate))),
      deamination_(probability(library.deamination_rate)),
      substitution_(probability(library.pcr_substitution_rate)),
      has_stutter_(library.slip_factor > 0) {
    double at_end = library.end_deamination_rate;
    for (Probability& here : end_deamination_) {
        here = probability(at_end);
        at_end *= k_end_decay;
    }
    for (uint32_t period = 0; period < stutter_.size(); ++period)
        for (uint32_t length = 0; length <= k_max_tract_bp; ++length)
            stutter_[period][length] = probability(
                std::min(k_max_stutter, library.slip_factor * stutter_probability(period, length)));
}

FragmentCounts FragmentFaults::apply(uint64_t seed, uint64_t molecule, std::vector<Base>& bases) const {
    FragmentCounts counts;
    if (oxidation_.threshold > 0)
        counts.oxidised_bases = oxidise(Random(seed, Stream::oxidation, molecule), bases);
    if (deamination_.threshold > 0)
        counts.deaminated_bases = deaminate(Random(seed, Stream::deamination, molecule), bases);
    if (end_deamination_[0].threshold > 0)
        counts.deaminated_bases += deaminate_ends(Random(seed, Stream::end_deamination, molecule), bases);
    if (has_stutter_) counts.stutters = stutter(Random(seed, Stream::stutter, molecule), bases);
    if (substitution_.threshold > 0)
        counts.pcr_substitutions = substitute(Random(seed, Stream::pcr, molecule), bases);
    return counts;
}

/// 8-oxoguanine of the strand that becomes mate 1 pairs with A: mate 1 reads T for G, mate 2 A for C.
uint64_t FragmentFaults::oxidise(Random random, std::vector<Base>& bases) const {
    uint64_t count = 0;
    for (size_t i = 0; i < bases.size(); ++i) {
        if (bases[i] != k_g) continue;
        const bool in_cgg = i > 0 && i + 1 < bases.size() && bases[i - 1] == k_c && bases[i + 1] == k_g;
        if (!random.chance(in_cgg ? oxidation_in_cgg_ : oxidation_)) continue;
        bases[i] = k_t;
        ++count;
    }
    return count;
}

/// Cytosine of the strand that becomes mate 1 is uracil: mate 1 reads T for C, mate 2 A for G.
uint64_t FragmentFaults::deaminate(Random random, std::vector<Base>& bases) const {
    uint64_t count = 0;
    for (Base& base : bases) {
        if (base != k_c || !random.chance(deamination_)) continue;
        base = k_t;
        ++count;
    }
    return count;
}

/// Single-stranded ends decay: the 5' end of this strand has lost cytosines, that of the other one too, where
/// this strand was made anew.
uint64_t FragmentFaults::deaminate_ends(Random random, std::vector<Base>& bases) const {
    uint64_t count = 0;
    const auto change = [&](Base& base, Base from, Base to, Probability chance) {
        if (base != from || !random.chance(chance)) return;
        base = to;
        ++count;
    };
    for (size_t i = 0; i < std::min(bases.size(), k_damaged_end_bp); ++i) {
        change(bases[i], k_c, k_t, end_deamination_[i]);
        change(bases[bases.size() - 1 - i], k_g, k_a, end_deamination_[i]);
    }
    return count;
}

/// Units lost (three in five) or gained, one or, one time in seven, two.
uint64_t FragmentFaults::stutter(Random random, std::vector<Base>& bases) const {
    struct Change {
        size_t at;  ///< end of the repeat
        int64_t bp;
    };
    std::vector<Change> changes;
    TandemRepeats repeats;
    repeats.find(bases);
    for_each_tandem_repeat(repeats, k_shortest_bp, [&](const TandemRepeats::Repeat& repeat) {
        const size_t length = std::min<size_t>(repeat.length(), k_max_tract_bp);
        if (!random.chance(stutter_[repeat.period][length])) return;
        const int64_t units = random.below(7) == 0 ? 2 : 1;
        const auto unit_bp = static_cast<int64_t>(repeat.period);
        changes.push_back({repeat.end, random.below(5) < 3 ? -units * unit_bp : units * unit_bp});
    });
    // From the right, so that positions on the left stay what they are.
    std::stable_sort(changes.begin(), changes.end(),
                     [](const Change& a, const Change& b) { return a.at > b.at; });
    for (const Change& change : changes) {
        const auto end = bases.begin() + static_cast<ptrdiff_t>(std::min(change.at, bases.size()));
        if (change.bp < 0) {
            if (end - bases.begin() > -change.bp) bases.erase(end + change.bp, end);
            continue;
        }
        const std::vector<Base> units(end - std::min<ptrdiff_t>(change.bp, end - bases.begin()), end);
        bases.insert(end, units.begin(), units.end());
    }
    return changes.size();
}

/// Four in five are transitions.
uint64_t FragmentFaults::substitute(Random random, std::vector<Base>& bases) const {
    uint64_t count = 0;
    for (Base& base : bases) {
        if (!random.chance(substitution_) || base >= k_base_n) continue;
        const uint64_t kind = random.below(10);
        base = static_cast<Base>(base ^ (kind < 8 ? 2 : kind == 8 ? 1 : 3));
        ++count;
    }
    return count;
}

}  // namespace gannet::data::simulate
