// SPDX-License-Identifier: MIT
// Provides the upload of seed index and genome to all devices in use.
#include "kernels/cuda/resident.hpp"

#include "kernels/cuda/check.hpp"
#include "kernels/cuda/resident_layout.hpp"
#include "kernels/cuda/staged_upload.hpp"

#include <algorithm>
#include <mutex>
#include <stdexcept>
#include <vector>

namespace gannet::kernels::cuda {

namespace {

constexpr const char* k_what = "the resident index and reference";

/// A copy on one device; known by the addresses of what it was copied from.
struct Copy {
    const Resident* owner = nullptr;
    const Device* device = nullptr;
    const SeedEntry* words = nullptr;
    const uint64_t* packed = nullptr;
    ResidentViews views;
};

struct Copies {
    std::mutex mutex;
    std::vector<Copy> all;
};

Copies& copies() {
    static Copies& instance = *new Copies;  // never destroyed, as the devices
    return instance;
}

/// The memory of a copy.
class Block {
  public:
    Block(Device& device, uint64_t bytes)
        : device_(select(device)), block_(device.memory, device.budget, bytes, k_what) {}
    ~Block() { ignore(cudaSetDevice(device_.info.ordinal)); }
    Block(const Block&) = delete;
    Block& operator=(const Block&) = delete;
    void* data() const { return block_.data(); }

  private:
    static Device& select(Device& device) {
        device.select();
        return device;
    }

    Device& device_;
    const CountedBlock block_;  // allocated and freed with the device selected
};

class DeviceResident final : public Resident {
  public:
    DeviceResident(const SeedIndexView& index, const GenomeView& genome) {
        const ResidentLayout layout(index, genome);
        const std::vector<Device*> devices = all_devices();
        for (Device* const device : devices)
            blocks_.push_back(std::make_unique<Block>(*device, layout.bytes));
        StagedUpload upload(devices, k_what);
        layout.each(index, genome, [&](const auto& section, const auto* from) {
            std::vector<void*> to;
            for (const auto& block : blocks_) to.push_back(section.in(block->data()));
            upload.add(to, from, section.count * sizeof(*from));
        });
        upload.finish();
        const std::lock_guard lock(copies().mutex);
        for (size_t i = 0; i < devices.size(); ++i) {
            void* const block = blocks_[i]->data();
            copies().all.push_back({this,
                                    devices[i],
                                    index.words,
                                    genome.packed,
                                    {layout.index_in(block, index), layout.genome_in(block, genome)}});
        }
    }
    ~DeviceResident() override {
        const std::lock_guard lock(copies().mutex);
        std::erase_if(copies().all, [this](const Copy& copy) { return copy.owner == this; });
    }

  private:
    std::vector<std::unique_ptr<Block>> blocks_;
};

}  // namespace

ResidentViews resident_views(const Device& device, const SeedIndexView& index, const GenomeView& genome) {
    const std::lock_guard lock(copies().mutex);
    for (const Copy& copy : copies().all) {
        if (copy.device == &device && copy.words == index.words && copy.packed == genome.packed)
            return copy.views;
    }
    throw std::logic_error("an op was given an index and a genome that are not resident on its device");
}

GenomeView resident_genome(const Device& device, const GenomeView& genome) {
    const std::lock_guard lock(copies().mutex);
    for (const Copy& copy : copies().all) {
        if (copy.device == &device && copy.packed == genome.packed) return copy.views.genome;
    }
    throw std::logic_error("an op was given a genome that is not resident on its device");
}

std::unique_ptr<Resident> upload(const SeedIndexView& index, const GenomeView& genome) {
    return std::make_unique<DeviceResident>(index, genome);
}

}  // namespace gannet::kernels::cuda
