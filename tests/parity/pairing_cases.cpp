// SPDX-License-Identifier: MIT
// Provides the parity cases of the op pairing.
#include "kernels/pairing/pairing.hpp"
#include "kernels/reads/packed_reads.hpp"
#include "kernels/resident.hpp"
#include "tests/parity/genome.hpp"
#include "tests/parity/parity.hpp"

#include <array>
#include <cstring>
#include <string>

namespace gannet::parity {

namespace {

using kernels::Candidate;
using kernels::CandidatesLeftOut;
using kernels::DistinctPart;
using kernels::PairingRead;
using kernels::PlacedRead;

struct MadeRead {
    Codes codes;
    std::vector<Candidate> candidates;
    std::vector<DistinctPart> parts;
    bool narrowed = false;
    CandidatesLeftOut left_out;
};

struct MadeTemplate {
    std::vector<MadeRead> reads;
    std::string label;
};

struct Jobs {
    MadeGenome genome;
    kernels::PairingParameters parameters;
    bool paired = true;
    std::vector<MadeTemplate> templates;
};

void begin(Random& random, Jobs& jobs) {
    for (uint32_t contigs = random.between(1, 3); contigs > 0; --contigs)
        jobs.genome.add(random_codes(random, random.between(300, 3000)));
    jobs.genome.finish();
    jobs.parameters.mean_bp = 400;
    jobs.parameters.sd_bp = 50;
    jobs.parameters.low_bp = 200;
    jobs.parameters.high_bp = 600;
}

/// The places of a template, about a mean insert wide, some of them just as good as others.
struct Place {
    int64_t begin = 0;
    int64_t end = 0;
    bool reverse = false;  ///< the second read is the forward one
    bool alternate = false;
};

/// Scores are few, so that totals are often equal.
Candidate candidate_at(Random& random, uint32_t length, const Place& place, bool second) {
    Candidate c;
    const bool forward = second == place.reverse;
    c.strand = forward ? 0 : 1;
    c.diagonal = forward ? place.begin : place.end - length;
    c.alternate = place.alternate;
    c.contig = random.chance(3) ? 1 : 0;
    c.query_end = length;
    if (random.chance(15)) c.query_begin = static_cast<uint32_t>(random.below(length));
    if (random.chance(15)) c.query_end = c.query_begin + random.between(0, length - c.query_begin);
    c.target_begin = c.diagonal + c.query_begin;
    c.target_end = c.diagonal + c.query_end;
    if (random.chance(20)) {
        c.left_gapped = true;
        c.target_begin += random.between(0, 4);
    }
    if (random.chance(20)) {
        c.right_gapped = true;
        c.target_end += random.between(0, 4);
    }
    const auto aligned = static_cast<int32_t>(c.query_end - c.query_begin);
    c.score = aligned - 5 * static_cast<int32_t>(random.below(4));
    if (random.chance(25)) {
        c.left_quality = static_cast<int32_t>(random.below(60)) - 20;
        c.right_quality = static_cast<int32_t>(random.below(60)) - 20;
    }
    return c;
}

void sort(std::vector<Candidate>& candidates) {
    std::stable_sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
        return a.alternate != b.alternate ? b.alternate : a.score > b.score;
    });
}

void add_left_out(Random& random, MadeRead& read) {
    const auto length = static_cast<uint32_t>(read.codes.size());
    read.narrowed = random.chance(40);
    if (random.chance(25)) read.left_out.dropped_bp = random.between(1, length);
    if (random.chance(15)) read.left_out.dropped_score = static_cast<int32_t>(random.below(length));
    if (random.chance(25)) read.left_out.pruned_score = static_cast<int32_t>(random.below(length));
    if (random.chance(25)) return;
    for (uint32_t parts = random.between(1, 9); parts > 0; --parts) {
        const uint32_t begin = static_cast<uint32_t>(random.below(length));
        const uint32_t end = std::min(length, begin + random.between(1, 70));
        read.parts.push_back({static_cast<uint16_t>(begin), static_cast<uint16_t>(end)});
    }
    std::sort(read.parts.begin(), read.parts.end(), [](const DistinctPart& a, const DistinctPart& b) {
        return a.end != b.end ? a.end < b.end : a.begin < b.begin;
    });
}

/// `most`: candidates of a read; each place gives one to either read or to both.
void add_template(Random& random, Jobs& jobs, uint32_t shortest, uint32_t longest, uint32_t most,
                  uint32_t alternates) {
    MadeTemplate made;
    const uint32_t each = jobs.paired ? 2 : 1;
    for (uint32_t i = 0; i < each; ++i) {
        MadeRead& read = made.reads.emplace_back();
        read.codes.resize(random.between(shortest, longest));
    }
    std::array<bool, 2> has_bases{};
    for (auto places = static_cast<uint32_t>(random.below(most + 1)); places > 0; --places) {
        Place place;
        place.begin = static_cast<int64_t>(random.below(jobs.genome.size() + 300)) - 200;
        place.end = place.begin + (random.chance(70) ? 400 : random.between(100, 700));
        place.reverse = random.chance(50);
        place.alternate = random.chance(alternates);
        for (uint32_t i = 0; i < each; ++i) {
            if (random.chance(10)) continue;
            MadeRead& read = made.reads[i];
            const auto length = static_cast<uint32_t>(read.codes.size());
            const Candidate c = candidate_at(random, length, place, i == 1);
            read.candidates.push_back(c);
            if (random.chance(8)) read.candidates.push_back(c);  // nothing prefers one of the two
            if (has_bases[i]) continue;
            has_bases[i] = true;
            const Codes oriented = mutated(random, jobs.genome.codes(c.diagonal, length),
                                           static_cast<uint32_t>(random.below(4)));
            read.codes = c.strand == 0 ? oriented : reverse_complement(oriented);
        }
    }
    for (MadeRead& read : made.reads) {
        sort(read.candidates);
        add_left_out(random, read);
        if (random.chance(5)) read.candidates.clear();
    }
    for (uint32_t letters = random.between(0, 20); letters > 0; --letters)
        made.label += static_cast<char>(random.between(0, 255));
    jobs.templates.push_back(std::move(made));
}

void make_none(Random& random, Jobs& jobs) { begin(random, jobs); }

void make_usual(Random& random, Jobs& jobs) {
    begin(random, jobs);
    for (uint32_t k = random.between(40, 100); k > 0; --k)
        add_template(random, jobs, 60, 160, random.chance(80) ? 3 : 7, 0);
}

void make_unpaired(Random& random, Jobs& jobs) {
    jobs.paired = false;
    begin(random, jobs);
    for (uint32_t k = random.between(40, 100); k > 0; --k)
        add_template(random, jobs, 60, 160, random.chance(80) ? 3 : 60, 10);
}

/// More than a lane takes, more than a warp has lanes, and more than are within reach.
void make_truncated(Random& random, Jobs& jobs) {
    begin(random, jobs);
    // Without a penalty pairs of the mean insert are as good as two that are none.
    jobs.parameters.unpaired_penalty = random.chance(30) ? 0 : static_cast<int32_t>(random.between(0, 300));
    for (uint32_t k = random.between(20, 40); k > 0; --k)
        add_template(random, jobs, 100, 160, random.chance(50) ? 8 : 70, 0);
}

void make_alternates(Random& random, Jobs& jobs) {
    begin(random, jobs);
    for (uint32_t k = random.between(30, 60); k > 0; --k) add_template(random, jobs, 30, 160, 9, 50);
}

void make_scores(Random& random, Jobs& jobs) {
    begin(random, jobs);
    kernels::PairingParameters& p = jobs.parameters;
    p.scoring.match = static_cast<int32_t>(random.between(1, 5));
    p.scoring.mismatch = static_cast<int32_t>(random.between(0, 12));
    p.scoring.gap_open = static_cast<int32_t>(random.between(0, 12));
    p.scoring.gap_extend = static_cast<int32_t>(random.between(1, 4));
    p.minimum_score.score = static_cast<int32_t>(random.between(0, 120)) - 20;
    p.minimum_score.lower_for_short_reads = random.chance(50);
    p.unpaired_penalty = static_cast<int32_t>(random.between(0, 60));
    p.kmer = random.between(1, 40);
    p.mean_bp = static_cast<int32_t>(random.between(0, 700)) - 50;
    p.sd_bp = static_cast<int32_t>(random.between(0, 200));
    p.low_bp = static_cast<int32_t>(random.between(0, 400)) - 100;
    p.high_bp = static_cast<int32_t>(random.between(300, 20'000));
    for (uint32_t k = random.between(30, 60); k > 0; --k)
        add_template(random, jobs, 60, 160, random.chance(80) ? 4 : 20, 10);
}

/// Any length, up to the longest; few bases, so that parts are all of a read.
void make_lengths(Random& random, Jobs& jobs) {
    constexpr std::array<uint32_t, 10> k_lengths{1, 2, 31, 32, 33, 63, 64, 65, 500, 4096};
    begin(random, jobs);
    for (const uint32_t length : k_lengths) add_template(random, jobs, length, length, 4, 10);
}

const std::array<Maker<Jobs>, 7> k_makers{{{{"none", 0}, make_none},
                                           {{"usual", 45}, make_usual},
                                           {{"unpaired", 10}, make_unpaired},
                                           {{"truncated", 15}, make_truncated},
                                           {{"alternates", 10}, make_alternates},
                                           {{"scores", 15}, make_scores},
                                           {{"lengths", 5}, make_lengths}}};

/// The arrays of a batch of templates.
struct Arrays {
    kernels::PackedReads packed;
    std::vector<PairingRead> reads;
    std::vector<Candidate> candidates;
    std::vector<DistinctPart> parts;
    std::vector<char> labels;
    std::vector<uint32_t> label_begin{0};

    explicit Arrays(const Jobs& jobs) {
        packed.paired = jobs.paired;
        for (const MadeTemplate& made : jobs.templates) {
            for (const MadeRead& read : made.reads) add(read);
            labels.insert(labels.end(), made.label.begin(), made.label.end());
            label_begin.push_back(static_cast<uint32_t>(labels.size()));
        }
    }
    kernels::PairingBatch batch() const {
        return {reads.data(),
                candidates.data(),
                static_cast<uint32_t>(candidates.size()),
                parts.data(),
                static_cast<uint32_t>(parts.size()),
                labels.data(),
                label_begin.data()};
    }

  private:
    void add(const MadeRead& read) {
        PairingRead& own = reads.emplace_back();
        packed.add(read.codes);
        own.length = static_cast<uint32_t>(read.codes.size());
        candidates.resize(candidates.size() + reads.size() % 3);  // of no read
        own.candidate_begin = static_cast<uint32_t>(candidates.size());
        candidates.insert(candidates.end(), read.candidates.begin(), read.candidates.end());
        own.candidate_end = static_cast<uint32_t>(candidates.size());
        own.part_begin = static_cast<uint32_t>(parts.size());
        parts.insert(parts.end(), read.parts.begin(), read.parts.end());
        own.part_end = static_cast<uint32_t>(parts.size());
        own.narrowed = read.narrowed;
        own.left_out = read.left_out;
    }
};

std::string text(const PlacedRead& read, uint32_t candidate) {
    if (read.candidate == kernels::k_no_candidate) return "no place";
    return "candidate " + std::to_string(candidate) + " sub_score " + std::to_string(read.sub_score) +
           " quality " + std::to_string(read.mapping_quality) + " proper " + std::to_string(read.proper) +
           " search " + std::to_string(read.needs_search) + " parts " + std::to_string(read.more_parts) +
           " hits " + std::to_string(read.other_hits);
}

struct PairingOp : MadeByTable<Jobs, k_makers> {
    /// Of the reads of a template, with candidates counted from the read's own first one.
    using Results = std::vector<std::vector<PlacedRead>>;

    static std::string name() { return "pairing"; }
    static uint64_t cost() { return 1; }
    static size_t size(const Jobs& jobs) { return jobs.templates.size(); }

    static Jobs select(const Jobs& jobs, std::span<const uint32_t> order) {
        Jobs result{jobs.genome, jobs.parameters, jobs.paired, {}};
        for (const uint32_t job : order) result.templates.push_back(jobs.templates[job]);
        return result;
    }

    static Results run(const kernels::OpTable& table, const Jobs& jobs) {
        const Arrays arrays(jobs);
        const kernels::ReadBatchView reads = arrays.packed.view();
        const kernels::GenomeView genome = jobs.genome.view();
        const kernels::PairingBatch batch = arrays.batch();
        const auto resident = kernels::make_resident(table.backend, {}, genome);
        std::vector<PlacedRead> placed;
        placed.assign(arrays.reads.size() + 7, PlacedRead{5, 5, 5, true, true, true, true, true, true, 5});
        kernels::Stream& stream = stream_of(table);
        table.pairing(stream, jobs.parameters, genome, reads, batch, placed);
        stream.wait();
        EXPECT_EQ(placed.size(), arrays.reads.size());
        Results results;
        for (size_t i = 0; i < arrays.reads.size(); ++i) {
            if (!jobs.paired || i % 2 == 0) results.emplace_back();
            PlacedRead& own = results.back().emplace_back(placed.at(i));
            if (own.candidate != kernels::k_no_candidate) own.candidate -= arrays.reads[i].candidate_begin;
        }
        return results;
    }

    static std::string difference(const Results& expected, const Results& actual,
                                  std::span<const uint32_t> order) {
        for (size_t k = 0; k < order.size(); ++k) {
            for (size_t i = 0; i < expected[order[k]].size(); ++i) {
                const PlacedRead& wanted = expected[order[k]][i];
                const PlacedRead& got = actual[k].at(i);
                if (std::memcmp(&wanted, &got, sizeof got) != 0)
                    return "template " + std::to_string(order[k]) + " read " + std::to_string(i) +
                           ": reference " + text(wanted, wanted.candidate) + "; here " +
                           text(got, got.candidate);
            }
        }
        return "";
    }
};

}  // namespace

void register_pairing() { register_op<PairingOp>(); }

}  // namespace gannet::parity
