// SPDX-License-Identifier: MIT
// Provides the move of an index to huge pages, beside whoever reads it.
#pragma once

#include "align/index/mapping.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <thread>

namespace gannet::align {

/// Goes through the mapping once, in a thread of its own, and copies into huge pages what the file system
/// keeps in small ones: all of it where it has no huge pages for files, and what was in memory before the
/// run in the size in which it was first read or written. What is huge already stays, shared with other
/// processes. Nobody has to wait, and no address changes. Memory: at most the size of the file, in place of
/// its mapped pages. Where the file system can have huge pages, the small ones leave the page cache, so that
/// the next run finds huge ones. Stops, and leaves the rest, where huge pages cannot be had.
class HugePages {
  public:
    /// `done`: called in that thread at the end with the bytes that were copied, unless it was stopped.
    /// Without a thread (ulimit -u) nothing is copied.
    explicit HugePages(std::shared_ptr<const IndexMapping> mapping,
                       std::function<void(uint64_t copied_bytes)> done = {});
    /// Stops within a piece; what was copied stays as long as the mapping.
    ~HugePages() = default;
    HugePages(const HugePages&) = delete;
    HugePages& operator=(const HugePages&) = delete;

    void wait();

    static constexpr uint64_t k_piece_bytes = uint64_t{32} << 20;

  private:
    void move(const std::stop_token& stop) const;

    std::shared_ptr<const IndexMapping> mapping_;
    std::function<void(uint64_t)> done_;
    std::jthread thread_;
};

}  // namespace gannet::align
