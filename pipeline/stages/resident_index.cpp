// SPDX-License-Identifier: MIT
// Provides the decision whether index and reference are resident on the devices.
#include "pipeline/stages/resident_index.hpp"

#include "pipeline/log.hpp"
#include "pipeline/resources.hpp"
#include "pipeline/stages/stream_sizes.hpp"

#include <string>

namespace gannet::pipeline::stages {

namespace cuda = kernels::cuda;

ResidentPlan plan_resident(const cuda::DeviceInfo& device, const align::Aligner& aligner, size_t slots,
                           uint64_t batch_bases) {
    const size_t devices = cuda::devices_in_use().size();
    const uint64_t streams = (slots + devices - 1) / devices;
    return {kernels::resident_bytes(aligner.index_view(), aligner.genome_view()),
            streams * least_align_stream_bytes(batch_bases), cuda::usable_bytes(device)};
}

ResidentIndex::ResidentIndex(const kernels::OpTable& ops, const align::Aligner& aligner, size_t slots,
                             uint64_t batch_bases)
    : ops_(ops.without_resident()) {
    if (!ops.needs_resident) return;
    constexpr const char* k_consequence = "seeding and the search for candidates run on the CPU";
    for (const cuda::DeviceInfo& device : cuda::devices_in_use()) {
        const ResidentPlan plan = plan_resident(device, aligner, slots, batch_bases);
        if (plan.fits()) continue;
        log_info("device " + std::to_string(device.ordinal) + " (" + device.name + ") can use " +
                 size_text(plan.usable_bytes) + " of memory, and index and reference would take " +
                 size_text(plan.index_bytes) + " (" + std::to_string(plan.index_bytes) + " bytes) beside " +
                 size_text(plan.streams_bytes) + " of the batches: " + k_consequence);
        return;
    }
    try {
        resident_ = kernels::make_resident(ops.backend, aligner.index_view(), aligner.genome_view());
        ops_ = ops;
    } catch (const kernels::DeviceOutOfMemory& error) {
        log_info(std::string(error.what()) + ": " + k_consequence);
    }
}

}  // namespace gannet::pipeline::stages
