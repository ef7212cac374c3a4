// SPDX-License-Identifier: MIT
// Provides the reading of safetensors: named arrays behind a JSON header.
//
// A file is the header's length (u64, little-endian), the header (a JSON object, spaces behind it), and the
// data. The header gives each tensor's dtype, shape and place in the data, and texts under __metadata__
// (github.com/huggingface/safetensors, "Format"). Read strictly: tensors lie in the data without gap or
// overlap, to its end, and are as long as dtype and shape say.
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
    std::span<const uint8_t> bytes;  ///< within the file's
};

struct Safetensors {
    std::map<std::string, Tensor> tensors;
    std::map<std::string, std::string> metadata;
};

/// `name` is for messages. Throws data::Error(malformed_input).
Safetensors parse_safetensors(std::span<const uint8_t> file, const std::string& name);

}  // namespace gannet::ml
