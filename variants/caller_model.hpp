// SPDX-License-Identifier: MIT
// Provides the numbers that can change a call, each with its unit and its source.
#pragma once

#include "variants/arithmetic/log_math.hpp"

namespace gannet::variants {

inline constexpr LogProbability k_snp_prior = -3 * k_log_scale;

}  // namespace gannet::variants
