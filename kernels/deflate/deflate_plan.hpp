// SPDX-License-Identifier: MIT
// Provides the host's side of the device schedule of the op deflate: where blocks and streams lie, and the
// collection of the streams. There is no CUDA in here: the backend `emulated` uses it too.
#pragma once

#include "kernels/deflate/deflate.hpp"
#include "kernels/deflate/deflate_warps.hpp"

#include <cstdint>
#include <vector>

namespace gannet::kernels::deflate {

/// Reused from batch to batch.
class WarpPlan {
  public:
    /// Throws as check().
    void prepare(const DeflateBatch& batch);
    const std::vector<BlockPlace>& blocks() const { return blocks_; }
    uint64_t words() const { return words_; }
    uint64_t stream_words() const { return stream_words_; }
    /// Writes the blocks into words().
    void fill(const DeflateBatch& batch, uint64_t* words) const;
    /// What the warps left, in the order of the blocks.
    void collect(const uint32_t* stream_bytes, const uint32_t* streams, DeflateResults& results) const;

  private:
    std::vector<BlockPlace> blocks_;
    uint32_t words_ = 0;
    uint32_t stream_words_ = 0;
};

}  // namespace gannet::kernels::deflate
