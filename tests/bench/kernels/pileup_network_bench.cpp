// SPDX-License-Identifier: MIT
// Measures the op pileup_network: candidates and products per second by backend and rows.
#include "kernels/op_table.hpp"
#include "pipeline/bench/kernel_jobs.hpp"

#include <benchmark/benchmark.h>

#include <vector>

namespace {

using namespace gannet::kernels;
using namespace gannet::kernels::pileup;

double products_of(const PileupNetworkWeights& weights, double rows) {
    const auto size = [](const QuantisedLayer& layer) { return static_cast<double>(layer.weight.size()); };
    return rows * (k_conv1_positions * size(weights.conv1) + k_conv2_positions * size(weights.conv2) +
                   size(weights.read)) +
           size(weights.site1) + size(weights.site2) + size(weights.output);
}

void pileup_network(benchmark::State& state, Backend backend, SimdLevel level) {
    if (level > detected_simd_level()) {
        state.SkipWithError("this CPU has no such level");
        return;
    }
    const auto rows = static_cast<uint32_t>(state.range(0));
    const auto examples = static_cast<uint32_t>(state.range(1));
    const PileupNetworkWeights weights = gannet::pipeline::bench::make_network_weights();
    const PileupNetworkBatch batch =
        make_jobs(gannet::pipeline::bench::PileupNetworkClass{"", rows}, examples);
    const OpTable table =
        make_op_table(backend, level == SimdLevel::none ? std::nullopt : std::optional(level));
    const auto stream = table.make_stream();
    std::vector<int32_t> output;
    const auto run = [&] {
        table.pileup_network(*stream, weights, batch, output);
        stream->wait();
    };
    run();  // allocates memory and loads a device's kernel
    for ([[maybe_unused]] auto _ : state) {
        run();
        benchmark::DoNotOptimize(output.data());
    }
    const auto rate = benchmark::Counter::kIsIterationInvariantRate;
    state.counters["candidates"] = benchmark::Counter(examples, rate, benchmark::Counter::kIs1000);
    state.counters["products"] =
        benchmark::Counter(products_of(weights, rows) * examples, rate, benchmark::Counter::kIs1000);
}

BENCHMARK_CAPTURE(pileup_network, reference, Backend::reference, SimdLevel::none)->Args({30, 32});
BENCHMARK_CAPTURE(pileup_network, emulated, Backend::emulated, SimdLevel::none)->Args({30, 32});
BENCHMARK_CAPTURE(pileup_network, sse42, Backend::simd, SimdLevel::sse42)->Args({30, 256});
BENCHMARK_CAPTURE(pileup_network, avx2, Backend::simd, SimdLevel::avx2)
    ->Args({30, 256})
    ->Args({30, 4})
    ->Args({10, 256})
    ->Args({48, 256});
BENCHMARK_CAPTURE(pileup_network, avx512, Backend::simd, SimdLevel::avx512)->Args({30, 256});

void pileup_network_cuda(benchmark::State& state) { pileup_network(state, Backend::cuda, SimdLevel::none); }

}  // namespace

int main(int argc, char** argv) {
    if (backend_status(Backend::cuda).available) {
        benchmark::RegisterBenchmark("pileup_network/cuda", pileup_network_cuda)
            ->Args({30, 256})
            ->Args({30, 20000})
            ->UseRealTime();
    }
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
