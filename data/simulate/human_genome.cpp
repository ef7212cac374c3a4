// SPDX-License-Identifier: MIT
// Provides a made-up genome with the contigs of the human one: sizes, gaps and arrays as in GRCh38 with
// decoys and HLA alleles (GenBank GCA_000001405.15; the counts are those of the 1000 Genomes analysis set).
#include "data/simulate/contig_maker.hpp"
#include "data/simulate/random.hpp"
#include "data/threads.hpp"

#include <algorithm>
#include <array>

namespace gannet::data::simulate {

namespace {

using Bases = std::vector<Base>;

/// Of GRCh38: length, and the longest run of N, bp.
struct Chromosome {
    const char* name;
    uint64_t length;
    uint64_t gap_begin;
    uint64_t gap_bp;
};
constexpr std::array<Chromosome, 24> k_chromosomes{{
    {"chr1", 248956422, 125200000, 18000000}, {"chr2", 242193529, 89700000, 400000},
    {"chr3", 198295559, 90500000, 200000},    {"chr4", 190214555, 49700000, 100000},
    {"chr5", 181538259, 49600000, 100000},    {"chr6", 170805979, 61000000, 200000},
    {"chr7", 159345973, 62400000, 100000},    {"chr8", 145138636, 85600000, 50000},
    {"chr9", 138394717, 45500000, 15000000},  {"chr10", 133797422, 42000000, 100000},
    {"chr11", 135086622, 51000000, 100000},   {"chr12", 133275309, 37200000, 50000},
    {"chr13", 114364328, 0, 16000000},        {"chr14", 107043718, 0, 16000000},
    {"chr15", 101991189, 0, 17000000},        {"chr16", 90338345, 36300000, 8000000},
    {"chr17", 83257441, 22000000, 200000},    {"chr18", 80373285, 20900000, 100000},
    {"chr19", 58617616, 27200000, 100000},    {"chr20", 64444167, 30000000, 300000},
    {"chr21", 46709983, 0, 5000000},          {"chr22", 50818468, 0, 10500000},
    {"chrX", 156040895, 58100000, 1000000},   {"chrY", 57227415, 26670000, 30000000},
}};
constexpr uint64_t k_human_bp = 3'217'000'000;  // all contigs together
constexpr uint64_t k_mitochondrion_bp = 16569;
constexpr double k_mitochondrial_depth = 2000;
constexpr uint64_t k_hla_begin = 29'900'000, k_hla_end = 33'100'000;  // of chr6
constexpr uint64_t k_shortest_bp = 1000;

constexpr uint64_t k_contig_streams = 1000;  // streams of contigs that are no chromosomes begin here

class HumanMaker {
  public:
    HumanMaker(uint64_t size_bp, uint64_t seed, int threads)
        : seed_(seed),
          scale_(static_cast<double>(size_bp) / static_cast<double>(k_human_bp)),
          threads_(static_cast<size_t>(std::max(1, threads))),
          families_(make_families(seed)) {}

    Genome make() {
        make_chromosomes();
        add_duplications();
        for (size_t i = 0; i < k_chromosomes.size(); ++i) add_gaps(i);
        append_mitochondrion();
        append_unplaced(count_of(169), 500, 180000, Role::primary, "chrUn_");
        append_unplaced(1, scaled(171823), scaled(171823), Role::primary, "chrEBV");
        append_unplaced(count_of(2385), 1000, 4500, Role::decoy, "chrUn_decoy_");
        append_alternates(count_of(261), 0, 0, scaled(100000), scaled(750000), 0.005, "_alt");
        append_alternates(count_of(525), scaled(k_hla_begin), scaled(k_hla_end), 3000, 14000, 0.02, "HLA");
        for_each_index(threads_, genome_.sequences.size(), [this](size_t i) {
            genome_.sequences[i].unknown = unknown_runs(genome_.sequences[i].bases);
        });
        return std::move(genome_);
    }

  private:
    uint64_t scaled(uint64_t bp) const {
        return std::max<uint64_t>(1, static_cast<uint64_t>(static_cast<double>(bp) * scale_));
    }
    uint64_t count_of(uint64_t contigs) const { return std::max<uint64_t>(3, scaled(contigs)); }
    Sequence& add(const std::string& name, Bases&& bases, Role role) {
        genome_.sequences.push_back({name, std::move(bases), {}, role});
        return genome_.sequences.back();
    }

    void make_chromosomes() {
        genome_.sequences.resize(k_chromosomes.size());
        for_each_index(threads_, k_chromosomes.size(), [this](size_t i) {
            Sequence& sequence = genome_.sequences[i];
            sequence.name = k_chromosomes[i].name;
            const uint64_t length = std::max<uint64_t>(20000, scaled(k_chromosomes[i].length));
            Random random(seed_, Stream::layout, i);
            // Behind the gap, where there is a large one, as the short arms of acrocentric chromosomes have.
            const uint64_t after = scaled(k_chromosomes[i].gap_begin + k_chromosomes[i].gap_bp);
            const std::vector<ArrayPlan> arrays{
                {std::min(after, length / 2), scaled(1'000'000) + random.below(scaled(2'000'000))},
                {length / 4 * 3, scaled(20'000) + random.below(scaled(200'000))}};
            sequence.bases = make_contig(families_, seed_, i, length, &arrays, &sequence.marked);
            if (sequence.name == "chrX" || sequence.name == "chrY") sequence.copies = 1;
        });
    }

    /// A stretch of the chromosomes, drawn by length; those of the genome's total are equally likely.
    size_t draw_chromosome(Random& random) const {
        std::array<uint32_t, k_chromosomes.size()> weights;
        for (size_t i = 0; i < weights.size(); ++i)
            weights[i] = static_cast<uint32_t>(genome_.sequences[i].bases.size() / 1000);
        return random.pick(weights);
    }

    /// 2.5 % of the genome are copies of stretches elsewhere, from all but equal to 5 % apart; both are
    /// marked.
    void add_duplications() {
        Random random(seed_, Stream::duplications, 0);
        constexpr std::array<double, 7> ages{0.0007, 0.0015, 0.003, 0.006, 0.012, 0.025, 0.05};
        const uint64_t size_bp = genome_.size();
        for (uint64_t done = 0; done < size_bp / 40;) {
            Sequence& from = genome_.sequences[draw_chromosome(random)];
            Sequence& to = genome_.sequences[draw_chromosome(random)];
            const uint64_t length = std::min<uint64_t>(10000 + random.exponential(40000), size_bp / 500);
            done += length;
            if (from.bases.size() < 4 * length || to.bases.size() < 4 * length) continue;
            const uint64_t begin = random.below(from.bases.size() - length);
            const auto first = from.bases.begin() + static_cast<ptrdiff_t>(begin);
            const double age = ages[random.below(ages.size())];
            Bases copy = aged(random, Bases(first, first + static_cast<ptrdiff_t>(length)), age, age / 10);
            if (random.chance(0.5)) copy = reversed(copy);
            const uint64_t at = random.below(to.bases.size() - copy.size());
            std::copy(copy.begin(), copy.end(), to.bases.begin() + static_cast<ptrdiff_t>(at));
            from.marked.push_back({begin, begin + length, Stratum::duplication});
            to.marked.push_back({at, at + copy.size(), Stratum::duplication});
        }
    }

    /// The long gap, telomeres, and about one short gap per 10 Mb.
    void add_gaps(size_t i) {
        Bases& bases = genome_.sequences[i].bases;
        const uint64_t size = bases.size();
        const auto blank = [&](uint64_t begin, uint64_t length) {
            begin = std::min(begin, size);
            std::fill_n(bases.begin() + static_cast<ptrdiff_t>(begin), std::min(length, size - begin),
                        k_base_n);
        };
        Random random(seed_, Stream::gaps, i);
        const uint64_t edge = std::min<uint64_t>(10000, size / 100);
        blank(0, edge);
        blank(size - edge, edge);
        blank(scaled(k_chromosomes[i].gap_begin), scaled(k_chromosomes[i].gap_bp));
        const uint64_t gaps = std::max<uint64_t>(1, size / 10'000'000);
        for (uint64_t k = 0; k < gaps; ++k)
            blank(random.below(size),
                  random.chance(0.5) ? std::min<uint64_t>(50000, size / 100) : 1 + random.below(500));
    }

    void append_mitochondrion() {
        Random random(seed_, Stream::layout, k_contig_streams);
        Sequence& sequence = add("chrM", background(random, k_mitochondrion_bp, 0.44), Role::primary);
        sequence.copies = 1;
        sequence.depth = k_mitochondrial_depth;
    }

    /// Half of them are aged copies of what the chromosomes have, satellites for decoys.
    void append_unplaced(uint64_t count, uint64_t shortest, uint64_t longest, Role role,
                         const std::string& name) {
        for (uint64_t k = 0; k < count; ++k) {
            const uint64_t stream = ++stream_;
            Random random(seed_, Stream::layout, stream);
            const uint64_t length =
                std::max(k_shortest_bp, shortest) + random.below(std::max<uint64_t>(1, longest - shortest));
            const Bases copy = random.chance(0.5) ? copied(random, length, role == Role::decoy) : Bases{};
            Sequence& made = add(count == 1 ? name : name + digits(k + 1), {}, role);
            made.bases =
                copy.empty() ? make_contig(families_, seed_, stream, length, nullptr, &made.marked) : copy;
            if (!copy.empty()) made.marked.push_back({0, copy.size(), Stratum::duplication});
            if (role == Role::decoy) made.name += "_decoy";
        }
    }

    /// A stretch of a chromosome 1 to 8 % apart; empty where it would hold N.
    Bases copied(Random& random, uint64_t length, bool satellite) const {
        const Sequence& from = genome_.sequences[draw_chromosome(random)];
        uint64_t begin = random.below(from.bases.size() - std::min(length, from.bases.size() - 1));
        if (satellite)
            for (const MarkedRun& run : from.marked)
                if (run.stratum == Stratum::satellite && run.end - run.begin > length) {
                    begin = run.begin + random.below(run.end - run.begin - length);
                    break;
                }
        return aged_stretch(random, from, begin, length, random.uniform(0.01, 0.08));
    }

    static Bases aged_stretch(Random& random, const Sequence& from, uint64_t begin, uint64_t length,
                              double age) {
        if (begin + length > from.bases.size()) return {};
        const auto first = from.bases.begin() + static_cast<ptrdiff_t>(begin);
        const auto last = first + static_cast<ptrdiff_t>(length);
        if (std::find(first, last, k_base_n) != last) return {};
        return aged(random, Bases(first, last), age, age / 10);
    }

    /// Other versions of stretches of the autosomes and X, or of chr6 from `begin` to `end`; the sample has
    /// none.
    void append_alternates(uint64_t count, uint64_t begin, uint64_t end, uint64_t shortest, uint64_t longest,
                           double age, const std::string& name) {
        constexpr size_t chr6 = 5, chr_y = 23;
        const bool hla = end > 0;
        for (uint64_t k = 0; k < count; ++k) {
            Random random(seed_, Stream::layout, ++stream_);
            Bases bases;
            size_t chromosome = chr6;
            uint64_t at = 0;
            uint64_t length = 0;
            for (int tries = 0; bases.empty() && tries < 100; ++tries) {
                do chromosome = hla ? chr6 : draw_chromosome(random);
                while (chromosome == chr_y);
                const Sequence& from = genome_.sequences[chromosome];
                length = std::max(k_shortest_bp, shortest) + random.below(longest);
                length = std::min<uint64_t>(length, from.bases.size() / 4);
                at = hla ? begin + random.below(end - begin) : random.below(from.bases.size() - length);
                bases = aged_stretch(random, from, at, length, age);
            }
            if (bases.empty()) continue;
            const std::string on = k_chromosomes[chromosome].name;
            const std::string full = hla ? name + "-A*" + digits(k + 1) : on + "_" + digits(k + 1) + name;
            // Differing lengths are written as an insertion or deletion in the middle.
            const uint64_t size = bases.size();
            const uint64_t matched = std::min(size, length);
            std::string cigar = std::to_string(matched) + "M";
            if (size != length)
                cigar = std::to_string(matched / 2) + "M" + std::to_string(std::max(size, length) - matched) +
                        (size > length ? "I" : "D") + std::to_string(matched - matched / 2) + "M";
            genome_.alternates +=
                full + "\t0\t" + on + "\t" + std::to_string(at + 1) + "\t60\t" + cigar + "\t*\t0\t0\t*\t*\n";
            add(full, std::move(bases), Role::alternate).copies = 0;
        }
    }

    static std::string digits(uint64_t value) {
        const std::string text = std::to_string(value);
        return std::string(5 - std::min<size_t>(5, text.size()), '0') + text;
    }

    uint64_t seed_;
    double scale_;
    size_t threads_;
    RepeatFamilies families_;
    Genome genome_;
    uint64_t stream_ = k_contig_streams;
};

}  // namespace

Genome make_human_genome(uint64_t size_bp, uint64_t seed, int threads) {
    return HumanMaker(size_bp, seed, threads).make();
}

}  // namespace gannet::data::simulate
