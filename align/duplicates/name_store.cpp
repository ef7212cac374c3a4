// SPDX-License-Identifier: MIT
// Provides the coding of names by their difference to the name before.
#include "align/duplicates/name_store.hpp"

#include <algorithm>

namespace gannet::align::duplicates {

void NameBlock::add(uint64_t ordinal, std::string_view name) {
    if (bytes.empty()) first = last = ordinal;
    for (uint64_t step = ordinal - last;; step >>= 7) {
        if (step < 128) {
            bytes.push_back(static_cast<uint8_t>(step));
            break;
        }
        bytes.push_back(static_cast<uint8_t>(step | 128));
    }
    size_t shared = 0;
    while (shared < previous_.size() && shared < name.size() && previous_[shared] == name[shared]) ++shared;
    bytes.push_back(static_cast<uint8_t>(shared));  // names of BAM records have at most 254 characters
    bytes.push_back(static_cast<uint8_t>(name.size() - shared));
    bytes.insert(bytes.end(), name.begin() + static_cast<ptrdiff_t>(shared), name.end());
    previous_.assign(name);
    last = ordinal;
}

void NameStore::add(NameBlock&& block) {
    if (block.empty()) return;
    block.bytes.shrink_to_fit();
    held_bytes_ += block.bytes.size() + sizeof(NameBlock);
    const std::lock_guard lock(mutex_);
    blocks_.push_back(std::move(block));
}

void NameStore::spill(sort::SpillFile& file) {
    const std::lock_guard lock(mutex_);
    for (NameBlock& block : blocks_) {
        if (block.bytes.empty()) continue;
        block.extent = file.write(block.bytes);
        held_bytes_ -= block.bytes.size();
        block.bytes = std::vector<uint8_t>();
    }
}

void NameStore::save(sort::SpillFile& file, data::StateWriter& state) {
    spill(file);
    state.put(uint64_t{blocks_.size()});
    for (const NameBlock& block : blocks_) {
        state.put(block.first);
        state.put(block.last);
        state.put(block.extent);
    }
}

void NameStore::restore(data::StateReader& state, std::vector<sort::SpillExtent>& extents) {
    for (auto count = state.get<uint64_t>(); count > 0; --count) {
        NameBlock& block = blocks_.emplace_back();
        block.first = state.get<uint64_t>();
        block.last = state.get<uint64_t>();
        block.extent = state.get<sort::SpillExtent>();
        extents.push_back(block.extent);
    }
    held_bytes_ += blocks_.size() * sizeof(NameBlock);
}

std::vector<std::string> NameStore::find(const std::vector<uint64_t>& ordinals, const sort::SpillFile& file) {
    std::sort(blocks_.begin(), blocks_.end(),
              [](const NameBlock& a, const NameBlock& b) { return a.first < b.first; });
    std::vector<std::string> names;
    names.reserve(ordinals.size());
    std::vector<uint8_t> spilled;
    auto wanted = ordinals.begin();
    for (const NameBlock& block : blocks_) {
        if (wanted == ordinals.end()) break;
        if (block.last < *wanted) continue;
        const std::vector<uint8_t>* bytes = &block.bytes;
        if (bytes->empty()) {
            spilled.resize(block.extent.size_bytes);
            file.read(block.extent, spilled);
            bytes = &spilled;
        }
        std::string name;
        uint64_t ordinal = block.first;
        for (size_t at = 0; at < bytes->size() && wanted != ordinals.end();) {
            const uint8_t* const data = bytes->data();
            unsigned shift = 0;
            for (; at < bytes->size() && data[at] >= 128 && shift < 63; ++at, shift += 7)
                ordinal += static_cast<uint64_t>(data[at] & 127) << shift;
            // Blocks of a checkpoint that was changed may hold anything.
            if (bytes->size() - at < 3 || bytes->size() - at - 3 < data[at + 2]) file.fail_damaged();
            ordinal += static_cast<uint64_t>(data[at++]) << shift;
            name.resize(data[at]);
            const char* const rest = reinterpret_cast<const char*>(data + at + 2);
            name.append(rest, data[at + 1]);
            at += 2 + size_t{data[at + 1]};
            if (ordinal == *wanted) {
                names.push_back(name);
                ++wanted;
            }
        }
    }
    if (names.size() != ordinals.size()) file.fail_damaged();
    return names;
}

}  // namespace gannet::align::duplicates
