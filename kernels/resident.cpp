// SPDX-License-Identifier: MIT
// Provides the residency of index and genome by backend.
#include "kernels/resident.hpp"

#include "kernels/cuda/device.hpp"
#include "kernels/cuda/resident_layout.hpp"

namespace gannet::kernels {

uint64_t resident_bytes(const SeedIndexView& index, const GenomeView& genome) {
    return cuda::ResidentLayout(index, genome).bytes;
}

std::unique_ptr<Resident> make_resident(Backend backend, const SeedIndexView& index,
                                        const GenomeView& genome) {
    if (backend != Backend::cuda) return nullptr;
    return cuda::make_resident(index, genome);
}

}  // namespace gannet::kernels
