// SPDX-License-Identifier: MIT
// Provides the backend `emulated` of the op pairing: the device schedule, run on the host lane by lane.
#include "kernels/pairing/pairing_backends.hpp"
#include "kernels/pairing/pairing_plan.hpp"
#include "kernels/pairing/pairing_schedule.hpp"

namespace gannet::kernels {

/// The templates are done from the last to the first: the order must not matter.
void pairing_emulated(Stream&, const PairingParameters& parameters, const GenomeView& genome,
                      const ReadBatchView& reads, const PairingBatch& batch, std::vector<PlacedRead>& out) {
    using namespace pairing;
    static thread_local ComparedReads compared;
    static thread_local WarpShared shared;
    check(parameters, reads, batch);
    compared.take(reads, batch);
    out.resize(reads.reads);
    PairingArrays arrays;
    arrays.given = {parameters, genome, compared.view(), batch, compared.numbers().data()};
    arrays.reads = reads.reads;
    arrays.placed = out.data();
    const uint32_t groups = (arrays.templates() + k_warp_lanes - 1) / k_warp_lanes;
    for (uint32_t group = groups; group-- > 0;)
        place_templates(HostWarp(group), arrays, shared, group * k_warp_lanes);
}

}  // namespace gannet::kernels
