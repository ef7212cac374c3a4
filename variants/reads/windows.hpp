// SPDX-License-Identifier: MIT
// Provides the absolute grid of calling windows, and the feeder that turns a sorted stream of records into
// windows with padding.
#pragma once

#include "data/record.hpp"
#include "data/reference.hpp"
#include "data/regions.hpp"
#include "variants/model/reads.hpp"
#include "variants/reads/window_cut.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace gannet::variants {

/// Windows begin at multiples of it on every contig.
inline constexpr int64_t k_window_bp = reads_number("window_bp");
/// A window also gets the records this far outside it, so that neighbouring windows see the same reads.
inline constexpr int64_t k_window_padding_bp = reads_number("window_padding_bp");

/// A window is given at most so many reads that begin in one interval of k_depth_bin_bp (about 1,200x for
/// reads of 150 bases); reads that begin before the padded window count as beginning at its first base.
/// Beyond, those with the smallest hash of their names stay, mates together: which ones depends on the reads
/// alone, not on threads, memory or shards. It bounds the memory of a window.
inline constexpr size_t k_max_reads_per_depth_bin = reads_number("window_max_reads_per_depth_bin");
inline constexpr int64_t k_depth_bin_bp = reads_number("window_depth_bin_bp");

/// Records of a sorted stream, kept in memory while any window uses them.
struct RecordChunk {
    std::vector<uint8_t> bytes;
    std::vector<data::RecordEntry> entries;  ///< sorted by contig, position
    uint64_t left_out = 0;                   ///< reads that thin() has dropped for their depth
};

/// The reads of one window: all that overlap [begin - padding, end + padding), in stream order.
struct WindowReads {
    uint64_t ordinal = 0;                                    ///< 0, 1, 2, ... in this run
    data::Region window;                                     ///< grid cell cut to the contig
    std::vector<std::shared_ptr<const RecordChunk>> chunks;  ///< that hold the bytes of `records`
    std::vector<data::RecordView> records;
};

/// Drops records of a chunk that no window can use: unmapped, secondary, failed, duplicate, and those that
/// are beyond k_max_reads_per_depth_bin in every window they reach, which they are then in any longer stream
/// too. Windows made from the chunk are the same with and without it. The records left are copied to `chunk`
/// anew.
void thin(RecordChunk& chunk);

/// push() takes chunks in sorted order, serially, and emits each window once no further record can overlap
/// it; finish() emits the rest. Memory: the chunks that later windows refer to, or copies of the records
/// needed where these are much smaller. Windows without records are emitted only if `every_window` is set.
/// Unmapped, secondary, QC-fail and duplicate records are dropped here.
class WindowFeeder {
  public:
    using Emit = std::function<void(WindowReads&&)>;
    /// `regions` empty: the whole reference. Only windows overlapping a region are emitted.
    WindowFeeder(const data::Reference& reference, data::RegionSet regions, Emit emit,
                 bool every_window = false);
    ~WindowFeeder();
    /// The part of push() that needs no other chunk; may be called from several threads at once, and does
    /// nearly all of the work.
    CutChunk cut(std::shared_ptr<const RecordChunk> chunk) const;
    void push(CutChunk&& chunk);
    void push(std::shared_ptr<const RecordChunk> chunk);
    void finish();
    /// Reads left out for k_max_reads_per_depth_bin so far, by thin() too; each in the window where it
    /// begins.
    uint64_t reads_left_out() const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace gannet::variants
