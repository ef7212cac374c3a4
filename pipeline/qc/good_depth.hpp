// SPDX-License-Identifier: MIT
// Provides the depth of good bases, as Picard CollectWgsMetrics counts it: of MAPQ 20 and base quality 20 or
// better, of pairs, without duplicates, and each template once per position.
#pragma once

#include "data/record.hpp"
#include "data/reference.hpp"
#include "pipeline/qc/counts.hpp"
#include "pipeline/qc/unknown_bases.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gannet::pipeline::qc {

/// Depth of the records of one chunk, and which of them reach beyond the start of its last one. Coordinates
/// are of the whole reference.
struct GoodDepths {
    /// Positions without a gap.
    struct Piece {
        uint64_t begin = 0;
        size_t at = 0;  ///< of its first depth
        size_t length = 0;
    };
    std::vector<Piece> pieces;
    std::vector<uint32_t> depths;  ///< of the pieces; behind them whatever was there
    uint64_t last_start = 0;
    std::vector<uint32_t> open;  ///< indices of these records
    Histogram positions;         ///< before last_start, by depth from 1 on
    uint64_t overlapping = 0;    ///< good bases whose template has another one there

    void clear();
    /// Of a covered position, else null.
    uint32_t* find(uint64_t position);
};

/// Adds up the depths of a chunk, at first in bytes. Not thread-safe.
class DepthPile {
  public:
    void begin(GoodDepths& depths);
    /// The bytes of positions [start, end), where 1 is to be added for each base of one read, at most;
    /// sixteen bytes more may be written as they are. `start` never falls by more than what one piece holds.
    uint8_t* bytes_of(uint64_t start, uint64_t end);
    void finish();

  private:
    void fold();
    void grow(size_t positions);

    GoodDepths* depths_ = nullptr;
    std::vector<uint8_t> few_;  ///< depths that are not in GoodDepths::depths yet, and a lane behind them
    size_t used_ = 0;           ///< positions of all pieces; the arrays have room for more
    size_t folded_ = 0;         ///< positions whose depths have been written in this chunk
    size_t few_begin_ = 0;
    uint32_t reads_in_few_ = 0;
};

/// A chunk's share. The work is one step for sixteen bases, and one for each position; where records of one
/// template meet, one for each of their bases. Not thread-safe.
class GoodDepthCounter {
  public:
    explicit GoodDepthCounter(const data::Reference& reference);
    /// Before the records of a chunk; `depths` is that of all calls up to finish().
    void begin(size_t records, GoodDepths& depths);
    /// Mapped records of the chunk in their order. `flag`: the final ones; `hash` of the name; whether any of
    /// the bases is N; `start`, `matched` (bases under M, = and X) and `span` of the alignment.
    struct Alignment {
        const data::RecordView& record;
        uint16_t flag;
        uint32_t index;
        uint32_t hash;
        bool has_unknown;
        uint64_t start;
        uint64_t matched;
        uint64_t span;
    };
    /// Returns the bases of quality 20 or better under M, = and X, where they were counted.
    std::optional<uint32_t> add(const Alignment& read, GoodBaseCounts& counts);
    void finish();

  private:
    struct Entry {
        uint32_t hash;
        uint32_t before;  ///< number, from 1 on, of the last one with the same bucket; 0: none
        uint32_t index;
        uint64_t start;
        uint64_t end;
        data::RecordView record;
    };
    /// Chains go from the last entry to the first, so with descending starts.
    struct Bucket {
        uint64_t start = 0;  ///< of the last entry
        uint32_t last = 0;   ///< number of that entry; 0: none
    };
    void remember(const Alignment& read);
    void forget_passed(uint64_t start);
    bool remove_overlaps(const Alignment& read, bool is_listed);

    UnknownBases unknown_;
    GoodDepths* depths_ = nullptr;
    DepthPile pile_;
    /// Those that a record to come may meet, and some that have been passed: few, so that they stay in the
    /// first cache.
    std::vector<Entry> entries_;
    uint32_t forgotten_ = 0;  ///< entries before the first of these
    size_t forget_at_ = 0;    ///< when there are so many
    std::vector<Bucket> buckets_;
    uint64_t longest_ = 0;               ///< span of entries_
    std::vector<uint8_t> good_, other_;  ///< scratch: by position, whether the base is good
};

/// Of all chunks, in their order. From one thread at a time.
class GoodDepthSum {
  public:
    explicit GoodDepthSum(const data::Reference& reference) : reference_(reference), unknown_(reference) {}
    /// `bytes` and `entries` are the chunk's, whose depths may be changed.
    void append(GoodDepths& chunk, std::span<const uint8_t> bytes,
                std::span<const data::RecordEntry> entries);
    void finish();  ///< after the last chunk

    /// Positions by depth from 1 on; those beyond k_max_depth as of that.
    const std::vector<uint64_t>& positions() const { return positions_; }
    uint64_t overlapping() const { return overlapping_; }  ///< as in GoodDepths

    static constexpr uint32_t k_max_depth = 1u << 20;

  private:
    struct OpenRead {
        std::string name;
        uint64_t start = 0;
        std::vector<uint8_t> good;  ///< by position
        uint64_t end() const { return start + good.size(); }
    };
    OpenRead read_of(const data::RecordView& record);
    void remove_overlaps(GoodDepths& chunk, std::span<const uint8_t> bytes,
                         std::span<const data::RecordEntry> entries);
    void remove_overlap(GoodDepths& chunk, OpenRead& read, const OpenRead& before, bool is_counted);
    void add(uint32_t depth);
    void remove(uint32_t depth);

    const data::Reference& reference_;
    UnknownBases unknown_;
    std::vector<OpenRead> open_;
    uint64_t pending_begin_ = 0;
    std::vector<uint32_t> pending_;  ///< depth of positions that the next chunk may still cover
    std::vector<uint64_t> positions_;
    uint64_t overlapping_ = 0;
};

}  // namespace gannet::pipeline::qc
