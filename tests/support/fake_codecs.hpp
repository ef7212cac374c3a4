// SPDX-License-Identifier: MIT
// Provides what libraries do in place of the ops deflate and inflate on the simulated device.
#pragma once

#include "kernels/deflate/deflate.hpp"
#include "kernels/inflate/inflate.hpp"

#include <libdeflate.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

namespace gannet::tests {

/// Other streams than the op's, of the same blocks: for runs whose bytes do not matter, since the emulated op
/// takes ten times as long.
inline void deflate_by_library(const kernels::DeflateBatch& batch, kernels::DeflateResults& results) {
    struct Free {
        void operator()(libdeflate_compressor* of) const { libdeflate_free_compressor(of); }
    };
    thread_local const std::unique_ptr<libdeflate_compressor, Free> compressor(
        libdeflate_alloc_compressor(1));
    results.clear();
    for (size_t k = 0; k < batch.size(); ++k) {
        const auto block = batch.block(k);
        const size_t begin = results.bytes.size();
        results.bytes.resize(begin + libdeflate_deflate_compress_bound(compressor.get(), block.size()));
        const size_t size =
            libdeflate_deflate_compress(compressor.get(), block.data(), block.size(),
                                        results.bytes.data() + begin, results.bytes.size() - begin);
        results.bytes.resize(begin + size);
        results.offset.push_back(static_cast<uint32_t>(results.bytes.size()));
    }
}

/// The same results as the op's in a tenth of the time, where the stream is good.
inline bool inflate_by_library(const kernels::InflateBlock& block) {
    struct Free {
        void operator()(libdeflate_decompressor* of) const { libdeflate_free_decompressor(of); }
    };
    thread_local const std::unique_ptr<libdeflate_decompressor, Free> decompressor(
        libdeflate_alloc_decompressor());
    std::vector<uint8_t> bytes(block.out.size());
    if (libdeflate_deflate_decompress(decompressor.get(), block.stream.data(), block.stream.size(),
                                      bytes.data(), bytes.size(), nullptr) != LIBDEFLATE_SUCCESS ||
        libdeflate_crc32(0, bytes.data(), bytes.size()) != block.crc32)
        return false;
    std::copy(bytes.begin(), bytes.end(), block.out.begin());
    return true;
}

}  // namespace gannet::tests
