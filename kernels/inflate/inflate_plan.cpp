// SPDX-License-Identifier: MIT
// Provides the places of streams and bytes, and the copies to and from there.
#include "kernels/inflate/inflate_plan.hpp"

#include "kernels/inflate/inflate_backends.hpp"

#include <cstring>

namespace gannet::kernels::inflate {

void WarpPlan::prepare(std::span<const InflateBlock> batch) {
    check(batch);
    blocks_.clear();
    words_ = out_words_ = 0;
    for (const InflateBlock& block : batch) {
        const auto stream_bytes = static_cast<uint32_t>(block.stream.size());
        const auto out_bytes = static_cast<uint32_t>(block.out.size());
        blocks_.push_back({words_, stream_bytes, out_words_, out_bytes, block.crc32});
        words_ += stream_words(stream_bytes);
        out_words_ += inflate::out_words(out_bytes);
    }
}

void WarpPlan::fill(std::span<const InflateBlock> batch, uint32_t* words) const {
    for (size_t k = 0; k < blocks_.size(); ++k) {
        const BlockPlace& place = blocks_[k];
        if (place.stream_bytes == 0) continue;
        uint32_t* const own = words + place.first_word;
        own[stream_words(place.stream_bytes) - 1] = 0;
        std::memcpy(own, batch[k].stream.data(), place.stream_bytes);
    }
}

void WarpPlan::collect(const uint32_t* statuses, const uint32_t* out, std::span<const InflateBlock> batch,
                       std::vector<InflateStatus>& results) const {
    results.clear();
    for (size_t k = 0; k < blocks_.size(); ++k) {
        const BlockPlace& place = blocks_[k];
        const auto status = static_cast<InflateStatus>(statuses[k]);
        if (status == InflateStatus::ok && place.out_bytes > 0)
            std::memcpy(batch[k].out.data(), out + place.first_out_word, place.out_bytes);
        results.push_back(status);
    }
}

}  // namespace gannet::kernels::inflate
