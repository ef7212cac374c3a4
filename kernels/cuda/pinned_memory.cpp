// SPDX-License-Identifier: MIT
// Provides memory of the host that devices copy to and from without the driver's own staging.
#include "kernels/cuda/pinned_memory.hpp"

#include "kernels/cuda/check.hpp"

#include <utility>

namespace gannet::kernels::cuda {

void* PinnedMemory::allocate_registered(uint64_t bytes) {
    if (!registers_) return nullptr;
    HostPages pages(bytes);
    void* const memory = pages.data();
    if (memory == nullptr) return nullptr;
    // Portable: for the contexts of all devices.
    if (cudaHostRegister(memory, pages.bytes(), cudaHostRegisterPortable) != cudaSuccess) {
        ignore(cudaGetLastError());  // the next launch would report it again
        registers_ = false;
        return nullptr;
    }
    const std::lock_guard lock(mutex_);
    registered_.emplace(memory, std::move(pages));
    return memory;
}

void* PinnedMemory::allocate(uint64_t bytes) {
    if (void* const memory = allocate_registered(bytes); memory != nullptr) return memory;
    void* memory = nullptr;
    const cudaError_t error = cudaHostAlloc(&memory, bytes, cudaHostAllocPortable);
    return memory_or_none(error, memory, "allocation of pinned memory");
}

void PinnedMemory::free(void* memory) noexcept {
    if (memory == nullptr) return;
    {
        const std::lock_guard lock(mutex_);
        if (const auto at = registered_.find(memory); at != registered_.end()) {
            ignore(cudaHostUnregister(memory));  // before its pages go
            registered_.erase(at);
            return;
        }
    }
    ignore(cudaFreeHost(memory));
}

CountedPinnedMemory& pinned_memory() {
    // Never destroyed, as the devices.
    static CountedPinnedMemory& memory =
        *new CountedPinnedMemory{{},
                                 {UINT64_MAX / 2, "host", "pinned memory",
                                  "use fewer --threads or smaller batches, or --backend simd"}};
    return memory;
}

}  // namespace gannet::kernels::cuda
