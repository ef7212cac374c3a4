// SPDX-License-Identifier: MIT
// Provides the contract of the op pair_hmm: log-likelihoods of reads given haplotypes.
#pragma once

#include "kernels/backend.hpp"
#include "kernels/stream.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace gannet::kernels {

/// Fixed point of the results: log10 likelihood = value / k_pair_hmm_scale.
inline constexpr int32_t k_pair_hmm_scale_bits = 16;
inline constexpr int32_t k_pair_hmm_scale = 1 << k_pair_hmm_scale_bits;

inline constexpr uint32_t k_pair_hmm_max_read = 4096;
inline constexpr uint32_t k_pair_hmm_max_haplotype = 8192;

/// The smallest result: likelihoods below 2^-1900 (10^-571.96) are all reported as this.
inline constexpr int32_t k_pair_hmm_floor = -37483773;

/// Reads, haplotypes and the pairs to score, structure of arrays. Bases are codes 0-4; a read's N or a
/// haplotype's N matches anything. Qualities are Phred 1..93 (base quality, and a gap-open quality per read
/// base that serves insertion and deletion alike; gap continuation is Phred 10), as in GATK's PairHMM (Durbin
/// 1998; Poplin 2017); a quality of 0 counts as 1, one above 93 as 93. Read length 1..4096, haplotype
/// length 1..8192, else add_read or add_haplotype throws std::invalid_argument. The three spans of add_read
/// are of equal length. A read or haplotype is given once, however many pairs name it.
struct PairHmmBatch {
    std::vector<uint8_t> read_bases;
    std::vector<uint8_t> read_qualities;
    std::vector<uint8_t> read_gap_qualities;  ///< gap-open Phred at each read base
    std::vector<uint32_t> read_offset;        ///< reads + 1, empty when there are none
    std::vector<uint8_t> haplotype_bases;
    std::vector<uint32_t> haplotype_offset;  ///< haplotypes + 1, empty when there are none
    std::vector<uint32_t> pair_read;
    std::vector<uint32_t> pair_haplotype;

    size_t pairs() const { return pair_read.size(); }
    void clear();  ///< keeps the memory
    uint32_t add_read(std::span<const uint8_t> bases, std::span<const uint8_t> qualities,
                      std::span<const uint8_t> gap_qualities);
    uint32_t add_haplotype(std::span<const uint8_t> bases);
    void add_pair(uint32_t read, uint32_t haplotype);
};

/// likelihood[p]: log10 P(read | haplotype) * k_pair_hmm_scale rounded to the nearest (within one unit), the
/// read free to begin and end anywhere in the haplotype (initial deletion state 1/haplotype_length per cell,
/// as GATK). `likelihood` is resized to pairs(). Determinism class: exact-float. The recurrence, its order of
/// operations and of sums, the scale 2^120 / haplotype length, the floor that keeps every value normal (so
/// that flush-to-zero modes cannot matter) and the fp64 rescue of totals below 2^-40 are law, written down in
/// pair_hmm_cell.hpp; the logarithm is integer arithmetic. Equal bytes on every backend, whatever the order
/// or the split of the pairs. Cost: read_length * haplotype_length cells per pair, twice that or more for a
/// rescued one. Thread-safe on CPU backends; scratch is kept per thread.
using PairHmmFunction = void (*)(Stream&, const PairHmmBatch&, std::vector<int32_t>& likelihood);

/// The function for a backend. Only AVX2 with FMA and AVX-512 have a vector form: on a lower level `simd` is
/// the reference. The schedule (`emulated`, `cuda`) leaves the rescue to the host, to the code of `simd`.
PairHmmFunction pair_hmm_function(Backend backend, SimdLevel level);

}  // namespace gannet::kernels
