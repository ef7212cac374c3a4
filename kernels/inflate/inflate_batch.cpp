// SPDX-License-Identifier: MIT
// Provides the checks of the op inflate, and the choice of its backend.
#include "kernels/cuda/device.hpp"
#include "kernels/inflate/inflate_backends.hpp"
#include "kernels/inflate/inflate_sections.hpp"

#include <stdexcept>
#include <string>

namespace gannet::kernels {

namespace inflate {

void check(std::span<const InflateBlock> blocks) {
    constexpr uint64_t k_most = uint64_t{1} << 31;
    uint64_t in = 0;
    uint64_t out = 0;
    for (size_t k = 0; k < blocks.size(); ++k) {
        if (blocks[k].stream.size() > k_inflate_max_bytes || blocks[k].out.size() > k_inflate_max_bytes)
            throw std::invalid_argument("inflate: block " + std::to_string(k) + " is too large");
        in += blocks[k].stream.size();
        out += blocks[k].out.size();
    }
    if (in > k_most || out > k_most)
        throw std::invalid_argument("inflate: " + std::to_string(std::max(in, out)) + " bytes; " +
                                    std::to_string(k_most) + " are allowed");
}

}  // namespace inflate

StreamSize inflate_stream_size(uint64_t blocks, uint64_t stream_bytes, uint64_t out_bytes) {
    // Each begins at a word of its own, and ends in whole sectors.
    const inflate::BatchSections sections(blocks, stream_bytes / sizeof(uint32_t) + blocks,
                                          out_bytes / sizeof(uint32_t) + blocks * inflate::out_words(1));
    return {sections.bytes, sections.bytes};
}

InflateFunction inflate_function(Backend backend) {
    switch (backend) {
        case Backend::reference:
            return inflate_reference;
        case Backend::emulated:
            return inflate_emulated;
        case Backend::cuda:
            return cuda::inflate();
        case Backend::simd:
            break;
    }
    return nullptr;
}

}  // namespace gannet::kernels
