// SPDX-License-Identifier: MIT
// Provides the stage `kernels`: each op of the table by class of lengths.
#include "pipeline/bench/kernel_jobs.hpp"
#include "pipeline/bench/op_bench.hpp"

#include <string>

namespace gannet::pipeline::bench {
namespace {

constexpr size_t k_sw_jobs = 4000;
constexpr size_t k_hmm_regions = 2;
constexpr size_t k_network_examples = 256;

/// As many equal batches as threads, one for each.
template <class Batch>
std::vector<Batch> one_a_thread(BenchContext& context, const Batch& batch) {
    return std::vector<Batch>(static_cast<size_t>(context.session().threads()), batch);
}

Result result_of(std::string_view op, std::string_view of) {
    Result result;
    result.stage = "kernels";
    result.name = std::string(op) + "/" + std::string(of);
    return result;
}

}  // namespace

void add_kernels_stage(BenchContext& context) {
    for (const BandedSwClass& of : banded_sw_classes()) {
        add_banded_sw(context, result_of("banded_sw", of.name), of.scoring(),
                      one_a_thread(context, make_jobs(of, k_sw_jobs)));
    }
    for (const PairHmmClass& of : pair_hmm_classes()) {
        add_pair_hmm(context, result_of("pair_hmm", of.name),
                     one_a_thread(context, make_jobs(of, k_hmm_regions)));
    }
    for (const PileupNetworkClass& of : pileup_network_classes()) {
        add_pileup_network(context, result_of("pileup_network", of.name), make_network_weights(),
                           one_a_thread(context, make_jobs(of, k_network_examples)));
    }
}

}  // namespace gannet::pipeline::bench
