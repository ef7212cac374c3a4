// SPDX-License-Identifier: MIT
// Provides the exception of a device that fails for good during a run.
#include "kernels/cuda/lost_device.hpp"

#include "kernels/backend.hpp"

#include <mutex>

namespace gannet::kernels::cuda {

namespace {

/// The first lasting fault of the process: `text` if there was none before.
std::string first_fault(const std::string& text) {
    static std::mutex mutex;
    static std::string first;
    const std::lock_guard lock(mutex);
    if (first.empty()) first = text;
    return first;
}

}  // namespace

void raise_lost_device(const std::string& text) {
    throw DeviceError(
        "the device failed: " + first_fault(text) +
        "; look at nvidia-smi and the kernel's log (Xid), and run again, or give --backend simd");
}

}  // namespace gannet::kernels::cuda
