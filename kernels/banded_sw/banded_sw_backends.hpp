// SPDX-License-Identifier: MIT
// Provides the backends of banded_sw by name, and the checks and results that they have in common.
#pragma once

#include "kernels/banded_sw/banded_sw.hpp"
#include "kernels/banded_sw/banded_sw_trace.hpp"

namespace gannet::kernels {

void banded_sw_reference(Stream&, const BandedSwScoring& scoring, const BandedSwBatch& batch,
                         BandedSwResults& results);

void banded_sw_emulated(Stream&, const BandedSwScoring& scoring, const BandedSwBatch& batch,
                        BandedSwResults& results);

/// Only in a build with CUDA.
void banded_sw_cuda(Stream&, const BandedSwScoring& scoring, const BandedSwBatch& batch,
                    BandedSwResults& results);

void banded_sw_windows_reference(Stream&, const BandedSwScoring& scoring, const GenomeView& genome,
                                 const ReadBatchView& reads, const BandedSwWindows& windows,
                                 BandedSwResults& results);
void banded_sw_windows_emulated(Stream&, const BandedSwScoring& scoring, const GenomeView& genome,
                                const ReadBatchView& reads, const BandedSwWindows& windows,
                                BandedSwResults& results);
/// Only in a build with CUDA.
void banded_sw_windows_cuda(Stream&, const BandedSwScoring& scoring, const GenomeView& genome,
                            const ReadBatchView& reads, const BandedSwWindows& windows,
                            BandedSwResults& results);

namespace banded_sw {

/// Throws std::invalid_argument where the scoring is out of the contract's ranges, std::length_error where
/// there are too many jobs.
void check(const BandedSwScoring& scoring, size_t jobs);
/// The same, and where a job is out of range.
void check(const BandedSwScoring& scoring, const BandedSwBatch& batch);

/// Sizes all per-job lists for `jobs` results and empties the CIGARs.
void prepare(size_t jobs, BandedSwResults& results);

/// Result of one job; its CIGAR is appended to `cigar` if it is traced.
struct JobResult {
    int32_t score = 0;
    uint32_t query_end = 0;
    uint32_t target_end = 0;
    uint8_t to_end = 0;
};
JobResult extend_reference(const BandedSwScoring& scoring, std::span<const uint8_t> query,
                           std::span<const uint8_t> target, uint32_t band, uint8_t flags,
                           std::vector<uint32_t>& cigar);

}  // namespace banded_sw

}  // namespace gannet::kernels
