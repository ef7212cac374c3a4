// SPDX-License-Identifier: MIT
// Provides the absolute grid of calling windows, and the feeder that turns a sorted stream of records into
// windows with padding.
#pragma once

#include "data/record.hpp"
#include "data/reference.hpp"
#include "data/regions.hpp"

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

namespace gannet::variants {

inline constexpr int64_t k_window_bp = 8192;  ///< windows begin at multiples of it on every contig
/// A window also gets the records this far outside it, so that neighbouring windows see the same reads.
inline constexpr int64_t k_window_padding_bp = 1024;

/// Records of a sorted stream, kept in memory while any window uses them.
struct RecordChunk {
    std::vector<uint8_t> bytes;
    std::vector<data::RecordEntry> entries;  ///< sorted by contig, position
};

/// The reads of one window: all that overlap [begin - padding, end + padding), in stream order.
struct WindowReads {
    uint64_t ordinal = 0;                                    ///< 0, 1, 2, ... in this run
    data::Region window;                                     ///< grid cell cut to the contig
    std::vector<std::shared_ptr<const RecordChunk>> chunks;  ///< that hold the bytes of `records`
    std::vector<data::RecordView> records;
};

/// Serial. push() takes chunks in sorted order and emits each window once no further record can overlap it;
/// finish() emits the rest. Windows without records are not emitted. Unmapped, secondary, QC-fail and
/// duplicate records are dropped here.
class WindowFeeder {
  public:
    using Emit = std::function<void(WindowReads&&)>;
    /// `regions` empty: the whole reference. Only windows overlapping a region are emitted.
    WindowFeeder(const data::Reference& reference, data::RegionSet regions, Emit emit);
    ~WindowFeeder();
    void push(std::shared_ptr<const RecordChunk> chunk);
    void finish();

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace gannet::variants
