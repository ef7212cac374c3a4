// SPDX-License-Identifier: MIT
// Provides the reading of safetensors: named arrays after a JSON header.
//
// A file is the header's length (u64, little-endian), the header (a JSON object, padded with spaces), and the
// data. The header gives the dtype, shape and byte range of each tensor, and texts under __metadata__
// (github.com/huggingface/safetensors, "Format"). Read strictly: tensors cover the data without gap or
// overlap, and have the length that dtype and shape require.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace gannet::ml {

struct Tensor {
    std::string dtype;  ///< "I8", "I32"; no other is read
    std::vector<uint64_t> shape;
    std::span<const uint8_t> bytes;  ///< of the file
};

struct Safetensors {
    std::map<std::string, Tensor> tensors;
    std::map<std::string, std::string> metadata;
};

/// `name` is for messages. Throws data::Error(malformed_input).
Safetensors parse_safetensors(std::span<const uint8_t> file, const std::string& name);

}  // namespace gannet::ml
