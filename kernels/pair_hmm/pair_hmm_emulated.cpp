// SPDX-License-Identifier: MIT
// Provides the backend `emulated` of pair_hmm: the device schedule, run on the host lane by lane.
#include "kernels/pair_hmm/pair_hmm_backends.hpp"
#include "kernels/pair_hmm/pair_hmm_plan.hpp"
#include "kernels/pair_hmm/pair_hmm_schedule.hpp"

#include <vector>

namespace gannet::kernels {

void pair_hmm_emulated(Stream&, const PairHmmBatch& batch, std::vector<int32_t>& likelihood) {
    using namespace pair_hmm;
    static thread_local WarpPlan plan;
    static thread_local std::vector<float> scratch;  // keeps what earlier batches left
    plan.prepare(batch);
    scratch.resize(plan.scratch_bytes() / sizeof(float));
    likelihood.resize(batch.pairs());
    const WarpArrays arrays{plan.pairs().data(), plan.bases().data(), plan.haplotypes().data(),
                            &k_tables<float>,    likelihood.data(),   static_cast<uint32_t>(batch.pairs())};
    // Backwards, as warps and lanes need not come in order.
    for (uint32_t slot = arrays.count; slot-- > 0;)
        PairSchedule(arrays, arrays.pairs[slot], scratch.data() + slot % k_warp_lanes).run();
    finish(batch, likelihood);
}

}  // namespace gannet::kernels
