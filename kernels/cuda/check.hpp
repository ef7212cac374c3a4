// SPDX-License-Identifier: MIT
// Provides the check of every call to the CUDA runtime: an error becomes an exception that says where, in
// which operation, and what helps.
#pragma once

#include <cuda_runtime_api.h>

#include <source_location>

namespace gannet::kernels::cuda {

/// Throws DeviceOutOfMemory, DeviceUnfit (no device, driver too old, no code for it) or DeviceError (all
/// else); what() is one line: operation, CUDA's name and text of the error, file and line, what to do.
[[noreturn]] void raise(cudaError_t error, const char* operation, std::source_location where);

/// `operation` says what was tried, such as "banded_sw: copy of the jobs".
inline void check(cudaError_t error, const char* operation,
                  std::source_location where = std::source_location::current()) {
    if (error != cudaSuccess) [[unlikely]]
        raise(error, operation, where);
}

/// `memory` of an allocation; nullptr where the driver has not so much. Throws for all other errors.
void* memory_or_none(cudaError_t error, void* memory, const char* operation,
                     std::source_location where = std::source_location::current());

/// For destructors: what cannot be thrown is left to the next check.
inline void ignore(cudaError_t) noexcept {}

}  // namespace gannet::kernels::cuda
