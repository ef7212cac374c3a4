// SPDX-License-Identifier: MIT
// Provides the host's side of the device form of the op find_candidates.
#include "kernels/find_candidates/find_candidates_plan.hpp"

#include "kernels/candidates/candidates_backends.hpp"
#include "kernels/candidates/candidates_words.hpp"
#include "kernels/seeds/seeds_driver.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <vector>

namespace gannet::kernels::find_candidates {

namespace {

constexpr uint32_t k_fraction_bits = 16;  // of PoolForecast

}  // namespace

Plan make_plan(const ReadBatchView& reads, uint32_t kmer, HitRoom room) {
    constexpr uint64_t k_spare = 256;
    const uint64_t count = reads.reads;
    Plan plan;
    for (uint32_t read = 0; read < reads.reads; ++read) {
        const uint32_t length = reads.length[read];
        if (length >= kmer && length <= k_seeds_max_read)
            plan.seed_capacity = std::max(plan.seed_capacity, length - kmer + 1);
    }
    const auto numbered = [](uint64_t entries) {
        return static_cast<uint32_t>(std::min<uint64_t>(entries, std::numeric_limits<uint32_t>::max()));
    };
    plan.hits = room.per_read * count + room.spare;
    plan.parts = numbered(plan.hits / 4);
    plan.candidates = numbered(4 * count + k_spare);
    plan.jobs = numbered(2 * count + k_spare);
    return plan;
}

PoolCounts used_of(const Plan& plan, const unsigned long long* counters) {
    return {std::min<uint64_t>(plan.parts, counters[1]), std::min<uint64_t>(plan.candidates, counters[2]),
            std::min<uint64_t>(plan.jobs, counters[3])};
}

PoolCounts PoolForecast::of(const Plan& plan, uint32_t reads) const {
    const auto forecast = [reads](uint64_t per_read, uint64_t room) {
        const uint64_t expected = (per_read * reads) >> k_fraction_bits;
        return std::min(room, expected + expected / 8);
    };
    return {forecast(per_read_.parts, plan.parts), forecast(per_read_.candidates, plan.candidates),
            forecast(per_read_.jobs, plan.jobs)};
}

void PoolForecast::add(const PoolCounts& used, uint32_t reads) {
    if (reads == 0) return;
    const auto follow = [reads](uint64_t& per_read, uint64_t now) {
        per_read = std::max(per_read - per_read / 8, ((now << k_fraction_bits) + reads - 1) / reads);
    };
    follow(per_read_.parts, used.parts);
    follow(per_read_.candidates, used.candidates);
    follow(per_read_.jobs, used.jobs);
}

namespace {

using candidates::CandidateArrays;
using candidates::ReadOutcome;

/// The reads that the warps left undone, and their seeds.
class UndoneReads {
  public:
    void seed(const seeds::Job& seeding, const ReadOutcome* outcomes) {
        const ReadBatchView& reads = seeding.reads;
        reads_.clear();
        for (uint32_t read = 0; read < reads.reads; ++read) {
            if (outcomes[read].done == 0) reads_.push_back(read);
        }
        hits_.clear();
        if (reads_.empty()) return;
        seeds::seed_in_lockstep(seeding.index, seeding.genome, reads, reads_, hits_);
        begin_.resize(reads.reads);
        end_.resize(reads.reads);
        for (size_t i = 0; i < reads_.size(); ++i) {
            begin_[reads_[i]] = hits_.hit_offset[i];
            end_[reads_[i]] = hits_.hit_offset[i + 1];
        }
    }
    /// Of these reads only.
    SeedHitsView hits() const {
        return {static_cast<uint32_t>(begin_.size()), begin_.data(), end_.data(), hits_.hits.data()};
    }
    /// Of the read of that number among these.
    const SeedNotes& notes() const { return hits_; }

  private:
    std::vector<uint32_t> reads_;
    SeedHits hits_;
    std::vector<uint64_t> begin_, end_;
};

struct Scratch {
    UndoneReads undone;
    candidates::WordsScratch words;
};

void append_parts(const DistinctPart* begin, const DistinctPart* end, SeedNotes& notes) {
    if (begin != end) notes.parts.insert(notes.parts.end(), begin, end);
    notes.part_offset.push_back(static_cast<uint32_t>(notes.parts.size()));
}

/// Room for what the warps left, so that nothing is moved while it grows; as much as growing would have made,
/// for what is added later.
void reserve(const seeds::Job& seeding, const ReadOutcome* outcomes, FoundCandidates& found) {
    const uint32_t count = seeding.reads.reads;
    uint64_t candidates = 0;
    uint64_t jobs = 0;
    uint64_t parts = 0;
    for (uint32_t read = 0; read < count; ++read) {
        if (outcomes[read].done == 0) continue;
        candidates += outcomes[read].candidates;
        jobs += outcomes[read].jobs;
        parts += seeding.results.part_end[read] - seeding.results.part_begin[read];
    }
    found.candidate_begin.reserve(count + uint64_t{1});
    found.part_offset.reserve(count + uint64_t{1});
    found.left_out.reserve(count);
    found.candidates.reserve(std::bit_ceil(candidates));
    found.jobs.reserve(std::bit_ceil(jobs));
    found.parts.reserve(std::bit_ceil(parts));
}

void take_notes(const seeds::Job& seeding, const ReadOutcome* outcomes, const SeedNotes& undone,
                SeedNotes& notes) {
    const seeds::ReadResults& from = seeding.results;
    const uint32_t count = seeding.reads.reads;
    notes.complete_seeds.assign(from.complete_seeds, from.complete_seeds + count);
    notes.narrowed.assign(from.narrowed, from.narrowed + count);
    size_t next = 0;
    for (uint32_t read = 0; read < count; ++read) {
        if (outcomes[read].done != 0) {
            append_parts(seeding.pools.parts + from.part_begin[read],
                         seeding.pools.parts + from.part_end[read], notes);
            continue;
        }
        notes.complete_seeds[read] = undone.complete_seeds[next];
        notes.narrowed[read] = undone.narrowed[next];
        append_parts(undone.parts.data() + undone.part_offset[next],
                     undone.parts.data() + undone.part_offset[next + 1], notes);
        ++next;
    }
}

}  // namespace

void collect(const seeds::Job& seeding, const CandidateArrays& search, FoundCandidates& found) {
    static thread_local Scratch scratch;
    const ReadOutcome* const outcomes = search.outcomes;
    const uint32_t count = search.reads.reads;
    UndoneReads& undone = scratch.undone;
    undone.seed(seeding, outcomes);
    found.clear();
    reserve(seeding, outcomes, found);
    take_notes(seeding, outcomes, undone.notes(), found);
    for (uint32_t read = 0; read < count;) {
        if (outcomes[read].done != 0) {
            candidates::append(outcomes[read++], search.candidates, search.jobs, found);
            continue;
        }
        // Neighbours together: the memory of each arrives while others are worked on.
        uint32_t last = read + 1;
        while (last < count && last - read < k_lockstep_reads && outcomes[last].done == 0) ++last;
        candidates::append_reads(search.genome, search.parameters, search.reads, undone.hits(), read, last,
                                 scratch.words, found);
        read = last;
    }
}

}  // namespace gannet::kernels::find_candidates
