// SPDX-License-Identifier: MIT
// Provides the host's side of the device schedule of the op inflate: where streams and bytes lie, and the
// copies to and from there. There is no CUDA in here: the backend `emulated` uses it too.
#pragma once

#include "kernels/inflate/inflate.hpp"
#include "kernels/inflate/inflate_warps.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace gannet::kernels::inflate {

/// Reused from batch to batch.
class WarpPlan {
  public:
    /// Throws as check().
    void prepare(std::span<const InflateBlock> batch);
    const std::vector<BlockPlace>& blocks() const { return blocks_; }
    uint64_t words() const { return words_; }
    uint64_t out_words() const { return out_words_; }
    /// Writes the streams into words().
    void fill(std::span<const InflateBlock> batch, uint32_t* words) const;
    /// What the warps left.
    void collect(const uint32_t* statuses, const uint32_t* out, std::span<const InflateBlock> batch,
                 std::vector<InflateStatus>& results) const;

  private:
    std::vector<BlockPlace> blocks_;
    uint32_t words_ = 0;
    uint32_t out_words_ = 0;
};

}  // namespace gannet::kernels::inflate
