// SPDX-License-Identifier: MIT
// Provides the parity cases of the op rescue.
#include "kernels/reads/packed_reads.hpp"
#include "kernels/rescue/rescue.hpp"
#include "kernels/resident.hpp"
#include "tests/parity/genome.hpp"
#include "tests/parity/parity.hpp"

#include <array>
#include <cstring>

namespace gannet::parity {

namespace {

using kernels::Candidate;
using kernels::ExtensionJob;
using kernels::RescueResults;
using kernels::RescueWindow;

struct Jobs {
    MadeGenome genome;
    kernels::CandidateParameters parameters;
    bool has_qualities = true;
    std::vector<Codes> reads;
    std::vector<RescueWindow> windows;
};

void make_genome(Random& random, Jobs& jobs, uint32_t ambiguous) {
    for (uint32_t contigs = random.between(1, 3); contigs > 0; --contigs) {
        Codes contig = random_codes(random, random.between(200, 3000));
        // A tandem repeat, in which many diagonals are as good.
        if (random.chance(50)) {
            const size_t unit = random.between(1, 40);
            for (size_t at = random.below(100) + unit; at < contig.size() / 2; ++at)
                contig[at] = contig[at - unit];
        }
        for (uint32_t k = 0; k < ambiguous; ++k) {
            const size_t begin = random.below(contig.size());
            for (size_t at = begin; at < std::min(contig.size(), begin + 1 + random.below(40)); ++at)
                contig[at] = 4;
        }
        jobs.genome.add(contig, random.chance(15));
    }
    jobs.genome.finish();
    jobs.has_qualities = random.chance(70);
}

/// A read of a place of the genome with `percent` of its bases changed, and windows that hold the place or
/// do not.
void add_read(Random& random, Jobs& jobs, uint32_t length, uint32_t percent, uint32_t widest) {
    const auto size = static_cast<int64_t>(jobs.genome.size());
    const int64_t place = static_cast<int64_t>(random.below(jobs.genome.size() + 200)) - 100;
    Codes oriented = mutated(random, jobs.genome.codes(place, length), percent);
    for (uint8_t& code : oriented) {
        if (code == 4 && random.chance(70)) code = static_cast<uint8_t>(random.below(4));
    }
    if (random.chance(20)) oriented[random.below(length)] = 4;
    if (random.chance(25)) {  // a gap: two diagonals
        const uint32_t at = random.between(1, length - 1);
        oriented.insert(oriented.begin() + at, random.between(1, 9), static_cast<uint8_t>(random.below(4)));
        oriented.resize(length);
    }
    RescueWindow window;
    window.read = static_cast<uint32_t>(jobs.reads.size());
    window.strand = random.chance(50);
    jobs.reads.push_back(window.strand == 0 ? oriented : reverse_complement(oriented));
    for (uint32_t windows = random.between(1, 3); windows > 0; --windows) {
        window.begin = random.chance(80) ? place - random.between(0, widest)
                                         : static_cast<int64_t>(random.below(jobs.genome.size())) - 200;
        window.end = window.begin + random.between(0, 2 * widest);
        if (random.chance(3)) window.end = size + 500;
        jobs.windows.push_back(window);
        if (random.chance(20)) window.strand ^= 1;
    }
}

void make_none(Random& random, Jobs& jobs) { make_genome(random, jobs, 1); }

void make_usual(Random& random, Jobs& jobs) {
    make_genome(random, jobs, static_cast<uint32_t>(random.below(3)));
    for (uint32_t k = 0; k < 12; ++k)
        add_read(random, jobs, random.between(60, 160), static_cast<uint32_t>(random.below(22)), 300);
}

/// More windows than a warp has lanes, and than a block of threads takes.
void make_many(Random& random, Jobs& jobs) {
    make_genome(random, jobs, 1);
    for (uint32_t k = 0; k < 90; ++k)
        add_read(random, jobs, random.between(60, 160), static_cast<uint32_t>(random.below(22)), 100);
}

/// Lengths around those of blocks and of what a warp takes, and few diagonals.
void make_lengths(Random& random, Jobs& jobs) {
    constexpr std::array<uint32_t, 12> k_lengths{32, 33, 63, 64, 65, 95, 96, 128, 319, 320, 321, 400};
    make_genome(random, jobs, 1);
    for (const uint32_t length : k_lengths)
        add_read(random, jobs, length, static_cast<uint32_t>(random.below(20)), random.chance(50) ? 3 : 130);
}

void make_ambiguous(Random& random, Jobs& jobs) {
    make_genome(random, jobs, 20);
    for (uint32_t k = 0; k < 10; ++k)
        add_read(random, jobs, random.between(32, 130), static_cast<uint32_t>(random.below(15)), 100);
}

void make_scores(Random& random, Jobs& jobs) {
    jobs.parameters.scoring.match = static_cast<int32_t>(random.between(1, 5));
    jobs.parameters.scoring.mismatch = static_cast<int32_t>(random.between(0, 12));
    jobs.parameters.scoring.ambiguous = static_cast<int32_t>(random.between(0, 4));
    jobs.parameters.scoring.gap_open = static_cast<int32_t>(random.between(0, 12));
    jobs.parameters.scoring.gap_extend = static_cast<int32_t>(random.between(1, 4));
    jobs.parameters.scoring.end_bonus = static_cast<int32_t>(random.between(0, 12));
    jobs.parameters.band = random.between(1, 200);
    jobs.parameters.quality_weight = kernels::quality_weights(jobs.parameters.scoring);
    make_usual(random, jobs);
}

void make_longest(Random& random, Jobs& jobs) {
    jobs.genome.add(random_codes(random, 9000));
    jobs.genome.finish();
    for (uint32_t k = 0; k < 2; ++k) add_read(random, jobs, 4096, 10, 40);
}

const std::array<Maker<Jobs>, 7> k_makers{{{{"none", 0}, make_none},
                                           {{"usual", 45}, make_usual},
                                           {{"many", 5}, make_many},
                                           {{"lengths", 20}, make_lengths},
                                           {{"ambiguous", 15}, make_ambiguous},
                                           {{"scores", 15}, make_scores},
                                           {{"longest", 0}, make_longest}}};

/// What one window got, with its jobs counted from its own first one.
struct OfWindow {
    bool found = false;
    Candidate candidate;
    std::vector<ExtensionJob> jobs;
};

std::vector<OfWindow> by_window(const RescueResults& results, size_t windows) {
    std::vector<OfWindow> out(windows);
    EXPECT_EQ(results.window.size(), results.candidates.size());
    size_t job = 0;
    for (size_t k = 0; k < results.candidates.size(); ++k) {
        EXPECT_TRUE(k == 0 || results.window[k - 1] < results.window[k]) << "in the order of the windows";
        OfWindow& own = out.at(results.window[k]);
        own.found = true;
        own.candidate = results.candidates[k];
        for (uint32_t* index : {&own.candidate.left_job, &own.candidate.right_job}) {
            if (*index == kernels::k_no_job) continue;
            EXPECT_EQ(*index, job) << "jobs are in the order of the candidates";
            *index = static_cast<uint32_t>(own.jobs.size());
            own.jobs.push_back(results.jobs.at(job++));
        }
    }
    EXPECT_EQ(job, results.jobs.size());
    return out;
}

std::string text(const OfWindow& own) {
    if (!own.found) return "nothing";
    const Candidate& c = own.candidate;
    return "diagonal " + std::to_string(c.diagonal) + " score " + std::to_string(c.score) + " anchor " +
           std::to_string(c.anchor_begin) + "-" + std::to_string(c.anchor_end) + " qualities " +
           std::to_string(c.left_quality) + " " + std::to_string(c.right_quality) + " jobs " +
           std::to_string(own.jobs.size());
}

bool equal(const OfWindow& a, const OfWindow& b) {
    return a.found == b.found && a.jobs.size() == b.jobs.size() &&
           std::memcmp(&a.candidate, &b.candidate, sizeof(Candidate)) == 0 &&
           (a.jobs.empty() ||
            std::memcmp(a.jobs.data(), b.jobs.data(), a.jobs.size() * sizeof(ExtensionJob)) == 0);
}

struct RescueOp : MadeByTable<Jobs, k_makers> {
    using Results = std::vector<OfWindow>;

    static std::string name() { return "rescue"; }
    static uint64_t cost() { return 3; }
    static size_t size(const Jobs& jobs) { return jobs.windows.size(); }

    static Jobs select(const Jobs& jobs, std::span<const uint32_t> order) {
        Jobs result{jobs.genome, jobs.parameters, jobs.has_qualities, jobs.reads, {}};
        for (const uint32_t job : order) result.windows.push_back(jobs.windows[job]);
        return result;
    }

    static Results run(const kernels::OpTable& table, const Jobs& jobs) {
        kernels::PackedReads packed;
        for (const Codes& read : jobs.reads) {
            Codes qualities;
            for (size_t i = 0; jobs.has_qualities && i < read.size(); ++i)
                qualities.push_back(static_cast<uint8_t>((i * 7 + read.size()) % 50));
            packed.add(read, qualities);
        }
        const kernels::ReadBatchView reads = packed.view();
        const kernels::GenomeView genome = jobs.genome.view();
        const kernels::RescueWindows windows{jobs.windows.data(), jobs.windows.size()};
        const auto resident = kernels::make_resident(table.backend, {}, genome);
        RescueResults results;
        results.candidates.resize(jobs.windows.size() + 7);  // of an earlier batch
        results.window.resize(3, 0x5a5a5a5a);
        results.jobs.resize(jobs.windows.size() + 9);
        kernels::Stream& stream = stream_of(table);
        table.rescue(stream, jobs.parameters, genome, reads, windows, results);
        stream.wait();
        return by_window(results, jobs.windows.size());
    }

    static std::string difference(const Results& expected, const Results& actual,
                                  std::span<const uint32_t> order) {
        for (size_t k = 0; k < order.size(); ++k) {
            if (!equal(expected[order[k]], actual[k]))
                return "window " + std::to_string(order[k]) + ": reference " + text(expected[order[k]]) +
                       "; here " + text(actual[k]);
        }
        return "";
    }
};

}  // namespace

void register_rescue() { register_op<RescueOp>(); }

}  // namespace gannet::parity
