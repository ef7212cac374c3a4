// SPDX-License-Identifier: MIT
// Provides the backend `emulated` of the op rescue: the device schedule, run on the host lane by lane.
#include "kernels/rescue/rescue_backends.hpp"
#include "kernels/rescue/rescue_plan.hpp"
#include "kernels/rescue/rescue_schedule.hpp"

#include <memory>
#include <vector>

namespace gannet::kernels {

namespace {

using namespace rescue;

struct Memory {
    NamedReads named;
    std::vector<int64_t> diagonals;
    std::vector<Candidate> candidates;
    SearchShared search;
    std::unique_ptr<CompareShared> compare = std::make_unique<CompareShared>();
};

}  // namespace

/// The windows are done from the last to the first: the order must not matter.
void rescue_emulated(Stream&, const CandidateParameters& parameters, const GenomeView& genome,
                     const ReadBatchView& reads, const RescueWindows& windows, RescueResults& results) {
    static thread_local Memory memory;
    check(parameters, reads, windows);
    memory.named.take(reads, windows);
    memory.diagonals.resize(windows.count);
    memory.candidates.resize(windows.count);
    const RescueArrays arrays{parameters,
                              genome,
                              memory.named.view(),
                              memory.named.windows().data(),
                              static_cast<uint32_t>(windows.count),
                              memory.diagonals.data(),
                              memory.candidates.data()};
    for (uint32_t k = arrays.count; k-- > 0;) search_window(HostWarp(k), arrays, memory.search, k);
    const uint32_t groups = (arrays.count + k_warp_lanes - 1) / k_warp_lanes;
    for (uint32_t group = groups; group-- > 0;)
        compare_windows(HostWarp(group), arrays, *memory.compare, group * k_warp_lanes);
    collect({parameters, genome, reads, windows}, memory.diagonals.data(), memory.candidates.data(), results);
}

}  // namespace gannet::kernels
