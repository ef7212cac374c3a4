// SPDX-License-Identifier: MIT
// Provides the counting of records for quality control, one thread's share of it.
#pragma once

#include "data/record.hpp"
#include "data/reference.hpp"
#include "pipeline/qc/adapter_search.hpp"
#include "pipeline/qc/base_counter.hpp"
#include "pipeline/qc/counts.hpp"
#include "pipeline/qc/depth.hpp"
#include "pipeline/qc/gc_bias.hpp"
#include "pipeline/qc/gc_depth.hpp"
#include "pipeline/qc/good_depth.hpp"
#include "pipeline/qc/quality_counter.hpp"
#include "pipeline/qc/target_coverage.hpp"
#include "pipeline/qc/text_sums.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace gannet::pipeline::qc {

/// The tags that are looked at.
struct ReadTags {
    int64_t differences = -1;     ///< NM
    int64_t mate_quality = -1;    ///< MQ
    bool is_split = false;        ///< SA
    std::string_view mismatches;  ///< MD
    std::string_view mate_cigar;  ///< MC
    static ReadTags of(const data::RecordView& record);
};

/// Depths of the records of a chunk.
struct ChunkDepths {
    DepthRuns runs;
    GoodDepths good;
    std::vector<GcDepthRead> by_gc;
};

/// Counts records into tables that are small and fast, and adds these to Counts now and then. About 0.3 us
/// per record of 150 bases. Not thread-safe.
class ReadCounter {
  public:
    /// `targets`: shared by all counters.
    ReadCounter(const data::Reference& reference, TargetCoverage& targets);
    /// The records of a chunk: sorted, with their final flags. `depths` is replaced.
    void add(std::span<const uint8_t> bytes, std::span<const data::RecordEntry> entries, ChunkDepths& depths);
    /// Counts of all records so far.
    const Counts& counts();

  private:
    /// Per cycle, of first or last fragments.
    struct Tables {
        QualityCounter qualities;
        BaseCounter bases;
        uint32_t gc_length = 0;
        Histogram* gc = nullptr;  ///< that of gc_length
        Histogram* gc_starts = nullptr;
    };
    struct Read;  // what the parts of add() share of a record

    void count(const Read& read, uint32_t index);
    void count_flags(const Read& read);
    uint32_t count_checksums(const Read& read);
    std::optional<uint32_t> count_good_depth(const Read& read, uint32_t index, uint32_t name_hash);
    void count_gc_bias(const Read& read);
    static void add_gc_depth(const Read& read, std::vector<GcDepthRead>& reads);
    void count_cycles(const Read& read, size_t fragment);
    static void count_gc(const Read& read, Tables& tables, CycleCounts& counts);
    void count_mapped(const Read& read, size_t fragment);
    void count_indels(const Read& read, size_t fragment);
    void count_pair(const Read& read);
    void count_long_inserts(size_t orientation);
    /// `good`: bases of quality 20 or better under M, = and X, where they are known.
    void count_summary(const Read& read, std::optional<uint32_t> good);
    void count_summary_read(const Read& read, AlignmentSummary& summary);
    void count_summary_bases(const Read& read, AlignmentSummary& summary, std::optional<uint32_t> good);
    void count_summary_mismatches(const Read& read, AlignmentSummary& summary);
    void count_depth(const Read& read);
    void subtract_mate(const Read& read, uint64_t start);

    const data::Reference& reference_;
    Counts counts_;
    std::array<Tables, k_fragments> tables_;
    std::array<std::vector<uint32_t>, k_orientations> long_inserts_;  ///< not counted yet
    std::vector<std::pair<uint32_t, uint32_t>> blocks_, mate_blocks_;
    DepthRing ring_;
    GoodDepthCounter good_depth_;
    TargetCounter targets_;
    UnknownBases unknown_;
    AdapterSearch adapters_;
    TextSums text_sums_;
};

}  // namespace gannet::pipeline::qc
