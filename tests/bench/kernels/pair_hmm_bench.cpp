// SPDX-License-Identifier: MIT
// Measures the op pair_hmm: cells per second by backend and by lengths.
#include "kernels/host_stream.hpp"
#include "kernels/pair_hmm/pair_hmm.hpp"
#include "pipeline/bench/kernel_jobs.hpp"

#include <benchmark/benchmark.h>

#include <vector>

namespace {

using namespace gannet::kernels;

void pair_hmm(benchmark::State& state, Backend backend, SimdLevel level, bool ragged) {
    if (level > detected_simd_level()) {
        state.SkipWithError("this CPU has no such level");
        return;
    }
    const gannet::pipeline::bench::PairHmmClass of{"", static_cast<uint32_t>(state.range(0)),
                                                   static_cast<uint32_t>(state.range(1)), ragged};
    const PairHmmBatch batch = make_jobs(of, 1);
    double cells = 0;
    for (size_t p = 0; p < batch.pairs(); ++p) {
        const uint32_t r = batch.pair_read[p];
        const uint32_t h = batch.pair_haplotype[p];
        cells += static_cast<double>(batch.read_offset[r + 1] - batch.read_offset[r]) *
                 static_cast<double>(batch.haplotype_offset[h + 1] - batch.haplotype_offset[h]);
    }
    HostStream stream;
    std::vector<int32_t> likelihood;
    const PairHmmFunction function = pair_hmm_function(backend, level);
    for ([[maybe_unused]] auto _ : state) {
        function(stream, batch, likelihood);
        benchmark::DoNotOptimize(likelihood.data());
    }
    state.counters["cells"] =
        benchmark::Counter(cells, benchmark::Counter::kIsIterationInvariantRate, benchmark::Counter::kIs1000);
}

BENCHMARK_CAPTURE(pair_hmm, reference, Backend::reference, SimdLevel::none, false)->Args({150, 300});
BENCHMARK_CAPTURE(pair_hmm, avx2, Backend::simd, SimdLevel::avx2, false)
    ->Args({150, 300})
    ->Args({100, 200})
    ->Args({250, 500});
BENCHMARK_CAPTURE(pair_hmm, avx2_ragged, Backend::simd, SimdLevel::avx2, true)->Args({150, 300});
BENCHMARK_CAPTURE(pair_hmm, avx512, Backend::simd, SimdLevel::avx512, false)->Args({150, 300});
BENCHMARK_CAPTURE(pair_hmm, avx512_ragged, Backend::simd, SimdLevel::avx512, true)->Args({150, 300});

}  // namespace

BENCHMARK_MAIN();
