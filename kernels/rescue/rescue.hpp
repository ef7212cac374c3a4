// SPDX-License-Identifier: MIT
// Provides the contract of the op rescue: the search for reads in windows of the genome, beside alignments of
// their mates, and the comparison with what is found. No dynamic programming.
//
// Of each window, with L the length of its read and all positions oriented by its strand:
//
// 1. Search. A diagonal is a genome coordinate of the read's base 0; those of a window are [begin, end) as
//    far as they are in [0, genome_size - L - 64). Block b of the read, for b < L / 32, is its bases [32 b,
//    32 b + 32). On a diagonal a block has as many mismatches as packed bases of it differ from those of the
//    genome, whatever is ambiguous in either; it counts where these are at most k_max_block_mismatches. The
//    value of a diagonal is the number of matches in blocks that count; found is the diagonal of the highest
//    value, of equals the lowest, if that is above 0.
// 2. Comparison of the read with what is found, as step 3 of the search for candidates (candidates.hpp) has
// it: a
//    candidate, or none, with `seeds` 0. Each gapped side of it, left then right, is a job (step 7 there).
#pragma once

#include "kernels/backend.hpp"
#include "kernels/candidates/candidates.hpp"
#include "kernels/genome/genome_view.hpp"
#include "kernels/reads/read_batch_view.hpp"
#include "kernels/stream.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gannet::kernels {

/// Of a block of 32 bases that counts: random ones have 24 on average, and 6 or fewer once in 2.6e10 times.
/// Heuristic.
inline constexpr uint32_t k_max_block_mismatches = 6;

/// Diagonals on which a read is searched.
struct RescueWindow {
    int64_t begin = 0;
    int64_t end = 0;
    uint32_t read = 0;
    uint32_t strand = 0;  ///< 0 or 1
};
static_assert(sizeof(RescueWindow) == 24);

struct RescueWindows {
    const RescueWindow* windows = nullptr;
    size_t count = 0;
};

/// In the order of the windows; left_job and right_job of candidates are indexes into `jobs`. Resized by the
/// op.
struct RescueResults {
    std::vector<Candidate> candidates;
    std::vector<uint32_t> window;  ///< of each candidate
    std::vector<ExtensionJob> jobs;

    void clear();  ///< keeps the memory
};

/// At most 2^31 - 1 windows, of reads of 32 to k_banded_sw_max_query bases, else the op throws
/// std::invalid_argument. `kmer` of the parameters is not used. Qualities may be absent (null). Determinism
/// class: exact-int; equal bytes on every backend, whatever the order or the split of the windows. Cost: L /
/// 32 comparisons of words for each diagonal. Thread-safe on CPU backends; scratch is kept per thread. The
/// schedule (backends emulated and cuda) takes reads of at most 320 bp; others are done by the host, by the
/// code of simd. On a device the genome must be resident (kernels/resident.hpp).
using RescueFunction = void (*)(Stream&, const CandidateParameters&, const GenomeView&, const ReadBatchView&,
                                const RescueWindows&, RescueResults&);

/// The function for a backend that is available (backend_status).
RescueFunction rescue_function(Backend backend, SimdLevel level);

}  // namespace gannet::kernels
