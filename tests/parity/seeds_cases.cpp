// SPDX-License-Identifier: MIT
// Provides the parity cases of the op find_candidates, and of seeding, its first step, by itself: reads of
// small genomes, with repeats, ALT contigs and edges.
#include "kernels/find_candidates/find_candidates.hpp"
#include "kernels/reads/packed_reads.hpp"
#include "kernels/resident.hpp"
#include "kernels/seeds/seeds_backends.hpp"
#include "tests/parity/candidate_results.hpp"
#include "tests/parity/parity.hpp"
#include "tests/parity/seed_genome.hpp"

#include <array>
#include <memory>

namespace gannet::parity {

namespace {

using kernels::DistinctPart;
using kernels::SeedHits;

struct Jobs {
    std::shared_ptr<const SeedGenome> genome;
    std::vector<Codes> reads;
    bool paired = false;  ///< a job is two reads, mates of each other, instead of one

    uint32_t job_reads() const { return paired ? 2 : 1; }
};

void append(Codes& to, const Codes& codes) { to.insert(to.end(), codes.begin(), codes.end()); }

Codes piece(const Codes& codes, size_t begin, size_t length) {
    const auto from = codes.begin() + static_cast<std::ptrdiff_t>(begin);
    return {from, from + static_cast<std::ptrdiff_t>(length)};
}

/// A read of `length` from anywhere in the packed genome, which has to be longer; its ambiguous bases are
/// any.
Codes read_of(Random& random, const SeedGenome& genome, size_t length, uint32_t percent) {
    Codes read = piece(genome.codes(), random.below(genome.codes().size() - length + 1), length);
    for (uint8_t& code : read) {
        if (code > 3) code = static_cast<uint8_t>(random.below(4));
    }
    read = mutated(random, std::move(read), percent);
    return random.chance(50) ? read : reverse_complement(read);
}

void add_reads(Random& random, Jobs& jobs, uint32_t count, uint32_t shortest, uint32_t longest,
               uint32_t percent) {
    for (uint32_t i = 0; i < count; ++i) {
        Codes read = read_of(random, *jobs.genome, random.between(shortest, longest), percent);
        if (!read.empty() && random.chance(10)) {
            for (uint32_t n = random.between(1, 3); n > 0; --n) read[random.below(read.size())] = 4;
        }
        jobs.reads.push_back(std::move(read));
    }
}

SeedGenomeShape random_shape(Random& random) {
    constexpr std::array<SeedGenomeShape, 8> k_shapes{{{21, 11, 15},
                                                       {21, 11, 16},
                                                       {15, 8, 3},
                                                       {15, 8, 12},
                                                       {21, 14, 15},
                                                       {17, 10, 9},
                                                       {19, 8, 11},
                                                       {23, 16, 19}}};
    return k_shapes[random.below(k_shapes.size())];
}

Jobs plain_jobs(Random& random, const SeedGenomeShape& shape = {}) {
    std::vector<Codes> contigs;
    for (uint32_t i = random.between(1, 4); i > 0; --i) {
        contigs.push_back(random_codes(random, random.between(300, 3000)));
        if (random.chance(30)) {
            const size_t at = random.below(contigs.back().size() - 50);
            for (size_t n = 0; n < 40; ++n) contigs.back()[at + n] = 4;
        }
    }
    return {std::make_shared<SeedGenome>(make_seed_genome(contigs, contigs.size(), shape)), {}};
}

void make_none(Random& random, Jobs& jobs) { jobs = plain_jobs(random); }

void make_single(Random& random, Jobs& jobs) {
    jobs = plain_jobs(random);
    add_reads(random, jobs, 1, 0, 150, 1);
}

void make_unique(Random& random, Jobs& jobs) {
    jobs = plain_jobs(random);
    add_reads(random, jobs, 100, 50, 260, random.between(0, 6));
}

/// Around k, words and lanes; all N; nothing that is in the genome.
void make_edges(Random& random, Jobs& jobs) {
    jobs = plain_jobs(random, random_shape(random));
    constexpr std::array<uint32_t, 9> k_around{0, 1, 21, 32, 52, 63, 64, 84, 128};
    for (uint32_t i = 0; i < 60; ++i) {
        const uint32_t around =
            random.chance(30) ? jobs.genome->kmer : k_around[random.below(k_around.size())];
        const uint32_t length = around + random.between(0, 2) - (around > 0 ? 1 : 0);
        Codes read = read_of(random, *jobs.genome, length, 0);
        if (random.chance(15)) std::fill(read.begin(), read.end(), uint8_t{4});
        if (random.chance(10)) read = random_codes(random, length);
        if (!read.empty() && random.chance(20)) read[random.chance(50) ? 0 : read.size() - 1] = 4;
        jobs.reads.push_back(std::move(read));
    }
}

/// Copies of a few elements, in both directions, that differ in some bases: runs of up to 200 entries.
std::vector<Codes> repeat_contigs(Random& random, uint32_t copies) {
    std::vector<Codes> elements;
    for (uint32_t i = random.between(1, 3); i > 0; --i)
        elements.push_back(random_codes(random, random.between(60, 400)));
    const uint32_t percent = random.between(0, 5);
    Codes contig = random_codes(random, random.between(0, 200));
    for (uint32_t i = 0; i < copies; ++i) {
        Codes copy = mutated(random, elements[random.below(elements.size())], percent);
        if (random.chance(50)) copy = reverse_complement(copy);
        // Also such that end with the element, or begin within it.
        append(contig, piece(copy, random.below(copy.size() / 3), copy.size() - copy.size() / 3));
        append(contig, random_codes(random, random.chance(50) ? random.between(0, 60) : 0));
    }
    return {contig};
}

void make_repeats(Random& random, Jobs& jobs) {
    std::vector<Codes> contigs = repeat_contigs(random, random.between(10, 200));
    if (random.chance(30)) contigs.push_back(random_codes(random, 1000));
    jobs.genome = std::make_shared<SeedGenome>(make_seed_genome(
        contigs, contigs.size(), random.chance(60) ? SeedGenomeShape{} : random_shape(random)));
    add_reads(random, jobs, 60, 30, 300, random.between(0, 3));
}

/// Tandem repeats and homopolymers up to the ends of contigs, so that contexts leave the genome.
void make_tandems(Random& random, Jobs& jobs) {
    std::vector<Codes> contigs;
    for (uint32_t i = random.between(1, 3); i > 0; --i) {
        const Codes unit = random_codes(random, random.between(1, 70));
        Codes contig;
        const size_t length = random.between(100, 2500);
        while (contig.size() < length) append(contig, random.chance(97) ? unit : mutated(random, unit, 4));
        contigs.push_back(random.chance(50) ? contig : reverse_complement(contig));
    }
    jobs.genome = std::make_shared<SeedGenome>(make_seed_genome(contigs, contigs.size(), {}));
    add_reads(random, jobs, 30, 30, 200, random.between(0, 2));
}

/// A gene with many ALT copies and some on the primary assembly.
void make_alternates(Random& random, Jobs& jobs) {
    const Codes gene = random_codes(random, random.between(300, 900));
    const uint32_t percent = random.between(0, 3);
    std::vector<Codes> contigs;
    Codes primary = random_codes(random, random.between(100, 1000));
    for (uint32_t i = random.between(0, 20); i > 0; --i) {
        append(primary, random.chance(50) ? mutated(random, gene, percent + 1)
                                          : reverse_complement(mutated(random, gene, percent + 1)));
        append(primary, random_codes(random, random.between(0, 100)));
    }
    contigs.push_back(primary);
    const uint32_t first = static_cast<uint32_t>(contigs.size());
    for (uint32_t i = random.between(1, 150); i > 0; --i) contigs.push_back(mutated(random, gene, percent));
    jobs.genome = std::make_shared<SeedGenome>(make_seed_genome(contigs, first, {}));
    add_reads(random, jobs, 60, 50, 260, random.between(0, 3));
}

/// Up to the longest read, and beyond.
void make_longest(Random& random, Jobs& jobs) {
    std::vector<Codes> contigs = repeat_contigs(random, 60);
    contigs.push_back(random_codes(random, 6000));
    if (random.chance(50)) contigs.push_back(Codes(4500, static_cast<uint8_t>(random.below(4))));
    jobs.genome = std::make_shared<SeedGenome>(make_seed_genome(contigs, contigs.size(), {}));
    add_reads(random, jobs, 2, 1000, 4096, 2);
    add_reads(random, jobs, 1, 4090, 4100, 2);
    if (random.chance(30)) jobs.reads.push_back(Codes(4096, 0));
}

void make_shapes(Random& random, Jobs& jobs) {
    jobs = plain_jobs(random, random_shape(random));
    add_reads(random, jobs, 60, 30, 260, random.between(0, 4));
}

/// Reads of two pieces: of anywhere, of the other strand, or of the same place behind a gap of up to 160
/// bases, so that their disjoint unique seeds lie on diagonals of either side of what counts as one place.
void make_joined(Random& random, Jobs& jobs) {
    jobs.genome = std::make_shared<SeedGenome>(make_seed_genome({random_codes(random, 8000)}, 1, {}));
    for (uint32_t i = 0; i < 60; ++i) {
        const Codes stretch = read_of(random, *jobs.genome, 560, random.between(0, 1));
        const size_t length = random.between(20, 200);
        const size_t gap = random.chance(30) ? random.between(99, 102) : random.below(161);
        Codes other = random.chance(60) ? piece(stretch, length + gap, random.between(20, 200))
                                        : read_of(random, *jobs.genome, random.between(20, 200), 0);
        if (random.chance(20)) other = reverse_complement(other);
        Codes read = piece(stretch, 0, length);
        append(read, other);
        jobs.reads.push_back(std::move(read));
    }
}

/// Mates, one of a unique stretch and one of which a part is unique and the rest a repeat.
void make_mates(Random& random, Jobs& jobs) {
    const uint32_t copies = random.between(10, 200);
    const Codes unique = random_codes(random, 4000);
    Codes contig = unique;
    for (const Codes& repeats : repeat_contigs(random, copies)) append(contig, repeats);
    const size_t end = contig.size();
    append(contig, random_codes(random, 100));
    jobs.genome = std::make_shared<SeedGenome>(make_seed_genome({contig}, 1, {}));
    for (uint32_t i = 0; i < 40; ++i) {
        const size_t length = random.between(60, 200);
        const size_t into = random.between(20, 110);
        Codes settled = piece(unique, random.below(unique.size() - 200), random.between(80, 200));
        // Over the begin of the repeats, or half of it anywhere else.
        Codes other = piece(contig, unique.size() - std::min<size_t>(into, length), length);
        if (random.chance(60)) {
            other = piece(unique, random.below(unique.size() - 200), into);
            append(other, piece(contig, unique.size() + random.below(end - unique.size() - 100), 100));
        }
        Codes mates[2] = {mutated(random, std::move(settled), random.below(3)),
                          mutated(random, std::move(other), random.below(3))};
        const uint32_t first = random.chance(50) ? 1 : 0;
        for (const uint32_t mate : {first, 1 - first})
            jobs.reads.push_back(random.chance(50) ? mates[mate] : reverse_complement(mates[mate]));
    }
    jobs.paired = true;
}

const std::array<Maker<Jobs>, 11> k_makers{{{{"none", 0}, make_none},
                                            {{"single", 1}, make_single},
                                            {{"unique", 6}, make_unique},
                                            {{"edges", 6}, make_edges},
                                            {{"repeats", 12}, make_repeats},
                                            {{"tandems", 4}, make_tandems},
                                            {{"alternates", 8}, make_alternates},
                                            {{"joined", 6}, make_joined},
                                            {{"mates", 8}, make_mates},
                                            {{"longest", 1}, make_longest},
                                            {{"shapes", 4}, make_shapes}}};

/// Of every second batch of the other cases, the reads are mates too.
Jobs make_jobs(size_t index, uint64_t seed) {
    Jobs jobs = MadeByTable<Jobs, k_makers>::make(index, seed);
    if (seed % 2 == 0 && jobs.reads.size() % 2 == 0) jobs.paired = true;
    return jobs;
}

std::string notes_text(const kernels::SeedNotes& notes, size_t read) {
    std::string text = std::to_string(notes.complete_seeds[read]) + " complete, narrowed " +
                       std::to_string(notes.narrowed[read]) + ", parts";
    for (uint32_t i = notes.part_offset[read]; i < notes.part_offset[read + 1]; ++i)
        text += " " + std::to_string(notes.parts[i].begin) + "-" + std::to_string(notes.parts[i].end);
    return text;
}

void dirty_notes(kernels::SeedNotes& notes, size_t reads) {
    dirty(notes.part_offset, reads + 1);
    dirty(notes.complete_seeds, reads);
    dirty(notes.narrowed, reads);
    notes.parts.assign(100, {7, 7});
}

void expect_guarded_notes(const kernels::SeedNotes& notes, size_t reads) {
    EXPECT_TRUE(guarded(notes.part_offset, reads + 1) && guarded(notes.complete_seeds, reads) &&
                guarded(notes.narrowed, reads))
        << "an output has the wrong size, or was written beyond its end";
}

/// The warps of the schedule on the host, with room for all.
void run_warps(const kernels::SeedIndexView& index, const kernels::GenomeView& genome,
               const kernels::ReadBatchView& reads, SeedHits& out) {
    constexpr uint64_t k_room = 1 << 18;
    const size_t count = reads.reads;
    static std::vector<uint64_t> hits(k_room);
    static std::vector<DistinctPart> parts(k_room);
    std::vector<uint64_t> hit_begin(count), hit_end(count);
    std::vector<uint32_t> part_begin(count), part_end(count);
    unsigned long long taken[2] = {0, 0};
    out.complete_seeds.resize(count);
    out.narrowed.resize(count);
    kernels::seeds::run_warps({index,
                               genome,
                               reads,
                               {hits.data(), parts.data(), k_room, k_room, taken, taken + 1},
                               {hit_begin.data(), hit_end.data(), out.complete_seeds.data(),
                                part_begin.data(), part_end.data(), out.narrowed.data()},
                               kernels::k_seeds_max_read});
    out.hit_offset.assign(1, 0);
    out.hits.clear();
    out.part_offset.assign(1, 0);
    out.parts.clear();
    for (size_t read = 0; read < count; ++read) {
        ASSERT_NE(hit_begin[read], kernels::k_no_hits_there);
        out.hits.insert(out.hits.end(), hits.data() + hit_begin[read], hits.data() + hit_end[read]);
        out.parts.insert(out.parts.end(), parts.data() + part_begin[read], parts.data() + part_end[read]);
        out.hit_offset.push_back(out.hits.size());
        out.part_offset.push_back(static_cast<uint32_t>(out.parts.size()));
    }
}

void seed(kernels::Backend backend, const kernels::SeedIndexView& index, const kernels::GenomeView& genome,
          const kernels::ReadBatchView& reads, SeedHits& out) {
    if (backend == kernels::Backend::reference) return kernels::seeds_reference(index, genome, reads, out);
    if (backend == kernels::Backend::simd) return kernels::seeds_lockstep(index, genome, reads, out);
    run_warps(index, genome, reads, out);
}

struct SeedsOp : MadeByTable<Jobs, k_makers> {
    struct Results : SeedHits {
        uint32_t job_reads = 1;
    };

    static Jobs make(size_t index, uint64_t seed) { return make_jobs(index, seed); }
    static std::string name() { return "seeds"; }
    static uint64_t cost() { return 1; }
    /// On a device a step has no call of its own: find_candidates has.
    static bool has(const kernels::OpTable& table) { return table.backend != kernels::Backend::cuda; }
    static size_t size(const Jobs& jobs) { return jobs.reads.size() / jobs.job_reads(); }

    static Jobs select(const Jobs& jobs, std::span<const uint32_t> order) {
        Jobs result{jobs.genome, {}, jobs.paired};
        const uint32_t reads = jobs.job_reads();
        for (const uint32_t job : order) {
            for (uint32_t i = 0; i < reads; ++i) result.reads.push_back(jobs.reads[job * reads + i]);
        }
        return result;
    }

    static Results run(const kernels::OpTable& table, const Jobs& jobs) {
        constexpr size_t k_stale_hits = 1 << 16;
        kernels::PackedReads reads;
        for (const Codes& read : jobs.reads) reads.add(read);
        reads.paired = jobs.paired;
        const size_t count = jobs.reads.size();
        Results results;
        results.job_reads = jobs.job_reads();
        dirty(results.hits, k_stale_hits);
        dirty(results.hit_offset, count + 1);
        dirty_notes(results, count);
        seed(table.backend, jobs.genome->index(), jobs.genome->genome(), reads.view(), results);
        expect_guarded_notes(results, count);
        EXPECT_TRUE(guarded(results.hits, results.hits.size()) && guarded(results.hit_offset, count + 1))
            << "an output has the wrong size, or was written beyond its end";
        return results;
    }

    static std::string difference(const Results& expected, const Results& actual,
                                  std::span<const uint32_t> order) {
        for (size_t k = 0; k < order.size(); ++k) {
            const std::string one = text_of_job(expected, order[k]);
            const std::string other = text_of_job(actual, k);
            if (one != other)
                return "job " + std::to_string(order[k]) + ": reference " + one + "; here " + other;
        }
        return "";
    }

  private:
    static std::string text_of_job(const Results& results, size_t job) {
        std::string text;
        for (size_t i = 0; i < results.job_reads; ++i)
            text += text_of(results, job * results.job_reads + i) + "; ";
        return text;
    }

    static std::string text_of(const Results& results, size_t read) {
        std::string text = notes_text(results, read) + ", hits";
        for (uint64_t i = results.hit_offset[read]; i < results.hit_offset[read + 1]; ++i)
            text += " " + std::to_string(kernels::strand_of_hit(results.hits[i])) + ":" +
                    std::to_string(kernels::diagonal_of_hit(results.hits[i])) + ":" +
                    std::to_string(kernels::position_of_hit(results.hits[i]));
        return text;
    }
};

/// The same reads with qualities, and with parameters of the search for candidates.
struct FindJobs : Jobs {
    kernels::CandidateParameters parameters;
    std::vector<Codes> qualities;  ///< of each read, or none at all
};

struct FindCandidatesOp {
    using Jobs = FindJobs;
    struct Results {
        OfReads found;
        kernels::SeedNotes notes;
        uint32_t job_reads = 1;
    };

    static std::string name() { return "find_candidates"; }
    static uint64_t cost() { return 3; }
    static std::vector<Case> cases() { return SeedsOp::cases(); }
    static size_t size(const FindJobs& jobs) { return SeedsOp::size(jobs); }

    static FindJobs make(size_t index, uint64_t seed) {
        Random random(seed * 900001 + index);
        FindJobs jobs{make_jobs(index, seed), {}, {}};
        jobs.parameters.kmer = jobs.genome->kmer;
        if (random.chance(20)) jobs.parameters.band = random.between(1, 300);
        if (random.chance(20)) jobs.parameters.scoring = {2, 8, 1, 12, 2, 10};
        if (random.chance(10)) return jobs;  // without qualities
        for (const Codes& read : jobs.reads) {
            Codes& own = jobs.qualities.emplace_back(read.size());
            for (uint8_t& quality : own) quality = static_cast<uint8_t>(random.below(94));
        }
        return jobs;
    }

    static FindJobs select(const FindJobs& jobs, std::span<const uint32_t> order) {
        FindJobs result{SeedsOp::select(jobs, order), jobs.parameters, {}};
        const uint32_t reads = jobs.job_reads();
        for (const uint32_t job : order) {
            for (uint32_t i = 0; i < reads && !jobs.qualities.empty(); ++i)
                result.qualities.push_back(jobs.qualities[job * reads + i]);
        }
        return result;
    }

    static Results run(const kernels::OpTable& table, const FindJobs& jobs) {
        kernels::PackedReads reads;
        const size_t count = jobs.reads.size();
        for (size_t i = 0; i < count; ++i)
            reads.add(jobs.reads[i], jobs.qualities.empty() ? Codes{} : jobs.qualities[i]);
        reads.paired = jobs.paired;
        const kernels::SeedIndexView index = jobs.genome->index();
        const kernels::GenomeView genome = jobs.genome->genome();
        const auto resident = kernels::make_resident(table.backend, index, genome);
        Results results;
        results.job_reads = jobs.job_reads();
        results.found =
            run_guarded_candidates<kernels::FoundCandidates>(count, [&](kernels::FoundCandidates& found) {
                dirty_notes(found, count);
                kernels::Stream& stream = stream_of(table);
                table.find_candidates(stream, jobs.parameters, index, genome, reads.view(), found);
                stream.wait();
                expect_guarded_notes(found, count);
                results.notes = found;
            });
        return results;
    }

    static std::string difference(const Results& expected, const Results& actual,
                                  std::span<const uint32_t> order) {
        std::vector<uint32_t> reads;
        for (const uint32_t job : order) {
            for (uint32_t i = 0; i < expected.job_reads; ++i) reads.push_back(job * expected.job_reads + i);
        }
        for (size_t k = 0; k < reads.size(); ++k) {
            const std::string one = notes_text(expected.notes, reads[k]);
            const std::string other = notes_text(actual.notes, k);
            if (one != other)
                return "read " + std::to_string(reads[k]) + ": reference " + one + "; here " + other;
        }
        return candidates_difference(expected.found, actual.found, reads);
    }
};

}  // namespace

void register_find_candidates() { register_op<FindCandidatesOp>(); }
void register_seeds() { register_op<SeedsOp>(); }

}  // namespace gannet::parity
