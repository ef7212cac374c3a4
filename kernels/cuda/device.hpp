// SPDX-License-Identifier: MIT
// Provides the seam to CUDA devices, free of CUDA types: the devices, their streams, and the ops that
// have a kernel.
//
// All of it is defined in one object, so that a program that defines these functions itself gets its own
// instead: kernels/cuda/no_device.cpp in a build without the toolkit, kernels/cuda/device.cpp in one with it,
// and a fake in tests.
#pragma once

#include "kernels/banded_sw/banded_sw.hpp"
#include "kernels/pileup_network/pileup_network.hpp"
#include "kernels/stream.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace gannet::kernels::cuda {

/// Whether the backend `cuda` can run here. Determined once per process.
struct DeviceStatus {
    bool usable = false;
    std::string detail;  ///< the device, or why there is none
};
DeviceStatus device_status();

/// A device that the driver reports, usable or not.
struct DeviceInfo {
    int ordinal = 0;
    std::string name;
    int capability_major = 0;
    int capability_minor = 0;
    uint64_t memory_bytes = 0;
    int multiprocessors = 0;
    std::string unfit;  ///< empty, or why gannet cannot use it
};
std::vector<DeviceInfo> devices();

/// Limits the memory that gannet takes of each device; 0 means most of what is free. To be called before the
/// first stream is made.
void limit_memory(uint64_t bytes);

/// A queue on a usable device; several devices are used in turn. Throws DeviceUnfit.
std::unique_ptr<Stream> make_stream();

/// Ops on the device, for streams of make_stream(): a call only enqueues, and its arguments must stay as
/// it is until wait() has returned, which is when the results are valid. nullptr where an op has no kernel.
BandedSwFunction banded_sw();
PileupNetworkFunction pileup_network();

}  // namespace gannet::kernels::cuda
