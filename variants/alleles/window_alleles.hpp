// SPDX-License-Identifier: MIT
// Provides the reads of a window and what they show: evidence, candidate alleles and active regions.
#pragma once

#include "data/regions.hpp"
#include "variants/alleles/active_regions.hpp"
#include "variants/alleles/extra_copy_filter.hpp"
#include "variants/alleles/hidden_copies.hpp"
#include "variants/evidence/evidence.hpp"
#include "variants/parameters.hpp"
#include "variants/reads/gap_realignment.hpp"
#include "variants/reads/mapping_filter.hpp"
#include "variants/reads/read_set.hpp"
#include "variants/reads/windows.hpp"
#include "variants/sample/sample_model.hpp"

#include <cstdint>
#include <vector>

namespace gannet::variants {

/// Memory is kept from window to window. Not copied or moved: ExtraCopyFilter points into it.
struct WindowAlleles {
    WindowAlleles() = default;
    WindowAlleles(const WindowAlleles&) = delete;
    WindowAlleles& operator=(const WindowAlleles&) = delete;

    data::Region window;  ///< without the padding
    ReferenceSlice slice;
    ReadSet reads;
    Evidence evidence;  ///< of the window and its padding
    std::vector<Candidate> candidates;
    std::vector<ActiveRegion> regions;
    ExtraCopyFilter extra_copy;
    std::vector<int32_t> unused_depth;  ///< see WindowInput::counts_unused_depth; over the evidence's range
    /// Before reads of extra copies were taken out; without reads where none were, or they are not kept. The
    /// bases are those of `reads`.
    struct AllReads {
        std::vector<CallRead> reads;
        Evidence evidence;
    };
    AllReads all;  ///< see WindowInput::keeps_all_reads
};

/// What a window is read with.
struct WindowInput {
    const data::Reference& reference;
    const CallerParameters& parameters;
    const SampleModel& sample;
    uint8_t ploidy = 2;                ///< at the begin of the window
    bool counts_unused_depth = false;  ///< of reads that MappingFilter leaves out: for the scorer's examples
    bool keeps_all_reads = false;      ///< also those of extra copies: for the confidence in the reference
};

/// Decodes and realigns the reads of a window, takes those of copies that the reference lacks out of it, and
/// finds candidates and active regions. Scratch is kept. Cost: linear in the bases of the reads, but for
/// hidden copies (hidden_copies.hpp). Throws nothing of its own.
class AlleleFinder {
  public:
    /// The records are given back as soon as they are decoded.
    void find(const WindowInput& input, WindowReads&& reads, WindowAlleles& out);

  private:
    void leave_out_extra_copies(const WindowInput& input, WindowAlleles& out);

    MappingFilter mapping_filter_;
    std::vector<int32_t> slots_;
    GapRealigner realigner_;
    HiddenCopies hidden_copies_;
    std::vector<int64_t> diploid_depth_;
    std::vector<TandemCopy> tandem_copies_;
};

}  // namespace gannet::variants
