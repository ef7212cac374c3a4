// SPDX-License-Identifier: MIT
// Provides the contract of the op pair_hmm: log-likelihoods of reads given haplotypes.
#pragma once

#include "kernels/stream.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace gannet::kernels {

/// Fixed point of the results: log10 likelihood = value / k_pair_hmm_scale.
inline constexpr int32_t k_pair_hmm_scale = 1 << 16;

/// Reads, haplotypes and the pairs to score, structure of arrays. Bases are codes 0-4; a read's N or a
/// haplotype's N matches anything. Qualities are Phred 1..93 (base quality, and a gap-open quality a read
/// base that serves insertion and deletion alike; gap continuation is Phred 10), as in GATK's PairHMM (Durbin
/// 1998; Poplin 2017). Read length 1..4096, haplotype length 1..8192.
struct PairHmmBatch {
    std::vector<uint8_t> read_bases;
    std::vector<uint8_t> read_qualities;
    std::vector<uint8_t> read_gap_qualities;  ///< gap-open Phred at each read base
    std::vector<uint32_t> read_offset;        ///< reads + 1
    std::vector<uint8_t> haplotype_bases;
    std::vector<uint32_t> haplotype_offset;  ///< haplotypes + 1
    std::vector<uint32_t> pair_read;
    std::vector<uint32_t> pair_haplotype;

    size_t pairs() const { return pair_read.size(); }
    void clear();
    uint32_t add_read(std::span<const uint8_t> bases, std::span<const uint8_t> qualities,
                      std::span<const uint8_t> gap_qualities);
    uint32_t add_haplotype(std::span<const uint8_t> bases);
    void add_pair(uint32_t read, uint32_t haplotype);
};

/// likelihood[p]: log10 P(read | haplotype) * k_pair_hmm_scale, the read free to begin and end anywhere in
/// the haplotype (initial deletion state 1/haplotype_length a cell, as GATK). Determinism class: exact-float:
/// fp32 with explicit fma in a stated order, initial scale 2^120 as stated in pair_hmm_cell.hpp, rescue in
/// fp64 below a stated threshold; equal bytes on every backend. Cost: read_length * haplotype_length cells a
/// pair.
using PairHmmFunction = void (*)(Stream&, const PairHmmBatch&, std::vector<int32_t>& likelihood);

}  // namespace gannet::kernels
