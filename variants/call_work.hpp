// SPDX-License-Identifier: MIT
// Provides a batch of windows in flight, with its jobs for the kernels.
#pragma once

#include "data/regions.hpp"
#include "data/sequence.hpp"
#include "kernels/pair_hmm/pair_hmm.hpp"
#include "variants/scorer/example_batch.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace gannet::variants {

/// Reused from batch to batch; memory is kept.
class CallWork {
  public:
    CallWork();
    ~CallWork();
    CallWork(CallWork&&) noexcept;
    CallWork& operator=(CallWork&&) noexcept;

    /// Removes what the last batch left.
    void clear();
    /// Of the batch that was begun: active regions with jobs, and the alleles of their haplotypes.
    size_t region_count() const;
    size_t allele_count() const;
    size_t window_count() const;
    /// Without the padding; `index` is less than window_count(). Windows are in genome order.
    const data::Region& window(size_t index) const;

    kernels::PairHmmBatch jobs;
    std::vector<int32_t> likelihoods;  ///< one per pair of `jobs`
    ExampleBatch examples;             ///< with scoring
    std::vector<int32_t>
        corrections;  ///< the network's, of log10 P(0, 1, 2 copies), x 65536: three per example
    struct State;
    std::unique_ptr<State> state;
};

}  // namespace gannet::variants
