// SPDX-License-Identifier: MIT
// Provides the seam of a build with the CUDA toolkit.
#include "kernels/cuda/device.hpp"

#include "kernels/banded_sw/banded_sw_backends.hpp"
#include "kernels/cuda/device_choice.hpp"
#include "kernels/cuda/resident.hpp"
#include "kernels/cuda/stream.hpp"
#include "kernels/deflate/deflate_backends.hpp"
#include "kernels/find_candidates/find_candidates_backends.hpp"
#include "kernels/inflate/inflate_backends.hpp"
#include "kernels/pair_hmm/pair_hmm_backends.hpp"
#include "kernels/pairing/pairing_backends.hpp"
#include "kernels/pileup_network/pileup_network_backends.hpp"
#include "kernels/rescue/rescue_backends.hpp"

#include <iterator>

namespace gannet::kernels::cuda {

DeviceStatus device_status() {
    return chosen_devices().empty() ? survey().status : status_of(chosen_devices());
}

std::vector<DeviceInfo> devices() { return survey().devices; }

void use_devices(const std::vector<std::string>& references) {
    chosen_devices() = choose_devices(survey().devices, references, survey().status);
}

std::vector<DeviceInfo> devices_in_use() { return used_of(survey().devices, chosen_devices()); }

void set_environment() { ask_for_connections(); }

void prepare_devices() { (void)all_devices(); }

std::string build_text() { return survey().versions + "; " GANNET_CUDA_CODE; }

std::string self_test_identity() {
    std::string text = survey().versions;
    for (const DeviceInfo& device : devices_in_use()) text += ", " + device.uuid;
    return devices_in_use().empty() ? std::string() : text;
}

void limit_memory(uint64_t bytes) { memory_limit() = bytes; }

std::vector<std::unique_ptr<kernels::Stream>> make_streams(size_t count, const StreamSize& size) {
    std::vector<std::unique_ptr<Stream>> streams(count);
    // All are known to the budgets before the first of them takes its share.
    for (auto& stream : streams) stream = std::make_unique<Stream>(next_device());
    for (const auto& stream : streams) stream->start(size);
    return {std::make_move_iterator(streams.begin()), std::make_move_iterator(streams.end())};
}

MemoryUse memory_use() {
    MemoryUse use;
    for (const Device* device : devices_made()) {
        use.devices.push_back({device->info, device->budget.total_bytes(), device->budget.most_used_bytes(),
                               device->budget.most_common_bytes(), device->memory.growths()});
    }
    use.most_pinned_bytes = pinned_memory().budget.most_used_bytes();
    use.pinned_growths = pinned_memory().source.growths();
    use.registers_pinned = pinned_memory().source.registers();
    return use;
}

uint64_t usable_bytes(const DeviceInfo& device) {
    if (!device.unfit.empty()) throw DeviceUnfit(device.name + ": " + device.unfit);
    return usable_memory(free_memory(device), memory_limit());
}

BandedSwFunction banded_sw() { return banded_sw_cuda; }
BandedSwWindowsFunction banded_sw_windows() { return banded_sw_windows_cuda; }
PileupNetworkFunction pileup_network() { return pileup_network_cuda; }
FindCandidatesFunction find_candidates() { return find_candidates_cuda; }
RescueFunction rescue() { return rescue_cuda; }
PairingFunction pairing() { return pairing_cuda; }
PairHmmFunction pair_hmm() { return pair_hmm_cuda; }
DeflateFunction deflate() { return deflate_cuda; }
InflateFunction inflate() { return inflate_cuda; }

std::unique_ptr<Resident> make_resident(const SeedIndexView& index, const GenomeView& genome) {
    return upload(index, genome);
}

}  // namespace gannet::kernels::cuda
