// SPDX-License-Identifier: MIT
// Provides the parity cases of pair_hmm.
#include "kernels/pair_hmm/pair_hmm.hpp"
#include "tests/parity/parity.hpp"

#include <array>

namespace gannet::parity {

namespace {

using kernels::PairHmmBatch;
using Bytes = std::vector<uint8_t>;

Bytes random_bytes(Random& random, size_t count, uint32_t low, uint32_t high) {
    Bytes bytes(count);
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random.between(low, high));
    return bytes;
}

/// `length` bases of the haplotype from somewhere on, foreign ones where it ends, `percent` of them drawn
/// anew.
Bytes read_of(Random& random, const Bytes& haplotype, size_t length, uint32_t percent) {
    Bytes read = random_bytes(random, length, 0, 3);
    const size_t begin = haplotype.size() > length ? random.below(haplotype.size() - length + 1) : 0;
    for (size_t i = 0; i < length && begin + i < haplotype.size(); ++i) {
        if (!random.chance(percent)) read[i] = haplotype[begin + i];
    }
    return read;
}

void add(PairHmmBatch& batch, const Bytes& read, const Bytes& qualities, const Bytes& gaps,
         const Bytes& haplotype) {
    const uint32_t index = batch.add_read(read, qualities, gaps);
    batch.add_pair(index, batch.add_haplotype(haplotype));
}

/// As the caller requests them: every read of a region against each of its haplotypes, which differ by
/// little.
void make_region(Random& random, PairHmmBatch& batch) {
    Bytes haplotype = random_bytes(random, random.between(60, 260), 0, 3);
    const uint32_t haplotypes = random.between(2, 6);
    for (uint32_t h = 0; h < haplotypes; ++h) {
        batch.add_haplotype(haplotype);
        haplotype[random.below(haplotype.size())] = static_cast<uint8_t>(random.below(4));
        if (random.chance(50)) haplotype.insert(haplotype.begin() + 20, random.between(1, 9), 0);
    }
    const uint32_t reads = random.between(1, 40);
    for (uint32_t r = 0; r < reads; ++r) {
        const size_t length = random.chance(70) ? 100 : random.between(10, 100);
        batch.add_read(read_of(random, haplotype, length, 1), random_bytes(random, length, 2, 41),
                       Bytes(length, 45));
        for (uint32_t h = 0; h < haplotypes; ++h) batch.add_pair(r, h);
    }
}

void make_none(Random&, PairHmmBatch&) {}

void make_single(Random& random, PairHmmBatch& batch) {
    add(batch, random_bytes(random, 1, 0, 4), random_bytes(random, 1, 0, 255),
        random_bytes(random, 1, 0, 255), random_bytes(random, 1, 0, 4));
}

/// Lengths around the rows taken at a time and around the widths of vectors.
void make_lengths(Random& random, PairHmmBatch& batch) {
    constexpr std::array<size_t, 14> k_lengths{1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 64};
    for (const size_t rows : k_lengths) {
        for (const size_t columns : k_lengths) {
            const Bytes haplotype = random_bytes(random, columns, 0, 3);
            add(batch, read_of(random, haplotype, rows, 3), random_bytes(random, rows, 1, 93),
                random_bytes(random, rows, 1, 93), haplotype);
        }
    }
}

/// Totals on both sides of the threshold of the rescue, and far below it.
void make_underflow(Random& random, PairHmmBatch& batch) {
    for (uint32_t k = 0; k < 40; ++k) {
        const Bytes haplotype = random_bytes(random, 120, 0, 3);
        const size_t length = random.between(60, 120);
        add(batch, read_of(random, haplotype, length, random.between(5, 60)), Bytes(length, 40),
            Bytes(length, 60), haplotype);
    }
}

/// Beyond fp64: the floor of the result.
void make_floor(Random& random, PairHmmBatch& batch) {
    for (uint32_t k = 0; k < 3; ++k) {
        add(batch, Bytes(300, 0), Bytes(300, 93), Bytes(300, 93), Bytes(random.between(200, 300), 3));
    }
}

void make_ambiguous(Random& random, PairHmmBatch& batch) {
    for (uint32_t k = 0; k < 40; ++k) {
        const size_t length = random.between(1, 70);
        const Bytes haplotype = random_bytes(random, random.between(1, 90), random.chance(20) ? 4 : 0, 4);
        add(batch, random_bytes(random, length, random.chance(20) ? 4 : 0, 4),
            random_bytes(random, length, 1, 41), Bytes(length, 45), haplotype);
    }
}

void make_homopolymer(Random& random, PairHmmBatch& batch) {
    for (uint32_t k = 0; k < 40; ++k) {
        const size_t length = random.between(1, 90);
        add(batch, Bytes(length, 0), Bytes(length, 35), random_bytes(random, length, 5, 45),
            Bytes(random.between(1, 120), 0));
    }
}

/// Qualities at their ends, for which stay is 0 and priors are 1e-10 apart.
void make_extreme_qualities(Random& random, PairHmmBatch& batch) {
    for (uint32_t k = 0; k < 40; ++k) {
        const Bytes haplotype = random_bytes(random, random.between(20, 90), 0, 3);
        const size_t length = random.between(1, 80);
        const uint8_t quality = random.chance(50) ? 1 : 93;
        add(batch, read_of(random, haplotype, length, 10), Bytes(length, quality),
            Bytes(length, random.chance(50) ? 1 : 93), haplotype);
    }
}

void make_longest(Random& random, PairHmmBatch& batch) {
    const Bytes haplotype = random_bytes(random, 1200, 0, 3);
    add(batch, read_of(random, haplotype, 4096, 0), Bytes(4096, 30), Bytes(4096, 30), haplotype);
    const Bytes longest = random_bytes(random, kernels::k_pair_hmm_max_haplotype, 0, 3);
    add(batch, read_of(random, longest, 150, 1), Bytes(150, 30), Bytes(150, 45), longest);
}

const std::array<Maker<PairHmmBatch>, 10> k_makers{{{{"none", 0}, make_none},
                                                    {{"single", 1}, make_single},
                                                    {{"lengths", 20}, make_lengths},
                                                    {{"region", 40}, make_region},
                                                    {{"underflow", 8}, make_underflow},
                                                    {{"floor", 0}, make_floor},
                                                    {{"ambiguous", 12}, make_ambiguous},
                                                    {{"homopolymer", 8}, make_homopolymer},
                                                    {{"extreme_qualities", 10}, make_extreme_qualities},
                                                    {{"longest", 0}, make_longest}}};

struct PairHmmOp : MadeByTable<PairHmmBatch, k_makers> {
    using Results = std::vector<int32_t>;

    static std::string name() { return "pair_hmm"; }
    static uint64_t cost() { return 1; }
    static size_t size(const Jobs& batch) { return batch.pairs(); }

    static Jobs select(const Jobs& batch, std::span<const uint32_t> order) {
        Jobs result = batch;
        result.pair_read.clear();
        result.pair_haplotype.clear();
        for (const uint32_t job : order) result.add_pair(batch.pair_read[job], batch.pair_haplotype[job]);
        for (Bytes* bytes : {&result.read_bases, &result.read_qualities, &result.read_gap_qualities,
                             &result.haplotype_bases}) {
            bytes->shrink_to_fit();  // so that a sanitizer sees reads beyond the end of the arenas
        }
        return result;
    }

    static Results run(const kernels::OpTable& table, const Jobs& batch) {
        return run_guarded<int32_t>(table, batch.pairs(), [&](kernels::Stream& stream, Results& likelihood) {
            table.pair_hmm(stream, batch, likelihood);
        });
    }

    static std::string difference(const Results& expected, const Results& actual,
                                  std::span<const uint32_t> order) {
        for (size_t k = 0; k < order.size(); ++k) {
            if (actual[k] != expected[order[k]]) {
                return "job " + std::to_string(order[k]) + ": reference " +
                       std::to_string(expected[order[k]]) + "; here " + std::to_string(actual[k]);
            }
        }
        return "";
    }
};

}  // namespace

void register_pair_hmm() { register_op<PairHmmOp>(); }

}  // namespace gannet::parity
