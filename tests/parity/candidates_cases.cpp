// SPDX-License-Identifier: MIT
// Provides the parity cases of the search for candidates, the second step of the op find_candidates, by
// itself: hits that no seeding would find too.
#include "kernels/candidates/candidates_backends.hpp"
#include "kernels/candidates/candidates_words.hpp"
#include "kernels/reads/packed_reads.hpp"
#include "tests/parity/candidate_results.hpp"
#include "tests/parity/genome.hpp"
#include "tests/parity/parity.hpp"

#include <array>

namespace gannet::parity {

namespace {

using kernels::Candidate;
using kernels::CandidateResults;
using kernels::ExtensionJob;

struct Read {
    Codes codes;
    Codes qualities;
    std::vector<uint64_t> hits;
};

struct Jobs {
    MadeGenome genome;
    kernels::CandidateParameters parameters;
    bool has_qualities = true;
    uint32_t most_between_hits = 9;  ///< bp
    std::vector<Read> reads;
};

constexpr std::array<uint32_t, 24> k_lengths{21,  22,  31,  32,  33,  63,  64,  65,  96,  127, 128,   129,
                                             150, 151, 160, 250, 288, 319, 320, 321, 384, 385, 1'000, 4'096};

uint32_t any_length(Random& random) {
    if (random.chance(60)) return random.chance(50) ? 150 : random.between(30, 260);
    return k_lengths[random.below(random.chance(80) ? 18 : k_lengths.size())];
}

/// The read in the direction of the genome; `strand` 1: it was sequenced from the other one.
Read make_read(Random& random, const Codes& oriented, uint8_t strand) {
    Read read;
    read.codes = strand == 0 ? oriented : reverse_complement(oriented);
    const bool good = random.chance(50);
    for (size_t i = 0; i < oriented.size(); ++i)
        read.qualities.push_back(static_cast<uint8_t>(good ? 30 + random.below(12) : random.below(94)));
    return read;
}

void substitute(Random& random, Codes& codes, uint32_t count) {
    for (uint32_t k = 0; k < count && !codes.empty(); ++k) {
        uint8_t& code = codes[random.below(codes.size())];
        code = static_cast<uint8_t>((code + 1 + random.below(3)) % 4);
    }
}

/// A gap, and bases that differ beside the end: what makes a side gapped.
void change(Random& random, Codes& codes) {
    const uint32_t kind = random.between(0, 9);
    if (codes.size() < 30 || kind < 3) return;
    if (kind < 7) substitute(random, codes, random.between(1, kind < 6 ? 5 : 30));
    if (kind < 6) return;
    const auto at = codes.begin() + static_cast<ptrdiff_t>(random.below(codes.size() - 12));
    const uint32_t gap = random.between(1, random.chance(70) ? 3 : 10);
    if (random.chance(50)) {
        codes.erase(at, at + gap);
    } else {
        const Codes inserted = random_codes(random, gap);
        codes.insert(at, inserted.begin(), inserted.end());
    }
    if (kind == 9 && codes.size() > 60) {
        const Codes other = random_codes(random, random.between(10, 50));
        std::copy(other.begin(), other.end(), codes.end() - static_cast<ptrdiff_t>(other.size()));
    }
}

/// Hits on one diagonal where k-mers are equal, and now and then where they are not.
void add_hits(Random& random, const Jobs& jobs, Read& read, uint8_t strand, int64_t diagonal) {
    const Codes oriented = strand == 0 ? read.codes : reverse_complement(read.codes);
    const uint32_t k = jobs.parameters.kmer;
    const bool any = random.chance(3);
    for (uint32_t at = random.between(0, 6); at + k <= oriented.size();
         at += random.between(1, jobs.most_between_hits)) {
        bool equal = true;
        for (uint32_t i = 0; i < k && equal; ++i)
            equal = oriented[at + i] < 4 && oriented[at + i] == jobs.genome.code(diagonal + at + i);
        if (equal || any) read.hits.push_back(kernels::hit_key(strand != 0, diagonal, at));
    }
}

/// Hits anywhere, also where there is no contig.
void add_stray_hits(Random& random, const Jobs& jobs, Read& read, uint32_t count) {
    if (read.codes.size() < jobs.parameters.kmer) return;
    const auto length = static_cast<int64_t>(read.codes.size());
    for (uint32_t k = 0; k < count; ++k) {
        const auto reach = static_cast<uint64_t>(jobs.genome.size() + 2 * read.codes.size() + 200);
        const int64_t diagonal = static_cast<int64_t>(random.below(reach)) - length - 100;
        const auto at = static_cast<uint32_t>(random.below(read.codes.size() - jobs.parameters.kmer + 1));
        read.hits.push_back(kernels::hit_key(random.chance(50), diagonal, at));
    }
}

void shuffle_hits(Random& random, Read& read) {
    if (random.chance(5) && !read.hits.empty())
        read.hits.push_back(read.hits[random.below(read.hits.size())]);  // one twice
    for (size_t k = read.hits.size(); k > 1; --k) std::swap(read.hits[k - 1], read.hits[random.below(k)]);
}

/// A read of a place, with hits on the diagonals that its gaps may have and on those of `copies` of the
/// place.
void add_read(Random& random, Jobs& jobs, int64_t begin, uint32_t length, const std::vector<int64_t>& copies,
              uint32_t stray) {
    Codes codes = jobs.genome.codes(begin, length);
    change(random, codes);
    if (random.chance(10) && !codes.empty()) codes[random.below(codes.size())] = 4;
    const auto strand = static_cast<uint8_t>(random.below(2));
    Read read = make_read(random, codes, strand);
    const auto change_bp = static_cast<int64_t>(codes.size()) - static_cast<int64_t>(length);
    add_hits(random, jobs, read, strand, begin);
    if (change_bp != 0) add_hits(random, jobs, read, strand, begin - change_bp);
    for (const int64_t copy : copies) {
        add_hits(random, jobs, read, strand, copy);
        if (change_bp != 0) add_hits(random, jobs, read, strand, copy - change_bp);
    }
    add_stray_hits(random, jobs, read, stray);
    shuffle_hits(random, read);
    jobs.reads.push_back(std::move(read));
}

int64_t any_place(Random& random, const Jobs& jobs, uint32_t length) {
    const uint64_t last = jobs.genome.size() > length + 128 ? jobs.genome.size() - length - 128 : 1;
    return 64 + static_cast<int64_t>(random.below(last));
}

void make_none(Random& random, Jobs& jobs) {
    jobs.genome.add(random_codes(random, 500));
    jobs.genome.finish();
}

/// Reads without bases or without hits.
void make_empty(Random& random, Jobs& jobs) {
    jobs.genome.add(random_codes(random, 500));
    jobs.genome.finish();
    for (uint32_t k = 0; k < 5; ++k)
        jobs.reads.push_back(make_read(random, random_codes(random, k == 2 ? 0 : 40 * k), 0));
    add_read(random, jobs, 100, 150, {}, 0);
}

/// Unique places, of all lengths.
void make_unique(Random& random, Jobs& jobs) {
    jobs.genome.add(random_codes(random, 9'000));
    jobs.genome.finish();
    for (uint32_t k = 0; k < 60; ++k) {
        const uint32_t length = any_length(random);
        add_read(random, jobs, any_place(random, jobs, length), length, {}, random.between(0, 3));
    }
}

/// Short contigs: reads hang over their ends, or are longer.
void make_edges(Random& random, Jobs& jobs) {
    const uint32_t contigs = random.between(1, 12);
    for (uint32_t k = 0; k < contigs; ++k)
        jobs.genome.add(random_codes(random, random.between(1, 400)), random.chance(20));
    jobs.genome.finish();
    for (uint32_t k = 0; k < 60; ++k) {
        const uint32_t length = random.chance(90) ? random.between(21, 320) : 500;
        const int64_t begin = static_cast<int64_t>(random.below(jobs.genome.size() + length)) - length;
        Codes codes = jobs.genome.codes(begin, length);
        for (uint8_t& code : codes) code = code < 4 ? code : static_cast<uint8_t>(random.below(4));
        change(random, codes);
        const auto strand = static_cast<uint8_t>(random.below(2));
        Read read = make_read(random, codes, strand);
        add_hits(random, jobs, read, strand, begin);
        add_stray_hits(random, jobs, read, random.between(0, 6));
        shuffle_hits(random, read);
        jobs.reads.push_back(std::move(read));
    }
}

/// Ambiguous bases: single ones and stretches in the genome, and in reads.
void make_ambiguous(Random& random, Jobs& jobs) {
    Codes contig = random_codes(random, 6'000);
    for (uint32_t k = 0; k < 14; ++k) {
        const uint64_t at = random.below(contig.size() - 90);
        const uint32_t run = random.chance(50) ? 1 : random.between(2, 90);
        std::fill_n(contig.begin() + static_cast<ptrdiff_t>(at), run, uint8_t{4});
    }
    jobs.genome.add(contig);
    jobs.genome.finish();
    for (uint32_t k = 0; k < 60; ++k) {
        const uint32_t length = any_length(random) % 700 + 21;
        add_read(random, jobs, any_place(random, jobs, length), length, {}, 1);
        Codes& codes = jobs.reads.back().codes;
        if (random.chance(40)) {
            for (uint32_t n = random.between(1, 12); n > 0; --n) codes[random.below(codes.size())] = 4;
        }
        if (random.chance(3)) std::fill(codes.begin(), codes.end(), uint8_t{4});
        // Hits were made before: they need not match.
    }
}

/// Units of 1 to 60 bp many times over, so that a read fits many diagonals near each other.
void make_tandem(Random& random, Jobs& jobs) {
    Codes contig = random_codes(random, 700);
    const uint32_t unit_bp = random.between(1, 60);
    const Codes unit = random_codes(random, unit_bp);
    for (uint32_t k = 0; k < 900 / unit_bp; ++k) {
        Codes changed = unit;
        if (random.chance(15)) substitute(random, changed, 1);
        contig.insert(contig.end(), changed.begin(), changed.end());
    }
    const Codes behind = random_codes(random, 700);
    contig.insert(contig.end(), behind.begin(), behind.end());
    const int64_t begin = jobs.genome.add(contig, random.chance(20));
    jobs.genome.finish();
    for (uint32_t k = 0; k < 12; ++k) {
        const uint32_t length = random.between(60, 300);
        const int64_t place = begin + 550 + static_cast<int64_t>(random.below(900));
        std::vector<int64_t> copies;
        const uint32_t most = random.chance(80) ? 20 : 130;
        for (uint32_t n = 1; n <= most; ++n) {
            copies.push_back(place + int64_t{n} * unit_bp);
            copies.push_back(place - int64_t{n} * unit_bp);
        }
        add_read(random, jobs, place, length, copies, random.between(0, 2));
    }
}

/// A repeat of many copies, some of them on ALT contigs, which differ in more and more bases. Sometimes more
/// copies than diagonals are compared, than candidates are kept, or than hits fit a warp.
void make_copies(Random& random, Jobs& jobs, uint32_t fewest, uint32_t most, uint32_t on_alternate) {
    constexpr uint32_t k_unit_bp = 400;
    const Codes unit = random_codes(random, k_unit_bp);
    const uint32_t copies = random.between(fewest, most);
    const uint32_t step = random.between(0, 3);
    std::vector<int64_t> places;
    for (uint32_t copy = 0; copy < copies;) {
        Codes contig = random_codes(random, random.between(20, 60));
        const uint32_t in_contig = random.between(1, 40);
        std::vector<int64_t> here;
        for (uint32_t k = 0; k < in_contig && copy < copies; ++k, ++copy) {
            Codes changed = unit;
            substitute(random, changed, random.chance(30) ? 0 : random.between(0, 1 + step * copy / 4));
            here.push_back(static_cast<int64_t>(contig.size()));
            contig.insert(contig.end(), changed.begin(), changed.end());
            const Codes between = random_codes(random, random.between(0, 30));
            contig.insert(contig.end(), between.begin(), between.end());
        }
        contig.resize(contig.size() + 300, 0);
        const int64_t begin = jobs.genome.add(contig, random.chance(on_alternate));
        for (const int64_t at : here) places.push_back(begin + at);
    }
    jobs.genome.finish();
    if (random.chance(70)) jobs.most_between_hits = 60;
    for (uint32_t k = 0; k < 4; ++k) {
        const uint32_t length = random.chance(70) ? 150 : random.between(40, 320);
        const int64_t offset = static_cast<int64_t>(random.below(k_unit_bp - 40)) - 20;
        std::vector<int64_t> others;
        for (const int64_t place : places) others.push_back(place + offset);
        const int64_t own = others[random.below(others.size())];
        add_read(random, jobs, own, length, others, random.chance(30) ? 5 : 0);
    }
}

void make_few_copies(Random& random, Jobs& jobs) { make_copies(random, jobs, 2, 12, 20); }
void make_many_copies(Random& random, Jobs& jobs) { make_copies(random, jobs, 40, 260, 0); }
void make_alternate_copies(Random& random, Jobs& jobs) {
    make_copies(random, jobs, 40, 260, random.chance(20) ? 100 : 60);
}

/// Any scores and bands that the contract allows, and no qualities.
void make_scores(Random& random, Jobs& jobs) {
    kernels::BandedSwScoring& scoring = jobs.parameters.scoring;
    const auto score = [&random](uint32_t low, uint32_t usual) {
        return static_cast<int32_t>(random.chance(90) ? random.between(low, usual)
                                                      : random.between(low, 1'000));
    };
    scoring = {score(1, 3), score(0, 8), score(0, 3), score(0, 10), score(1, 3), score(0, 12)};
    jobs.parameters.band = random.chance(50) ? random.between(1, 1'024) : random.between(1, 40);
    jobs.parameters.kmer = random.chance(50) ? 21 : random.between(1, 31);
    for (int16_t& weight : jobs.parameters.quality_weight)
        weight = static_cast<int16_t>(static_cast<int32_t>(random.below(400)) - 200);
    jobs.has_qualities = random.chance(30);
    random.chance(50) ? make_few_copies(random, jobs) : make_tandem(random, jobs);
}

/// Diagonals that cover the same, so that hashes and keys decide.
void make_ties(Random& random, Jobs& jobs) {
    jobs.genome.add(Codes(12'000, static_cast<uint8_t>(random.below(4))), random.chance(20));
    jobs.genome.add(random_codes(random, 2'000), random.chance(40));
    jobs.genome.finish();
    for (uint32_t k = 0; k < 3; ++k) {
        const uint32_t length = random.between(30, 160);
        Read read = make_read(random, jobs.genome.codes(3'000, length), 0);
        const uint32_t count = random.chance(50) ? random.between(90, 110) : random.between(1, 400);
        const uint32_t at = random.between(0, length - jobs.parameters.kmer);
        for (uint32_t n = 0; n < count; ++n)
            read.hits.push_back(
                kernels::hit_key(random.chance(50), static_cast<int64_t>(random.below(14'000)), at));
        shuffle_hits(random, read);
        jobs.reads.push_back(std::move(read));
    }
}

const std::array<Maker<Jobs>, 11> k_makers{{{{"none", 0}, make_none},
                                            {{"empty", 1}, make_empty},
                                            {{"unique", 30}, make_unique},
                                            {{"edges", 20}, make_edges},
                                            {{"ambiguous", 20}, make_ambiguous},
                                            {{"tandem", 8}, make_tandem},
                                            {{"few_copies", 8}, make_few_copies},
                                            {{"many_copies", 3}, make_many_copies},
                                            {{"alternate_copies", 4}, make_alternate_copies},
                                            {{"scores", 6}, make_scores},
                                            {{"ties", 2}, make_ties}}};

/// The warps of the schedule on the host, and what these leave undone by the code of simd.
void run_warps(const kernels::CandidateParameters& parameters, const kernels::GenomeView& genome,
               const kernels::ReadBatchView& reads, const kernels::SeedHitsView& hits,
               CandidateResults& results) {
    static kernels::candidates::WordsScratch scratch;
    std::vector<kernels::candidates::ReadOutcome> outcomes(reads.reads);
    const uint32_t candidate_room = 4 * reads.reads + 256;
    const uint32_t job_room = 2 * reads.reads + 256;
    std::vector<Candidate> candidates(candidate_room);
    std::vector<ExtensionJob> jobs(job_room);
    unsigned long long counters[2] = {0, 0};
    kernels::candidates::run_warps({parameters, genome, reads, hits, outcomes.data(), candidates.data(),
                                    jobs.data(), candidate_room, job_room, counters});
    kernels::candidates::clear(results);
    for (uint32_t read = 0; read < reads.reads; ++read) {
        const kernels::candidates::ReadOutcome& outcome = outcomes[read];
        if (outcome.done != 0) {
            kernels::candidates::append(outcome, candidates.data(), jobs.data(), results);
        } else {
            kernels::candidates::append_reads(genome, parameters, reads, hits, read, read + 1, scratch,
                                              results);
        }
    }
}

void run_step(kernels::Backend backend, const kernels::CandidateParameters& parameters,
              const kernels::GenomeView& genome, const kernels::ReadBatchView& reads,
              const kernels::SeedHitsView& hits, CandidateResults& results) {
    if (backend == kernels::Backend::reference)
        return kernels::candidates_reference(parameters, genome, reads, hits, results);
    if (backend == kernels::Backend::simd)
        return kernels::candidates_words(parameters, genome, reads, hits, results);
    run_warps(parameters, genome, reads, hits, results);
}

struct CandidatesOp : MadeByTable<Jobs, k_makers> {
    using Results = OfReads;

    static std::string name() { return "candidates"; }
    static uint64_t cost() { return 3; }
    /// On a device a step has no call of its own: find_candidates has.
    static bool has(const kernels::OpTable& table) { return table.backend != kernels::Backend::cuda; }
    static size_t size(const Jobs& jobs) { return jobs.reads.size(); }

    static Jobs select(const Jobs& jobs, std::span<const uint32_t> order) {
        Jobs result{jobs.genome, jobs.parameters, jobs.has_qualities, jobs.most_between_hits, {}};
        for (const uint32_t job : order) result.reads.push_back(jobs.reads[job]);
        return result;
    }

    static Results run(const kernels::OpTable& table, const Jobs& jobs) {
        kernels::PackedReads packed;
        for (const Read& read : jobs.reads)
            packed.add(read.codes, jobs.has_qualities ? read.qualities : Codes{});
        // The hits of the reads are neither in order nor beside each other.
        std::vector<uint64_t> hits;
        std::vector<uint64_t> begin(jobs.reads.size());
        std::vector<uint64_t> end(jobs.reads.size());
        for (size_t read = jobs.reads.size(); read-- > 0;) {
            hits.push_back(0x5a5a5a5a5a5a5a5a);
            begin[read] = hits.size();
            hits.insert(hits.end(), jobs.reads[read].hits.begin(), jobs.reads[read].hits.end());
            end[read] = hits.size();
        }
        hits.shrink_to_fit();  // so that a sanitizer sees reads beyond the end
        kernels::SeedHitsView view;
        view.reads = static_cast<uint32_t>(jobs.reads.size());
        view.hit_begin = begin.data();
        view.hit_end = end.data();
        view.hits = hits.data();
        return run_guarded_candidates<CandidateResults>(jobs.reads.size(), [&](CandidateResults& results) {
            run_step(table.backend, jobs.parameters, jobs.genome.view(), packed.view(), view, results);
        });
    }

    static std::string difference(const Results& expected, const Results& actual,
                                  std::span<const uint32_t> order) {
        return candidates_difference(expected, actual, order);
    }
};

}  // namespace

void register_candidates() { register_op<CandidatesOp>(); }

}  // namespace gannet::parity
