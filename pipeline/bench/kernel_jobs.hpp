// SPDX-License-Identifier: MIT
// Provides jobs for the ops by class of lengths: the same on every machine, from a fixed seed.
#pragma once

#include "kernels/banded_sw/banded_sw.hpp"
#include "kernels/pair_hmm/pair_hmm.hpp"
#include "kernels/pileup_network/pileup_network.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace gannet::pipeline::bench {

/// Pairs that differ by 2 % of bases; half of them have an indel, one in seven a clip.
struct BandedSwClass {
    std::string_view name;
    uint32_t shortest_query;
    uint32_t longest_query;
    uint32_t target_length;  ///< 0: the query's length and a band more
    std::span<const uint16_t> bands;
    bool words;  ///< scored so that costs do not fit a byte
    bool traceback;

    kernels::BandedSwScoring scoring() const;
};
std::span<const BandedSwClass> banded_sw_classes();
kernels::BandedSwBatch make_jobs(const BandedSwClass& of, size_t jobs);

/// Active regions: 64 reads against each of 6 haplotypes.
struct PairHmmClass {
    std::string_view name;
    uint32_t read_length;
    uint32_t haplotype_length;
    bool ragged;  ///< lengths down to half of the read's, and a little below the haplotype's
};
std::span<const PairHmmClass> pair_hmm_classes();
kernels::PairHmmBatch make_jobs(const PairHmmClass& of, size_t regions);

/// Examples of so many rows, of bytes at random: the network's cost does not depend on them.
struct PileupNetworkClass {
    std::string_view name;
    uint32_t rows;
};
std::span<const PileupNetworkClass> pileup_network_classes();
kernels::PileupNetworkBatch make_jobs(const PileupNetworkClass& of, size_t examples);
/// Weights at random, with the channels of the model that ships.
kernels::PileupNetworkWeights make_network_weights();

}  // namespace gannet::pipeline::bench
