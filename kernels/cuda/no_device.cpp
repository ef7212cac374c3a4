// SPDX-License-Identifier: MIT
// Provides the answers of a build without the CUDA toolkit.
#include "kernels/cuda/device.hpp"

namespace gannet::kernels::cuda {

DeviceStatus device_status() { return {false, "this build has no CUDA backend"}; }

}  // namespace gannet::kernels::cuda
