// SPDX-License-Identifier: MIT
// Provides the rows of ops on jobs that are made: of a class of lengths, at random.
#include "pipeline/bench/kernel_jobs.hpp"
#include "tests/bench/device/rows.hpp"

namespace gannet::device_bench {

namespace {

using namespace kernels;
using pipeline::bench::BandedSwClass;
using pipeline::bench::PairHmmClass;
using pipeline::bench::PileupNetworkClass;

bool is_wanted(const Options& options, std::string_view of) {
    return options.classes.empty() ||
           std::find(options.classes.begin(), options.classes.end(), of) != options.classes.end();
}

double pair_cells(const PairHmmBatch& batch) {
    double cells = 0;
    for (size_t pair = 0; pair < batch.pairs(); ++pair) {
        const uint32_t read = batch.pair_read[pair];
        const uint32_t haplotype = batch.pair_haplotype[pair];
        cells += static_cast<double>(batch.read_offset[read + 1] - batch.read_offset[read]) *
                 (batch.haplotype_offset[haplotype + 1] - batch.haplotype_offset[haplotype]);
    }
    return cells;
}

}  // namespace

double band_cells(const BandedSwBatch& batch) {
    double cells = 0;
    for (size_t job = 0; job < batch.size(); ++job) {
        const int64_t columns = batch.target_length[job];
        for (int64_t i = 1; i <= batch.query_length[job]; ++i) {
            const int64_t first = std::max<int64_t>(1, i - batch.band[job]);
            const int64_t last = std::min<int64_t>(columns, i + batch.band[job]);
            cells += static_cast<double>(std::max<int64_t>(0, last - first + 1));
        }
    }
    return cells;
}

void banded_sw_rows(const Options& options, const OpTable& table) {
    for (const BandedSwClass& of : pipeline::bench::banded_sw_classes()) {
        if (!is_wanted(options, of.name)) continue;
        for (const size_t jobs : options.jobs) {
            const BandedSwBatch batch = make_jobs(of, jobs);
            const BandedSwScoring scoring = of.scoring();
            std::vector<BandedSwResults> results(options.most_lanes());
            const auto call = [&](Stream& stream, size_t k) {
                table.banded_sw(stream, scoring, batch, results[k]);
            };
            write_rows(options, table, of.name, jobs, {{"cells", band_cells(batch)}}, call);
        }
    }
}

/// The jobs are pairs: of as many regions as have them.
void pair_hmm_rows(const Options& options, const OpTable& table) {
    for (const PairHmmClass& of : pipeline::bench::pair_hmm_classes()) {
        if (!is_wanted(options, of.name)) continue;
        const size_t pairs_of_region = make_jobs(of, 1).pairs();
        for (const size_t jobs : options.jobs) {
            const PairHmmBatch batch = make_jobs(of, (jobs + pairs_of_region - 1) / pairs_of_region);
            std::vector<std::vector<int32_t>> likelihoods(options.most_lanes());
            const auto call = [&](Stream& stream, size_t k) {
                table.pair_hmm(stream, batch, likelihoods[k]);
            };
            write_rows(options, table, of.name, batch.pairs(), {{"cells", pair_cells(batch)}}, call);
        }
    }
}

void pileup_network_rows(const Options& options, const OpTable& table) {
    PileupNetworkWeights weights = pipeline::bench::make_network_weights();
    weights.prepare();
    for (const PileupNetworkClass& of : pipeline::bench::pileup_network_classes()) {
        if (!is_wanted(options, of.name)) continue;
        for (const size_t examples : options.jobs) {
            const PileupNetworkBatch batch = make_jobs(of, examples);
            std::vector<std::vector<int32_t>> outputs(options.most_lanes());
            const auto call = [&](Stream& stream, size_t k) {
                table.pileup_network(stream, weights, batch, outputs[k]);
            };
            write_rows(options, table, of.name, examples, {{"candidates", static_cast<double>(examples)}},
                       call);
        }
    }
}

}  // namespace gannet::device_bench
