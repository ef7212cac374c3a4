// SPDX-License-Identifier: MIT
// Provides the micro-benchmark of the op pair_hmm: cells a second by backend and by lengths.
#include "kernels/host_stream.hpp"
#include "kernels/pair_hmm/pair_hmm.hpp"

#include <benchmark/benchmark.h>

#include <random>

namespace {

using namespace gannet::kernels;

/// Reads that fit one of their haplotypes but for a few errors, as in an active region: each read against
/// all.
PairHmmBatch make_batch(uint32_t read_length, uint32_t haplotype_length, bool ragged) {
    std::mt19937_64 random(1);
    PairHmmBatch batch;
    std::vector<uint8_t> haplotype(haplotype_length);
    for (uint8_t& base : haplotype) base = static_cast<uint8_t>(random() % 4);
    for (uint32_t h = 0; h < 6; ++h) {
        haplotype[random() % haplotype_length] = static_cast<uint8_t>(random() % 4);
        batch.add_haplotype(std::span(haplotype).first(haplotype_length - (ragged ? random() % 12 : 0)));
    }
    const std::vector<uint8_t> gap(read_length, 45);
    std::vector<uint8_t> quality(read_length);
    for (uint32_t r = 0; r < 64; ++r) {
        const size_t length = read_length - (ragged ? random() % (read_length / 2) : 0);
        const size_t begin = random() % (haplotype_length - length + 1);
        std::vector<uint8_t> read(haplotype.begin() + static_cast<ptrdiff_t>(begin),
                                  haplotype.begin() + static_cast<ptrdiff_t>(begin + length));
        read[random() % length] = static_cast<uint8_t>(random() % 4);
        for (uint8_t& q : quality) q = static_cast<uint8_t>(20 + random() % 20);
        batch.add_read(read, std::span(quality).first(length), std::span(gap).first(length));
        for (uint32_t h = 0; h < 6; ++h) batch.add_pair(r, h);
    }
    return batch;
}

void pair_hmm(benchmark::State& state, Backend backend, SimdLevel level, bool ragged) {
    if (level > detected_simd_level()) {
        state.SkipWithError("this CPU has no such level");
        return;
    }
    const PairHmmBatch batch =
        make_batch(static_cast<uint32_t>(state.range(0)), static_cast<uint32_t>(state.range(1)), ragged);
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
