// SPDX-License-Identifier: MIT
// Provides the making of a genome of a few contigs: their sequences, duplications, gaps.
#include "data/simulate/genome.hpp"

#include "data/simulate/contig_maker.hpp"
#include "data/simulate/random.hpp"

#include <algorithm>
#include <array>

namespace gannet::data::simulate {

namespace {

constexpr Base k_c = 1, k_g = 2;
using Bases = std::vector<Base>;

Base transition(Base base) { return base ^ 2; }  // A with G, C with T

/// Copies of long stretches elsewhere, some reversed, from all but equal to 5 % apart; 4 % of the genome.
void add_duplications(std::vector<Sequence>& sequences, uint64_t size_bp, uint64_t seed) {
    Random random(seed, Stream::duplications, 0);
    constexpr std::array<double, 7> ages{0.0007, 0.0015, 0.003, 0.006, 0.012, 0.025, 0.05};
    const uint64_t longest = std::min<uint64_t>(60000, size_bp / 100);
    for (uint64_t done = 0; longest > 1000 && done < size_bp / 25;) {
        const Bases& from = sequences[random.below(sequences.size())].bases;
        Bases& to = sequences[random.below(sequences.size())].bases;
        const uint64_t length = longest / 6 + random.below(longest);
        const double age = ages[random.below(ages.size())];
        done += length;
        if (from.size() < 2 * length || to.size() < 2 * length) continue;
        const auto begin = static_cast<ptrdiff_t>(random.below(from.size() - length));
        const Bases part(from.begin() + begin, from.begin() + begin + static_cast<ptrdiff_t>(length));
        Bases copy = aged(random, part, age, age / 10);
        if (random.chance(0.5)) copy = reversed(copy);
        if (copy.size() >= to.size()) continue;
        std::copy(copy.begin(), copy.end(),
                  to.begin() + static_cast<ptrdiff_t>(random.below(to.size() - copy.size())));
    }
}

/// Unknown ends, one long gap and one short gap in each contig.
void add_gaps(Bases& bases, uint64_t seed, uint64_t contig) {
    Random random(seed, Stream::gaps, contig);
    const uint64_t size = bases.size();
    const auto blank = [&bases](uint64_t begin, uint64_t end) {
        std::fill(bases.begin() + static_cast<ptrdiff_t>(begin), bases.begin() + static_cast<ptrdiff_t>(end),
                  k_base_n);
    };
    const uint64_t edge = std::min<uint64_t>(10000, size / 100);
    blank(0, edge);
    blank(size - edge, size);
    const uint64_t gap = std::min<uint64_t>(20000, size / 80);
    const uint64_t gap_begin = size / 100 * (30 + random.below(30));
    blank(gap_begin, gap_begin + gap);
    const uint64_t hole_begin = size / 100 * (65 + random.below(25));
    blank(hole_begin, hole_begin + std::min<uint64_t>(50 + random.below(450), size / 200));
}

}  // namespace

Bases aged(Random& random, const Bases& source, double substitutions, double indels) {
    const uint64_t substitution = probability(substitutions).threshold >> 32;
    const uint64_t indel = probability(indels).threshold >> 32;
    Bases out;
    out.reserve(source.size() + source.size() / 16);
    for (size_t i = 0; i < source.size(); ++i) {
        const uint64_t x = random.next();
        Base base = source[i];
        const bool cpg = (base == k_c && i + 1 < source.size() && source[i + 1] == k_g) ||
                         (base == k_g && i > 0 && source[i - 1] == k_c);
        if (base < k_base_n && x >> 32 < (cpg ? 3 * substitution : substitution)) {
            const uint64_t kind = random.below(cpg ? 9 : 6);
            base = kind >= 2 ? transition(base) : static_cast<Base>(base ^ (kind == 0 ? 1 : 3));
        }
        if ((x & 0xFFFFFFFF) >= indel) {
            out.push_back(base);
            continue;
        }
        const uint32_t length = random.geometric(0.4, 30);
        if (x >> 63 != 0) {
            i += length - 1;
        } else {
            out.push_back(base);
            for (uint32_t k = 0; k < length; ++k) out.push_back(static_cast<Base>(random.below(4)));
        }
    }
    return out;
}

uint64_t Genome::size() const {
    uint64_t sum = 0;
    for (const Sequence& sequence : sequences) sum += sequence.bases.size();
    return sum;
}

uint64_t Sequence::known_bp() const {
    uint64_t sum = bases.size();
    for (const BaseRun& run : unknown) sum -= run.end - run.begin;
    return sum;
}

uint64_t Genome::known_bp() const {
    uint64_t sum = 0;
    for (const Sequence& sequence : sequences) sum += sequence.known_bp();
    return sum;
}

std::vector<BaseRun> unknown_runs(const std::vector<Base>& bases) {
    std::vector<BaseRun> runs;
    for (auto at = bases.begin(); at != bases.end();) {
        at = std::find_if(at, bases.end(), [](Base base) { return base >= k_base_n; });
        if (at == bases.end()) break;
        const auto end = std::find_if(at, bases.end(), [](Base base) { return base < k_base_n; });
        runs.push_back(
            {static_cast<uint64_t>(at - bases.begin()), static_cast<uint64_t>(end - bases.begin())});
        at = end;
    }
    return runs;
}

bool is_known(const std::vector<BaseRun>& unknown, uint64_t begin, uint64_t end) {
    const auto run = std::upper_bound(unknown.begin(), unknown.end(), begin,
                                      [](uint64_t at, const BaseRun& r) { return at < r.end; });
    return run == unknown.end() || run->begin >= end;
}

Genome make_genome(uint64_t size_bp, uint64_t seed) {
    constexpr std::array<uint64_t, 5> percent{36, 26, 18, 12, 8};
    const size_t count = size_bp < 500000 ? 2 : percent.size();
    const RepeatFamilies families = make_families(seed);
    Genome genome;
    uint64_t left = size_bp;
    for (size_t i = 0; i < count; ++i) {
        const uint64_t length = i + 1 == count ? left : size_bp * percent[i] / 100;
        left -= length;
        genome.sequences.push_back(
            {"sim" + std::to_string(i + 1), make_contig(families, seed, i, length), {}});
    }
    add_duplications(genome.sequences, size_bp, seed);
    for (size_t i = 0; i < count; ++i) {
        add_gaps(genome.sequences[i].bases, seed, i);
        genome.sequences[i].unknown = unknown_runs(genome.sequences[i].bases);
    }
    return genome;
}

Genome genome_of(const Reference& reference) {
    Genome genome;
    for (uint32_t i = 0; i < reference.contigs().size(); ++i) {
        const Contig& contig = reference.contigs()[i];
        Sequence sequence{contig.name, Bases(contig.length), {}};
        reference.bases(i, 0, sequence.bases);
        sequence.unknown = unknown_runs(sequence.bases);
        genome.sequences.push_back(std::move(sequence));
    }
    return genome;
}

}  // namespace gannet::data::simulate
