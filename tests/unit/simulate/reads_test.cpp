// SPDX-License-Identifier: MIT
// Tests simulated reads: origins told by the names, errors within bounds, independence of how the work is
// cut.
#include "data/simulate/reads.hpp"

#include "data/error.hpp"
#include "tests/unit/simulate/simulated_sample.hpp"

#include <sstream>
#include <string_view>

namespace gannet::data::simulate {
namespace {

/// What an error-free mate reads, as far as the fragment reaches.
std::string expected(const Haplotype& haplotype, const Molecule& molecule, bool reverse, uint32_t length) {
    std::vector<Base> bases(
        haplotype.bases.begin() + static_cast<ptrdiff_t>(molecule.begin),
        haplotype.bases.begin() + static_cast<ptrdiff_t>(molecule.begin + molecule.length));
    if (reverse) {
        std::vector<Base> turned(bases.size());
        reverse_complement(bases, turned);
        bases.swap(turned);
    }
    bases.resize(std::min<size_t>(bases.size(), length));
    return to_letters(bases);
}

std::vector<std::string> split(const std::string& name) {
    std::vector<std::string> fields;
    std::istringstream in(name);
    for (std::string field; std::getline(in, field, '.');) fields.push_back(field);
    return fields;
}

TEST(SimulateReads, names_tell_the_origin_and_reads_match_it) {
    const ReadMaker maker(sample().haplotypes, sample().options);
    ReadCounts counts;
    const auto records = make_records(maker, 0, 3000, counts);
    uint64_t exact = 0;
    uint64_t mismatches = 0;
    for (uint64_t pair = 0; pair < 3000; ++pair) {
        const Molecule molecule = maker.molecule(pair);
        const Haplotype& haplotype = sample().haplotypes[molecule.haplotype];
        ASSERT_EQ(records[0][pair].name, records[1][pair].name);
        const std::vector<std::string> name = split(records[0][pair].name);
        ASSERT_EQ(name.size(), 6U) << records[0][pair].name;
        EXPECT_EQ(name[0], "@sim");
        EXPECT_EQ(std::stoull(name[1]), pair + 1);
        EXPECT_EQ(std::stoull(name[2]), haplotype.contig + 1);
        const std::string way{haplotype.side == 0 ? '1' : '2', molecule.reverse ? 'R' : 'F',
                              molecule.duplicate ? 'D' : 'U'};
        EXPECT_EQ(name[5], way);
        for (size_t mate = 0; mate < 2; ++mate) {
            const bool reverse = (mate == 1) != molecule.reverse;
            const uint64_t from_right = molecule.length > 150 ? molecule.length - 150 : 0;
            const uint64_t leftmost = molecule.begin + (reverse ? from_right : 0);
            EXPECT_EQ(std::stoull(name[3 + mate]), haplotype.reference_position(leftmost) + 1);
            const std::string want = expected(haplotype, molecule, reverse, 150);
            const std::string got = records[mate][pair].bases.substr(0, want.size());
            exact += got == want;
            uint64_t differ = 0;
            for (size_t i = 0; i < want.size(); ++i) differ += want[i] != got[i];
            if (differ < 20) mismatches += differ;  // more: a base lost or doubled
        }
    }
    EXPECT_GT(exact, 6000 * 0.65);
    EXPECT_LT(exact, 6000 * 0.95);
    EXPECT_NEAR(static_cast<double>(mismatches), static_cast<double>(counts.errors.substitutions),
                0.1 * static_cast<double>(counts.errors.substitutions));
    EXPECT_GT(counts.errors.indels, 0U);
}

TEST(SimulateReads, every_cut_gives_the_same_records) {
    const ReadMaker maker(sample().haplotypes, sample().options);
    std::array<std::vector<uint8_t>, 2> whole;
    std::array<std::vector<uint8_t>, 2> parts;
    ReadCounts counts;
    maker.append(0, 200, whole, counts);
    for (const auto& [begin, end] : {std::pair<uint64_t, uint64_t>{0, 1}, {1, 99}, {99, 200}})
        maker.append(begin, end, parts, counts);
    EXPECT_EQ(whole, parts);
}

TEST(SimulateReads, duplicates_repeat_a_molecule_and_have_their_share) {
    Options options;
    options.library.duplicate_share = 0.2;
    const ReadMaker maker(sample().haplotypes, options);
    uint64_t duplicates = 0;
    for (uint64_t pair = 0; pair < 5000; ++pair) duplicates += maker.molecule(pair).duplicate;
    EXPECT_NEAR(static_cast<double>(duplicates), 1000, 120);
    options.library.duplicate_share = 0;
    const ReadMaker without(sample().haplotypes, options);
    for (uint64_t pair = 0; pair < 1000; ++pair) EXPECT_FALSE(without.molecule(pair).duplicate);
}

TEST(SimulateReads, short_fragments_run_into_the_adapter) {
    Options options;
    options.fragment_mean = 80;
    options.fragment_sd = 0;
    const ReadMaker maker(sample().haplotypes, options);
    ReadCounts counts;
    const auto records = make_records(maker, 0, 200, counts);
    EXPECT_EQ(counts.adapter_pairs, 200U);
    uint64_t seen = 0;
    for (const Record& record : records[0]) seen += record.bases.substr(80, 12) == "AGATCGGAAGAG";
    EXPECT_GT(seen, 150U);
}

TEST(SimulateReads, fragments_that_find_no_place_are_refused) {
    Options options;
    options.fragment_mean = 90000;
    options.fragment_sd = 0;
    Genome tiny;
    tiny.sequences.push_back({"c", std::vector<Base>(5000, 1), {}});
    const std::vector<Haplotype> haplotypes{make_haplotype(tiny.sequences[0], {}, 0, 0)};
    const ReadMaker maker(haplotypes, options);
    EXPECT_THROW(maker.molecule(0), Error);
}

}  // namespace
}  // namespace gannet::data::simulate
