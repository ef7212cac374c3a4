// SPDX-License-Identifier: MIT
// Provides the check of the op seeds' input, and the choice of its backend.
#include "kernels/cuda/device.hpp"
#include "kernels/seeds/seeds_backends.hpp"

#include <stdexcept>
#include <string>

namespace gannet::kernels {

namespace seeds {

void check(const SeedIndexView& index) {
    const uint32_t k = index.kmer;
    const uint32_t s = index.smer;
    if (k < 15 || k > 31 || k % 2 == 0 || s < 8 || s > 16 || k - s + 1 < 8 || k - s + 1 > 16)
        throw std::invalid_argument("seeds: k-mers of " + std::to_string(k) + " with s-mers of " +
                                    std::to_string(s));
}

}  // namespace seeds

SeedsFunction seeds_function(Backend backend, SimdLevel) {
    switch (backend) {
        case Backend::reference:
            return seeds_reference;
        case Backend::emulated:
            return seeds_emulated;
        case Backend::cuda:
            if (const SeedsFunction on_device = cuda::seeds(); on_device != nullptr) return on_device;
            break;
        case Backend::simd:
            break;
    }
    return seeds_lockstep;
}

}  // namespace gannet::kernels
