// SPDX-License-Identifier: MIT
// Provides the question whether a fit CUDA device is there, in a build with CUDA and in one without.
#pragma once

#include <string>

namespace gannet::kernels::cuda {

struct DeviceStatus {
    bool usable = false;
    std::string detail;  ///< the device, or why there is none
};

DeviceStatus device_status();

}  // namespace gannet::kernels::cuda
