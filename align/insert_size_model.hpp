// SPDX-License-Identifier: MIT
// Provides the insert-size model of a read group: how it is estimated, and what an insert costs under it.
#pragma once

#include "kernels/pairing/pairing_policy.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gannet::align {

/// Insert sizes of a read group in forward-reverse orientation; integers only.
struct InsertSizeModel {
    bool valid = false;  ///< false: too few confident pairs, k_fallback_model is used
    int32_t mean_bp = 0;
    int32_t sd_bp = 0;
    int32_t low_bp = 0;  ///< proper pairs have an insert within [low_bp, high_bp]
    int32_t high_bp = 0;
};

using kernels::k_insert_sample_templates;
using kernels::k_min_inserts;
inline constexpr InsertSizeModel k_fallback_model{false, kernels::k_fallback_mean_bp,
                                                  kernels::k_fallback_sd_bp, kernels::k_fallback_low_bp,
                                                  kernels::k_fallback_high_bp};

/// The model of these insert sizes (bp, in any order): quartiles first, then mean and standard deviation of
/// what lies within two interquartile ranges of them. The fallback for fewer than k_min_inserts.
InsertSizeModel estimate_insert_sizes(std::vector<int32_t> inserts);

/// The model itself if it is valid, else the fallback.
InsertSizeModel usable(const InsertSizeModel& model);

/// What an insert of this size costs where a match scores `match`, in 1 / k_score_unit of a score unit. Grows
/// with the distance from the mean in units of the standard deviation, as the op pairing has it.
int32_t insert_penalty(const InsertSizeModel& model, int32_t insert_bp, int32_t match);

}  // namespace gannet::align
