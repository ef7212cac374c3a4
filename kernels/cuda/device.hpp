// SPDX-License-Identifier: MIT
// Provides the seam to CUDA devices, free of CUDA types: what is there, streams, and the ops that have a
// kernel.
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

/// Whether the backend `cuda` can run here. Asked once a process; the answer is kept.
struct DeviceStatus {
    bool usable = false;
    std::string detail;  ///< the device, or why there is none
};
DeviceStatus device_status();

/// A device that the driver shows, fit or not.
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

/// Device memory that gannet may take, a device; 0 is most of what is free. To be said before the first
/// stream is made.
void limit_memory(uint64_t bytes);

/// A queue on a fit device; where there are several they are taken in turn. Throws DeviceUnfit.
std::unique_ptr<Stream> make_stream();

/// Ops on the device, for streams of make_stream(): a call only enqueues, and what it was given must stay as
/// it is until wait() has returned; results are there then. nullptr where an op has no kernel.
BandedSwFunction banded_sw();
PileupNetworkFunction pileup_network();

}  // namespace gannet::kernels::cuda
