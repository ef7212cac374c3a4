// SPDX-License-Identifier: MIT
// Provides the host's side of the device form of pair_hmm.
#include "kernels/pair_hmm/pair_hmm_plan.hpp"

#include "kernels/pair_hmm/pair_hmm_backends.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>

namespace gannet::kernels::pair_hmm {
namespace {

/// A bit for each code of a haplotype that the base of a read matches.
constexpr uint32_t accepts(uint8_t base) {
    constexpr uint32_t k_all = (1u << k_codes) - 1;
    constexpr uint32_t k_ambiguous = 1u << (k_codes - 1);
    return base > 3 ? k_all : 1u << base | k_ambiguous;
}

}  // namespace

void WarpPlan::prepare(const PairHmmBatch& batch) {
    const size_t haplotypes = batch.haplotype_offset.empty() ? 0 : batch.haplotype_offset.size() - 1;
    if (batch.pairs() > std::numeric_limits<uint32_t>::max())
        throw std::length_error("pair_hmm: " + std::to_string(batch.pairs()) + " pairs in a batch");
    bases_.resize(batch.read_bases.size());
    for (size_t i = 0; i < bases_.size(); ++i)
        bases_[i] = batch.read_qualities[i] | uint32_t{batch.read_gap_qualities[i]} << k_gap_quality_shift |
                    accepts(batch.read_bases[i]) << k_accepts_shift;
    haplotypes_.clear();
    haplotype_begin_.clear();
    for (size_t h = 0; h < haplotypes; ++h) {
        const uint32_t begin = batch.haplotype_offset[h];
        const uint32_t length = batch.haplotype_offset[h + 1] - begin;
        haplotype_begin_.push_back(static_cast<uint32_t>(haplotypes_.size()));
        haplotypes_.resize(haplotypes_.size() + (length + k_word_codes - 1) / k_word_codes);
        uint32_t* const words = haplotypes_.data() + haplotype_begin_.back();
        for (uint32_t j = 0; j < length; ++j) {
            const uint32_t code = std::min<uint32_t>(batch.haplotype_bases[begin + j], k_codes - 1);
            words[j / k_word_codes] |= code << 8 * (j % k_word_codes);
        }
    }
    // Pairs of a warp are alike, the longest first: what is begun last is short.
    order_.clear();
    for (uint32_t p = 0; p < batch.pairs(); ++p) {
        const uint32_t read = batch.pair_read[p];
        const uint32_t haplotype = batch.pair_haplotype[p];
        const uint64_t rows = batch.read_offset[read + 1] - batch.read_offset[read];
        const uint64_t columns = batch.haplotype_offset[haplotype + 1] - batch.haplotype_offset[haplotype];
        order_.push_back((rows + k_lane_rows - 1) / k_lane_rows << 48 | columns << 32 | p);
    }
    std::sort(order_.begin(), order_.end(), std::greater<>());
    pairs_.clear();
    longest_haplotype_ = 0;
    for (const uint64_t key : order_) {
        WarpPair& pair = pairs_.emplace_back();
        pair.pair = static_cast<uint32_t>(key);
        const uint32_t read = batch.pair_read[pair.pair];
        const uint32_t haplotype = batch.pair_haplotype[pair.pair];
        pair.read_begin = batch.read_offset[read];
        pair.read_length = batch.read_offset[read + 1] - pair.read_begin;
        pair.haplotype_begin = haplotype_begin_[haplotype];
        pair.haplotype_length = batch.haplotype_offset[haplotype + 1] - batch.haplotype_offset[haplotype];
        pair.start = initial_deletion<float>(pair.haplotype_length);
        longest_haplotype_ = std::max(longest_haplotype_, pair.haplotype_length);
    }
}

void finish(const PairHmmBatch& batch, std::vector<int32_t>& likelihood) {
    static thread_local std::vector<uint32_t> pairs;
    pairs.clear();
    for (uint32_t p = 0; p < likelihood.size(); ++p) {
        if (likelihood[p] == k_not_decided) pairs.push_back(p);
    }
    if (!pairs.empty()) pair_hmm_rescue(batch, pairs, likelihood);
}

}  // namespace gannet::kernels::pair_hmm
