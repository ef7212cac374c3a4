// SPDX-License-Identifier: MIT
// Tests pileup_network's reference against values worked out by hand, and the checks of weights and batches.
#include "kernels/pileup_network/pileup_network.hpp"

#include "kernels/host_stream.hpp"
#include "kernels/pileup_network/pileup_network_cell.hpp"

#include <gtest/gtest.h>

namespace gannet::kernels {
namespace {

using namespace pileup;

/// A layer that gives zeros.
QuantisedLayer silent(uint32_t inputs, uint32_t outputs) {
    return {inputs,
            outputs,
            std::vector<int8_t>(size_t{inputs} * outputs, 0),
            std::vector<int32_t>(outputs, 0),
            std::vector<int32_t>(outputs, 1),
            std::vector<int32_t>(outputs, 1)};
}

/// Output `to` becomes weight * input `from`, requantised by 2 / 2^1.
void connect(QuantisedLayer& layer, uint32_t to, uint32_t from, int8_t weight) {
    layer.weight[size_t{to} * layer.inputs + from] = weight;
    layer.multiplier[to] = 2;
}

PileupNetworkWeights silent_network() {
    PileupNetworkWeights weights;
    weights.conv1 = silent(32, 16);
    weights.conv2 = silent(64, 8);
    weights.read = silent(112, 16);
    weights.site1 = silent(480, 24);
    weights.site2 = silent(24, 16);
    weights.output = silent(16, 3);
    return weights;
}

std::vector<int32_t> run(const PileupNetworkWeights& weights, const PileupNetworkBatch& batch) {
    HostStream stream;
    std::vector<int32_t> output;
    pileup_network_function(Backend::reference, SimdLevel::none)(stream, weights, batch, output);
    return output;
}

/// Rows whose column `column`, channel 2, holds `values`; the first feature is `pool`.
PileupNetworkBatch rows_of(const std::vector<uint8_t>& values, uint32_t column, uint8_t pool) {
    std::vector<uint8_t> rows(values.size() * k_row_bytes, 0);
    for (size_t r = 0; r < values.size(); ++r) {
        rows[r * k_row_bytes + column * k_channels + 2] = values[r];
        rows[r * k_row_bytes + k_columns * k_channels] = pool;
    }
    PileupNetworkBatch batch;
    batch.add(rows, std::vector<uint8_t>(k_site_bytes, 0));
    return batch;
}

/// Column 9, channel 2 through all layers: it is at place 3 of the window at 6, conv1 position 3, which is
/// place 1 of the window at 2, conv2 position 1.
PileupNetworkWeights path(uint32_t pooled) {
    PileupNetworkWeights weights = silent_network();
    connect(weights.conv1, 4, 3 * k_channels + 2, 1);
    connect(weights.conv2, 5, 1 * 16 + 4, 2);
    connect(weights.read, 6, 1 * 8 + 5, 1);
    connect(weights.site1, 7, pooled * 16 + 6, 1);
    connect(weights.site2, 8, 7, 3);
    connect(weights.output, 1, 8, -5);
    return weights;
}

TEST(PileupNetwork, one_value_goes_its_way) {
    const std::vector<uint8_t> values{3, 4, 4, 11};
    enum : uint32_t { mean_in, highest_in, mean_reference, highest_reference, mean_other, highest_other };
    // (6 + 8 + 8 + 22) / 4 = 11; times 3 and -5.
    EXPECT_EQ(run(path(mean_in), rows_of(values, 9, 192)), (std::vector<int32_t>{0, -165, 0}));
    EXPECT_EQ(run(path(highest_in), rows_of(values, 9, 255)), (std::vector<int32_t>{0, -330, 0}));
    EXPECT_EQ(run(path(mean_reference), rows_of(values, 9, 191)), (std::vector<int32_t>{0, -165, 0}));
    EXPECT_EQ(run(path(highest_reference), rows_of(values, 9, 64)), (std::vector<int32_t>{0, -330, 0}));
    EXPECT_EQ(run(path(mean_other), rows_of(values, 9, 63)), (std::vector<int32_t>{0, -165, 0}));
    EXPECT_EQ(run(path(highest_other), rows_of(values, 9, 0)), (std::vector<int32_t>{0, -330, 0}));
    EXPECT_EQ(run(path(mean_reference), rows_of(values, 9, 192)), (std::vector<int32_t>{0, 0, 0}));
    EXPECT_EQ(run(path(mean_other), rows_of(values, 9, 64)), (std::vector<int32_t>{0, 0, 0}));
    EXPECT_EQ(run(path(mean_in), rows_of(values, 8, 192)), (std::vector<int32_t>{0, 0, 0}));
}

TEST(PileupNetwork, features_and_site_are_behind_what_was_made) {
    PileupNetworkWeights weights = silent_network();
    connect(weights.read, 3, 6 * 8 + 63, 1);
    connect(weights.site1, 0, 5 * 16 + 3, 1);
    connect(weights.site1, 1, 6 * 16 + 383, 1);
    connect(weights.site2, 0, 0, 1);
    connect(weights.site2, 1, 1, 1);
    connect(weights.output, 0, 0, 1);
    connect(weights.output, 2, 1, 1);
    std::vector<uint8_t> row(k_row_bytes, 0);
    row.back() = 77;
    std::vector<uint8_t> site(k_site_bytes, 0);
    site.back() = 99;
    PileupNetworkBatch batch;
    batch.add(row, site);
    batch.add({}, site);
    EXPECT_EQ(run(weights, batch), (std::vector<int32_t>{77, 0, 99, 0, 0, 99}));
}

TEST(PileupNetwork, activations_are_rounded_half_up_and_cut) {
    EXPECT_EQ(activation(1, 1, 1), 1);   // 0.5
    EXPECT_EQ(activation(-1, 1, 1), 0);  // -0.5
    EXPECT_EQ(activation(5, 1, 2), 1);   // 1.25
    EXPECT_EQ(activation(6, 1, 2), 2);   // 1.5
    EXPECT_EQ(activation(510, 1, 1), 255);
    EXPECT_EQ(activation(511, 1, 1), 255);
    EXPECT_EQ(activation(-(1 << 25), 32767, 1), 0);
    EXPECT_EQ(activation(1 << 25, 32767, 1), 255);
    EXPECT_EQ(output_value(-3, 1, 1), -1);  // -1.5
    EXPECT_EQ(output_value(-(1 << 25), 32767, 1), -(1 << 24));
    EXPECT_EQ(output_value(1 << 25, 32767, 1), 1 << 24);
}

TEST(PileupNetwork, means_are_bytes) {
    EXPECT_EQ(reciprocal(0), 0U);
    for (uint32_t n = 1; n <= k_max_rows; ++n) {
        EXPECT_EQ(mean(n * 255, reciprocal(n)), 255) << n;
        EXPECT_EQ(mean(n * 100, reciprocal(n)), 100) << n;
    }
    EXPECT_EQ(mean(3, reciprocal(2)), 2);
    EXPECT_EQ(mean(4, reciprocal(3)), 1);
}

TEST(PileupNetwork, weights_out_of_shape_or_range_are_refused) {
    const auto refused = [](auto&& change) {
        PileupNetworkWeights weights = silent_network();
        change(weights);
        EXPECT_THROW(weights.validate(), std::invalid_argument);
        EXPECT_THROW(weights.prepare(), std::invalid_argument);
    };
    EXPECT_NO_THROW(silent_network().validate());
    refused([](auto& w) { w.conv1.weight[5] = 64; });
    refused([](auto& w) { w.read.weight[5] = -64; });
    refused([](auto& w) { w.site1.weight.pop_back(); });
    refused([](auto& w) { w.site1.bias[0] = (1 << 24) + 1; });
    refused([](auto& w) { w.site2.multiplier[0] = 0; });
    refused([](auto& w) { w.site2.multiplier[0] = 32768; });
    refused([](auto& w) { w.output.shift[2] = 0; });
    refused([](auto& w) { w.output.shift[2] = 41; });
    refused([](auto& w) { w.conv2 = silent(64, 12); });
    refused([](auto& w) { w.conv2 = silent(64, 16); });  // read has inputs for 8
    refused([](auto& w) { w.conv2 = silent(32, 8); });
    refused([](auto& w) { w.site2 = silent(24, 8); });
    refused([](auto& w) { w.output = silent(16, 4); });
}

TEST(PileupNetwork, batches_out_of_shape_are_refused) {
    PileupNetworkBatch batch;
    const std::vector<uint8_t> site(k_site_bytes, 0);
    const std::vector<uint8_t> rows(size_t{49} * k_row_bytes, 0);
    EXPECT_THROW(batch.add(rows, site), std::invalid_argument);
    EXPECT_THROW(batch.add(std::span(rows).first(k_row_bytes - 1), site), std::invalid_argument);
    EXPECT_THROW(batch.add({}, std::span(site).first(383)), std::invalid_argument);
    EXPECT_EQ(batch.size(), 0U);
    EXPECT_EQ(batch.add(std::span(rows).first(48 * size_t{k_row_bytes}), site), 0U);
    EXPECT_EQ(batch.add({}, site), 1U);
    EXPECT_EQ(batch.row_offset, (std::vector<uint32_t>{0, 48, 48}));
    batch.clear();
    EXPECT_EQ(batch.size(), 0U);
}

TEST(PileupNetwork, rows_that_offsets_cannot_count_are_refused) {
    PileupNetworkBatch batch;
    const std::vector<uint8_t> site(k_site_bytes, 0);
    const std::vector<uint8_t> rows(size_t{2} * k_row_bytes, 0);
    batch.row_offset = {0, UINT32_MAX - 1};  // as if so many rows were there
    EXPECT_THROW(batch.add(rows, site), std::length_error);
    EXPECT_EQ(batch.size(), 1U);
    EXPECT_EQ(batch.add(std::span(rows).first(k_row_bytes), site), 1U);
    EXPECT_EQ(batch.row_offset.back(), UINT32_MAX);
}

}  // namespace
}  // namespace gannet::kernels
