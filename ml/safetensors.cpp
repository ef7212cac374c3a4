// SPDX-License-Identifier: MIT
// Provides the strict reading of safetensors.
#include "ml/safetensors.hpp"

#include "data/error.hpp"
#include "data/strict_json.hpp"

#include <algorithm>
#include <string_view>

namespace gannet::ml {

namespace {

using data::in_quotes;
using data::parse_object;
using nlohmann::json;

constexpr uint64_t k_length_bytes = 8;
constexpr uint64_t k_max_header_bytes = 1 << 20;
constexpr uint64_t k_max_elements = 1 << 26;
constexpr size_t k_max_dimensions = 4;

/// The text of the header. Files of other formats have a header length beyond the end of the file.
std::string_view header_of(std::span<const uint8_t> file, const std::string& name) {
    if (file.size() < k_length_bytes)
        data::throw_malformed(name, "not a safetensors file: " + std::to_string(file.size()) + " bytes");
    uint64_t length = 0;
    for (size_t k = 0; k < k_length_bytes; ++k) length |= uint64_t{file[k]} << 8 * k;
    if (length > k_max_header_bytes || length > file.size() - k_length_bytes)
        data::throw_malformed(name, "not a safetensors file, or truncated: a header of " +
                                        std::to_string(length) + " bytes in a file of " +
                                        std::to_string(file.size()));
    const auto* const text = reinterpret_cast<const char*>(file.data() + k_length_bytes);
    return {text, static_cast<size_t>(length)};
}

std::vector<uint64_t> numbers(const json& entry, const char* key) {
    std::vector<uint64_t> result;
    const auto found = entry.find(key);
    if (found == entry.end() || !found->is_array() || found->size() > k_max_dimensions) return {};
    for (const json& number : *found) {
        if (!number.is_number_unsigned()) return {};
        result.push_back(number.get<uint64_t>());
    }
    return result;
}

/// Elements of the shape; more than k_max_elements are reported as one more than that.
uint64_t elements(const std::vector<uint64_t>& shape) {
    uint64_t product = 1;
    for (const uint64_t extent : shape) {
        if (extent > k_max_elements) return k_max_elements + 1;
        product = std::min(product * extent, k_max_elements + 1);
    }
    return product;
}

struct Extent {
    uint64_t begin;
    uint64_t end;
};

Tensor tensor_of(const json& entry, std::span<const uint8_t> data_bytes, const std::string& where,
                 const std::string& name, Extent& extent) {
    const auto fail = [&](const std::string& cause) { data::throw_malformed(name, where + " " + cause); };
    if (!entry.is_object() || entry.size() != 3 || !entry.contains("dtype") || !entry["dtype"].is_string())
        fail("is not described by dtype, shape and data_offsets");
    Tensor tensor{entry["dtype"].get<std::string>(), numbers(entry, "shape"), {}};
    const std::vector<uint64_t> offsets = numbers(entry, "data_offsets");
    if (tensor.shape.empty() || offsets.size() != 2) fail("has no sound shape or data_offsets");
    if (tensor.dtype != "I8" && tensor.dtype != "I32")
        fail("is of dtype " + in_quotes(tensor.dtype) + "; I8 and I32 are read");
    if (offsets[0] > offsets[1] || offsets[1] > data_bytes.size())
        fail("is at bytes " + std::to_string(offsets[0]) + ".." + std::to_string(offsets[1]) + " of " +
             std::to_string(data_bytes.size()) + " bytes: the file is truncated or damaged");
    const uint64_t wanted = elements(tensor.shape) * (tensor.dtype == "I8" ? 1 : 4);
    if (offsets[1] - offsets[0] != wanted) fail("does not have the length of its shape");
    tensor.bytes = data_bytes.subspan(offsets[0], offsets[1] - offsets[0]);
    extent = {offsets[0], offsets[1]};
    return tensor;
}

void check_cover(std::vector<Extent> extents, uint64_t data_bytes, const std::string& name) {
    std::sort(extents.begin(), extents.end(), [](const Extent& a, const Extent& b) {
        return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
    });
    uint64_t at = 0;
    for (const Extent& extent : extents) {
        if (extent.begin != at)
            data::throw_malformed(
                name, std::string(extent.begin < at ? "tensors overlap" : "there is a gap") + " at byte " +
                          std::to_string(std::min(at, extent.begin)) + " of the data");
        at = extent.end;
    }
    if (at != data_bytes)
        data::throw_malformed(name, std::to_string(data_bytes - at) + " bytes after the last tensor");
}

}  // namespace

Safetensors parse_safetensors(std::span<const uint8_t> file, const std::string& name) {
    const std::string_view text = header_of(file, name);
    const auto data_bytes = file.subspan(k_length_bytes + text.size());
    const json header = parse_object(text, name, "the safetensors header");
    Safetensors result;
    std::vector<Extent> extents;
    for (const auto& [key, entry] : header.items()) {
        if (key != "__metadata__") {
            Extent extent{};
            result.tensors[key] = tensor_of(entry, data_bytes, "tensor " + in_quotes(key), name, extent);
            extents.push_back(extent);
            continue;
        }
        if (!entry.is_object()) data::throw_malformed(name, "__metadata__ is not an object of texts");
        for (const auto& [what, value] : entry.items()) {
            if (!value.is_string()) data::throw_malformed(name, "__metadata__ is not an object of texts");
            result.metadata[what] = value.get<std::string>();
        }
    }
    check_cover(std::move(extents), data_bytes.size(), name);
    return result;
}

}  // namespace gannet::ml
