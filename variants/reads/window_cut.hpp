// SPDX-License-Identifier: MIT
// Provides the division of one chunk of sorted records among the windows that they reach: all of the feeder's
// work that needs no other chunk.
#pragma once

#include "data/record.hpp"
#include "data/reference.hpp"
#include "data/regions.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace gannet::variants {

struct RecordChunk;

/// A position of the stream; a contig of -1 for none.
struct StreamPosition {
    int32_t contig = -1;
    int64_t position = 0;
    auto operator<=>(const StreamPosition&) const = default;
};

/// A record that reaches more than k_max_cut_windows windows (by skipped bases).
struct LongRecord {
    data::RecordView view;
    data::Region reach;  ///< [position, end) on its contig
};
inline constexpr int64_t k_max_cut_windows = 4;

/// The records of a chunk that one window gets, in stream order, after the limit of depth.
struct WindowPiece {
    int32_t contig = 0;
    int64_t cell = 0;  ///< number of the window on its contig
    std::vector<data::RecordView> records;
    uint64_t record_bytes = 0;
};

/// A chunk as the feeder takes it. Records with unusable flags are left out.
struct CutChunk {
    std::shared_ptr<const RecordChunk> chunk;
    std::vector<WindowPiece> pieces;  ///< of wanted windows with records; by contig and cell
    /// In stream order. Pieces of the chunk have them already; windows without a piece may need them.
    std::vector<LongRecord> long_records;
    StreamPosition first, last;  ///< of the usable records
    uint64_t left_out = 0;       ///< reads beyond the limit of depth, each once
};

/// Throws Error(malformed_input) where the chunk is not sorted by coordinate. `regions` empty: everything.
/// May run on several chunks at once. Cost: one walk over the CIGARs.
CutChunk cut_chunk(std::shared_ptr<const RecordChunk> chunk, const data::Reference& reference,
                   const data::RegionSet& regions);

/// What limit_depth() has dropped.
struct DroppedRecords {
    uint64_t records = 0;
    uint64_t reads = 0;  ///< primary records that begin in the window: no other window counts these
};

/// Applies k_max_reads_per_depth_bin to the records of a window, which are in `lists` one after another.
/// Records of a window may be limited list by list and then together: the result is the same.
DroppedRecords limit_depth(std::span<std::vector<data::RecordView>* const> lists, int64_t window_begin);

/// Bases of window `cell`, cut to the contig.
data::Region window_of(const data::Reference& reference, int32_t contig, int64_t cell);
/// First and last window whose padded range [begin, end) reaches, on a contig of any length.
std::pair<int64_t, int64_t> cells_of(int64_t begin, int64_t end);

[[noreturn]] void throw_unsorted();

}  // namespace gannet::variants
