// SPDX-License-Identifier: MIT
// Provides the reading of the scorer's weights and manifest.
#include "ml/weights.hpp"

#include "data/error.hpp"
#include "data/sha256.hpp"
#include "data/strict_json.hpp"
#include "ml/example.hpp"
#include "ml/safetensors.hpp"
#include "ml/shipped_model.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>
#include <vector>

namespace gannet::ml {

namespace {

using data::in_quotes;
using data::parse_object;
using kernels::PileupNetworkWeights;
using kernels::QuantisedLayer;
using nlohmann::json;

constexpr std::string_view k_weights_suffix = ".safetensors";
constexpr std::string_view k_format = "gannet-scorer";
constexpr size_t k_tensors = 24;
static_assert(k_weights_layout == k_example_layout);

struct NamedLayer {
    const char* name;
    QuantisedLayer PileupNetworkWeights::*layer;
};
constexpr NamedLayer k_layers[] = {
    {"conv1", &PileupNetworkWeights::conv1}, {"conv2", &PileupNetworkWeights::conv2},
    {"read", &PileupNetworkWeights::read},   {"site1", &PileupNetworkWeights::site1},
    {"site2", &PileupNetworkWeights::site2}, {"output", &PileupNetworkWeights::output}};

const Tensor& tensor(const Safetensors& file, const std::string& key, const char* dtype, size_t dimensions,
                     const std::string& source) {
    const auto found = file.tensors.find(key);
    if (found == file.tensors.end()) data::throw_malformed(source, "has no tensor " + key);
    if (found->second.dtype != dtype || found->second.shape.size() != dimensions)
        data::throw_malformed(source, "tensor " + key + " is not " + dtype + " with " +
                                          std::to_string(dimensions) + " dimensions");
    return found->second;
}

std::vector<int32_t> integers(const Safetensors& file, const std::string& key, const std::string& source) {
    const std::span<const uint8_t> bytes = tensor(file, key, "I32", 1, source).bytes;
    std::vector<int32_t> values;
    for (size_t at = 0; at < bytes.size(); at += 4)
        values.push_back(static_cast<int32_t>(uint32_t{bytes[at]} | uint32_t{bytes[at + 1]} << 8 |
                                              uint32_t{bytes[at + 2]} << 16 | uint32_t{bytes[at + 3]} << 24));
    return values;
}

QuantisedLayer layer_of(const Safetensors& file, const std::string& name, const std::string& source) {
    const Tensor& weight = tensor(file, name + ".weight", "I8", 2, source);
    QuantisedLayer layer;
    layer.outputs = static_cast<uint32_t>(std::min<uint64_t>(weight.shape[0], UINT32_MAX));
    layer.inputs = static_cast<uint32_t>(std::min<uint64_t>(weight.shape[1], UINT32_MAX));
    for (const uint8_t byte : weight.bytes) layer.weight.push_back(static_cast<int8_t>(byte));
    layer.bias = integers(file, name + ".bias", source);
    layer.multiplier = integers(file, name + ".multiplier", source);
    layer.shift = integers(file, name + ".shift", source);
    return layer;
}

/// It is written to headers of outputs.
bool is_version(std::string_view text) {
    constexpr std::string_view k_allowed =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._+-";
    return !text.empty() && text.size() <= 64 && text.find_first_not_of(k_allowed) == std::string_view::npos;
}

[[noreturn]] void refuse_layout(const std::string& name, const std::string& layout) {
    data::throw_malformed(name, "layout " + in_quotes(layout) + ", but this gannet reads layout " +
                                    std::to_string(k_weights_layout) +
                                    "; use weights that were trained for it");
}

/// Version, after the checks of format and layout, which distinguish weights of the scorer from other
/// safetensors.
std::string checked_version(const Safetensors& file, const std::string& source) {
    const auto value = [&file](const char* key) {
        const auto found = file.metadata.find(key);
        return found == file.metadata.end() ? std::string() : found->second;
    };
    if (value("format") != k_format)
        data::throw_malformed(source, "not weights of gannet's scorer (its metadata has format " +
                                          in_quotes(value("format")) + ", not \"" + std::string(k_format) +
                                          "\")");
    if (value("layout") != std::to_string(k_weights_layout)) refuse_layout(source, value("layout"));
    if (!is_version(value("version")))
        data::throw_malformed(source, "metadata: no sound version: " + in_quotes(value("version")));
    return value("version");
}

std::string text_in(const json& manifest, const char* key, const std::string& source) {
    const auto found = manifest.find(key);
    if (found == manifest.end() || !found->is_string())
        data::throw_malformed(source, std::string("the manifest has no text \"") + key + "\"");
    return found->get<std::string>();
}

void check_manifest(const json& manifest, const Model& model) {
    const std::string& source = model.source;
    const auto layout = manifest.find("layout");
    if (layout == manifest.end() ||
        (*layout != k_weights_layout && *layout != std::to_string(k_weights_layout)))
        refuse_layout(source + ": manifest", layout == manifest.end() ? "" : layout->dump(-1, ' ', true));
    if (text_in(manifest, "sha256", source) != model.sha256)
        data::throw_malformed(source, "not the file that its manifest describes: SHA-256 is " + model.sha256 +
                                          ", not " + in_quotes(text_in(manifest, "sha256", source)));
    if (text_in(manifest, "version", source) != model.version)
        data::throw_malformed(source, "version " + in_quotes(model.version) + ", but its manifest says " +
                                          in_quotes(text_in(manifest, "version", source)));
}

bool flag_in(const json& manifest, const char* key, const std::string& source) {
    const auto found = manifest.find(key);
    if (found == manifest.end()) return false;
    if (!found->is_boolean())
        data::throw_malformed(source, std::string("the manifest's \"") + key + "\" is not true or false");
    return found->get<bool>();
}

std::string read_small_file(const std::string& path, const std::string& advice) {
    std::ifstream in(path, std::ios::binary);
    if (!in && !data::open_files_advice(errno).empty()) data::throw_cannot_open(path, errno);
    if (!in)
        data::throw_malformed(path, "cannot be opened: " + std::generic_category().message(errno) + advice);
    std::string bytes(k_max_weights_bytes + 1, '\0');
    in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    if (in.bad()) data::throw_malformed(path, "cannot be read: " + std::generic_category().message(errno));
    bytes.resize(static_cast<size_t>(in.gcount()));
    if (bytes.size() > k_max_weights_bytes)
        data::throw_malformed(path, "more than " + std::to_string(k_max_weights_bytes) +
                                        " bytes: not weights of gannet's scorer");
    return bytes;
}

std::span<const uint8_t> bytes_of(std::string_view text) {
    return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

}  // namespace

Model parse_model(std::span<const uint8_t> weights, std::string_view manifest, const std::string& source) {
    const Safetensors file = parse_safetensors(weights, source);
    Model model;
    model.source = source;
    model.version = checked_version(file, source);
    model.sha256 = data::sha256(weights);
    const json declared = parse_object(manifest, source, "the manifest");
    check_manifest(declared, model);
    model.licence = text_in(declared, "licence", source);
    model.is_default = flag_in(declared, "default", source);
    model.manifest_sha256 = data::sha256(bytes_of(manifest));
    if (const auto decision = declared.find("decision"); decision != declared.end())
        model.decision = parse_decision(decision->dump(-1, ' ', true), source);
    for (const NamedLayer& each : k_layers) model.weights.*each.layer = layer_of(file, each.name, source);
    if (file.tensors.size() != k_tensors)
        data::throw_malformed(
            source, std::to_string(file.tensors.size()) + " tensors, not " + std::to_string(k_tensors));
    try {
        model.weights.prepare();
    } catch (const std::invalid_argument& error) {
        data::throw_malformed(source, error.what());
    }
    return model;
}

Model load_model(const std::string& path) {
    if (!path.ends_with(k_weights_suffix))
        data::throw_malformed(path, "weights of the scorer are a file NAME" + std::string(k_weights_suffix) +
                                        " with its manifest NAME.json beside it");
    const std::string weights = read_small_file(path, "");
    const std::string stem = path.substr(0, path.size() - k_weights_suffix.size());
    const std::string manifest =
        read_small_file(stem + ".json", "; the manifest NAME.json must be in the folder of the weights");
    return parse_model(bytes_of(weights), manifest, path);
}

std::optional<Model> shipped_model() {
    const auto [weights, manifest] = shipped_files();
    if (weights.empty()) return std::nullopt;
    return parse_model(bytes_of(weights), manifest, "shipped");
}

}  // namespace gannet::ml
