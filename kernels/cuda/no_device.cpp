// SPDX-License-Identifier: MIT
// Provides the answers of a build without the CUDA toolkit.
#include "kernels/cuda/device.hpp"

namespace gannet::kernels::cuda {

DeviceStatus device_status() { return {false, "this build has no CUDA backend"}; }

std::vector<DeviceInfo> devices() { return {}; }

void limit_memory(uint64_t) {}

std::unique_ptr<Stream> make_stream() { throw DeviceUnfit(device_status().detail); }

BandedSwFunction banded_sw() { return nullptr; }
PileupNetworkFunction pileup_network() { return nullptr; }

}  // namespace gannet::kernels::cuda
