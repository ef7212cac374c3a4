// SPDX-License-Identifier: MIT
// Provides the backends of the op deflate by name, and what they share; callers go through
// deflate_function().
#pragma once

#include "kernels/deflate/deflate.hpp"

namespace gannet::kernels {

void deflate_reference(Stream&, const DeflateBatch& batch, DeflateResults& results);
void deflate_emulated(Stream&, const DeflateBatch& batch, DeflateResults& results);
/// Only in a build with CUDA.
void deflate_cuda(Stream& stream, const DeflateBatch& batch, DeflateResults& results);

namespace deflate {

/// Throws std::invalid_argument where something is not as the contract has it.
void check(const DeflateBatch& batch);

}  // namespace deflate

}  // namespace gannet::kernels
