// SPDX-License-Identifier: MIT
// Provides the answers of a build without the CUDA toolkit.
#include "kernels/cuda/device.hpp"
#include "kernels/cuda/device_choice.hpp"

namespace gannet::kernels::cuda {

DeviceStatus device_status() { return {false, "this build has no CUDA backend"}; }

std::vector<DeviceInfo> devices() { return {}; }

void use_devices(const std::vector<std::string>& references) {
    choose_devices({}, references, device_status());
}

void set_environment() {}

void prepare_devices() { throw DeviceUnfit(device_status().detail); }

std::string build_text() { return {}; }

std::string self_test_identity() { return {}; }

std::vector<DeviceInfo> devices_in_use() { return {}; }

void limit_memory(uint64_t) {}

std::vector<std::unique_ptr<Stream>> make_streams(size_t, const StreamSize&) {
    throw DeviceUnfit(device_status().detail);
}

MemoryUse memory_use() { return {}; }

uint64_t usable_bytes(const DeviceInfo&) { throw DeviceUnfit(device_status().detail); }

CopyRates measure_copies(const DeviceInfo&, uint64_t) { throw DeviceUnfit(device_status().detail); }

BandedSwFunction banded_sw() { return nullptr; }
BandedSwWindowsFunction banded_sw_windows() { return nullptr; }
PileupNetworkFunction pileup_network() { return nullptr; }
FindCandidatesFunction find_candidates() { return nullptr; }
RescueFunction rescue() { return nullptr; }
PairingFunction pairing() { return nullptr; }
PairHmmFunction pair_hmm() { return nullptr; }
DeflateFunction deflate() { return nullptr; }
InflateFunction inflate() { return nullptr; }

std::unique_ptr<Resident> make_resident(const SeedIndexView&, const GenomeView&) {
    throw DeviceUnfit(device_status().detail);
}

}  // namespace gannet::kernels::cuda
