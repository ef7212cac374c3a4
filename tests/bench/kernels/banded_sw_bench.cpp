// SPDX-License-Identifier: MIT
// Measures banded_sw by kind of job, in cells of the band and of the full matrix a CPU second (a second, on a
// device), beside parasail.
#include "kernels/op_table.hpp"
#include "tests/parity/random.hpp"

#include <benchmark/benchmark.h>
#include <parasail.h>

#include <algorithm>
#include <memory>
#include <string>

namespace gannet::kernels {
namespace {

using parity::Random;

constexpr BandedSwScoring k_scoring{};
/// A bonus that makes costs too high for bytes, so that words are measured.
constexpr BandedSwScoring k_scoring_words{.end_bonus = 400};

struct Mix {
    const char* name;
    uint32_t shortest;
    uint32_t longest;
    uint32_t target_length;  ///< 0: the query's length and a band more
    std::vector<uint16_t> bands;
    bool words;
    uint8_t flags;
};

BandedSwBatch make_jobs(const Mix& mix, size_t jobs) {
    Random random(1);
    BandedSwBatch batch;
    std::vector<uint8_t> query;
    std::vector<uint8_t> target;
    for (size_t job = 0; job < jobs; ++job) {
        const uint32_t length = random.between(mix.shortest, mix.longest);
        const uint16_t band = mix.bands[random.below(mix.bands.size())];
        target.resize(mix.target_length != 0 ? mix.target_length : length + band);
        for (uint8_t& base : target) base = static_cast<uint8_t>(random.below(4));
        query.assign(target.begin(), target.begin() + length);
        for (uint8_t& base : query) {
            if (random.chance(2)) base = static_cast<uint8_t>(random.below(4));
        }
        if (random.chance(50)) {  // an indel, which is why the job is here at all
            const size_t at = random.below(length);
            query.erase(query.begin() + static_cast<std::ptrdiff_t>(at));
            query.push_back(static_cast<uint8_t>(random.below(4)));
        }
        if (random.chance(15)) {  // a clip
            for (size_t i = random.below(length); i < length; ++i)
                query[i] = static_cast<uint8_t>(random.below(4));
        }
        const auto late = static_cast<uint8_t>(mix.flags != 0 && random.chance(50) ? k_sw_gaps_late : 0);
        batch.add(query, target, band, static_cast<uint8_t>(mix.flags | late));
    }
    return batch;
}

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

void run_gannet(benchmark::State& state, const Mix& mix, size_t jobs, Backend backend, SimdLevel level) {
    const OpTable table = make_op_table(backend, level);
    const BandedSwBatch batch = make_jobs(mix, jobs);
    BandedSwResults results;
    const auto stream = table.make_stream();
    for (auto _ : state) {
        table.banded_sw(*stream, mix.words ? k_scoring_words : k_scoring, batch, results);
        benchmark::DoNotOptimize(results.score.data());
    }
    report(state, batch);
}

/// The op as a pipeline uses it: copies included, a batch under way on each of `streams`.
void run_device(benchmark::State& state, const Mix& mix, size_t jobs, size_t streams) {
    struct Slot {
        std::unique_ptr<Stream> stream;
        BandedSwResults results;
    };
    const OpTable table = make_op_table(Backend::cuda, std::nullopt);
    const BandedSwBatch batch = make_jobs(mix, jobs);
    std::vector<Slot> slots(streams);
    for (Slot& slot : slots) slot.stream = table.make_stream();
    const auto enqueue = [&](Slot& slot) {
        table.banded_sw(*slot.stream, mix.words ? k_scoring_words : k_scoring, batch, slot.results);
    };
    for (Slot& slot : slots) {  // memory is taken, and the kernel loaded
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
void run_parasail(benchmark::State& state, const Mix& mix, size_t jobs) {
    const BandedSwBatch batch = make_jobs(mix, jobs);
    const std::unique_ptr<parasail_matrix_t, void (*)(parasail_matrix_t*)> matrix(
        parasail_matrix_create("ACGT", k_scoring.match, -k_scoring.mismatch), parasail_matrix_free);
    std::vector<std::string> queries;
    std::vector<std::string> targets;
    for (size_t job = 0; job < batch.size(); ++job) {
        queries.push_back(letters(batch, batch.query_offset[job], batch.query_length[job]));
        targets.push_back(letters(batch, batch.target_offset[job], batch.target_length[job]));
    }
    const auto align = mix.flags != 0 ? parasail_sg_de_trace_striped_16 : parasail_sg_de_striped_16;
    for (auto _ : state) {
        for (size_t job = 0; job < batch.size(); ++job) {
            parasail_result_t* const result =
                align(queries[job].data(), static_cast<int>(queries[job].size()), targets[job].data(),
                      static_cast<int>(targets[job].size()), k_scoring.gap_open + k_scoring.gap_extend,
                      k_scoring.gap_extend, matrix.get());
            benchmark::DoNotOptimize(parasail_result_get_score(result));
            parasail_result_free(result);
        }
    }
    report(state, batch);
}

const std::vector<Mix>& mixes() {
    static const std::vector<Mix> all{
        {"full_150x250_words", 150, 150, 250, {1000}, true, 0},
        {"full_150x250_bytes", 150, 150, 250, {1000}, false, 0},
        {"reads_band_16_41", 20, 130, 0, {16, 24, 32, 41}, false, 0},
        {"reads_band_100", 20, 130, 0, {100}, false, 0},
        {"reads_any_band", 20, 130, 0, {16, 20, 27, 33, 41, 55, 70, 85, 100}, false, 0},
        {"reads_any_band_words", 20, 130, 0, {16, 20, 27, 33, 41, 55, 70, 85, 100}, true, 0},
        {"reads_any_band_cigar", 20, 130, 0, {16, 20, 27, 33, 41, 55, 70, 85, 100}, false, k_sw_traceback},
        {"reads_band_100_cigar", 20, 130, 0, {100}, false, k_sw_traceback},
        {"length_1000_band_100", 900, 1000, 0, {100}, false, 0},
        {"length_1000_band_100_cigar", 900, 1000, 0, {100}, false, k_sw_traceback},
        {"length_4000_band_500", 3600, 4000, 0, {500}, false, 0}};
    return all;
}

/// A batch for a device: about as many cells whatever the length.
size_t device_jobs(const Mix& mix) {
    return mix.longest > 3000 ? 4000 : (mix.longest > 500 ? 20000 : 200000);
}

void register_device(const Mix& mix) {
    if (!backend_status(Backend::cuda).available) return;
    for (const size_t streams : {size_t{1}, size_t{3}}) {
        const size_t jobs = device_jobs(mix);
        benchmark::RegisterBenchmark(
            (std::string(mix.name) + "/cuda_streams_" + std::to_string(streams) + "/" + std::to_string(jobs))
                .c_str(),
            [&mix, jobs, streams](benchmark::State& state) { run_device(state, mix, jobs, streams); })
            ->UseRealTime();
    }
}

void register_all() {
    for (const Mix& mix : mixes()) {
        register_device(mix);
        for (const SimdLevel level : {SimdLevel::sse42, SimdLevel::avx2, SimdLevel::avx512}) {
            if (level > detected_simd_level()) continue;
            for (const size_t jobs : {size_t{500}, size_t{4000}}) {
                benchmark::RegisterBenchmark(
                    (std::string(mix.name) + "/simd_" + std::string(name(level)) + "/" + std::to_string(jobs))
                        .c_str(),
                    [&mix, level, jobs](benchmark::State& state) {
                        run_gannet(state, mix, jobs, Backend::simd, level);
                    });
            }
        }
        benchmark::RegisterBenchmark(
            (std::string(mix.name) + "/reference/500").c_str(), [&mix](benchmark::State& state) {
                run_gannet(state, mix, 500, Backend::reference, detected_simd_level());
            });
        benchmark::RegisterBenchmark((std::string(mix.name) + "/parasail/500").c_str(),
                                     [&mix](benchmark::State& state) { run_parasail(state, mix, 500); });
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
