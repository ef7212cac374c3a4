// SPDX-License-Identifier: MIT
// Provides models of the scorer for tests: small random weights from a seed, and their files.
#pragma once

#include "data/sha256.hpp"
#include "kernels/pileup_network/pileup_network.hpp"

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace gannet::tests {

struct TensorText {
    std::string name;
    std::string entry;  ///< dtype and shape, as JSON members
    std::string bytes;
};

/// A safetensors file of tensors in this order, without gaps.
inline std::string safetensors_of(const std::vector<TensorText>& tensors, const std::string& metadata) {
    std::string header = "{\"__metadata__\":{" + metadata + "}";
    std::string bytes;
    for (const TensorText& tensor : tensors) {
        const size_t begin = bytes.size();
        bytes += tensor.bytes;
        header += ",\"" + tensor.name + "\":{" + tensor.entry + ",\"data_offsets\":[" +
                  std::to_string(begin) + "," + std::to_string(bytes.size()) + "]}";
    }
    header += "}";
    header.resize((header.size() + 7) / 8 * 8, ' ');
    std::string length;
    for (uint32_t k = 0; k < 8; ++k) length += static_cast<char>(uint64_t{header.size()} >> 8 * k & 0xff);
    return length + header + bytes;
}

inline std::string little_endian(const std::vector<int32_t>& values) {
    std::string bytes;
    for (const int32_t value : values) {
        for (uint32_t bit = 0; bit < 32; bit += 8)
            bytes += static_cast<char>(static_cast<uint32_t>(value) >> bit & 0xff);
    }
    return bytes;
}

inline std::vector<TensorText> tensors_of(const kernels::PileupNetworkWeights& weights) {
    std::vector<TensorText> result;
    const auto append = [&result](const std::string& name, const kernels::QuantisedLayer& layer) {
        const std::string outputs = std::to_string(layer.outputs);
        result.push_back({name + ".weight",
                          "\"dtype\":\"I8\",\"shape\":[" + outputs + "," + std::to_string(layer.inputs) + "]",
                          {layer.weight.begin(), layer.weight.end()}});
        const std::string entry = "\"dtype\":\"I32\",\"shape\":[" + outputs + "]";
        result.push_back({name + ".bias", entry, little_endian(layer.bias)});
        result.push_back({name + ".multiplier", entry, little_endian(layer.multiplier)});
        result.push_back({name + ".shift", entry, little_endian(layer.shift)});
    };
    append("conv1", weights.conv1);
    append("conv2", weights.conv2);
    append("read", weights.read);
    append("site1", weights.site1);
    append("site2", weights.site2);
    append("output", weights.output);
    return result;
}

inline const std::string k_scorer_metadata = R"("format":"gannet-scorer","layout":"2","version":"test-1")";

inline std::string weights_file(const kernels::PileupNetworkWeights& weights) {
    return safetensors_of(tensors_of(weights), k_scorer_metadata);
}

inline std::string manifest_of(const std::string& file) {
    return R"({"version":"test-1","layout":2,"licence":"MIT","sha256":")" +
           data::sha256({reinterpret_cast<const uint8_t*>(file.data()), file.size()}) + "\"}\n";
}

/// The smallest channels, weights from the seed; seed 0 gives weights of zeros, whose outputs are zeros.
inline kernels::PileupNetworkWeights scorer_weights(uint64_t seed) {
    using namespace kernels::pileup;
    std::mt19937_64 random(seed);
    const auto layer = [&](uint32_t inputs, uint32_t outputs) {
        kernels::QuantisedLayer made{inputs, outputs, {}, {}, {}, {}};
        for (uint32_t k = 0; k < inputs * outputs; ++k)
            made.weight.push_back(seed == 0 ? int8_t{0} : static_cast<int8_t>(random() % 127 - 63));
        for (uint32_t k = 0; k < outputs; ++k) {
            made.bias.push_back(seed == 0 ? 0 : static_cast<int32_t>(random() % 20000));
            made.multiplier.push_back(1 + static_cast<int32_t>(random() % 32767));
            made.shift.push_back(20 + static_cast<int32_t>(random() % 4));
        }
        return made;
    };
    kernels::PileupNetworkWeights weights;
    weights.conv1 = layer(k_window * k_channels, 8);
    weights.conv2 = layer(k_window * 8, 16);
    weights.read = layer(k_conv2_positions * 16 + k_row_features, 24);
    weights.site1 = layer(2 * k_pools * 24 + k_site_bytes, 32);
    weights.site2 = layer(32, 16);
    weights.output = layer(16, k_outputs);
    return weights;
}

}  // namespace gannet::tests
