// SPDX-License-Identifier: MIT
// Provides the parity cases of the form of banded_sw whose jobs name their sequences.
#include "kernels/banded_sw/banded_sw.hpp"
#include "kernels/reads/packed_reads.hpp"
#include "kernels/resident.hpp"
#include "tests/parity/banded_sw_results.hpp"
#include "tests/parity/genome.hpp"

#include <array>

namespace gannet::parity {

namespace {

using kernels::ExtensionJob;

struct Jobs {
    MadeGenome genome;
    kernels::BandedSwScoring scoring;
    bool traced = false;
    std::vector<Codes> reads;
    std::vector<ExtensionJob> jobs;
};

constexpr auto k_margin = kernels::k_window_margin_bp;

void ambiguous_run(Random& random, Codes& codes) {
    if (codes.empty()) return;
    const size_t begin = random.below(codes.size());
    const size_t end = std::min(codes.size(), begin + 1 + random.below(random.chance(50) ? 3 : 80));
    std::fill(codes.begin() + static_cast<std::ptrdiff_t>(begin),
              codes.begin() + static_cast<std::ptrdiff_t>(end), uint8_t{4});
}

void make_genome(Random& random, Jobs& jobs, uint32_t ambiguous_runs) {
    for (uint32_t contigs = random.between(1, 4); contigs > 0; --contigs) {
        Codes contig = random_codes(random, random.between(1, 1500));
        for (uint32_t k = 0; k < ambiguous_runs; ++k) ambiguous_run(random, contig);
        jobs.genome.add(contig);
    }
    jobs.genome.finish();
    jobs.traced = random.chance(50);
}

/// Where windows may begin: [k_margin, last_begin()].
int64_t last_begin(const Jobs& jobs) {
    return static_cast<int64_t>(jobs.genome.view().genome_size()) - k_margin;
}

/// `length` bases from a place of the genome on, with differences.
Codes read_like(Random& random, const Jobs& jobs, int64_t place, uint32_t length) {
    Codes codes = mutated(random, jobs.genome.codes(place, length), static_cast<uint32_t>(random.below(5)));
    for (uint8_t& code : codes) {
        if (code == 4 && random.chance(60)) code = static_cast<uint8_t>(random.below(4));
    }
    if (length > 20 && random.chance(40)) {  // a gap
        const uint32_t at = random.between(5, length - 10);
        const uint32_t gap = random.between(1, 6);
        if (random.chance(50))
            codes.erase(codes.begin() + at, codes.begin() + at + std::min(gap, length - at));
        else
            codes.insert(codes.begin() + at, gap, static_cast<uint8_t>(random.below(4)));
        codes.resize(length, 0);
    }
    return codes;
}

/// Adds a job clamped to what the contract allows.
void add_job(Jobs& jobs, ExtensionJob job, int64_t target_begin, int64_t target_end) {
    job.target_begin = std::clamp<int64_t>(target_begin, k_margin, last_begin(jobs));
    job.target_length = static_cast<uint32_t>(
        std::clamp<int64_t>(target_end, job.target_begin, last_begin(jobs)) - job.target_begin);
    jobs.jobs.push_back(job);
}

/// Both sides of an anchor of a read on its diagonal, as the aligner asks for them.
void add_sides(Random& random, Jobs& jobs, uint32_t length, uint16_t band) {
    const auto place = static_cast<int64_t>(random.below(jobs.genome.size()));
    Codes oriented = read_like(random, jobs, place, length);
    ExtensionJob job;
    job.read = static_cast<uint32_t>(jobs.reads.size());
    job.strand = random.chance(50);
    job.band = band;
    jobs.reads.push_back(job.strand == 0 ? oriented : reverse_complement(oriented));
    const uint32_t anchor_begin = random.between(0, length);
    const uint32_t anchor_end = random.between(anchor_begin, length);
    job.left = 1;
    job.query_length = static_cast<uint16_t>(anchor_begin);
    add_job(jobs, job, place - band, place + anchor_begin);
    job.left = 0;
    job.query_begin = static_cast<uint16_t>(anchor_end);
    job.query_length = static_cast<uint16_t>(length - anchor_end);
    add_job(jobs, job, place + anchor_end, place + length + band);
}

void make_none(Random& random, Jobs& jobs) { make_genome(random, jobs, 1); }

void make_read_like(Random& random, Jobs& jobs) {
    make_genome(random, jobs, static_cast<uint32_t>(random.below(3)));
    for (uint32_t k = 0; k < 150; ++k)
        add_sides(random, jobs, random.between(30, 160), random.chance(70) ? 41 : 100);
}

/// Any part of a read along any window, padding included; also none of either.
void make_anywhere(Random& random, Jobs& jobs) {
    make_genome(random, jobs, static_cast<uint32_t>(random.below(4)));
    for (uint32_t k = 0; k < 100; ++k) {
        const uint32_t length = random.between(0, 140);
        Codes codes = random_codes(random, length);
        if (random.chance(30)) ambiguous_run(random, codes);
        ExtensionJob job;
        job.read = static_cast<uint32_t>(jobs.reads.size());
        jobs.reads.push_back(std::move(codes));
        for (uint32_t n = random.between(0, 3); n > 0; --n) {
            job.query_begin = static_cast<uint16_t>(random.between(0, length));
            job.query_length = static_cast<uint16_t>(random.between(0, length - job.query_begin));
            job.strand = random.chance(50);
            job.left = random.chance(50);
            job.band = static_cast<uint16_t>(random.between(0, 60));
            const auto begin = static_cast<int64_t>(random.below(jobs.genome.size()));
            add_job(jobs, job, begin, begin + random.between(0, 220));
        }
    }
}

/// Lengths and beginnings around those of words.
void make_words(Random& random, Jobs& jobs) {
    constexpr std::array<uint16_t, 8> k_lengths{1, 31, 32, 33, 63, 64, 65, 96};
    make_genome(random, jobs, 2);
    for (const uint16_t length : k_lengths) {
        for (const uint16_t begin : k_lengths) {
            ExtensionJob job;
            job.read = static_cast<uint32_t>(jobs.reads.size());
            job.query_begin = begin;
            job.query_length = length;
            job.strand = random.chance(50);
            job.left = random.chance(50);
            job.band = static_cast<uint16_t>(random.between(0, 40));
            const auto place = static_cast<int64_t>(random.below(jobs.genome.size()));
            Codes codes = read_like(random, jobs, place, length + begin + random.between(0, 2));
            if (random.chance(40)) ambiguous_run(random, codes);
            jobs.reads.push_back(job.strand == 0 ? codes : reverse_complement(codes));
            add_job(jobs, job, place + begin, place + begin + length + random.between(0, 70));
        }
    }
}

void make_ambiguous(Random& random, Jobs& jobs) {
    make_genome(random, jobs, 12);
    for (uint32_t k = 0; k < 60; ++k) {
        add_sides(random, jobs, random.between(10, 150), 30);
        if (random.chance(60)) ambiguous_run(random, jobs.reads.back());
    }
}

void make_longest(Random& random, Jobs& jobs) {
    jobs.genome.add(random_codes(random, 9000));
    jobs.genome.finish();
    jobs.traced = true;
    // With the widest band too large to be traced in a warp.
    for (uint32_t k = 0; k < 3; ++k) add_sides(random, jobs, 4096, random.chance(30) ? 1024 : 60);
}

const std::array<Maker<Jobs>, 6> k_makers{{{{"none", 0}, make_none},
                                           {{"read_like", 50}, make_read_like},
                                           {{"anywhere", 20}, make_anywhere},
                                           {{"words", 20}, make_words},
                                           {{"ambiguous", 10}, make_ambiguous},
                                           {{"longest", 0}, make_longest}}};

struct BandedSwWindowsOp : MadeByTable<Jobs, k_makers> {
    using Results = kernels::BandedSwResults;

    static std::string name() { return "banded_sw_windows"; }
    static uint64_t cost() { return 1; }
    static size_t size(const Jobs& jobs) { return jobs.jobs.size(); }

    static Jobs select(const Jobs& jobs, std::span<const uint32_t> order) {
        Jobs result{jobs.genome, jobs.scoring, jobs.traced, jobs.reads, {}};
        for (const uint32_t job : order) result.jobs.push_back(jobs.jobs[job]);
        return result;
    }

    static Results run(const kernels::OpTable& table, const Jobs& jobs) {
        kernels::PackedReads packed;
        for (const Codes& read : jobs.reads) packed.add(read);
        size_t bases = 0;
        for (const ExtensionJob& job : jobs.jobs) bases += job.query_length + job.target_length;
        const kernels::ReadBatchView reads = packed.view();
        const kernels::GenomeView genome = jobs.genome.view();
        const kernels::BandedSwWindows windows{jobs.jobs.data(), jobs.jobs.size(), jobs.traced};
        const auto resident = kernels::make_resident(table.backend, {}, genome);
        return run_banded_sw(table, jobs.jobs.size(), bases, [&](kernels::Stream& stream, Results& results) {
            table.banded_sw_windows(stream, jobs.scoring, genome, reads, windows, results);
        });
    }

    static std::string difference(const Results& expected, const Results& actual,
                                  std::span<const uint32_t> order) {
        return banded_sw_difference(expected, actual, order);
    }
};

}  // namespace

void register_banded_sw_windows() { register_op<BandedSwWindowsOp>(); }

}  // namespace gannet::parity
