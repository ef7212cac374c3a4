// SPDX-License-Identifier: MIT
// Provides the parts of one block of memory: an op lays its arrays out in it, so that each way takes one
// copy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace gannet::kernels::cuda {

/// An array in a block of memory, the same in every block with this layout.
template <class T>
struct Section {
    uint64_t begin_bytes = 0;
    uint64_t count = 0;

    T* in(void* block) const { return reinterpret_cast<T*>(static_cast<uint8_t*>(block) + begin_bytes); }
    const T* in(const void* block) const {
        return reinterpret_cast<const T*>(static_cast<const uint8_t*>(block) + begin_bytes);
    }
};

/// Sections one behind the other; each begins on a boundary of k_alignment bytes.
class Layout {
  public:
    static constexpr uint64_t k_alignment = 256;

    template <class T>
    Section<T> add(uint64_t count) {
        const Section<T> section{bytes_, count};
        bytes_ += (count * sizeof(T) + k_alignment - 1) / k_alignment * k_alignment;
        return section;
    }
    template <class T>
    Section<T> add(const std::vector<T>& values) {
        return add<T>(values.size());
    }
    uint64_t bytes() const { return bytes_; }

  private:
    uint64_t bytes_ = 0;
};

/// Copies `values` into their section of a block: as many as that has.
template <class T>
void fill(void* block, const Section<T>& section, const T* values) {
    if (section.count != 0) std::memcpy(section.in(block), values, section.count * sizeof(T));
}
template <class T>
void fill(void* block, const Section<T>& section, const std::vector<T>& values) {
    if (!values.empty()) std::memcpy(section.in(block), values.data(), values.size() * sizeof(T));
}

}  // namespace gannet::kernels::cuda
