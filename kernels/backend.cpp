// SPDX-License-Identifier: MIT
// Provides the names of backends and SIMD levels.
#include "kernels/backend.hpp"

namespace gannet::kernels {

std::string_view name(Backend backend) {
    switch (backend) {
        case Backend::reference:
            return "reference";
        case Backend::simd:
            return "simd";
        case Backend::emulated:
            return "emulated";
        case Backend::cuda:
            return "cuda";
    }
    return "unknown";
}

}  // namespace gannet::kernels
