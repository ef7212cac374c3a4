// SPDX-License-Identifier: MIT
// Provides the seam of a build with the CUDA toolkit.
#include "kernels/cuda/device.hpp"

#include "kernels/banded_sw/banded_sw_backends.hpp"
#include "kernels/cuda/stream.hpp"
#include "kernels/pileup_network/pileup_network_backends.hpp"

namespace gannet::kernels::cuda {

DeviceStatus device_status() { return survey().status; }

std::vector<DeviceInfo> devices() { return survey().devices; }

void limit_memory(uint64_t bytes) { memory_limit() = bytes; }

std::unique_ptr<kernels::Stream> make_stream() { return std::make_unique<Stream>(next_device()); }

BandedSwFunction banded_sw() { return banded_sw_cuda; }
PileupNetworkFunction pileup_network() { return pileup_network_cuda; }

}  // namespace gannet::kernels::cuda
