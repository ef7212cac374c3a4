// SPDX-License-Identifier: MIT
// Provides the scorer's model: the network's weights as a safetensors file, and the manifest that describes
// them.
//
// NAME.safetensors holds, for each layer L of conv1 conv2 read site1 site2 output, L.weight (I8, outputs x
// inputs), L.bias, L.multiplier and L.shift (I32, outputs), and __metadata__ with format = gannet-scorer,
// layout = 2 and version. NAME.json is an object with version, sha256 (of the complete safetensors file),
// licence and layout, and optionally default and decision (decision.hpp); its other members (channels,
// training, accuracy) are not read.
#pragma once

#include "kernels/pileup_network/pileup_network.hpp"
#include "ml/decision.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gannet::ml {

/// Of examples and weights: what the bytes of rows and sites mean, and the network's shape.
inline constexpr uint32_t k_weights_layout = 2;
inline constexpr uint64_t k_max_weights_bytes = 4 << 20;

struct Model {
    kernels::PileupNetworkWeights weights;  ///< checked and prepared
    std::string source;                     ///< the path, or "shipped"
    std::string version;                    ///< 1 to 64 of A-Z a-z 0-9 . _ + -
    std::string licence;
    std::string sha256;           ///< of the safetensors file
    std::string manifest_sha256;  ///< of the manifest, which decides where the network counts
    Decision decision;            ///< without one in the manifest the network is silent everywhere
    uint32_t layout = k_weights_layout;
    bool is_default = false;  ///< from the manifest: the program uses the model without --scorer
};

/// From the bytes of both files. `source` is for messages and Model::source. Throws
/// data::Error(malformed_input) with a one-line message: damaged, another format, another
/// layout, not the file that the manifest describes.
Model parse_model(std::span<const uint8_t> weights, std::string_view manifest, const std::string& source);

/// `path` ends in .safetensors; the manifest has .json instead.
Model load_model(const std::string& path);

/// The model that is built into the program (ml/models/germline); none in a build without it.
std::optional<Model> shipped_model();

}  // namespace gannet::ml
