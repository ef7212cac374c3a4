// SPDX-License-Identifier: MIT
// Provides the pair-HMM jobs of an active region: segments of reads against its haplotypes.
#pragma once

#include "data/tandem_repeats.hpp"
#include "kernels/pair_hmm/pair_hmm.hpp"
#include "variants/alleles/haplotypes.hpp"
#include "variants/arithmetic/log_math.hpp"
#include "variants/model/alleles.hpp"
#include "variants/sample/gap_quality.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace gannet::variants {

/// Of a read beyond the region and the repeats at its edges.
inline constexpr int64_t k_segment_pad_bp = alleles_number("segment_pad_bp");
inline constexpr int64_t k_max_tract_bp = alleles_number("segment_max_repeat_bp");  ///< of such a repeat

/// What the segments of reads cover of a region that begins or ends there. They go beyond a tandem repeat at
/// its edge: a segment that ends within one fits haplotypes with any number of copies.
int64_t segment_begin(const ReferenceSlice& slice, int64_t begin);
int64_t segment_end(const ReferenceSlice& slice, int64_t end);

/// The reference that they cover.
struct SegmentSpan {
    int64_t begin = 0;
    int64_t end = 0;
};

/// A read of a region that was given to the pair-HMM; it has one likelihood per haplotype.
struct LikelihoodRow {
    uint64_t fragment = 0;  ///< equal for overlapping mates: the lower index of the two reads
    uint8_t mapping_quality = 0;
    bool reverse = false;
    uint32_t read = 0;  ///< index into the window's ReadSet; ascending within a region
    uint64_t name_hash = 0;
    int64_t begin = 0, end = 0;  ///< of the read on the reference, as if it were not clipped
};

/// log10 likelihood, x 65536, below which on every haplotype a read is not used: it is from somewhere else.
inline constexpr LogProbability k_min_fit = alleles_number("segment_min_fit_log10") * k_log_scale;

/// Scratch of add_jobs.
struct JobScratch {
    std::vector<data::Base> haplotype;
    std::vector<uint8_t> qualities;
    std::vector<uint8_t> gap_qualities;
    data::TandemRepeats repeats;  ///< of a segment
};

/// Adds haplotypes and the segments of reads that distinguish them to `batch`: pairs by row, then haplotype.
/// Haplotypes with equal bases are dropped from `haplotypes` (the first stays). Rows are appended to `rows`.
void add_jobs(const ReadSet& set, const ReferenceSlice& slice, const std::vector<data::Base>& arena,
              const SegmentSpan& span, std::span<const uint32_t> region_reads, const GapQualityTable& gaps,
              RegionHaplotypes& haplotypes, kernels::PairHmmBatch& batch, std::vector<LikelihoodRow>& rows,
              JobScratch& scratch);

}  // namespace gannet::variants
