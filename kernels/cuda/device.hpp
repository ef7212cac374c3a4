// SPDX-License-Identifier: MIT
// Provides the seam to CUDA devices, free of CUDA types: the devices, their streams, and the ops that
// have a kernel.
//
// All of it is defined in one object, so that a program that defines these functions itself gets its own
// instead: kernels/cuda/no_device.cpp in a build without the toolkit, kernels/cuda/device.cpp in one with it,
// and a fake in tests.
#pragma once

#include "kernels/banded_sw/banded_sw.hpp"
#include "kernels/deflate/deflate.hpp"
#include "kernels/find_candidates/find_candidates.hpp"
#include "kernels/inflate/inflate.hpp"
#include "kernels/pair_hmm/pair_hmm.hpp"
#include "kernels/pairing/pairing.hpp"
#include "kernels/pileup_network/pileup_network.hpp"
#include "kernels/rescue/rescue.hpp"
#include "kernels/resident.hpp"
#include "kernels/stream.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace gannet::kernels::cuda {

/// Whether the backend `cuda` can run here, on the devices that use_devices() chose. What the driver shows is
/// determined once per process.
struct DeviceStatus {
    bool usable = false;
    std::string detail;  ///< the device, or why there is none
};
DeviceStatus device_status();

/// Versions of driver and runtime, and for which devices this build has code, one line. Empty in a build
/// without the toolkit.
std::string build_text();

/// What the outcome of a self-test holds for, one line: versions of driver and runtime, and the devices in
/// use. Empty where there is none, or none that could fail it.
std::string self_test_identity();

/// A device that the driver reports, usable or not.
struct DeviceInfo {
    int ordinal = 0;
    std::string name;
    std::string uuid;  ///< as `nvidia-smi -L` prints it: GPU-..., of a MIG instance MIG-...; empty: not known
    int capability_major = 0;
    int capability_minor = 0;
    uint64_t memory_bytes = 0;
    int multiprocessors = 0;
    std::string unfit;  ///< empty, or why gannet cannot use it
};
std::vector<DeviceInfo> devices();

/// From now on only these devices are used, in this order: ordinals, or UUIDs, of which a beginning that no
/// other device has is enough. To be called before the first stream is made. Throws DeviceUnfit where one is
/// not there, is unfit or is named twice.
void use_devices(const std::vector<std::string>& references);

/// Those that are used: what use_devices() chose, else all that are fit.
std::vector<DeviceInfo> devices_in_use();

/// Sets what the driver reads of the environment when it starts. To be called before any other of these is
/// from a second thread, since others may read the environment then.
void set_environment();

/// Makes the contexts of the devices in use, which whoever needs them first does else. Throws as
/// make_streams().
void prepare_devices();

/// Limits the memory that gannet takes of each device; 0 means most of what is free. To be called before the
/// first stream is made.
void limit_memory(uint64_t bytes);

/// Queues on the usable devices, dealt out to these in turn; each then takes the memory of `size`. Throws
/// DeviceUnfit, DeviceOutOfMemory.
std::vector<std::unique_ptr<Stream>> make_streams(size_t count, const StreamSize& size);

/// Memory that the streams of this process have taken so far.
struct MemoryUse {
    struct OfDevice {
        DeviceInfo device;
        uint64_t limit_bytes = 0;
        uint64_t most_bytes = 0;      ///< at any time
        uint64_t resident_bytes = 0;  ///< of these, of the resident index and genome, at any time
        uint64_t growths = 0;  ///< batches for which a stream's memory had to be made larger, after its first
    };
    std::vector<OfDevice> devices;  ///< in use
    uint64_t most_pinned_bytes = 0;
    uint64_t pinned_growths = 0;
    bool registers_pinned = true;  ///< false: the driver refused pages of gannet's own, and made others
};
MemoryUse memory_use();

/// Bytes of a device that gannet would take: most of what is free now, within limit_memory(). Throws
/// DeviceUnfit.
uint64_t usable_bytes(const DeviceInfo& device);

/// Bytes per second of copies of `bytes` between pinned memory and a device, and within it (read and written
/// counted once each), by the device's own clock; the best of some rounds. Throws DeviceUnfit,
/// DeviceOutOfMemory.
struct CopyRates {
    double to_device = 0;
    double from_device = 0;
    double on_device = 0;
};
CopyRates measure_copies(const DeviceInfo& device, uint64_t bytes);

/// Ops on the device, for streams of make_streams(): a call only prepares (kernels/stream.hpp), and its
/// arguments must stay as they are until wait() has returned, which is when the results are valid. nullptr
/// where an op has no kernel. find_candidates, rescue, pairing and banded_sw_windows are given what
/// make_resident() has copied.
BandedSwFunction banded_sw();
BandedSwWindowsFunction banded_sw_windows();
PileupNetworkFunction pileup_network();
FindCandidatesFunction find_candidates();
RescueFunction rescue();
PairingFunction pairing();
PairHmmFunction pair_hmm();
DeflateFunction deflate();
InflateFunction inflate();

/// As kernels::make_resident().
std::unique_ptr<Resident> make_resident(const SeedIndexView& index, const GenomeView& genome);

}  // namespace gannet::kernels::cuda
