// SPDX-License-Identifier: MIT
// Provides the parity cases of pileup_network.
#include "kernels/pileup_network/pileup_network.hpp"
#include "tests/parity/parity.hpp"

#include <array>
#include <cmath>

namespace gannet::parity {

namespace {

using kernels::PileupNetworkBatch;
using kernels::PileupNetworkWeights;
using kernels::QuantisedLayer;
using namespace kernels::pileup;
using Bytes = std::vector<uint8_t>;

struct Jobs {
    PileupNetworkWeights weights;
    PileupNetworkBatch batch;
};

struct Channels {
    uint32_t conv1, conv2, read, site1, site2;
};
constexpr Channels k_usual_channels{16, 32, 64, 96, 48};
constexpr Channels k_min_channels{8, 8, 16, 16, 16};
constexpr Channels k_max_channels{64, 64, 128, 256, 256};

int32_t in_range(Random& random, int32_t low, int32_t high) {
    return low + static_cast<int32_t>(random.below(static_cast<uint64_t>(int64_t{high} - low + 1)));
}

/// Weights for which sums of bytes spread over the full range of activations, and some beyond it.
QuantisedLayer layer(Random& random, uint32_t inputs, uint32_t outputs, int32_t largest) {
    QuantisedLayer made{inputs, outputs, {}, {}, {}, {}};
    for (uint32_t k = 0; k < inputs * outputs; ++k)
        made.weight.push_back(static_cast<int8_t>(in_range(random, -largest, largest)));
    for (uint32_t k = 0; k < outputs; ++k) {
        made.bias.push_back(in_range(random, -20000, 40000));
        const int32_t shift = in_range(random, 16, 26);
        const double factor = std::ldexp(80 / std::sqrt(inputs) / (largest + 1) / 60, shift);
        made.multiplier.push_back(static_cast<int32_t>(std::min(32767.0, std::max(1.0, factor))));
        made.shift.push_back(shift);
    }
    return made;
}

PileupNetworkWeights network(Random& random, const Channels& channels, int32_t largest = 63) {
    PileupNetworkWeights weights;
    weights.conv1 = layer(random, k_window * k_channels, channels.conv1, largest);
    weights.conv2 = layer(random, k_window * channels.conv1, channels.conv2, largest);
    weights.read = layer(random, k_conv2_positions * channels.conv2 + k_row_features, channels.read, largest);
    weights.site1 = layer(random, 2 * k_pools * channels.read + k_site_bytes, channels.site1, largest);
    weights.site2 = layer(random, channels.site1, channels.site2, largest);
    weights.output = layer(random, channels.site2, k_outputs, largest);
    return weights;
}

std::array<QuantisedLayer*, 6> layers(PileupNetworkWeights& weights) {
    return {&weights.conv1, &weights.conv2, &weights.read, &weights.site1, &weights.site2, &weights.output};
}

Bytes random_bytes(Random& random, size_t count) {
    Bytes bytes(count);
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random.next());
    return bytes;
}

/// `supports`: per cent of the rows; of the others half are the reference's. First features at the edges of
/// the pools are common.
void add(Random& random, PileupNetworkBatch& batch, uint32_t rows, uint32_t supports) {
    Bytes bytes = random_bytes(random, size_t{rows} * k_row_bytes);
    for (uint32_t r = 0; r < rows; ++r) {
        uint8_t& first = bytes[size_t{r} * k_row_bytes + k_columns * k_channels];
        const uint32_t pool = random.chance(supports) ? 0 : random.chance(50) ? 1 : 2;
        constexpr std::array<std::array<uint8_t, 2>, 3> k_ends{{{192, 255}, {64, 191}, {0, 63}}};
        const auto [lowest, highest] = k_ends[pool];
        first = random.chance(20) ? (random.chance(50) ? lowest : highest)
                                  : static_cast<uint8_t>(lowest + first % (highest - lowest + 1));
    }
    batch.add(bytes, random_bytes(random, k_site_bytes));
}

void make_none(Random& random, Jobs& jobs) { jobs.weights = network(random, k_usual_channels); }

void make_single(Random& random, Jobs& jobs) {
    jobs.weights = network(random, k_usual_channels);
    add(random, jobs.batch, 1, 50);
}

/// Every number of rows, with all, some and none of them in support.
void make_rows(Random& random, Jobs& jobs) {
    jobs.weights = network(random, k_usual_channels);
    for (uint32_t rows = 0; rows <= k_max_rows; ++rows) {
        for (const uint32_t supports : {0U, 50U, 100U}) {
            if (random.chance(30)) add(random, jobs.batch, rows, supports);
        }
    }
    add(random, jobs.batch, k_max_rows, 50);
}

/// Numbers of examples around the blocks and tiles of the vector code.
void make_counts(Random& random, Jobs& jobs) {
    jobs.weights = network(random, k_usual_channels);
    const uint32_t count = random.between(1, 60);
    for (uint32_t k = 0; k < count; ++k) add(random, jobs.batch, random.between(0, 3), 50);
}

/// Any channels that the contract allows; half of them at an end.
void make_channels(Random& random, Jobs& jobs) {
    const auto channels = [&random](uint32_t low, uint32_t high) {
        if (random.chance(25)) return low;
        return random.chance(33) ? high : 8 * random.between(low / 8, high / 8);
    };
    jobs.weights = network(
        random, {channels(8, 64), channels(8, 64), channels(16, 128), channels(16, 256), channels(16, 256)});
    for (uint32_t k = 0; k < 3; ++k) add(random, jobs.batch, random.between(0, 12), 40);
}

void make_widest(Random& random, Jobs& jobs) {
    jobs.weights = network(random, random.chance(50) ? k_max_channels : k_min_channels);
    for (uint32_t k = 0; k < 2; ++k) add(random, jobs.batch, random.between(0, 9), 40);
}

/// Weights of +-63 only, activations of 0 and 255 only: sums of two products at the ends of 16 bits.
void make_extreme(Random& random, Jobs& jobs) {
    jobs.weights = network(random, random.chance(80) ? k_usual_channels : k_max_channels);
    const uint32_t negative = random.chance(30) ? 0 : random.chance(30) ? 100 : 50;
    const uint32_t full = random.chance(50) ? 100 : 50;
    for (QuantisedLayer* each : layers(jobs.weights)) {
        for (int8_t& weight : each->weight) weight = random.chance(negative) ? -63 : 63;
    }
    for (uint32_t k = 0; k < 4; ++k) {
        Bytes rows(size_t{random.between(0, k_max_rows)} * k_row_bytes);
        for (uint8_t& byte : rows) byte = random.chance(full) ? 255 : 0;
        jobs.batch.add(rows, Bytes(k_site_bytes, random.chance(50) ? 255 : 0));
    }
}

/// Shifts, multipliers and biases at their ends, so that activations are cut and outputs meet their bounds.
void make_scales(Random& random, Jobs& jobs) {
    jobs.weights = network(random, k_usual_channels);
    constexpr std::array<int32_t, 6> k_shifts{1, 2, 8, 31, 39, 40};
    constexpr std::array<int32_t, 4> k_multipliers{1, 2, 16384, 32767};
    constexpr std::array<int32_t, 4> k_biases{-(1 << 24), 1 << 24, 0, 1};
    for (QuantisedLayer* each : layers(jobs.weights)) {
        for (uint32_t k = 0; k < each->outputs; ++k) {
            if (random.chance(30)) each->shift[k] = k_shifts[random.below(k_shifts.size())];
            if (random.chance(30)) each->multiplier[k] = k_multipliers[random.below(k_multipliers.size())];
            if (random.chance(30)) each->bias[k] = k_biases[random.below(k_biases.size())];
        }
    }
    for (uint32_t k = 0; k < 6; ++k) add(random, jobs.batch, random.between(0, 9), 50);
}

/// Sums of 0 to a few units around halves and around 255: weights that pick single inputs, bias and scale
/// that place them.
void make_rounding(Random& random, Jobs& jobs) {
    jobs.weights = network(random, k_usual_channels);
    for (QuantisedLayer* each : layers(jobs.weights)) {
        std::fill(each->weight.begin(), each->weight.end(), int8_t{0});
        for (uint32_t k = 0; k < each->outputs; ++k) {
            each->weight[size_t{k} * each->inputs + random.below(each->inputs)] = 1;
            each->shift[k] = in_range(random, 1, 12);
            each->multiplier[k] = random.chance(50) ? 1 << (each->shift[k] - 1) : 1 << each->shift[k];
            each->multiplier[k] = std::max(1, each->multiplier[k] + in_range(random, -1, 1));
            each->bias[k] = random.chance(50) ? in_range(random, -3, 3) : in_range(random, 250, 514) - 128;
        }
    }
    for (uint32_t k = 0; k < 6; ++k) add(random, jobs.batch, random.between(0, 9), 50);
}

/// As real examples are: rows that hold the same in most places, many zeros, features few.
void make_sparse(Random& random, Jobs& jobs) {
    jobs.weights = network(random, k_usual_channels, 20);
    for (uint32_t k = 0; k < 8; ++k) {
        const Bytes common = random_bytes(random, k_row_bytes);
        Bytes rows;
        for (uint32_t r = random.between(5, 45); r > 0; --r) {
            const uint32_t begin = random.between(0, 10);
            const uint32_t end = random.between(20, k_columns);
            Bytes row(k_row_bytes, 0);
            for (uint32_t i = begin * k_channels; i < end * k_channels; ++i)
                row[i] = i % k_channels > 4 ? 0 : random.chance(3) ? 255 : common[i];
            for (uint32_t i = k_columns * k_channels; i < k_row_bytes; ++i)
                row[i] = random.chance(60) ? 0 : random.chance(50) ? 255 : common[i];
            rows.insert(rows.end(), row.begin(), row.end());
        }
        jobs.batch.add(rows, random_bytes(random, k_site_bytes));
    }
}

const std::array<Maker<Jobs>, 10> k_makers{{{{"none", 0}, make_none},
                                            {{"single", 1}, make_single},
                                            {{"rows", 8}, make_rows},
                                            {{"counts", 8}, make_counts},
                                            {{"channels", 4}, make_channels},
                                            {{"widest", 1}, make_widest},
                                            {{"extreme", 2}, make_extreme},
                                            {{"scales", 4}, make_scales},
                                            {{"rounding", 4}, make_rounding},
                                            {{"sparse", 3}, make_sparse}}};

struct PileupNetworkOp : MadeByTable<Jobs, k_makers> {
    using Results = std::vector<int32_t>;

    static std::string name() { return "pileup_network"; }
    static uint64_t cost() { return 20; }

    static Jobs make(size_t index, uint64_t seed) {
        Jobs jobs = MadeByTable::make(index, seed);
        jobs.weights.validate();
        if (seed % 2 == 0) jobs.weights.prepare();
        return jobs;
    }

    static size_t size(const Jobs& jobs) { return jobs.batch.size(); }

    static Jobs select(const Jobs& jobs, std::span<const uint32_t> order) {
        const PileupNetworkBatch& from = jobs.batch;
        Jobs result{jobs.weights, {}};
        for (const uint32_t job : order) {
            const size_t rows = from.row_offset[job + 1] - from.row_offset[job];
            result.batch.add(
                {from.rows.data() + size_t{from.row_offset[job]} * k_row_bytes, rows * k_row_bytes},
                {from.sites.data() + size_t{job} * k_site_bytes, k_site_bytes});
        }
        result.batch.rows.shrink_to_fit();  // so that a sanitizer sees reads beyond the end of the arenas
        result.batch.sites.shrink_to_fit();
        return result;
    }

    static Results run(const kernels::OpTable& table, const Jobs& jobs) {
        const size_t values = jobs.batch.size() * k_outputs;
        return run_guarded<int32_t>(table, values, [&](kernels::Stream& stream, Results& output) {
            table.pileup_network(stream, jobs.weights, jobs.batch, output);
        });
    }

    static std::string difference(const Results& expected, const Results& actual,
                                  std::span<const uint32_t> order) {
        for (size_t k = 0; k < order.size() * k_outputs; ++k) {
            const int32_t wanted = expected[order[k / k_outputs] * k_outputs + k % k_outputs];
            if (actual[k] == wanted) continue;
            return "job " + std::to_string(order[k / k_outputs]) + ", output " +
                   std::to_string(k % k_outputs) + ": reference " + std::to_string(wanted) + "; here " +
                   std::to_string(actual[k]);
        }
        return "";
    }
};

}  // namespace

void register_pileup_network() { register_op<PileupNetworkOp>(); }

}  // namespace gannet::parity
