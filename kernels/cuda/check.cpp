// SPDX-License-Identifier: MIT
// Provides the exceptions that CUDA's errors become.
#include "kernels/cuda/check.hpp"

#include "kernels/backend.hpp"
#include "kernels/cuda/lost_device.hpp"

#include <string>

namespace gannet::kernels::cuda {

namespace {

enum class Fault { memory, unfit, passing, lasting };

Fault fault_of(cudaError_t error) {
    switch (error) {
        case cudaErrorMemoryAllocation:
            return Fault::memory;
        case cudaErrorNoDevice:
        case cudaErrorInsufficientDriver:
        case cudaErrorInvalidDevice:
        case cudaErrorNoKernelImageForDevice:
        case cudaErrorInvalidKernelImage:
        case cudaErrorUnsupportedPtxVersion:
        case cudaErrorJitCompilerNotFound:
        case cudaErrorDevicesUnavailable:
        case cudaErrorSystemDriverMismatch:
        case cudaErrorCompatNotSupportedOnDevice:
        case cudaErrorSystemNotReady:
        case cudaErrorInitializationError:
            return Fault::unfit;
        case cudaErrorInvalidValue:
        case cudaErrorInvalidConfiguration:
        case cudaErrorLaunchOutOfResources:
            return Fault::passing;
        default:
            return Fault::lasting;
    }
}

std::string describe(cudaError_t error, const char* operation, const std::source_location& where) {
    int ordinal = 0;
    const bool is_known = cudaGetDevice(&ordinal) == cudaSuccess;
    return std::string(operation) + (is_known ? " on device " + std::to_string(ordinal) : "") +
           " failed: " + cudaGetErrorString(error) + " (" + cudaGetErrorName(error) + ", " +
           where.file_name() + ":" + std::to_string(where.line()) + ")";
}

}  // namespace

void raise(cudaError_t error, const char* operation, std::source_location where) {
    // What is not lasting would else be reported again by the next launch.
    ignore(cudaGetLastError());
    const std::string text = describe(error, operation, where);
    switch (fault_of(error)) {
        case Fault::memory:
            throw DeviceOutOfMemory("the device is out of memory: " + text +
                                    "; free it of other programs, or give --backend simd");
        case Fault::unfit:
            throw DeviceUnfit("the device cannot be used: " + text +
                              "; see `gannet devices`, or give --backend simd");
        case Fault::passing:
            throw DeviceError("the device refused work: " + text + "; give --backend simd, and report this");
        case Fault::lasting:
            break;
    }
    raise_lost_device(text);
}

void* memory_or_none(cudaError_t error, void* memory, const char* operation, std::source_location where) {
    if (error == cudaSuccess) return memory;
    // It would else be reported again by the next launch.
    ignore(cudaGetLastError());
    if (error != cudaErrorMemoryAllocation) check(error, operation, where);
    return nullptr;
}

}  // namespace gannet::kernels::cuda
