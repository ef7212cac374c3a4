// SPDX-License-Identifier: MIT
// Provides the kernels of all ops on the fake runtime: what nvcc makes of them, translated from PTX, in the
// shared libraries that GANNET_DEVICE_CODE names (by paths with colons between; a later one's kernels take
// the place of an earlier one's).
#include "tests/device/machine.hpp"
#include "tests/unit/kernels/cuda/fake_kernels.hpp"
#include "tests/unit/kernels/cuda/fake_runtime.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <sys/mman.h>

namespace gannet::ptx {
namespace {

/// A block of the device's memory. Its stamps are zeros that take no memory before they are used.
class Tracked {
  public:
    explicit Tracked(uint64_t bytes) : bytes_(bytes) {
        if (!settings().stamps || bytes == 0) return;
        void* const memory = mmap(nullptr, bytes * sizeof(Stamps), PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED) throw std::bad_alloc();
        stamps_ = static_cast<Stamps*>(memory);
    }
    Tracked(const Tracked&) = delete;
    Tracked& operator=(const Tracked&) = delete;
    ~Tracked() {
        if (stamps_ != nullptr) munmap(stamps_, bytes_ * sizeof(Stamps));
    }
    uint64_t bytes() const { return bytes_; }
    Stamps* stamps() const { return stamps_; }

  private:
    uint64_t bytes_;
    Stamps* stamps_ = nullptr;
};

/// What the fake runtime says of the device's memory.
class Memory final : public tests::FakeMemoryWatch {
  public:
    void allocated(const void* memory, uint64_t bytes) override {
        const std::lock_guard lock(mutex_);
        blocks_.emplace(reinterpret_cast<uint64_t>(memory), std::make_unique<Tracked>(bytes));
    }
    void freed(const void* memory) override {
        const std::lock_guard lock(mutex_);
        blocks_.erase(reinterpret_cast<uint64_t>(memory));
    }
    void written(const void* memory, uint64_t bytes) override {
        const Extent extent = of(reinterpret_cast<uint64_t>(memory));
        if (extent.stamps == nullptr) return;
        Stamps* const first = extent.stamps + (reinterpret_cast<uint64_t>(memory) - extent.begin);
        for (uint64_t k = 0; k < bytes; ++k) first[k].written = k_by_host;
    }
    void read(const void* memory, uint64_t bytes) override {
        const Extent extent = of(reinterpret_cast<uint64_t>(memory));
        if (extent.stamps == nullptr) return;
        const uint64_t begin = reinterpret_cast<uint64_t>(memory) - extent.begin;
        for (uint64_t k = 0; k < bytes; ++k) {
            if (extent.stamps[begin + k].written == k_never)
                throw std::runtime_error(
                    "PTX: byte " + std::to_string(begin + k) +
                    " of a block of memory is copied to the host, but nothing has written it");
        }
    }
    Extent of(uint64_t address) {
        const std::lock_guard lock(mutex_);
        auto at = blocks_.upper_bound(address);
        if (at == blocks_.begin()) return {};
        --at;
        const Tracked& block = *at->second;
        if (address - at->first >= block.bytes()) return {};
        return {at->first, at->first + block.bytes(), block.stamps()};
    }

  private:
    std::mutex mutex_;
    std::map<uint64_t, std::unique_ptr<Tracked>> blocks_;
};

Memory& memory() {
    static auto& instance = *new Memory;
    return instance;
}

std::function<void()> execute(const tests::FakeLaunch& launch) {
    const Kernel* const kernel = find_kernel(launch.kernel);
    if (kernel == nullptr) throw std::runtime_error("PTX: no device code of " + launch.kernel);
    std::vector<uint8_t> parameters(kernel->parameter_bytes);
    for (size_t k = 0; k < kernel->parameters.size(); ++k) {
        const auto [offset, bytes] = kernel->parameters[k];
        std::memcpy(parameters.data() + offset, launch.arguments[k], bytes);
    }
    return [kernel, parameters, blocks = launch.blocks, threads = launch.threads,
            shared_bytes = launch.shared_bytes] {
        run_grid(*kernel, blocks, threads, shared_bytes, parameters);
    };
}

void load_device_code() {
    const char* const given = std::getenv("GANNET_DEVICE_CODE");
    if (given == nullptr)
        throw std::runtime_error("GANNET_DEVICE_CODE does not say which device code to run");
    std::string paths = given;
    while (!paths.empty()) {
        const std::string path = paths.substr(0, paths.find(':'));
        paths.erase(0, path.size() + 1);
        if (dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL) == nullptr) throw std::runtime_error(dlerror());
    }
}

}  // namespace

Extent device_extent(uint64_t address) { return memory().of(address); }

}  // namespace gannet::ptx

namespace gannet::tests {

void add_fake_kernels() {
    ptx::load_device_code();
    fake_cuda_runtime().any_kernel = ptx::execute;
    fake_cuda_runtime().watch = &ptx::memory();
    fake_cuda_runtime().major = static_cast<int>(ptx::target_of_kernels() / 10);
}

}  // namespace gannet::tests
