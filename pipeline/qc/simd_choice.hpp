// SPDX-License-Identifier: MIT
// Provides the vector instructions that quality control uses.
#pragma once

#include "kernels/backend.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>

namespace gannet::pipeline::qc {

/// Those of the machine, or fewer where GANNET_SIMD says so; the session has refused what it does not know.
inline kernels::SimdLevel chosen_simd_level() {
    const char* const given = std::getenv("GANNET_SIMD");
    const auto most = given == nullptr ? std::nullopt : kernels::parse_simd_level(given);
    const kernels::SimdLevel level = kernels::detected_simd_level();
    return most ? std::min(*most, level) : level;
}

}  // namespace gannet::pipeline::qc
