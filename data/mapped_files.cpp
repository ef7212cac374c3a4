// SPDX-License-Identifier: MIT
// Provides the list of mapped files.
#include "data/mapped_files.hpp"

#include <array>
#include <atomic>
#include <mutex>

namespace gannet::data {
namespace {

struct Slot {
    std::atomic<uintptr_t> begin{0};  ///< 0: free
    std::atomic<uintptr_t> end{0};
    std::string path;  ///< not changed while the slot is taken
    int descriptor = -1;
    FileState state;
};

/// Never destroyed: signals come at any time.
struct Slots {
    std::mutex mutex;
    std::array<Slot, k_max_mapped_files> slots;
};

Slots& all_slots() {
    static Slots* const slots = new Slots;
    return *slots;
}

}  // namespace

MappedFile::MappedFile(const std::string& path, const void* begin, size_t size_bytes, int descriptor) {
    Slots& all = all_slots();
    const std::lock_guard lock(all.mutex);
    for (int i = 0; i < k_max_mapped_files && slot_ < 0; ++i) {
        Slot& slot = all.slots[static_cast<size_t>(i)];
        if (slot.begin != 0) continue;
        slot_ = i;
        slot.path = path;
        slot.descriptor = descriptor;
        slot.state = FileState::of(descriptor);
        slot.end = reinterpret_cast<uintptr_t>(begin) + size_bytes;
        slot.begin = reinterpret_cast<uintptr_t>(begin);
    }
}

MappedFile::~MappedFile() {
    if (slot_ < 0) return;
    Slots& all = all_slots();
    const std::lock_guard lock(all.mutex);
    all.slots[static_cast<size_t>(slot_)].begin = 0;
}

const char* mapped_file_at(const void* address) noexcept {
    const auto at = reinterpret_cast<uintptr_t>(address);
    for (const Slot& slot : all_slots().slots) {
        const uintptr_t begin = slot.begin;
        if (begin != 0 && at >= begin && at < slot.end) return slot.path.c_str();
    }
    return nullptr;
}

void require_unchanged_mappings() {
    Slots& all = all_slots();
    const std::lock_guard lock(all.mutex);
    for (const Slot& slot : all.slots) {
        if (slot.begin != 0) slot.state.require_unchanged(slot.path, FileState::of(slot.descriptor));
    }
}

}  // namespace gannet::data
