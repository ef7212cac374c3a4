// SPDX-License-Identifier: MIT
// Provides weights and batches of the op pileup_network, their checks, and the choice of its backend.
#include "kernels/cuda/device.hpp"
#include "kernels/pileup_network/pileup_network.hpp"
#include "kernels/pileup_network/pileup_network_backends.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace gannet::kernels {

namespace {

using namespace pileup;

[[noreturn]] void refuse(const std::string& what) { throw std::invalid_argument("pileup_network: " + what); }

template <class T>
void check_values(const char* layer, const char* what, const std::vector<T>& values, size_t wanted,
                  int64_t low, int64_t high) {
    const std::string name = std::string(layer) + "." + what;
    if (values.size() != wanted)
        refuse(name + " holds " + std::to_string(values.size()) + " values, not " + std::to_string(wanted));
    for (const T value : values) {
        if (value < low || value > high)
            refuse(name + ": " + std::to_string(value) + " is not in " + std::to_string(low) + ".." +
                   std::to_string(high));
    }
}

struct Shape {
    const char* name;
    const QuantisedLayer& layer;
    uint32_t inputs;
    uint32_t least_outputs;
    uint32_t most_outputs;
};

void check_layer(const Shape& shape) {
    const QuantisedLayer& layer = shape.layer;
    const bool is_output = shape.least_outputs == k_outputs;
    if (layer.outputs < shape.least_outputs || layer.outputs > shape.most_outputs ||
        (!is_output && layer.outputs % 8 != 0))
        refuse(std::string(shape.name) + " has " + std::to_string(layer.outputs) + " outputs; " +
               (is_output ? std::to_string(k_outputs) + " are wanted"
                          : "multiples of 8 from " + std::to_string(shape.least_outputs) + " to " +
                                std::to_string(shape.most_outputs) + " are allowed"));
    if (layer.inputs != shape.inputs)
        refuse(std::string(shape.name) + " has " + std::to_string(layer.inputs) + " inputs, not " +
               std::to_string(shape.inputs));
    check_values(shape.name, "weight", layer.weight, size_t{layer.inputs} * layer.outputs, -63, 63);
    check_values(shape.name, "bias", layer.bias, layer.outputs, -(1 << 24), 1 << 24);
    check_values(shape.name, "multiplier", layer.multiplier, layer.outputs, 1, 32767);
    check_values(shape.name, "shift", layer.shift, layer.outputs, 1, 40);
}

}  // namespace

void PileupNetworkWeights::validate() const {
    check_layer({"conv1", conv1, k_window * k_channels, 8, 64});
    check_layer({"conv2", conv2, k_window * conv1.outputs, 8, 64});
    check_layer({"read", read, k_conv2_positions * conv2.outputs + k_row_features, 16, 128});
    check_layer({"site1", site1, 2 * k_pools * read.outputs + k_site_bytes, 16, 256});
    check_layer({"site2", site2, site1.outputs, 16, 256});
    check_layer({"output", output, site2.outputs, k_outputs, k_outputs});
}

void PileupNetworkBatch::clear() {
    rows.clear();
    row_offset.clear();
    sites.clear();
}

uint32_t PileupNetworkBatch::add(std::span<const uint8_t> row_bytes, std::span<const uint8_t> site) {
    const size_t count = row_bytes.size() / k_row_bytes;
    if (row_bytes.size() % k_row_bytes != 0 || count > k_max_rows)
        refuse(std::to_string(row_bytes.size()) + " bytes of rows; up to " + std::to_string(k_max_rows) +
               " rows of " + std::to_string(k_row_bytes) + " are allowed");
    if (site.size() != k_site_bytes)
        refuse("a site of " + std::to_string(site.size()) + " bytes, not " + std::to_string(k_site_bytes));
    if (row_offset.empty()) row_offset.push_back(0);
    if (uint64_t{row_offset.back()} + count > UINT32_MAX)
        throw std::length_error("pileup_network: a batch of more than " + std::to_string(UINT32_MAX) +
                                " rows");
    rows.insert(rows.end(), row_bytes.begin(), row_bytes.end());
    sites.insert(sites.end(), site.begin(), site.end());
    row_offset.push_back(row_offset.back() + static_cast<uint32_t>(count));
    return static_cast<uint32_t>(size() - 1);
}

PileupNetworkFunction pileup_network_function(Backend backend, SimdLevel level) {
    if (backend == Backend::reference) return pileup_network_reference;
    if (backend == Backend::emulated) return pileup_network_emulated;
    if (backend == Backend::cuda) {
        if (const PileupNetworkFunction on_device = cuda::pileup_network()) return on_device;
    }
    switch (level) {
        case SimdLevel::avx512:
            return pileup_network_avx512;
        case SimdLevel::avx2:
            return pileup_network_avx2;
        case SimdLevel::sse42:
            return pileup_network_sse42;
        case SimdLevel::none:
            break;
    }
    return pileup_network_reference;
}

}  // namespace gannet::kernels
