// SPDX-License-Identifier: MIT
// Provides the network's input for a batch of windows.
#pragma once

#include "data/sequence.hpp"
#include "kernels/pileup_network/pileup_network.hpp"
#include "ml/example.hpp"

#include <cstddef>
#include <vector>

namespace gannet::variants {

/// One example for each candidate allele, in the order in which they were found. Memory is kept.
struct ExampleBatch {
    kernels::PileupNetworkBatch network;  ///< as the op takes them
    std::vector<ml::ExampleFacts> facts;  ///< one per example
    std::vector<data::Base> fact_bases;   ///< alternate bases that the facts refer to

    size_t size() const { return network.size(); }
    void clear() {
        network.rows.clear();
        network.row_offset.clear();
        network.sites.clear();
        facts.clear();
        fact_bases.clear();
    }
};

}  // namespace gannet::variants
