// SPDX-License-Identifier: MIT
// Provides the work object of the aligner: all that one batch in flight holds between the steps.
#pragma once

#include "kernels/banded_sw/banded_sw.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace gannet::align {

/// A batch goes through these in this order. Each is prepared by the aligner, which takes the results of the
/// round before, and is then the work of one op.
enum class Round : uint8_t {
    find_candidates,  ///< op find_candidates, of packed reads
    extension,        ///< banded_sw, score only: the sides of candidates that a gap may improve
    rescue_search,    ///< op rescue: reads near the candidates of their mates. None of single-end reads
    rescue,           ///< banded_sw, score only: what was found there
    pairing,    ///< op pairing: the alignments of each template, of each read where these are single-end
    traceback,  ///< banded_sw with traceback: the chosen alignments
};
inline constexpr std::array k_rounds{Round::find_candidates, Round::extension, Round::rescue_search,
                                     Round::rescue,          Round::pairing,   Round::traceback};

/// What the op of a round was given and what it gave, reads or jobs: both are equal, or some were lost.
struct RoundCounts {
    uint64_t given = 0;
    uint64_t done = 0;
};

/// Reused from batch to batch. `state` belongs to the aligner (align/work_state.hpp).
class AlignmentWork {
  public:
    AlignmentWork();
    ~AlignmentWork();
    AlignmentWork(AlignmentWork&&) noexcept;
    AlignmentWork& operator=(AlignmentWork&&) noexcept;

    std::vector<kernels::ExtensionJob> jobs;  ///< of the next round of banded_sw
    kernels::BandedSwResults results;         ///< of the last one

    /// Of the last round, once its op is done. Windows of rescue_search need not find anything: none are
    /// counted.
    RoundCounts counts(Round round) const;

    struct State;
    std::unique_ptr<State> state;
};

}  // namespace gannet::align
