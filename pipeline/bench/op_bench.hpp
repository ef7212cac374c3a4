// SPDX-License-Identifier: MIT
// Provides the measurement of ops on batches of jobs, against the roof of their arithmetic.
#pragma once

#include "kernels/banded_sw/banded_sw.hpp"
#include "kernels/pair_hmm/pair_hmm.hpp"
#include "kernels/pileup_network/pileup_network.hpp"
#include "pipeline/bench/stage_table.hpp"

#include <vector>

namespace gannet::pipeline::bench {

/// Cells of the band that the jobs ask for, and of them those that could lie on a path that is reported: a
/// path costs at most match * query + end_bonus (kernels/banded_sw/banded_sw_cell.hpp), so wider gaps cannot
/// matter. Bytes hold the costs of jobs up to 254.
struct BandedSwCells {
    double asked = 0;
    double needed_bytes = 0;
    double needed_words = 0;
};
BandedSwCells count_cells(const kernels::BandedSwScoring& scoring, const kernels::BandedSwBatch& batch);
double count_cells(const kernels::PairHmmBatch& batch);
double count_products(const kernels::PileupNetworkWeights& weights, const kernels::PileupNetworkBatch& batch);

/// Adds the op on these jobs to what is measured: each batch is one call of the session's op. `result` gets
/// cells and jobs (or pairs, candidates and products), a digest of the jobs and the bound.
void add_banded_sw(BenchContext& context, Result result, const kernels::BandedSwScoring& scoring,
                   std::vector<kernels::BandedSwBatch> batches);
void add_pair_hmm(BenchContext& context, Result result, std::vector<kernels::PairHmmBatch> batches);
void add_pileup_network(BenchContext& context, Result result, const kernels::PileupNetworkWeights& weights,
                        std::vector<kernels::PileupNetworkBatch> batches);

}  // namespace gannet::pipeline::bench
