// SPDX-License-Identifier: MIT
// Provides an estimate of what a run takes, from the bytes of its reads.
#pragma once

#include "pipeline/jobs/disk_space.hpp"
#include "pipeline/jobs/inputs.hpp"

#include <optional>

namespace gannet::pipeline {

/// CPU seconds that a run takes from reads to the last output on the host's own backend, rather too many;
/// none where a file has no size, or is CRAM, which takes the least bytes of all. For the choice of a
/// backend, where being wrong by a factor of two costs less than half a second.
std::optional<double> estimated_cpu_s(const Inputs& inputs, const InputSizes& sizes);

}  // namespace gannet::pipeline
