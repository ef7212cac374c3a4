// SPDX-License-Identifier: MIT
// Provides the measurement of banded_sw and pair_hmm.
#include "pipeline/bench/op_bench.hpp"

#include <tbb/enumerable_thread_specific.h>

#include <algorithm>
#include <memory>
#include <utility>

namespace gannet::pipeline::bench {
namespace {

template <class T>
void fold(uint64_t& hash, const std::vector<T>& values) {
    const auto* bytes = reinterpret_cast<const unsigned char*>(values.data());
    for (size_t i = 0; i < values.size() * sizeof(T); ++i)
        hash = (hash ^ bytes[i]) * 0x100000001b3ull;  // FNV-1a
}

constexpr uint64_t k_empty_hash = 0xcbf29ce484222325ull;

/// Cells (i, j), 1 <= i <= rows, 1 <= j <= columns, with i - lower <= j <= i + upper.
double band_cells(int64_t rows, int64_t columns, int64_t lower, int64_t upper) {
    int64_t cells = 0;
    for (int64_t i = 1; i <= rows; ++i) {
        const int64_t first = std::max<int64_t>(1, i - lower);
        const int64_t last = std::min<int64_t>(columns, i + upper);
        cells += std::max<int64_t>(0, last - first + 1);
    }
    return static_cast<double>(cells);
}

/// What a thread needs to call an op.
template <class Output>
struct OpLane {
    std::unique_ptr<kernels::Stream> stream;
    Output output;
};

/// What the work of an op owns.
template <class Output, class Batch>
struct OpWork {
    std::vector<Batch> batches;
    tbb::enumerable_thread_specific<OpLane<Output>> lanes;
};

template <class Output, class Batch, class Call>
void add_op(BenchContext& context, Result result, std::vector<Batch> batches, Call call) {
    const kernels::OpTable& ops = context.session().ops();
    const auto own = std::make_shared<OpWork<Output, Batch>>(
        std::move(batches), tbb::enumerable_thread_specific<OpLane<Output>>([&ops] {
            return OpLane<Output>{ops.make_stream(), {}};
        }));
    context.add(std::move(result), [&context, own, call] {
        context.for_each(own->batches.size(), [&](size_t index) {
            OpLane<Output>& lane = own->lanes.local();
            call(*lane.stream, own->batches[index], lane.output);
            lane.stream->wait();
        });
    });
}

}  // namespace

BandedSwCells count_cells(const kernels::BandedSwScoring& scoring, const kernels::BandedSwBatch& batch) {
    constexpr int64_t k_highest_byte = 254;
    BandedSwCells cells;
    for (size_t job = 0; job < batch.size(); ++job) {
        const int64_t query = batch.query_length[job];
        const int64_t target = batch.target_length[job];
        const int64_t band = batch.band[job];
        const int64_t highest = scoring.match * query + scoring.end_bonus;
        const int64_t for_gaps = std::max<int64_t>(0, highest - scoring.gap_open);
        const int64_t lower = std::min({band, for_gaps / (scoring.match + scoring.gap_extend), query});
        const int64_t upper = std::min({band, for_gaps / scoring.gap_extend, target});
        cells.asked += band_cells(query, target, band, band);
        (highest <= k_highest_byte ? cells.needed_bytes : cells.needed_words) +=
            band_cells(query, target, lower, upper);
    }
    return cells;
}

double count_cells(const kernels::PairHmmBatch& batch) {
    double cells = 0;
    for (size_t pair = 0; pair < batch.pairs(); ++pair) {
        const uint32_t read = batch.pair_read[pair];
        const uint32_t haplotype = batch.pair_haplotype[pair];
        cells +=
            static_cast<double>(batch.read_offset[read + 1] - batch.read_offset[read]) *
            static_cast<double>(batch.haplotype_offset[haplotype + 1] - batch.haplotype_offset[haplotype]);
    }
    return cells;
}

double count_products(const kernels::PileupNetworkWeights& weights,
                      const kernels::PileupNetworkBatch& batch) {
    namespace pileup = kernels::pileup;
    const auto size = [](const kernels::QuantisedLayer& layer) {
        return static_cast<double>(layer.weight.size());
    };
    const double a_row = pileup::k_conv1_positions * size(weights.conv1) +
                         pileup::k_conv2_positions * size(weights.conv2) + size(weights.read);
    const double an_example = size(weights.site1) + size(weights.site2) + size(weights.output);
    const double rows = batch.row_offset.empty() ? 0 : batch.row_offset.back();
    return rows * a_row + static_cast<double>(batch.size()) * an_example;
}

void add_banded_sw(BenchContext& context, Result result, const kernels::BandedSwScoring& scoring,
                   std::vector<kernels::BandedSwBatch> batches) {
    BandedSwCells cells;
    size_t jobs = 0;
    result.digest = k_empty_hash;
    for (const kernels::BandedSwBatch& batch : batches) {
        const BandedSwCells own = count_cells(scoring, batch);
        cells.asked += own.asked;
        cells.needed_bytes += own.needed_bytes;
        cells.needed_words += own.needed_words;
        jobs += batch.size();
        fold(result.digest, batch.bases);
        for (const auto* numbers :
             {&batch.query_offset, &batch.query_length, &batch.target_offset, &batch.target_length})
            fold(result.digest, *numbers);
        fold(result.digest, batch.band);
        fold(result.digest, batch.flags);
    }
    result.threads = context.session().threads();
    result.work.push_back({"cells", cells.asked});
    result.work.push_back({"jobs", static_cast<double>(jobs)});
    const Roof& bytes = context.roofs().banded_sw_bytes();
    if (bytes.rate > 0) {
        const Roof& words = context.roofs().banded_sw_words();
        result.bound = {cells.needed_words > cells.needed_bytes ? words.name : bytes.name,
                        cells.needed_bytes / bytes.rate + cells.needed_words / words.rate};
    }
    const auto op = context.session().ops().banded_sw;
    add_op<kernels::BandedSwResults>(
        context, std::move(result), std::move(batches),
        [scoring, op](kernels::Stream& stream, const kernels::BandedSwBatch& batch,
                      kernels::BandedSwResults& results) { op(stream, scoring, batch, results); });
}

void add_pair_hmm(BenchContext& context, Result result, std::vector<kernels::PairHmmBatch> batches) {
    double cells = 0;
    size_t pairs = 0;
    result.digest = k_empty_hash;
    for (const kernels::PairHmmBatch& batch : batches) {
        cells += count_cells(batch);
        pairs += batch.pairs();
        for (const auto* bytes :
             {&batch.read_bases, &batch.read_qualities, &batch.read_gap_qualities, &batch.haplotype_bases})
            fold(result.digest, *bytes);
        for (const auto* numbers :
             {&batch.read_offset, &batch.haplotype_offset, &batch.pair_read, &batch.pair_haplotype})
            fold(result.digest, *numbers);
    }
    result.threads = context.session().threads();
    result.work.push_back({"cells", cells});
    result.work.push_back({"pairs", static_cast<double>(pairs)});
    const Roof& roof = context.roofs().pair_hmm();
    if (roof.rate > 0) result.bound = {roof.name, cells / roof.rate};
    const auto op = context.session().ops().pair_hmm;
    add_op<std::vector<int32_t>>(context, std::move(result), std::move(batches),
                                 [op](kernels::Stream& stream, const kernels::PairHmmBatch& batch,
                                      std::vector<int32_t>& likelihoods) { op(stream, batch, likelihoods); });
}

void add_pileup_network(BenchContext& context, Result result, const kernels::PileupNetworkWeights& weights,
                        std::vector<kernels::PileupNetworkBatch> batches) {
    double products = 0;
    size_t candidates = 0;
    result.digest = k_empty_hash;
    for (const kernels::PileupNetworkBatch& batch : batches) {
        products += count_products(weights, batch);
        candidates += batch.size();
        fold(result.digest, batch.rows);
        fold(result.digest, batch.row_offset);
        fold(result.digest, batch.sites);
    }
    result.threads = context.session().threads();
    result.work.push_back({"candidates", static_cast<double>(candidates)});
    result.work.push_back({"products", products});
    const Roof& roof = context.roofs().pileup_network();
    if (roof.rate > 0) result.bound = {roof.name, products / roof.rate};
    const auto op = context.session().ops().pileup_network;
    add_op<std::vector<int32_t>>(
        context, std::move(result), std::move(batches),
        [weights, op](kernels::Stream& stream, const kernels::PileupNetworkBatch& batch,
                      std::vector<int32_t>& output) { op(stream, weights, batch, output); });
}

}  // namespace gannet::pipeline::bench
