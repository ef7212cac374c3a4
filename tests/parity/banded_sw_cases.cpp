// SPDX-License-Identifier: MIT
// Provides the parity cases of banded_sw.
#include "kernels/banded_sw/banded_sw.hpp"
#include "kernels/banded_sw/banded_sw_halves.hpp"
#include "tests/parity/banded_sw_results.hpp"

#include <array>

namespace gannet::parity {

namespace {

using kernels::BandedSwBatch;
using kernels::BandedSwResults;
using kernels::BandedSwScoring;
using kernels::k_sw_gaps_late;
using kernels::k_sw_traceback;

using Sequence = std::vector<uint8_t>;

struct Jobs {
    BandedSwScoring scoring;
    BandedSwBatch batch;
};

uint8_t any_flags(Random& random) { return static_cast<uint8_t>(random.below(4)); }

Sequence random_sequence(Random& random, uint32_t length, uint32_t letters = 4) {
    Sequence result(length);
    for (uint8_t& base : result) base = static_cast<uint8_t>(random.below(letters));
    return result;
}

/// `from` with substitutions, insertions and deletions of up to `longest_gap` bases, `percent` of each.
Sequence mutate(Random& random, const Sequence& from, uint32_t percent, uint32_t longest_gap) {
    Sequence result;
    for (size_t i = 0; i < from.size(); ++i) {
        if (random.chance(percent)) i += random.between(1, longest_gap);
        if (random.chance(percent)) {
            const Sequence inserted = random_sequence(random, random.between(1, longest_gap));
            result.insert(result.end(), inserted.begin(), inserted.end());
        }
        if (i < from.size()) {
            result.push_back(random.chance(percent) ? static_cast<uint8_t>(random.below(4)) : from[i]);
        }
    }
    return result;
}

void append(Sequence& to, const Sequence& tail) { to.insert(to.end(), tail.begin(), tail.end()); }

/// An extension as the aligner requests it: the rest of a read against as much of the target and a band more.
void add_read_like(Random& random, BandedSwBatch& batch, uint32_t longest, uint16_t band) {
    Sequence target = random_sequence(random, random.between(1, longest));
    Sequence query = mutate(random, target, static_cast<uint32_t>(random.below(6)), 6);
    if (query.size() > longest) query.resize(longest);
    if (random.chance(15)) {  // a clip: the rest of the query is foreign
        const size_t keep = random.below(query.size() + 1);
        const Sequence foreign = random_sequence(random, static_cast<uint32_t>(query.size() - keep));
        std::copy(foreign.begin(), foreign.end(), query.begin() + static_cast<std::ptrdiff_t>(keep));
    }
    append(target, random_sequence(random, band));
    target.resize(std::min(target.size(), query.size() + band));
    if (random.chance(2) && !query.empty()) query[random.below(query.size())] = 4;
    if (random.chance(1)) target[random.below(target.size())] = 4;
    batch.add(query, target, band, any_flags(random));
}

void make_empty(Random& random, Jobs& jobs) {
    for (uint32_t k = 0; k < 12; ++k) {
        const uint32_t length = random.between(0, 20);
        jobs.batch.add(random_sequence(random, k % 3 == 0 ? 0 : length),
                       random_sequence(random, k % 3 == 1 ? 0 : length),
                       static_cast<uint16_t>(random.below(30)), any_flags(random));
    }
}

void make_none(Random&, Jobs&) {}

void make_single(Random& random, Jobs& jobs) {
    jobs.batch.add(random_sequence(random, 1 + static_cast<uint32_t>(random.below(2))),
                   random_sequence(random, 1 + static_cast<uint32_t>(random.below(2))),
                   static_cast<uint16_t>(random.below(3)), any_flags(random));
}

/// Lengths around the widths of vectors and of the blocks of the transposition.
void make_lengths(Random& random, Jobs& jobs) {
    constexpr std::array<uint32_t, 15> k_lengths{1, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128};
    for (const uint32_t rows : k_lengths) {
        for (const uint32_t columns : k_lengths) {
            Sequence target = random_sequence(random, columns);
            Sequence query = mutate(random, target, 3, 4);
            append(query, random_sequence(random, rows));
            query.resize(rows);
            jobs.batch.add(query, target, static_cast<uint16_t>(random.between(0, 70)), any_flags(random));
        }
    }
}

/// Numbers of jobs around the numbers of lanes.
void make_counts(Random& random, Jobs& jobs) {
    constexpr std::array<uint32_t, 12> k_counts{1, 7, 8, 9, 15, 17, 31, 32, 33, 63, 65, 129};
    const uint32_t count = k_counts[random.below(k_counts.size())];
    for (uint32_t k = 0; k < count; ++k) add_read_like(random, jobs.batch, 60, 20);
}

void make_read_like(Random& random, Jobs& jobs) {
    for (uint32_t k = 0; k < 400; ++k) add_read_like(random, jobs.batch, 130, random.chance(70) ? 41 : 100);
}

void make_ragged_bands(Random& random, Jobs& jobs) {
    for (uint32_t k = 0; k < 200; ++k) {
        add_read_like(random, jobs.batch, 150, static_cast<uint16_t>(random.between(0, 120)));
    }
}

void make_unrelated(Random& random, Jobs& jobs) {
    for (uint32_t k = 0; k < 200; ++k) {
        jobs.batch.add(random_sequence(random, random.between(0, 150)),
                       random_sequence(random, random.between(0, 250)),
                       static_cast<uint16_t>(random.between(0, 255)), any_flags(random));
    }
}

void make_tandem(Random& random, Jobs& jobs) {
    for (uint32_t k = 0; k < 200; ++k) {
        const Sequence unit = random_sequence(random, random.between(1, 7));
        Sequence target = random_sequence(random, random.between(0, 20));
        for (uint32_t copies = random.between(2, 20); copies > 0; --copies) append(target, unit);
        append(target, random_sequence(random, random.between(0, 40)));
        jobs.batch.add(mutate(random, target, 1, 2 * static_cast<uint32_t>(unit.size())), target,
                       static_cast<uint16_t>(random.between(5, 60)), any_flags(random));
    }
}

void make_homopolymer(Random& random, Jobs& jobs) {
    for (uint32_t k = 0; k < 100; ++k) {
        const auto base = static_cast<uint8_t>(random.below(4));
        jobs.batch.add(Sequence(random.between(1, 120), base), Sequence(random.between(1, 160), base),
                       static_cast<uint16_t>(random.between(1, 60)), any_flags(random));
    }
}

void make_ambiguous(Random& random, Jobs& jobs) {
    for (uint32_t k = 0; k < 60; ++k) {
        const uint32_t kind = static_cast<uint32_t>(random.below(4));
        const uint32_t length = random.between(1, 150);
        Sequence query = random_sequence(random, length, 5);
        Sequence target = random_sequence(random, length + 10, 5);
        if (kind == 0) query.assign(length, 4);
        if (kind == 1) target.assign(length + 10, 4);
        if (kind == 2) target = query;
        jobs.batch.add(query, target, static_cast<uint16_t>(random.between(0, 60)), any_flags(random));
    }
}

/// Scores and lengths for which the highest cost is just inside or outside of what bytes and words hold.
void make_overflow(Random& random, Jobs& jobs) {
    constexpr std::array<uint32_t, 4> k_matches{1, 2, 50, 127};
    jobs.scoring.match = static_cast<int32_t>(k_matches[random.below(k_matches.size())]);
    jobs.scoring.end_bonus = static_cast<int32_t>(random.below(12));
    const uint32_t bound = random.chance(70) ? 255 : 65000;
    const uint32_t length = std::min(bound / static_cast<uint32_t>(jobs.scoring.match), 1300U);
    for (uint32_t k = 0; k < 40; ++k) {
        const uint32_t rows = length - std::min(length - 1, static_cast<uint32_t>(random.below(14))) + 3;
        const Sequence target = random_sequence(random, rows + 30);
        Sequence query = mutate(random, target, static_cast<uint32_t>(random.below(25)), 5);
        append(query, random_sequence(random, rows));
        query.resize(rows);
        jobs.batch.add(query, target, static_cast<uint16_t>(random.between(1, 40)), any_flags(random));
    }
}

void make_any_scoring(Random& random, Jobs& jobs) {
    const uint32_t highest = random.chance(80) ? 12 : 1000;
    jobs.scoring.match = static_cast<int32_t>(random.between(1, highest));
    jobs.scoring.mismatch = static_cast<int32_t>(random.between(0, highest));
    jobs.scoring.ambiguous = static_cast<int32_t>(random.between(0, highest));
    jobs.scoring.gap_open = static_cast<int32_t>(random.between(0, highest));
    jobs.scoring.gap_extend = static_cast<int32_t>(random.between(1, highest));
    jobs.scoring.end_bonus = static_cast<int32_t>(random.between(0, highest));
    for (uint32_t k = 0; k < 100; ++k) {
        add_read_like(random, jobs.batch, 120, static_cast<uint16_t>(random.between(0, 60)));
    }
}

/// Gaps so cheap that best paths begin and end with them, have them side by side, and tie.
void make_cheap_gaps(Random& random, Jobs& jobs) {
    jobs.scoring.match = static_cast<int32_t>(random.between(4, 12));
    jobs.scoring.mismatch = static_cast<int32_t>(random.between(2, 12));
    jobs.scoring.gap_open = static_cast<int32_t>(random.between(0, 2));
    jobs.scoring.gap_extend = 1;
    for (uint32_t k = 0; k < 150; ++k) {
        jobs.batch.add(random_sequence(random, random.between(1, 40), random.between(1, 4)),
                       random_sequence(random, random.between(1, 40), random.between(1, 4)),
                       static_cast<uint16_t>(random.between(0, 20)), any_flags(random));
    }
}

/// Lengths around those at which the device schedule goes from halves of words to words, with costs as high
/// as can be.
void make_half_limit(Random& random, Jobs& jobs) {
    jobs.scoring.mismatch = static_cast<int32_t>(random.between(0, 40));
    jobs.scoring.gap_open = static_cast<int32_t>(random.between(0, 30));
    uint32_t longest = 1;
    const kernels::banded_sw::WarpCosts costs = kernels::banded_sw::costs_of(jobs.scoring);
    while (longest < 3000 && kernels::banded_sw::fits_halves(costs, static_cast<int32_t>(longest + 1)))
        ++longest;
    for (uint32_t k = 0; k < 12; ++k) {
        const uint32_t rows = longest - std::min(longest - 1, random.between(0, 20)) + random.between(0, 4);
        Sequence query(rows, 0);  // of one base against another, so that every pair costs
        Sequence target(rows + random.between(0, 60), 1);
        if (random.chance(60)) query = random_sequence(random, rows);
        if (random.chance(60)) target = random_sequence(random, static_cast<uint32_t>(target.size()));
        if (random.chance(30)) query = mutate(random, target, 1, 20);
        query.resize(rows);
        const uint32_t widest = random.chance(50) ? 2 : 120;  // a narrow band leaves no cheaper way
        jobs.batch.add(query, target, static_cast<uint16_t>(random.between(0, widest)), any_flags(random));
    }
}

void make_longest(Random& random, Jobs& jobs) {
    for (uint32_t k = 0; k < 3; ++k) {
        Sequence target = random_sequence(random, 4096);
        Sequence query = mutate(random, target, 2, 3);
        append(query, random_sequence(random, 4096));
        query.resize(4096);
        append(target, random_sequence(random, 4096));
        const uint32_t band = random.between(20, 100);
        jobs.batch.add(query, target, static_cast<uint16_t>(random.chance(5) ? 1024 : band),
                       any_flags(random));
    }
}

const std::array<Maker<Jobs>, 16> k_makers{{{{"none", 0}, make_none},
                                            {{"empty", 1}, make_empty},
                                            {{"single", 1}, make_single},
                                            {{"lengths", 10}, make_lengths},
                                            {{"counts", 5}, make_counts},
                                            {{"read_like", 40}, make_read_like},
                                            {{"ragged_bands", 10}, make_ragged_bands},
                                            {{"unrelated", 5}, make_unrelated},
                                            {{"tandem", 10}, make_tandem},
                                            {{"homopolymer", 4}, make_homopolymer},
                                            {{"ambiguous", 4}, make_ambiguous},
                                            {{"overflow", 2}, make_overflow},
                                            {{"any_scoring", 8}, make_any_scoring},
                                            {{"cheap_gaps", 8}, make_cheap_gaps},
                                            {{"half_limit", 2}, make_half_limit},
                                            {{"longest", 0}, make_longest}}};

struct BandedSwOp : MadeByTable<Jobs, k_makers> {
    using Results = BandedSwResults;

    static std::string name() { return "banded_sw"; }
    static uint64_t cost() { return 1; }
    static size_t size(const Jobs& jobs) { return jobs.batch.size(); }

    static Jobs select(const Jobs& jobs, std::span<const uint32_t> order) {
        const BandedSwBatch& from = jobs.batch;
        Jobs result{jobs.scoring, {}};
        for (const uint32_t job : order) {
            result.batch.add({from.bases.data() + from.query_offset[job], from.query_length[job]},
                             {from.bases.data() + from.target_offset[job], from.target_length[job]},
                             from.band[job], from.flags[job]);
        }
        result.batch.bases.shrink_to_fit();  // so that a sanitizer sees reads beyond the end of the arena
        return result;
    }

    static Results run(const kernels::OpTable& table, const Jobs& jobs) {
        return run_banded_sw(table, jobs.batch.size(), jobs.batch.bases.size(),
                             [&](kernels::Stream& stream, Results& results) {
                                 table.banded_sw(stream, jobs.scoring, jobs.batch, results);
                             });
    }

    static std::string difference(const Results& expected, const Results& actual,
                                  std::span<const uint32_t> order) {
        return banded_sw_difference(expected, actual, order);
    }
};

}  // namespace

void register_banded_sw() { register_op<BandedSwOp>(); }

}  // namespace gannet::parity
