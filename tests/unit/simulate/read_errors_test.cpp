// SPDX-License-Identifier: MIT
// Tests qualities and errors of sequencing: tables of qualities, what they promise, their course along the
// read, and error-prone places.
#include "data/simulate/read_errors.hpp"

#include "tests/unit/simulate/simulated_sample.hpp"

#include <cmath>
#include <map>
#include <set>

namespace gannet::data::simulate {
namespace {

constexpr uint32_t k_length = 150;

struct Tally {
    std::array<uint64_t, 42> bases{}, errors{};            ///< by quality
    std::array<uint64_t, k_length> at_cycle{}, quality{};  ///< errors, and sums of qualities
    std::array<uint64_t, k_length> stated{};               ///< bases of the highest quality
    std::array<uint64_t, k_length> wrong{};                ///< errors among these
    uint64_t low_ends = 0;                                 ///< reads whose last base is below 20
    std::set<int> values;
};

/// Of reads of a template that no error of length can shift: bases that all differ from their neighbours.
Tally tally(const Library& library, uint32_t mate, uint64_t reads) {
    const ReadErrors errors(library, k_length, 5);
    Tally out;
    Read read;
    ErrorCounts counts;
    const int highest = library.quality_values == 41 ? 40 : library.quality_values == 4 ? 37 : 40;
    for (uint64_t k = 0; k < reads; ++k) {
        Random random(5, Stream::sequencing, k);
        Random systematic(5, Stream::systematic, k);
        std::vector<Base> bases(k_length + k_spare_bp);
        for (size_t i = 0; i < bases.size(); ++i) bases[i] = static_cast<Base>((i + k) % 4);
        read.bases = bases;
        const uint64_t indels = counts.indels;
        errors.apply(random, systematic, mate, read, counts);
        if (counts.indels != indels) continue;
        for (size_t i = 0; i < k_length; ++i) {
            const uint8_t q = read.qualities[i];
            const bool is_wrong = read.bases[i] != bases[i];
            out.values.insert(q);
            ++out.bases[q];
            out.errors[q] += is_wrong;
            out.at_cycle[i] += is_wrong;
            out.quality[i] += q;
            out.stated[i] += q == highest;
            out.wrong[i] += is_wrong && q == highest;
        }
        out.low_ends += read.qualities[k_length - 1] < 20;
    }
    return out;
}

void expect_rate(uint64_t errors, uint64_t bases, double rate, const std::string& what) {
    const double n = static_cast<double>(bases);
    EXPECT_NEAR(static_cast<double>(errors), n * rate, 4 * std::sqrt(n * rate) + 1) << what;
}

TEST(SimulateErrors, qualities_have_as_many_values_as_the_library_says) {
    for (const int count : {3, 4, 8, 41}) {
        Library library;
        library.quality_values = count;
        const std::set<int> values = tally(library, 1, 3000).values;
        EXPECT_GE(*values.begin(), 2);
        EXPECT_LE(*values.rbegin(), 41);
        if (count < 41)
            EXPECT_EQ(values.size(), static_cast<size_t>(count));
        else
            EXPECT_GT(values.size(), 30U);
    }
}

TEST(SimulateErrors, qualities_promise_what_the_library_says) {
    for (const double overstated : {-4.0, 0.0, 4.0}) {
        Library library;
        library.quality_overstated = overstated;
        const Tally seen = tally(library, 0, 20000);
        for (const int q : {27, 32, 37, 40}) {
            const double truth = q * (1 - overstated / 40);
            expect_rate(seen.errors[static_cast<size_t>(q)], seen.bases[static_cast<size_t>(q)],
                        std::pow(10, -truth / 10),
                        "overstated by " + std::to_string(overstated) + ", Q" + std::to_string(q));
        }
    }
}

TEST(SimulateErrors, late_cycles_have_more_errors_than_their_quality_states) {
    Library library;
    library.late_error_factor = 6;
    library.quality_values = 3;
    library.quality_fall_1 = 0;
    const Tally seen = tally(library, 0, 30000);
    for (const uint32_t tenth : {0U, 5U, 9U}) {
        uint64_t errors = 0;
        uint64_t bases = 0;
        double expected = 0;
        for (uint32_t i = tenth * 15; i < tenth * 15 + 15; ++i) {
            errors += seen.wrong[i];
            bases += seen.stated[i];
            const double along = (static_cast<double>(i) + 0.5) / k_length;
            expected += static_cast<double>(seen.stated[i]) * 1e-4 * (1 + 5 * along * along);
        }
        EXPECT_NEAR(static_cast<double>(errors), expected, 4 * std::sqrt(expected) + 0.1 * expected) << tenth;
    }
}

TEST(SimulateErrors, qualities_fall_along_the_read_as_far_as_asked) {
    Library flat;
    flat.quality_values = 41;
    flat.quality_peak = 34;
    flat.quality_fall_1 = flat.quality_fall_2 = 0;
    flat.collapsed_share = 0;
    Library falling = flat;
    falling.quality_fall_1 = 8;
    falling.quality_fall_2 = 16;
    for (const uint32_t mate : {0U, 1U}) {
        const Tally before = tally(flat, mate, 3000);
        const Tally after = tally(falling, mate, 3000);
        const double fall = (static_cast<double>(before.quality[k_length - 1]) -
                             static_cast<double>(after.quality[k_length - 1])) /
                            3000;
        EXPECT_NEAR(fall, mate == 0 ? 7.5 : 15.5, 1.2) << mate;
        EXPECT_NEAR(static_cast<double>(before.quality[10]), static_cast<double>(after.quality[10]), 1500);
    }
}

TEST(SimulateErrors, collapsed_reads_have_their_share) {
    Library library;
    library.quality_values = 41;
    library.collapsed_share = 0;
    const Tally none = tally(library, 0, 10000);
    library.collapsed_share = 0.3;
    const Tally some = tally(library, 0, 10000);
    const double base = static_cast<double>(none.low_ends) / 10000;
    const double share = static_cast<double>(some.low_ends) / 10000;
    // Of the collapsed, nearly all end below 20.
    EXPECT_NEAR(share, 0.3 * 0.95 + 0.7 * base, 0.03);
}

TEST(SimulateErrors, error_prone_places_have_their_density_and_their_contexts) {
    Library library;
    library.systematic_sites_per_kb = 4;
    const ReadErrors errors(library, k_length, 5);
    Random random(1, Stream::contig, 0);
    std::vector<Base> bases(1'000'000);
    for (Base& base : bases) base = static_cast<Base>(random.below(4));
    uint64_t prone = 0;
    uint64_t after_ggc = 0;
    uint64_t above = 0;
    for (size_t i = 0; i < bases.size(); ++i) {
        const ReadErrors::Site site = errors.site(bases, i);
        if (site.rate == 0) continue;
        ++prone;
        EXPECT_NE(site.wrong, bases[i]);
        after_ggc += bases[i - 3] == 2 && bases[i - 2] == 2 && bases[i - 1] == 1;
        above += site.rate > library.systematic_rate;
    }
    // One strand of a million bases has half of the places.
    expect_rate(prone, 1'000'000, 0.002, "places");
    EXPECT_NEAR(static_cast<double>(after_ggc) / static_cast<double>(prone), 0.35, 0.06);
    EXPECT_NEAR(static_cast<double>(above) / static_cast<double>(prone), 0.5, 0.06) << "the median";
    EXPECT_EQ(ReadErrors(Library(), k_length, 5).site(bases, 500).rate, 0);
}

TEST(SimulateErrors, error_prone_places_recur_in_the_reads_of_their_strand) {
    Library library;
    library.systematic_sites_per_kb = 20;
    library.systematic_rate = 0.2;
    library.systematic_log_sd = 0;
    const ReadErrors errors(library, k_length, 5);
    Random random(4, Stream::contig, 0);
    std::vector<Base> bases(k_length + k_spare_bp);
    uint64_t places = 0;
    uint64_t strangers = 0;
    for (int trial = 0; trial < 30; ++trial) {
        for (Base& base : bases) base = static_cast<Base>(random.below(4));
        std::array<uint64_t, k_length> wrong{};
        constexpr uint64_t reads = 2000;
        for (uint64_t k = 0; k < reads; ++k) {
            Random sequencing(5, Stream::sequencing, k);
            Random systematic(5, Stream::systematic, k);
            ErrorCounts counts;
            Read read;
            read.bases = bases;
            errors.apply(sequencing, systematic, 0, read, counts);
            if (counts.indels > 0) continue;
            for (size_t i = 0; i < k_length; ++i) wrong[i] += read.bases[i] != bases[i];
        }
        for (size_t i = 0; i < k_length; ++i) {
            const ReadErrors::Site site = errors.site(bases, i);
            const double expected = reads * 0.2 * (0.5 + static_cast<double>(i) / k_length);
            if (site.rate > 0) {
                ++places;
                EXPECT_NEAR(static_cast<double>(wrong[i]), expected, 90) << i;
            } else {
                strangers += wrong[i] > 100;
            }
        }
    }
    EXPECT_GT(places, 15U);
    EXPECT_EQ(strangers, 0U);
}

TEST(SimulateErrors, errors_at_prone_places_have_low_quality_as_often_as_asked) {
    const auto share_of_low = [](double asked) {
        Library library;
        library.systematic_sites_per_kb = 20;
        library.systematic_rate = 0.5;
        library.systematic_log_sd = 0;
        library.systematic_low_quality = asked;
        library.quality_fall_1 = 0;
        library.collapsed_share = 0;
        const ReadErrors errors(library, k_length, 5);
        Random random(4, Stream::contig, 0);
        uint64_t low = 0;
        uint64_t all = 0;
        for (uint64_t k = 0; k < 4000; ++k) {
            std::vector<Base> bases(k_length + k_spare_bp);
            for (Base& base : bases) base = static_cast<Base>(random.below(4));
            Random sequencing(5, Stream::sequencing, k);
            Random systematic(5, Stream::systematic, k);
            ErrorCounts counts;
            Read read;
            read.bases = bases;
            errors.apply(sequencing, systematic, 0, read, counts);
            if (counts.indels > 0) continue;
            for (size_t i = 0; i < k_length; ++i) {
                if (read.bases[i] == bases[i] || errors.site(bases, i).rate == 0) continue;
                ++all;
                low += read.qualities[i] <= 14;
            }
        }
        return static_cast<double>(low) / static_cast<double>(all);
    };
    EXPECT_NEAR(share_of_low(0), 0.03, 0.03);
    EXPECT_NEAR(share_of_low(0.6), 0.61, 0.05);
}

TEST(SimulateErrors, ggc_raises_the_errors_of_its_next_base) {
    Library library;
    library.ggc_error_factor = 10;
    library.quality_values = 3;
    const ReadErrors errors(library, k_length, 5);
    std::array<uint64_t, 2> wrong{}, count{};
    for (uint64_t k = 0; k < 20000; ++k) {
        std::vector<Base> bases(k_length + k_spare_bp);
        constexpr std::array<Base, 6> unit{2, 2, 1, 0, 3, 0};
        for (size_t i = 0; i < bases.size(); ++i) bases[i] = unit[i % 6];
        Random sequencing(5, Stream::sequencing, k);
        Random systematic(5, Stream::systematic, k);
        ErrorCounts counts;
        Read read;
        read.bases = bases;
        errors.apply(sequencing, systematic, 0, read, counts);
        if (counts.indels > 0) continue;
        for (size_t i = 6; i < k_length; ++i) {
            if (read.qualities[i] != 40) continue;
            ++count[i % 6 == 3];
            wrong[i % 6 == 3] += read.bases[i] != bases[i];
        }
    }
    expect_rate(wrong[0], count[0], 1e-4, "elsewhere");
    expect_rate(wrong[1], count[1], 1e-3, "after GGC");
}

TEST(SimulateErrors, base_caller_slips_by_its_factor) {
    for (const double factor : {0.0, 1.0, 4.0}) {
        Library library;
        library.read_slip_factor = factor;
        const ReadErrors errors(library, k_length, 5);
        ErrorCounts counts;
        for (uint64_t k = 0; k < 20000; ++k) {
            std::vector<Base> bases(k_length + k_spare_bp);
            for (size_t i = 0; i < bases.size(); ++i)
                bases[i] = i >= 60 && i < 72 ? Base{0} : static_cast<Base>(1 + i % 3);
            Random sequencing(5, Stream::sequencing, k);
            Random systematic(5, Stream::systematic, k);
            Read read;
            read.bases = bases;
            errors.apply(sequencing, systematic, 0, read, counts);
        }
        // 7e-3 for twelve bases, and 8e-6 per base anywhere.
        expect_rate(counts.indels, 20000, 0.007 * factor + 8e-6 * k_length,
                    "factor " + std::to_string(factor));
    }
}

}  // namespace
}  // namespace gannet::data::simulate
