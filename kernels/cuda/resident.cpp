// SPDX-License-Identifier: MIT
// Provides the upload of seed index and genome to all devices in use.
#include "kernels/cuda/resident.hpp"

#include "kernels/cuda/check.hpp"
#include "kernels/cuda/resident_layout.hpp"

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

/// The memory of a copy; counted by the device's budget.
class Block {
  public:
    Block(Device& device, uint64_t bytes) : device_(device), bytes_(bytes) {
        device.select();
        device.budget.take(bytes, k_what);
        try {
            memory_ = device.memory.allocate(bytes);
            if (memory_ == nullptr) device.budget.report_missing(bytes, k_what);
        } catch (...) {
            device.budget.give_back(bytes);
            throw;
        }
    }
    Block(const Block&) = delete;
    Block& operator=(const Block&) = delete;
    ~Block() {
        ignore(cudaSetDevice(device_.info.ordinal));
        device_.memory.free(memory_);
        device_.budget.give_back(bytes_);
    }
    void* data() const { return memory_; }

  private:
    Device& device_;
    const uint64_t bytes_;
    void* memory_ = nullptr;
};

/// A queue of copies to the device that is selected.
class CopyQueue {
  public:
    CopyQueue() { check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), k_what); }
    CopyQueue(const CopyQueue&) = delete;
    CopyQueue& operator=(const CopyQueue&) = delete;
    ~CopyQueue() { ignore(cudaStreamDestroy(stream_)); }
    void add(void* to, const void* from, uint64_t bytes) {
        check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream_), k_what);
    }
    void wait() { check(cudaStreamSynchronize(stream_), k_what); }

  private:
    cudaStream_t stream_ = nullptr;
};

class DeviceResident final : public Resident {
  public:
    DeviceResident(const SeedIndexView& index, const GenomeView& genome) {
        const ResidentLayout layout(index, genome);
        for (Device* const device : all_devices()) {
            Block& block = *blocks_.emplace_back(std::make_unique<Block>(*device, layout.bytes));
            CopyQueue queue;
            layout.each(index, genome, [&](const auto& section, const auto* from) {
                if (section.count != 0)
                    queue.add(section.in(block.data()), from, section.count * sizeof(*from));
            });
            queue.wait();
            const std::lock_guard lock(copies().mutex);
            copies().all.push_back(
                {this,
                 device,
                 index.words,
                 genome.packed,
                 {layout.index_in(block.data(), index), layout.genome_in(block.data(), genome)}});
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
