// SPDX-License-Identifier: MIT
// Tests copies that the reference lacks: their places, number, divergence and haplotypes, and paralogues that
// are found and taken out.
#include "data/simulate/hidden_copies.hpp"

#include "data/simulate/random.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace gannet::data::simulate {
namespace {

struct Made {
    Genome genome = make_genome(3'000'000, 21);
    Truth truth = make_variants(genome, 21);
    std::vector<uint32_t> copies = std::vector<uint32_t>(genome.sequences.size(), 2);
};
const Made& made() {
    static const Made result;
    return result;
}

Library many() {
    Library library;
    library.hidden_copies_per_mb = 30;
    library.hidden_copy_min_bp = 1000;
    library.hidden_copy_max_bp = 4000;
    return library;
}

std::vector<HiddenPlace> places_of(const Library& library, uint64_t seed = 4) {
    return make_hidden_copies(made().genome, made().truth, made().copies, library, seed);
}

TEST(SimulateHiddenCopies, places_have_the_density_and_sizes_of_the_library) {
    const std::vector<HiddenPlace> places = places_of(many());
    const double wanted = 30 * static_cast<double>(made().genome.known_bp()) / 1e6;
    EXPECT_NEAR(static_cast<double>(places.size()), wanted, 0.05 * wanted + 3);
    uint64_t both = 0;
    uint64_t arrays = 0;
    for (size_t i = 0; i < places.size(); ++i) {
        const HiddenPlace& place = places[i];
        EXPECT_GE(place.end - place.begin, 1000U);
        EXPECT_LE(place.end - place.begin, 4000U);
        EXPECT_TRUE(is_known(made().genome.sequences[place.contig].unknown, place.begin, place.end));
        EXPECT_TRUE(place.sides[0] || place.sides[1]);
        if (i > 0 && places[i - 1].contig == place.contig) {
            EXPECT_LT(places[i - 1].end, place.begin);
        }
        both += place.sides[0] && place.sides[1];
        arrays += place.copies.size() > 3;
        EXPECT_TRUE(place.copies.size() >= 1 && place.copies.size() <= 12);
    }
    const auto n = static_cast<double>(places.size());
    EXPECT_NEAR(static_cast<double>(both) / n, 0.5, 0.2);
    EXPECT_NEAR(static_cast<double>(arrays) / n, 0.1, 0.12);
    EXPECT_TRUE(places_of(Library()).empty());
}

TEST(SimulateHiddenCopies, arrays_and_haplotypes_follow_their_shares) {
    Library library = many();
    library.hidden_array_share = 1;
    library.hidden_copy_both_share = 0;
    for (const HiddenPlace& place : places_of(library)) {
        EXPECT_NE(place.sides[0], place.sides[1]);
        EXPECT_GE(place.copies.size(), 4U);
        for (const HiddenPlace::Copy& copy : place.copies) EXPECT_GE(copy.position, place.end);
    }
}

TEST(SimulateHiddenCopies, copies_diverge_from_their_original_as_they_say) {
    Library library = many();
    library.hidden_copy_min_divergence = library.hidden_copy_max_divergence = 0.02;
    uint64_t copies = 0;
    for (const HiddenPlace& place : places_of(library))
        for (const HiddenPlace::Copy& copy : place.copies) {
            std::vector<Base> forward = copy.bases;
            if (copy.backwards) reverse_complement(copy.bases, forward);
            // Words of 12 bp that stay: (1 - d)^12, with CpG thrice and indels as well.
            const std::vector<Base>& bases = made().genome.sequences[place.contig].bases;
            std::set<std::vector<Base>> words;
            for (uint64_t i = place.begin; i + 12 <= place.end; ++i)
                words.insert({bases.begin() + static_cast<ptrdiff_t>(i),
                              bases.begin() + static_cast<ptrdiff_t>(i + 12)});
            uint64_t kept = 0;
            for (size_t i = 0; i + 12 <= forward.size(); ++i)
                kept += words.contains({forward.begin() + static_cast<ptrdiff_t>(i),
                                        forward.begin() + static_cast<ptrdiff_t>(i + 12)});
            const double share = static_cast<double>(kept) / static_cast<double>(forward.size() - 11);
            EXPECT_NEAR(share, std::pow(1 - 0.0225, 12), 0.13);
            ++copies;
        }
    EXPECT_GT(copies, 100U);
}

TEST(SimulateHiddenCopies, both_haplotypes_have_the_same_copy_at_the_same_place) {
    const std::vector<HiddenPlace> places = places_of(many());
    uint64_t compared = 0;
    for (uint32_t contig = 0; contig < made().genome.sequences.size(); ++contig) {
        const Sequence& sequence = made().genome.sequences[contig];
        std::array<Haplotype, 2> with;
        std::array<Haplotype, 2> without;
        for (uint32_t side = 0; side < 2; ++side) {
            const std::vector<Insertion> insertions = insertions_of(places, contig, side);
            with[side] = make_haplotype(sequence, made().truth[contig], contig, side, insertions);
            without[side] = make_haplotype(sequence, made().truth[contig], contig, side);
            uint64_t inserted = 0;
            for (const Insertion& insertion : insertions) inserted += insertion.bases.size();
            EXPECT_EQ(with[side].bases.size(), without[side].bases.size() + inserted);
        }
        for (const HiddenPlace& place : places) {
            if (place.contig != contig || !place.sides[0] || !place.sides[1]) continue;
            for (const HiddenPlace::Copy& copy : place.copies) {
                const std::string text = to_letters(copy.bases);
                for (const Haplotype& haplotype : with) {
                    const size_t at = to_letters(haplotype.bases).find(text);
                    ASSERT_NE(at, std::string::npos) << "an insertion is inside a variant or is not there";
                    EXPECT_TRUE(haplotype.is_hidden(at + text.size() / 2));
                    const uint64_t origin = haplotype.reference_position(at + text.size() / 2);
                    EXPECT_NEAR(static_cast<double>(origin), static_cast<double>(place.begin + place.end) / 2,
                                400);
                }
                ++compared;
            }
            if (compared > 12) break;  // searching is slow
        }
    }
    EXPECT_GT(compared, 10U);
}

TEST(SimulateHiddenCopies, variants_elsewhere_stay_where_they_are) {
    // Without the hidden stretches, the haplotype is that of a sample without hidden copies.
    const std::vector<HiddenPlace> places = places_of(many());
    for (uint32_t side = 0; side < 2; ++side) {
        const Haplotype with = make_haplotype(made().genome.sequences[0], made().truth[0], 0, side,
                                              insertions_of(places, 0, side));
        const Haplotype without = make_haplotype(made().genome.sequences[0], made().truth[0], 0, side);
        std::vector<Base> rest;
        for (size_t k = 0; k < with.stretches.size(); ++k) {
            const uint64_t begin = with.stretches[k].begin;
            const uint64_t end =
                k + 1 < with.stretches.size() ? with.stretches[k + 1].begin : with.bases.size();
            if (begin == end || with.is_hidden(begin)) continue;
            rest.insert(rest.end(), with.bases.begin() + static_cast<ptrdiff_t>(begin),
                        with.bases.begin() + static_cast<ptrdiff_t>(end));
        }
        EXPECT_TRUE(rest == without.bases);
        for (uint64_t at = 5000; at < without.bases.size(); at += 50000) {
            // The same base of the reference is reached in both.
            const uint64_t reference = without.reference_position(at);
            bool found = false;
            for (uint64_t shift = 0; at + shift < with.bases.size() && !found; ++shift)
                found = !with.is_hidden(at + shift) && with.reference_position(at + shift) == reference;
            EXPECT_TRUE(found) << at;
            if (at > 300000) break;
        }
    }
}

TEST(SimulateParalogues, copies_of_either_strand_are_found_and_strangers_are_not) {
    Random random(3, Stream::contig, 0);
    Genome genome;
    for (int i = 0; i < 2; ++i) {
        std::vector<Base> bases(200000);
        for (Base& base : bases) base = static_cast<Base>(random.below(4));
        genome.sequences.push_back({"c" + std::to_string(i), bases, {}});
    }
    EXPECT_TRUE(find_paralogues(genome).empty());
    const auto implant = [&](uint64_t from, uint64_t length, uint64_t to, bool backwards) {
        const auto begin = genome.sequences[0].bases.begin() + static_cast<ptrdiff_t>(from);
        std::vector<Base> copy = aged(random, {begin, begin + static_cast<ptrdiff_t>(length)}, 0.005, 0);
        if (backwards) {
            const std::vector<Base> forward = copy;
            reverse_complement(forward, copy);
        }
        std::copy(copy.begin(), copy.end(), genome.sequences[1].bases.begin() + static_cast<ptrdiff_t>(to));
    };
    implant(50000, 6000, 20000, false);
    implant(120000, 9000, 150000, true);
    const std::vector<Paralogue> found = find_paralogues(genome);
    ASSERT_EQ(found.size(), 2U);
    EXPECT_EQ(found[0].contig, 1U);
    EXPECT_NEAR(static_cast<double>(found[0].begin), 20000, 300);
    EXPECT_NEAR(static_cast<double>(found[0].end), 26000, 300);
    EXPECT_NEAR(static_cast<double>(found[1].begin), 150000, 300);
    EXPECT_NEAR(static_cast<double>(found[1].end), 159000, 300);
    EXPECT_EQ(found[1].other_contig, 0U);

    Genome without = genome;
    EXPECT_EQ(take_out_paralogues(without, 1, 1).size(), 2U);
    EXPECT_EQ(without.sequences[1].unknown.size(), 2U);
    EXPECT_EQ(without.sequences[0].bases, genome.sequences[0].bases);
    Genome untouched = genome;
    EXPECT_TRUE(take_out_paralogues(untouched, 0, 1).empty());
    EXPECT_EQ(untouched.sequences[1].bases, genome.sequences[1].bases);
}

TEST(SimulateParalogues, made_up_genome_loses_its_share_of_duplications) {
    const std::vector<Paralogue> all = find_paralogues(made().genome);
    ASSERT_GT(all.size(), 5U);
    uint64_t taken = 0;
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        Genome genome = made().genome;
        taken += take_out_paralogues(genome, 0.3, seed).size();
    }
    const double n = 20 * static_cast<double>(all.size());
    EXPECT_NEAR(static_cast<double>(taken), 0.3 * n, 4 * std::sqrt(n * 0.21));
}

}  // namespace
}  // namespace gannet::data::simulate
