// SPDX-License-Identifier: MIT
// Provides the host's side of the device form of pair_hmm: pairs sorted into groups, sequences packed, and
// what the lanes left undecided. There is no CUDA in it: the backend `emulated` runs it too.
#pragma once

#include "kernels/pair_hmm/pair_hmm.hpp"
#include "kernels/pair_hmm/pair_hmm_warps.hpp"

#include <cstdint>
#include <vector>

namespace gannet::kernels::pair_hmm {

/// Reused from batch to batch.
class WarpPlan {
  public:
    /// Throws std::length_error where the words of the sequences cannot be numbered with 32 bits.
    void prepare(const PairHmmBatch& batch);

    const std::vector<WarpPair>& pairs() const { return pairs_; }
    const std::vector<uint32_t>& bases() const { return bases_; }
    const std::vector<uint32_t>& haplotypes() const { return haplotypes_; }
    uint64_t groups() const { return (pairs_.size() + k_warp_lanes - 1) / k_warp_lanes; }
    /// Of a warp.
    uint64_t scratch_bytes() const { return pair_hmm::scratch_bytes(longest_haplotype_); }

  private:
    std::vector<uint64_t> order_;
    std::vector<WarpPair> pairs_;
    std::vector<uint32_t> bases_;
    std::vector<uint32_t> haplotypes_;
    std::vector<uint32_t> haplotype_begin_;
    uint32_t longest_haplotype_ = 0;
};

/// Computes in fp64 what is k_not_decided.
void finish(const PairHmmBatch& batch, std::vector<int32_t>& likelihood);

}  // namespace gannet::kernels::pair_hmm
