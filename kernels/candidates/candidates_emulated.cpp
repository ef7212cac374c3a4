// SPDX-License-Identifier: MIT
// Provides the backend `emulated` of the op candidates: the device schedule, run on the host lane by lane.
#include "kernels/candidates/candidates_backends.hpp"
#include "kernels/candidates/candidates_plan.hpp"
#include "kernels/candidates/candidates_schedule.hpp"

#include <memory>
#include <vector>

namespace gannet::kernels {

namespace {

using namespace candidates;

struct Memory {
    std::unique_ptr<WarpShared> shared = std::make_unique<WarpShared>();
    std::unique_ptr<WarpScratch> scratch = std::make_unique<WarpScratch>();
    std::vector<ReadOutcome> outcomes;
    std::vector<Candidate> found;
    std::vector<ExtensionJob> jobs;
};

}  // namespace

/// The reads are done from the last to the first: where their results are must not matter.
void candidates_emulated(Stream&, const CandidateParameters& parameters, const GenomeView& genome,
                         const ReadBatchView& reads, const SeedHitsView& hits, CandidateResults& results) {
    static thread_local Memory memory;
    check(parameters, reads, hits);
    const ResultRoom room = result_room(reads.reads);
    memory.outcomes.resize(reads.reads);
    memory.found.resize(room.candidates);
    memory.jobs.resize(room.jobs);
    unsigned long long counters[2] = {0, 0};
    const CandidateArrays arrays{
        parameters,         genome,          reads,     hits,    memory.outcomes.data(), memory.found.data(),
        memory.jobs.data(), room.candidates, room.jobs, counters};
    const HostWarp warp;
    for (uint32_t read = reads.reads; read-- > 0;)
        ReadSchedule(warp, arrays, *memory.shared, *memory.scratch, read).run();
    collect(arrays, results);
}

}  // namespace gannet::kernels
