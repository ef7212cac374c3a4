// SPDX-License-Identifier: MIT
// Provides the contract of the op banded_sw: affine-gap extension of many query/target pairs from a fixed
// corner.
//
// An alignment is a path over cells (i, j), i query and j target bases consumed, from the corner (0, 0), in
// steps M (one of each), I (one query base) and D (one target base); no cell of it has |i - j| > band. Its
// score is the sum of its pairs (match, -mismatch, or -ambiguous where either code is 4) minus gap_open + g *
// gap_extend for each gap of g steps. I and D may be neighbours, as two gaps. H(i, j) is the best score of a
// path to (i, j): the recurrence of Gotoh 1982, doi:10.1016/0022-2836(82)90398-9, with no clamping at 0 and
// no drop-off.
//
// End. Let B be the highest H of all cells and W the highest H(i, j) with i = query_length, where the band
// reaches that row at all. If W + end_bonus >= B the alignment ends at the smallest such j with H = W: to_end
// = 1, score = W (without the bonus, as bwa's AS). Else it ends at the cell with H = B that has the smallest
// i, and in this row the smallest j: to_end = 0, score = B. An empty query gives score 0 at (0, 0) with
// to_end = 1.
//
// CIGAR. Of the best paths to the end, the one that is found walking back from it, by the first that reaches
// H:
//   gaps near the corner (default)       at a cell: M, then I, then D; in a gap: close it, then lengthen it
//   k_sw_gaps_late (far from the corner) at a cell: D, then I, then M; in a gap: lengthen it, then close it
// To close a gap is to go on at the cell before it. With sequences given as they are for the first and both
// given reversed for the second, gaps are leftmost in the target either way, as far as the score allows.
//
// Jobs come in two forms with the same results: BandedSwBatch holds their sequences, BandedSwWindows names
// them as parts of reads and of the genome.
#pragma once

#include "kernels/backend.hpp"
#include "kernels/genome/genome_view.hpp"
#include "kernels/reads/read_batch_view.hpp"
#include "kernels/stream.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace gannet::kernels {

/// Scores; penalties are positive. A gap of length g costs gap_open + g * gap_extend (as bwa: "6,1" makes a
/// gap of one cost 7). Ranges: match and gap_extend 1..1000, the others 0..1000, else the op throws
/// std::invalid_argument.
struct BandedSwScoring {
    int32_t match = 1;
    int32_t mismatch = 4;
    int32_t ambiguous = 1;  ///< penalty of any pair that holds code 4 (N)
    int32_t gap_open = 6;
    int32_t gap_extend = 1;
    int32_t end_bonus = 5;  ///< what reaching the end of the query is worth when ends are compared

    /// What a mismatch loses against a match.
    constexpr int32_t mismatch_loss() const { return match + mismatch; }
    /// What any difference without an N loses, at least: a mismatch, or the deletion of one base.
    constexpr int32_t least_loss() const {
        const int32_t deletion = gap_open + gap_extend;
        return deletion < mismatch_loss() ? deletion : mismatch_loss();
    }
};

enum BandedSwFlag : uint8_t {
    k_sw_traceback = 1,  ///< also give the CIGAR
    k_sw_gaps_late = 2   ///< place gaps far from the corner (sequences given reversed), else near to it
};

inline constexpr uint32_t k_banded_sw_max_query = 4096;
inline constexpr uint32_t k_banded_sw_max_target = 8192;
inline constexpr uint16_t k_banded_sw_widest_band = 1024;

/// Jobs, structure of arrays: plain offsets, lengths and bases that can be copied to a device as they are.
/// Job k extends query bases [query_offset[k], +query_length[k]) along target bases
/// [target_offset[k], +target_length[k]), codes 0-4, both from the corner: the cell after the seed's end. To
/// extend to the left, give both reversed. Ranges: query 0..4096, target 0..8192, band 0..1024, ranges inside
/// the arena, else the op throws std::invalid_argument.
struct BandedSwBatch {
    std::vector<uint8_t> bases;  ///< arena of both queries and targets; jobs may use the same parts of it
    std::vector<uint32_t> query_offset;
    std::vector<uint32_t> query_length;
    std::vector<uint32_t> target_offset;
    std::vector<uint32_t> target_length;
    std::vector<uint16_t> band;  ///< cells with |i - j| > band are never entered
    std::vector<uint8_t> flags;  ///< BandedSwFlag

    size_t size() const { return query_offset.size(); }
    void clear();  ///< keeps the memory
    /// Appends both sequences to the arena and the job to the lists; returns the job's index. Throws
    /// std::length_error where the arena would pass 2^32 - 1 bases.
    uint32_t add(std::span<const uint8_t> query, std::span<const uint8_t> target, uint16_t band_width,
                 uint8_t flag);
};

/// A job that names its sequences. Query: the read's oriented bases [query_begin, query_begin +
/// query_length); target: the genome's [target_begin, target_begin + target_length). Codes are 0-3, and 4 for
/// what is ambiguous. Those of a left side are both reversed, and have k_sw_gaps_late.
struct ExtensionJob {
    int64_t target_begin = 0;  ///< genome coordinate
    uint32_t target_length = 0;
    uint32_t read = 0;
    uint16_t query_begin = 0;  ///< oriented
    uint16_t query_length = 0;
    uint16_t band = 0;
    uint8_t strand = 0;
    uint8_t left = 0;  ///< 1: of the left side
};
static_assert(sizeof(ExtensionJob) == 24);

/// Bases at either end of the genome that no target of a window has.
inline constexpr int64_t k_window_margin_bp = 64;

/// Jobs that name their sequences: in this form no base of the genome is copied to a device that holds it.
/// Ranges: as those of BandedSwBatch; queries inside their reads, targets inside the genome without
/// k_window_margin_bp at its ends, else the op throws std::invalid_argument. At most 2^32 - 1 bases in all,
/// else it throws std::length_error.
struct BandedSwWindows {
    const ExtensionJob* jobs = nullptr;
    size_t count = 0;
    bool traced = false;  ///< k_sw_traceback, of all
};

/// The same jobs with their sequences; `out` keeps its memory.
void copy_windows(const GenomeView& genome, const ReadBatchView& reads, const BandedSwWindows& windows,
                  BandedSwBatch& out);

/// Results, one per job, as defined at the head of this file; resized by the op.
struct BandedSwResults {
    std::vector<int32_t> score;
    std::vector<uint32_t> query_end;
    std::vector<uint32_t> target_end;
    std::vector<uint8_t> to_end;
    std::vector<uint32_t> cigar_offset;  ///< jobs + 1; an empty range without k_sw_traceback
    std::vector<uint32_t> cigar;         ///< BAM elements (M I D only), from the corner outwards
};

/// Determinism class: exact-int; equal bytes on every backend, whatever the order or the split of the jobs.
/// Cost: at most query_length * (2 * band + 1) cells per job; cells that provably cannot matter are left out.
/// Thread-safe on CPU backends; scratch is kept per thread.
using BandedSwFunction = void (*)(Stream&, const BandedSwScoring&, const BandedSwBatch&, BandedSwResults&);

/// The same of windows. Qualities are not read. On a device the genome must be resident
/// (kernels/resident.hpp).
using BandedSwWindowsFunction = void (*)(Stream&, const BandedSwScoring&, const GenomeView&,
                                         const ReadBatchView&, const BandedSwWindows&, BandedSwResults&);

/// The functions for a backend that is available (backend_status).
BandedSwFunction banded_sw_function(Backend backend, SimdLevel level);
BandedSwWindowsFunction banded_sw_windows_function(Backend backend, SimdLevel level);

}  // namespace gannet::kernels
