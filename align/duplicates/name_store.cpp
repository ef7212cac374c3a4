// SPDX-License-Identifier: MIT
// Provides the coding of names by their difference to the name before.
#include "align/duplicates/name_store.hpp"

#include <algorithm>

namespace gannet::align::duplicates {

void NameBlock::add(uint64_t ordinal, std::string_view name, uint16_t read_group) {
    if (bytes.empty()) first = last = ordinal;
    const bool other_group = read_group != previous_group_;
    for (uint64_t step = (ordinal - last) << 1 | static_cast<uint64_t>(other_group);; step >>= 7) {
        if (step < 128) {
            bytes.push_back(static_cast<uint8_t>(step));
            break;
        }
        bytes.push_back(static_cast<uint8_t>(step | 128));
    }
    if (other_group) {
        bytes.push_back(static_cast<uint8_t>(read_group));
        bytes.push_back(static_cast<uint8_t>(read_group >> 8));
        previous_group_ = read_group;
    }
    size_t shared = 0;
    while (shared < previous_.size() && shared < name.size() && previous_[shared] == name[shared]) ++shared;
    const std::string_view rest = name.substr(shared);
    if (!has_colon) has_colon = rest.find(':') != std::string_view::npos;
    bytes.push_back(static_cast<uint8_t>(shared));  // names of BAM records have at most 254 characters
    bytes.push_back(static_cast<uint8_t>(rest.size()));
    bytes.insert(bytes.end(), rest.begin(), rest.end());
    previous_.assign(name);
    last = ordinal;
}

void NameStore::add(NameBlock&& block) {
    if (block.empty()) return;
    block.bytes.shrink_to_fit();
    held_bytes_ += block.bytes.size() + sizeof(NameBlock);
    if (block.has_colon) has_colons_ = true;
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
    state.put(has_colons());
    state.put(uint64_t{blocks_.size()});
    for (const NameBlock& block : blocks_) {
        state.put(block.first);
        state.put(block.last);
        state.put(block.extent);
    }
}

void NameStore::restore(data::StateReader& state, std::vector<sort::SpillExtent>& extents) {
    has_colons_ = state.get<bool>();
    for (auto count = state.get<uint64_t>(); count > 0; --count) {
        NameBlock& block = blocks_.emplace_back();
        block.first = state.get<uint64_t>();
        block.last = state.get<uint64_t>();
        block.extent = state.get<sort::SpillExtent>();
        extents.push_back(block.extent);
    }
    held_bytes_ += blocks_.size() * sizeof(NameBlock);
}

void NameStore::end_input() {
    std::sort(blocks_.begin(), blocks_.end(),
              [](const NameBlock& a, const NameBlock& b) { return a.first < b.first; });
}

void NameStore::for_each(const std::vector<uint64_t>& ordinals, const sort::SpillFile& file,
                         const std::function<void(const StoredName&)>& visit) const {
    if (ordinals.empty()) return;
    std::vector<uint8_t> spilled;
    std::string name;
    size_t index = 0;
    auto block = std::lower_bound(blocks_.begin(), blocks_.end(), ordinals[0],
                                  [](const NameBlock& a, uint64_t ordinal) { return a.last < ordinal; });
    for (; block != blocks_.end() && index < ordinals.size(); ++block) {
        if (block->last < ordinals[index]) continue;
        const std::vector<uint8_t>* bytes = &block->bytes;
        if (bytes->empty()) {
            spilled.resize(block->extent.size_bytes);
            file.read(block->extent, spilled);
            bytes = &spilled;
        }
        name.clear();
        uint64_t ordinal = block->first;
        uint16_t read_group = 0;
        for (size_t at = 0; at < bytes->size() && index < ordinals.size();) {
            const uint8_t* const data = bytes->data();
            uint64_t step = 0;
            unsigned shift = 0;
            for (; at < bytes->size() && data[at] >= 128 && shift < 63; ++at, shift += 7)
                step |= static_cast<uint64_t>(data[at] & 127) << shift;
            // Blocks of a checkpoint that was changed may hold anything.
            if (at == bytes->size()) file.fail_damaged();
            step |= static_cast<uint64_t>(data[at++]) << shift;
            ordinal += step >> 1;
            if ((step & 1) != 0) {
                if (bytes->size() - at < 2) file.fail_damaged();
                read_group = static_cast<uint16_t>(data[at] | data[at + 1] << 8);
                at += 2;
            }
            if (bytes->size() - at < 2 || bytes->size() - at - 2 < data[at + 1]) file.fail_damaged();
            name.resize(data[at]);
            name.append(reinterpret_cast<const char*>(data + at + 2), data[at + 1]);
            at += 2 + size_t{data[at + 1]};
            if (ordinal == ordinals[index]) visit({index++, name, read_group});
        }
    }
    if (index != ordinals.size()) file.fail_damaged();
}

std::vector<std::string> NameStore::find(const std::vector<uint64_t>& ordinals,
                                         const sort::SpillFile& file) const {
    std::vector<std::string> names;
    names.reserve(ordinals.size());
    for_each(ordinals, file, [&](const StoredName& found) { names.emplace_back(found.name); });
    return names;
}

}  // namespace gannet::align::duplicates
