// SPDX-License-Identifier: MIT
// Provides the self-test of devices: their ops against simd's, on a thousand jobs each.
#pragma once

#include "kernels/op_table.hpp"

#include <string>
#include <vector>

namespace gannet::pipeline {

/// Names of the ops of `device` that give other bytes than those of the host, on a stream of each device in
/// use: banded_sw, pair_hmm, pileup_network, deflate and inflate on jobs made at random, and those of the
/// aligner (as "alignment") on reads of a small genome from seeding to records. Empty: none. Takes a second
/// or two. Throws DeviceUnfit, DeviceOutOfMemory; Error(output_failed) where the genome's index cannot be
/// written to `folder`.
std::vector<std::string> differing_ops(const kernels::OpTable& device, const std::string& folder);

}  // namespace gannet::pipeline
