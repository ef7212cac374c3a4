// SPDX-License-Identifier: MIT
// Provides the places of blocks and streams, and the collection of what the warps left.
#include "kernels/deflate/deflate_plan.hpp"

#include "kernels/deflate/deflate_backends.hpp"

#include <algorithm>
#include <cstring>

namespace gannet::kernels::deflate {

void WarpPlan::prepare(const DeflateBatch& batch) {
    check(batch);
    blocks_.clear();
    words_ = stream_words_ = 0;
    for (size_t k = 0; k < batch.size(); ++k) {
        const auto bytes = static_cast<uint32_t>(batch.block(k).size());
        blocks_.push_back({words_, bytes, stream_words_});
        words_ += block_words(bytes);
        stream_words_ += deflate::stream_words(bytes);
    }
}

void WarpPlan::fill(const DeflateBatch& batch, uint64_t* words) const {
    for (size_t k = 0; k < blocks_.size(); ++k) {
        uint64_t* const own = words + blocks_[k].first_word;
        const uint32_t count = block_words(blocks_[k].bytes);
        std::fill(own + blocks_[k].bytes / sizeof *own, own + count, 0);
        if (blocks_[k].bytes > 0) std::memcpy(own, batch.block(k).data(), blocks_[k].bytes);
    }
}

void WarpPlan::collect(const uint32_t* stream_bytes, const uint32_t* streams, DeflateResults& results) const {
    results.clear();
    for (size_t k = 0; k < blocks_.size(); ++k) {
        const auto* const first = reinterpret_cast<const uint8_t*>(streams + blocks_[k].first_stream_word);
        results.bytes.insert(results.bytes.end(), first, first + stream_bytes[k]);
        results.offset.push_back(static_cast<uint32_t>(results.bytes.size()));
    }
}

}  // namespace gannet::kernels::deflate
