// SPDX-License-Identifier: MIT
// Provides chunks of records whose memory is used again.
#pragma once

#include "variants/reads/windows.hpp"

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace gannet::pipeline::stages {

/// Empty chunks that have the memory of chunks that are no longer used: a page that the system gives for the
/// first time costs 2 to 5 us of CPU (measured on virtual machines), more than sorting the records that it
/// holds. There are as many as were in use at a time. Thread-safe.
class ChunkPool {
  public:
    /// A chunk that grew beyond it, as pile-ups do, is freed.
    static constexpr size_t k_max_kept_bytes = size_t{32} << 20;

    /// Empty. It comes back to the pool with its last owner, who may outlive the pool.
    std::shared_ptr<variants::RecordChunk> take() {
        std::unique_ptr<variants::RecordChunk> chunk;
        {
            const std::lock_guard lock(idle_->mutex);
            if (!idle_->chunks.empty()) {
                chunk = std::move(idle_->chunks.back());
                idle_->chunks.pop_back();
            }
        }
        if (!chunk) chunk = std::make_unique<variants::RecordChunk>();
        return {chunk.release(), [idle = idle_](variants::RecordChunk* of) {
                    std::unique_ptr<variants::RecordChunk> back(of);
                    if (back->bytes.capacity() > k_max_kept_bytes) return;
                    back->bytes.clear();
                    back->entries.clear();
                    const std::lock_guard lock(idle->mutex);
                    idle->chunks.push_back(std::move(back));
                }};
    }

  private:
    struct Idle {
        std::mutex mutex;
        std::vector<std::unique_ptr<variants::RecordChunk>> chunks;
    };
    std::shared_ptr<Idle> idle_ = std::make_shared<Idle>();
};

}  // namespace gannet::pipeline::stages
