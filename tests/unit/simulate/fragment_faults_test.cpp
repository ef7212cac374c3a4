// SPDX-License-Identifier: MIT
// Tests what happens to fragments before sequencing: each fault at its rate, and the same for both mates and
// all duplicates.
#include "data/simulate/fragment_faults.hpp"

#include "tests/unit/simulate/simulated_sample.hpp"

#include <cmath>
#include <map>
#include <numeric>
#include <vector>

namespace gannet::data::simulate {
namespace {

constexpr Base k_a = 0, k_c = 1, k_g = 2, k_t = 3;

/// Of `count` trials: within four standard deviations of a binomial.
void expect_share(uint64_t seen, uint64_t count, double share, const std::string& what) {
    const double n = static_cast<double>(count);
    EXPECT_NEAR(static_cast<double>(seen), n * share, 4 * std::sqrt(n * share * (1 - share)) + 1) << what;
}

/// No base equal to the one before or to the one but one before, so without repeats of period 1 and 2.
std::vector<Base> plain_bases(uint64_t count, uint64_t seed) {
    Random random(seed, Stream::contig, 0);
    std::vector<Base> bases;
    while (bases.size() < count) {
        const Base base = static_cast<Base>(random.below(4));
        const size_t n = bases.size();
        if ((n >= 1 && bases[n - 1] == base) || (n >= 2 && bases[n - 2] == base)) continue;
        bases.push_back(base);
    }
    return bases;
}

std::vector<Base> with_repeat(const std::vector<Base>& unit, size_t length) {
    std::vector<Base> bases = plain_bases(60, 1);
    bases.back() = unit.back() == k_t ? k_g : k_t;  // does not continue the repeat to the left
    for (size_t i = 0; i < length; ++i) bases.push_back(unit[i % unit.size()]);
    const Base next = unit[length % unit.size()] == k_g ? k_t : k_g;
    bases.push_back(next);
    const std::vector<Base> right = plain_bases(60, 2);
    bases.insert(bases.end(), right.begin(), right.end());
    return bases;
}

TEST(SimulateFragments, repeats_stutter_at_the_rate_of_their_period_and_length) {
    constexpr uint64_t molecules = 40000;
    for (const auto& [unit, length] : std::vector<std::pair<std::vector<Base>, size_t>>{
             {{k_a}, 8}, {{k_a}, 14}, {{k_c, k_a}, 16}, {{k_a, k_a, k_g}, 24}, {{k_g, k_a, k_t, k_a}, 28}}) {
        const std::vector<Base> fragment = with_repeat(unit, length);
        for (const double factor : {1.0, 9.0}) {
            Library library;
            library.slip_factor = factor;
            const FragmentFaults faults(library);
            uint64_t changed = 0;
            uint64_t shorter = 0;
            for (uint64_t molecule = 0; molecule < molecules; ++molecule) {
                std::vector<Base> bases = fragment;
                faults.apply(7, molecule, bases);
                if (bases.size() == fragment.size()) continue;
                // The bases beside it may stutter too, but then it is not one of these.
                for (const int64_t units : {-2, -1, 1, 2}) {
                    const int64_t bp =
                        static_cast<int64_t>(length) + units * static_cast<int64_t>(unit.size());
                    if (bases != with_repeat(unit, static_cast<size_t>(bp))) continue;
                    ++changed;
                    shorter += units < 0;
                }
            }
            const double p =
                factor * FragmentFaults::stutter_probability(static_cast<uint32_t>(unit.size()), length);
            const std::string what =
                "period " + std::to_string(unit.size()) + ", factor " + std::to_string(factor);
            ASSERT_GT(p * molecules, 40) << what;
            expect_share(changed, molecules, p, what);
            expect_share(shorter, changed, 0.6, what + ", shorter");
        }
    }
}

TEST(SimulateFragments, longer_repeats_and_shorter_units_stutter_more) {
    for (uint32_t period = 1; period <= 6; ++period) {
        for (uint64_t length = 2; length <= 60; ++length)
            EXPECT_GE(FragmentFaults::stutter_probability(period, length),
                      FragmentFaults::stutter_probability(period, length - 1));
        EXPECT_EQ(FragmentFaults::stutter_probability(period, period), 0);
        if (period > 1) {
            EXPECT_LT(FragmentFaults::stutter_probability(period, 24),
                      FragmentFaults::stutter_probability(period - 1, 24));
        }
    }
}

TEST(SimulateFragments, substitutions_of_pcr_have_their_rate_and_are_mostly_transitions) {
    Library library;
    library.pcr_substitution_rate = 0.001;
    const FragmentFaults faults(library);
    const std::vector<Base> fragment = plain_bases(400, 3);
    uint64_t changed = 0;
    uint64_t transitions = 0;
    for (uint64_t molecule = 0; molecule < 5000; ++molecule) {
        std::vector<Base> bases = fragment;
        const FragmentCounts counts = faults.apply(7, molecule, bases);
        uint64_t here = 0;
        for (size_t i = 0; i < bases.size(); ++i) {
            here += bases[i] != fragment[i];
            transitions += (bases[i] ^ fragment[i]) == 2;
        }
        EXPECT_EQ(here, counts.pcr_substitutions);
        changed += here;
    }
    expect_share(changed, 5000 * 400, 0.001, "substitutions");
    expect_share(transitions, changed, 0.8, "transitions");
}

TEST(SimulateFragments, oxidation_changes_g_only_and_cgg_four_times_as_often) {
    Library library;
    library.oxidation_rate = 0.01;
    const FragmentFaults faults(library);
    const std::vector<Base> fragment{k_a, k_g, k_a, k_c, k_g, k_g, k_t, k_c, k_t, k_a};
    std::array<uint64_t, 10> changed{};
    for (uint64_t molecule = 0; molecule < 40000; ++molecule) {
        std::vector<Base> bases = fragment;
        faults.apply(7, molecule, bases);
        for (size_t i = 0; i < bases.size(); ++i) {
            if (bases[i] == fragment[i]) continue;
            EXPECT_EQ(fragment[i], k_g);
            EXPECT_EQ(bases[i], k_t);
            ++changed[i];
        }
    }
    expect_share(changed[1], 40000, 0.01, "AGA");
    expect_share(changed[4], 40000, 0.04, "CGG");
    expect_share(changed[5], 40000, 0.01, "GGT");
}

Options options_with(void (*change)(Library&)) {
    Options options;
    change(options.library);
    return options;
}

TEST(SimulateFragments, all_duplicates_of_a_family_share_the_faults_of_their_molecule) {
    const Options options = options_with([](Library& library) {
        library.duplicate_share = 0.3;
        library.slip_factor = 9;
        library.pcr_substitution_rate = 0.002;
        library.oxidation_rate = 0.002;
        library.foldback_share = 0.05;
        library.chimera_share = 0.05;
    });
    const ReadMaker maker(sample().haplotypes, options);
    std::map<uint64_t, std::vector<Base>> by_original;
    uint64_t repeated = 0;
    for (uint64_t pair = 0; pair < 4000; ++pair) {
        const Molecule molecule = maker.molecule(pair);
        ReadCounts counts;
        std::vector<Base> fragment;
        maker.take_fragment(molecule, fragment, counts);
        const auto [known, is_new] = by_original.emplace(molecule.original, fragment);
        EXPECT_EQ(molecule.duplicate, molecule.original != pair);
        if (is_new) continue;
        EXPECT_EQ(known->second, fragment) << pair;
        ++repeated;
    }
    EXPECT_GT(repeated, 1000U);
}

/// Mismatches of reads without errors of sequencing's own but few, by mate, true base and read base.
std::array<std::map<std::pair<char, char>, uint64_t>, 2> mismatches(const Options& options, uint64_t pairs) {
    const ReadMaker maker(sample().haplotypes, options);
    ReadCounts counts;
    const auto records = make_records(maker, 0, pairs, counts);
    std::array<std::map<std::pair<char, char>, uint64_t>, 2> found;
    for (uint64_t pair = 0; pair < pairs; ++pair) {
        const Molecule molecule = maker.molecule(pair);
        const Haplotype& haplotype = sample().haplotypes[molecule.haplotype];
        for (size_t mate = 0; mate < 2; ++mate) {
            std::vector<Base> bases(&haplotype.bases[molecule.begin],
                                    &haplotype.bases[molecule.begin] + molecule.length);
            if ((mate == 1) != molecule.reverse) {
                const std::vector<Base> forward = bases;
                reverse_complement(forward, bases);
            }
            const std::string want = to_letters(bases).substr(0, 150);
            const std::string& got = records[mate][pair].bases;
            uint64_t differ = 0;
            for (size_t i = 0; i < want.size(); ++i) differ += want[i] != got[i];
            if (differ > 20) continue;  // a base lost or doubled
            for (size_t i = 0; i < want.size(); ++i)
                if (want[i] != got[i]) ++found[mate][{want[i], got[i]}];
        }
    }
    return found;
}

TEST(SimulateFragments, oxidation_is_g_to_t_in_mate_1_and_c_to_a_in_mate_2) {
    auto found = mismatches(options_with([](Library& library) { library.oxidation_rate = 0.02; }), 3000);
    const auto own = mismatches(Options(), 3000);
    const uint64_t first = found[0][{'G', 'T'}];
    const uint64_t second = found[1][{'C', 'A'}];
    EXPECT_GT(first, 1000U);
    EXPECT_GT(second, 1000U);
    for (size_t mate = 0; mate < 2; ++mate)
        for (const auto& [change, count] : found[mate]) {
            if (change == (mate == 0 ? std::pair('G', 'T') : std::pair('C', 'A'))) continue;
            const auto before = own[mate].find(change);
            const double usual = before == own[mate].end() ? 0 : static_cast<double>(before->second);
            EXPECT_NEAR(static_cast<double>(count), usual, 20 + 0.2 * usual)
                << mate << change.first << change.second;
        }
}

TEST(SimulateFragments, deamination_is_c_to_t_in_mate_1_and_g_to_a_in_mate_2) {
    auto found = mismatches(options_with([](Library& library) { library.deamination_rate = 0.02; }), 3000);
    const auto own = mismatches(Options(), 3000);
    for (size_t mate = 0; mate < 2; ++mate) {
        const std::pair damage = mate == 0 ? std::pair('C', 'T') : std::pair('G', 'A');
        EXPECT_GT((found[mate][damage]), 1000U);
        for (const auto& [change, count] : found[mate]) {
            if (change == damage) continue;
            const auto before = own[mate].find(change);
            const double usual = before == own[mate].end() ? 0 : static_cast<double>(before->second);
            EXPECT_NEAR(static_cast<double>(count), usual, 20 + 0.2 * usual)
                << mate << change.first << change.second;
        }
    }
}

TEST(SimulateFragments, deamination_of_ends_is_c_to_t_at_the_begin_and_g_to_a_at_the_end) {
    Library library;
    library.end_deamination_rate = 0.4;
    const FragmentFaults faults(library);
    std::vector<Base> usual(60, Base{3});
    for (size_t i = 0; i < usual.size(); i += 2) usual[i] = 1;   // C, T, C, T, ...
    for (size_t i = 31; i < usual.size(); i += 2) usual[i] = 2;  // ..., C, G, C, G
    std::vector<int> changed(usual.size(), 0);
    constexpr int k_molecules = 4000;
    uint64_t counted = 0;
    for (uint64_t molecule = 0; molecule < k_molecules; ++molecule) {
        std::vector<Base> bases = usual;
        counted += faults.apply(7, molecule, bases).deaminated_bases;
        for (size_t i = 0; i < bases.size(); ++i) {
            if (bases[i] == usual[i]) continue;
            ++changed[i];
            EXPECT_EQ(bases[i], i < 30 ? Base{3} : Base{0}) << i;
        }
    }
    EXPECT_NEAR(changed[0], 0.4 * k_molecules, 150);
    EXPECT_NEAR(changed[2], 0.4 * 0.49 * k_molecules, 120);
    EXPECT_NEAR(changed[59], 0.4 * k_molecules, 150);
    EXPECT_NEAR(changed[57], 0.4 * 0.49 * k_molecules, 120);
    EXPECT_LT(changed[24], 10);
    EXPECT_EQ(counted, static_cast<uint64_t>(std::accumulate(changed.begin(), changed.end(), 0)));
}

TEST(SimulateFragments, folded_fragments_end_in_their_own_reverse_complement) {
    const Options options = options_with([](Library& library) { library.foldback_share = 0.1; });
    const ReadMaker maker(sample().haplotypes, options);
    ReadCounts counts;
    uint64_t folded = 0;
    for (uint64_t pair = 0; pair < 4000; ++pair) {
        const Molecule molecule = maker.molecule(pair);
        const Haplotype& haplotype = sample().haplotypes[molecule.haplotype];
        std::vector<Base> fragment;
        const uint64_t before = counts.foldback_pairs;
        maker.take_fragment(molecule, fragment, counts);
        if (counts.foldback_pairs == before || fragment.size() < 120) continue;
        std::vector<Base> whole(&haplotype.bases[molecule.begin],
                                &haplotype.bases[molecule.begin] + molecule.length);
        if (molecule.reverse) {
            const std::vector<Base> forward = whole;
            reverse_complement(forward, whole);
        }
        std::vector<Base> end(20);
        reverse_complement({fragment.data() + fragment.size() - 20, 20}, end);
        folded += to_letters(whole).find(to_letters(end)) != std::string::npos;
    }
    EXPECT_GT(folded, 300U);
    expect_share(counts.foldback_pairs, 4000, 0.1, "folded fragments");
}

TEST(SimulateFragments, chimeras_end_in_sequence_of_another_place) {
    const Options options = options_with([](Library& library) {
        library.chimera_share = 0.1;
        library.duplicate_share = 0;
    });
    const ReadMaker maker(sample().haplotypes, options);
    ReadCounts counts;
    uint64_t far = 0;
    uint64_t chimeras = 0;
    for (uint64_t pair = 0; pair < 4000; ++pair) {
        const Molecule molecule = maker.molecule(pair);
        const Haplotype& haplotype = sample().haplotypes[molecule.haplotype];
        std::vector<Base> fragment;
        const uint64_t before = counts.chimera_pairs;
        maker.take_fragment(molecule, fragment, counts);
        EXPECT_EQ(fragment.size(), molecule.length);
        if (counts.chimera_pairs == before) continue;
        ++chimeras;
        std::vector<Base> whole(&haplotype.bases[molecule.begin],
                                &haplotype.bases[molecule.begin] + molecule.length);
        if (molecule.reverse) {
            const std::vector<Base> forward = whole;
            reverse_complement(forward, whole);
        }
        EXPECT_TRUE(std::equal(whole.begin(), whole.begin() + static_cast<ptrdiff_t>(whole.size() / 4),
                               fragment.begin()));
        far += fragment != whole;
    }
    EXPECT_GT(far, chimeras * 95 / 100);
    expect_share(chimeras, 4000, 0.1, "chimeras");
}

TEST(SimulateFragments, short_fragments_have_their_share_and_end_in_adapter) {
    const Options options = options_with([](Library& library) { library.short_fragment_share = 0.2; });
    const ReadMaker maker(sample().haplotypes, options);
    const Options usual_options;
    const ReadMaker usual(sample().haplotypes, usual_options);
    ReadCounts counts;
    ReadCounts counts_of_usual;
    make_records(usual, 0, 5000, counts_of_usual);
    const auto records = make_records(maker, 0, 5000, counts);
    const double base = static_cast<double>(counts_of_usual.adapter_pairs) / 5000;
    expect_share(counts.adapter_pairs, 5000, 0.2 + 0.8 * base, "short fragments");
    uint64_t seen = 0;
    for (const Record& record : records[0]) seen += record.bases.find("AGATCGGAAGAG") != std::string::npos;
    EXPECT_NEAR(static_cast<double>(seen), static_cast<double>(counts.adapter_pairs), 200);
}

TEST(SimulateFragments, gc_bias_thins_what_is_far_from_the_optimum) {
    // Two contigs, one with 45 % of G and C, one with 65 %.
    Genome genome;
    for (const uint64_t strong : {45, 65}) {
        Random random(strong, Stream::contig, 0);
        std::vector<Base> bases(300000);
        for (Base& base : bases) {
            const bool is_strong = random.below(100) < strong;
            base =
                is_strong ? static_cast<Base>(1 + random.below(2)) : static_cast<Base>(3 * random.below(2));
        }
        genome.sequences.push_back({"c" + std::to_string(strong), bases, {}});
    }
    std::vector<Haplotype> haplotypes;
    for (uint32_t i = 0; i < 2; ++i) haplotypes.push_back(make_haplotype(genome.sequences[i], {}, i, 0));
    for (const double bias : {1.6, 4.0}) {
        Options options;
        options.library.gc_bias = bias;
        const ReadMaker maker(haplotypes, options);
        std::array<uint64_t, 2> pairs{};
        for (uint64_t pair = 0; pair < 20000; ++pair) ++pairs[maker.molecule(pair).haplotype];
        const double ratio = static_cast<double>(pairs[1]) / static_cast<double>(pairs[0]);
        EXPECT_NEAR(ratio, 1 - bias * (20.0 / 55) * (20.0 / 55), 0.05) << bias;
    }
}

}  // namespace
}  // namespace gannet::data::simulate
