// SPDX-License-Identifier: MIT
// Provides the backends of the op inflate by name, and what they share; callers go through
// inflate_function().
#pragma once

#include "kernels/inflate/inflate.hpp"

namespace gannet::kernels {

void inflate_reference(Stream&, std::span<const InflateBlock> blocks, std::vector<InflateStatus>& statuses);
void inflate_emulated(Stream&, std::span<const InflateBlock> blocks, std::vector<InflateStatus>& statuses);
/// Only in a build with CUDA.
void inflate_cuda(Stream& stream, std::span<const InflateBlock> blocks, std::vector<InflateStatus>& statuses);

namespace inflate {

/// Throws std::invalid_argument where something is not as the contract has it.
void check(std::span<const InflateBlock> blocks);

}  // namespace inflate

}  // namespace gannet::kernels
