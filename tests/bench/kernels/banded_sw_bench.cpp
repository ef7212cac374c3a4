// SPDX-License-Identifier: MIT
// Measures banded_sw by class of jobs, in cells of the band and of the full matrix per CPU second (per second
// on a device), beside parasail.
#include "kernels/op_table.hpp"
#include "pipeline/bench/kernel_jobs.hpp"

#include <benchmark/benchmark.h>
#include <parasail.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

namespace gannet::kernels {
namespace {

using pipeline::bench::BandedSwClass;
using pipeline::bench::make_jobs;

struct Cells {
    double band = 0;
    double full = 0;
};

Cells count_cells(const BandedSwBatch& batch) {
    Cells cells;
    for (size_t job = 0; job < batch.size(); ++job) {
        const int64_t columns = batch.target_length[job];
        cells.full += static_cast<double>(batch.query_length[job]) * static_cast<double>(columns);
        for (int64_t i = 1; i <= batch.query_length[job]; ++i) {
            const int64_t first = std::max<int64_t>(1, i - batch.band[job]);
            const int64_t last = std::min<int64_t>(columns, i + batch.band[job]);
            cells.band += static_cast<double>(std::max<int64_t>(0, last - first + 1));
        }
    }
    return cells;
}

void report(benchmark::State& state, const BandedSwBatch& batch, size_t batches = 1) {
    const Cells cells = count_cells(batch);
    const auto runs = static_cast<double>(state.iterations()) * static_cast<double>(batches);
    state.counters["band_cells/s"] = {cells.band * runs, benchmark::Counter::kIsRate};
    state.counters["full_cells/s"] = {cells.full * runs, benchmark::Counter::kIsRate};
    state.counters["jobs/s"] = {static_cast<double>(batch.size()) * runs, benchmark::Counter::kIsRate};
}

void run_gannet(benchmark::State& state, const BandedSwClass& of, size_t jobs, Backend backend,
                SimdLevel level) {
    const OpTable table = make_op_table(backend, level);
    const BandedSwBatch batch = make_jobs(of, jobs);
    const BandedSwScoring scoring = of.scoring();
    BandedSwResults results;
    const auto stream = table.make_stream();
    for (auto _ : state) {
        table.banded_sw(*stream, scoring, batch, results);
        benchmark::DoNotOptimize(results.score.data());
    }
    report(state, batch);
}

/// The op as a pipeline uses it: with the copies, and a batch under way on each of `streams`.
void run_device(benchmark::State& state, const BandedSwClass& of, size_t jobs, size_t streams) {
    struct Slot {
        std::unique_ptr<Stream> stream;
        BandedSwResults results;
    };
    const OpTable table = make_op_table(Backend::cuda, std::nullopt);
    const BandedSwBatch batch = make_jobs(of, jobs);
    std::vector<Slot> slots(streams);
    for (Slot& slot : slots) slot.stream = table.make_stream();
    const BandedSwScoring scoring = of.scoring();
    const auto enqueue = [&](Slot& slot) { table.banded_sw(*slot.stream, scoring, batch, slot.results); };
    for (Slot& slot : slots) {  // allocates memory and loads the kernel
        enqueue(slot);
        slot.stream->wait();
    }
    const size_t batches = 8 * streams;
    for (auto _ : state) {
        for (size_t k = 0; k < batches; ++k) {
            Slot& slot = slots[k % streams];
            slot.stream->wait();
            enqueue(slot);
        }
        for (Slot& slot : slots) slot.stream->wait();
    }
    report(state, batch, batches);
}

std::string letters(const BandedSwBatch& batch, uint32_t offset, uint32_t length) {
    std::string text;
    for (uint32_t k = 0; k < length; ++k) text += "ACGTN"[batch.bases[offset + k]];
    return text;
}

/// Semi-global alignment that is free at the target's end, which is the nearest that parasail has to an
/// extension. It has no band, so its band cells are what it did not need to do but did.
void run_parasail(benchmark::State& state, const BandedSwClass& of, size_t jobs) {
    const BandedSwBatch batch = make_jobs(of, jobs);
    const BandedSwScoring scoring;
    const std::unique_ptr<parasail_matrix_t, void (*)(parasail_matrix_t*)> matrix(
        parasail_matrix_create("ACGT", scoring.match, -scoring.mismatch), parasail_matrix_free);
    std::vector<std::string> queries;
    std::vector<std::string> targets;
    for (size_t job = 0; job < batch.size(); ++job) {
        queries.push_back(letters(batch, batch.query_offset[job], batch.query_length[job]));
        targets.push_back(letters(batch, batch.target_offset[job], batch.target_length[job]));
    }
    const auto align = of.traceback ? parasail_sg_de_trace_striped_16 : parasail_sg_de_striped_16;
    for (auto _ : state) {
        for (size_t job = 0; job < batch.size(); ++job) {
            parasail_result_t* const result =
                align(queries[job].data(), static_cast<int>(queries[job].size()), targets[job].data(),
                      static_cast<int>(targets[job].size()), scoring.gap_open + scoring.gap_extend,
                      scoring.gap_extend, matrix.get());
            benchmark::DoNotOptimize(parasail_result_get_score(result));
            parasail_result_free(result);
        }
    }
    report(state, batch);
}

/// The classes of `gannet bench`, and longer queries.
const std::vector<BandedSwClass>& classes() {
    static constexpr std::array<uint16_t, 1> k_band_100{100};
    static constexpr std::array<uint16_t, 1> k_band_500{500};
    static const std::vector<BandedSwClass> all = [] {
        const auto shared = pipeline::bench::banded_sw_classes();
        std::vector<BandedSwClass> made(shared.begin(), shared.end());
        made.push_back({"length_1000_band_100", 900, 1000, 0, k_band_100, false, false});
        made.push_back({"length_1000_band_100_cigar", 900, 1000, 0, k_band_100, false, true});
        made.push_back({"length_4000_band_500", 3600, 4000, 0, k_band_500, false, false});
        return made;
    }();
    return all;
}

/// A batch for a device: about as many cells whatever the length.
size_t device_jobs(const BandedSwClass& of) {
    return of.longest_query > 3000 ? 4000 : (of.longest_query > 500 ? 20000 : 200000);
}

void register_device(const BandedSwClass& of) {
    if (!backend_status(Backend::cuda).available) return;
    for (const size_t streams : {size_t{1}, size_t{3}}) {
        const size_t jobs = device_jobs(of);
        benchmark::RegisterBenchmark(
            (std::string(of.name) + "/cuda_streams_" + std::to_string(streams) + "/" + std::to_string(jobs))
                .c_str(),
            [&of, jobs, streams](benchmark::State& state) { run_device(state, of, jobs, streams); })
            ->UseRealTime();
    }
}

void register_all() {
    for (const BandedSwClass& of : classes()) {
        register_device(of);
        for (const SimdLevel level : {SimdLevel::sse42, SimdLevel::avx2, SimdLevel::avx512}) {
            if (level > detected_simd_level()) continue;
            for (const size_t jobs : {size_t{500}, size_t{4000}}) {
                benchmark::RegisterBenchmark(
                    (std::string(of.name) + "/simd_" + std::string(name(level)) + "/" + std::to_string(jobs))
                        .c_str(),
                    [&of, level, jobs](benchmark::State& state) {
                        run_gannet(state, of, jobs, Backend::simd, level);
                    });
            }
        }
        benchmark::RegisterBenchmark(
            (std::string(of.name) + "/reference/500").c_str(), [&of](benchmark::State& state) {
                run_gannet(state, of, 500, Backend::reference, detected_simd_level());
            });
        benchmark::RegisterBenchmark((std::string(of.name) + "/parasail/500").c_str(),
                                     [&of](benchmark::State& state) { run_parasail(state, of, 500); });
    }
}

}  // namespace
}  // namespace gannet::kernels

int main(int argc, char** argv) {
    gannet::kernels::register_all();
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
