// SPDX-License-Identifier: MIT
// Provides the batch of the op deflate, its checks, and the choice of its backend.
#include "kernels/cuda/device.hpp"
#include "kernels/deflate/deflate_backends.hpp"
#include "kernels/deflate/deflate_sections.hpp"

#include <stdexcept>
#include <string>

namespace gannet::kernels {

void DeflateBatch::clear() {
    bytes.clear();
    offset.assign(1, 0);
}

void DeflateResults::clear() {
    bytes.clear();
    offset.assign(1, 0);
}

namespace deflate {

void check(const DeflateBatch& batch) {
    constexpr uint64_t k_max_bytes = uint64_t{1} << 31;
    if (batch.bytes.size() > k_max_bytes)
        throw std::invalid_argument("deflate: " + std::to_string(batch.bytes.size()) + " bytes; " +
                                    std::to_string(k_max_bytes) + " are allowed");
    for (size_t k = 0; k < batch.size(); ++k) {
        if (batch.offset[k] > batch.offset[k + 1] || batch.offset[k + 1] > batch.bytes.size() ||
            batch.block(k).size() > k_deflate_max_block)
            throw std::invalid_argument("deflate: block " + std::to_string(k) + " is out of range");
    }
}

}  // namespace deflate

StreamSize deflate_stream_size(uint64_t blocks) {
    constexpr uint32_t k_bytes = k_deflate_max_block;
    const deflate::BatchSections sections(blocks, blocks * deflate::block_words(k_bytes),
                                          blocks * deflate::stream_words(k_bytes));
    return {sections.bytes + deflate::wanted_scratch_bytes(blocks), sections.bytes};
}

DeflateFunction deflate_function(Backend backend) {
    switch (backend) {
        case Backend::reference:
            return deflate_reference;
        case Backend::emulated:
            return deflate_emulated;
        case Backend::cuda:
            return cuda::deflate();
        case Backend::simd:
            break;
    }
    return nullptr;
}

}  // namespace gannet::kernels
