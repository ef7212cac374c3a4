// SPDX-License-Identifier: MIT
// Tests the reading of the scorer's weights: what is written is read back, and every fault is named.
#include "ml/weights.hpp"

#include "data/error.hpp"
#include "tests/support/scorer_model.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

namespace gannet::ml {
namespace {

using tests::TensorText;

std::span<const uint8_t> bytes_of(const std::string& text) {
    return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

Model parse(const std::string& file, const std::string& manifest) {
    return parse_model(bytes_of(file), manifest, "m.safetensors");
}

/// What is said of a file that its manifest describes.
std::string complaint(const std::string& file, const std::string& manifest) {
    try {
        parse(file, manifest);
    } catch (const data::Error& error) {
        EXPECT_EQ(error.kind(), data::ErrorKind::malformed_input);
        const std::string text = error.what();
        EXPECT_EQ(text.find('\n'), std::string::npos) << text;
        EXPECT_EQ(text.rfind("m.safetensors: ", 0), 0U) << text;
        return text;
    }
    return "";
}
std::string complaint(const std::string& file) { return complaint(file, tests::manifest_of(file)); }

void expect_complaint(const std::string& file, const std::string& part) {
    const std::string text = complaint(file);
    EXPECT_NE(text.find(part), std::string::npos) << (text.empty() ? "accepted" : text);
}

std::string with_header(const std::string& header, const std::string& bytes) {
    std::string length;
    for (uint32_t k = 0; k < 8; ++k) length += static_cast<char>(uint64_t{header.size()} >> 8 * k & 0xff);
    return length + header + bytes;
}

void expect_equal(const kernels::QuantisedLayer& a, const kernels::QuantisedLayer& b) {
    EXPECT_EQ(a.inputs, b.inputs);
    EXPECT_EQ(a.outputs, b.outputs);
    EXPECT_EQ(a.weight, b.weight);
    EXPECT_EQ(a.bias, b.bias);
    EXPECT_EQ(a.multiplier, b.multiplier);
    EXPECT_EQ(a.shift, b.shift);
}

TEST(Weights, what_is_written_is_read_back) {
    const kernels::PileupNetworkWeights weights = tests::scorer_weights(3);
    const std::string file = tests::weights_file(weights);
    const tests::TemporaryFolder folder;
    folder.write("m.json", tests::manifest_of(file));
    const std::string path = folder.write("m.safetensors", file);
    const Model model = load_model(path);
    expect_equal(model.weights.conv1, weights.conv1);
    expect_equal(model.weights.conv2, weights.conv2);
    expect_equal(model.weights.read, weights.read);
    expect_equal(model.weights.site1, weights.site1);
    expect_equal(model.weights.site2, weights.site2);
    expect_equal(model.weights.output, weights.output);
    EXPECT_NE(model.weights.packed, nullptr);
    EXPECT_EQ(model.source, path);
    EXPECT_EQ(model.version, "test-1");
    EXPECT_EQ(model.licence, "MIT");
    EXPECT_EQ(model.layout, 2U);
    EXPECT_EQ(model.sha256.size(), 64U);
}

TEST(Weights, missing_files_are_named) {
    const tests::TemporaryFolder folder;
    const auto said = [](const std::string& path) {
        try {
            load_model(path);
        } catch (const data::Error& error) {
            return std::string(error.what());
        }
        return std::string("accepted");
    };
    EXPECT_NE(said(folder.path("no.safetensors")).find("no.safetensors: cannot be opened: No such file"),
              std::string::npos);
    folder.write("m.safetensors", tests::weights_file(tests::scorer_weights(1)));
    EXPECT_NE(said(folder.path("m.safetensors")).find("m.json: cannot be opened"), std::string::npos);
    EXPECT_NE(said(folder.path("m.json")).find("NAME.safetensors"), std::string::npos);
    folder.write("m.json", std::string(k_max_weights_bytes + 1, ' '));
    EXPECT_NE(said(folder.path("m.safetensors")).find("m.json: more than"), std::string::npos);
    std::filesystem::create_directory(folder.path("d.safetensors"));
    EXPECT_NE(said(folder.path("d.safetensors")).find("d.safetensors: cannot be read"), std::string::npos)
        << said(folder.path("d.safetensors"));
}

TEST(Weights, truncated_anywhere) {
    const std::string file = tests::weights_file(tests::scorer_weights(1));
    const std::string manifest = tests::manifest_of(file);
    for (size_t size = 0; size < file.size(); size += size < 3000 ? 1 : 997) {
        EXPECT_NE(complaint(file.substr(0, size), manifest), "") << size;
        EXPECT_NE(complaint(file.substr(0, size)), "") << size << ", with a manifest of its own";
    }
    EXPECT_NE(complaint(file.substr(0, file.size() - 1)), "");
    EXPECT_EQ(complaint(file), "");
    expect_complaint(file + "x", "bytes after the last tensor");
}

TEST(Weights, altered_byte) {
    const std::string file = tests::weights_file(tests::scorer_weights(1));
    std::string altered = file;
    altered[altered.size() - 500] ^= 1;
    EXPECT_NE(complaint(altered, tests::manifest_of(file)).find("not the file that its manifest describes"),
              std::string::npos);
    for (size_t at = 0; at < file.size(); at += 211) {
        altered = file;
        altered[at] = static_cast<char>(altered[at] ^ 0x10);
        EXPECT_NE(complaint(altered, tests::manifest_of(file)), "") << at;
    }
}

TEST(Weights, foreign_files) {
    expect_complaint("", "not a safetensors file");
    expect_complaint("PK\x03\x04 a zip file of some other tool", "not a safetensors file");
    expect_complaint(std::string(8, '\xff') + "{}", "not a safetensors file");
    expect_complaint(std::string("\0\0\0\0\0\0\0\x80{}", 10), "not a safetensors file");
    expect_complaint(with_header("[]", ""), "is not a JSON object");
    expect_complaint(with_header("{\"a\":", ""), "is not JSON");
    expect_complaint(with_header(std::string("{}\0 and more", 11), ""), "holds a NUL byte");
    expect_complaint(with_header("{}", ""), "not weights of gannet's scorer");
    expect_complaint(tests::safetensors_of({{"w", R"("dtype":"I8","shape":[3])", "abc"}}, R"("format":"pt")"),
                     "format \"pt\"");
    expect_complaint(tests::safetensors_of({{"w", R"("dtype":"F32","shape":[1])", "abcd"}}, ""),
                     "is of dtype \"F32\"");
    std::string deep(40, '[');
    expect_complaint(with_header("{\"a\":" + deep + std::string(40, ']') + "}", ""), "nested too deeply");
}

TEST(Weights, tensors_with_wrong_offsets) {
    const auto one = [](const std::string& entry, const std::string& bytes) {
        return with_header("{\"w\":{" + entry + "}}", bytes);
    };
    const std::string shape = R"("dtype":"I8","shape":[4],)";
    expect_complaint(one(shape + R"("data_offsets":[0,5])", "abcd"), "truncated or damaged");
    expect_complaint(one(shape + R"("data_offsets":[-4,0])", "abcd"), "no sound shape or data_offsets");
    expect_complaint(one(shape + R"("data_offsets":[4,0])", "abcd"), "truncated or damaged");
    expect_complaint(one(shape + R"("data_offsets":[0.0,4.0])", "abcd"), "no sound shape or data_offsets");
    expect_complaint(one(shape + R"("data_offsets":[0,18446744073709551615])", "abcd"),
                     "truncated or damaged");
    expect_complaint(one(shape + R"("data_offsets":[1,4])", "abcd"), "does not have the length of its shape");
    expect_complaint(one(shape + R"("data_offsets":[1,5])", "abcde"), "there is a gap at byte 0");
    expect_complaint(one(R"("dtype":"I8","shape":[4294967296,4294967296],"data_offsets":[0,0])", ""),
                     "does not have the length of its shape");
    expect_complaint(one(R"("dtype":"I8","data_offsets":[0,0])", ""), "dtype, shape and data_offsets");
    expect_complaint(one(shape + R"("data_offsets":[0,4],"dtype":"I8")", "abcd"),
                     "has the key \"dtype\" twice");
    const std::string entry = R"({"dtype":"I8","shape":[4],"data_offsets":)";
    expect_complaint(with_header("{\"a\":" + entry + "[0,4]},\"b\":" + entry + "[2,6]}}", "abcdef"),
                     "tensors overlap at byte 2");
    expect_complaint(with_header("{\"a\":" + entry + "[0,4]},\"a\":" + entry + "[0,4]}}", "abcd"), "twice");
}

TEST(Weights, wrong_tensors) {
    const std::vector<TensorText> sound = tests::tensors_of(tests::scorer_weights(1));
    const auto changed = [&](auto&& change) {
        std::vector<TensorText> tensors = sound;
        change(tensors);
        return tests::safetensors_of(tensors, tests::k_scorer_metadata);
    };
    EXPECT_EQ(complaint(changed([](auto&) {})), "");
    EXPECT_EQ(complaint(changed([](auto& all) { std::swap(all[0], all[9]); })), "") << "any order is sound";
    expect_complaint(changed([](auto& all) { all.erase(all.begin() + 5); }), "has no tensor conv2.bias");
    expect_complaint(changed([](auto& all) { all[0].name = "conv9.weight"; }), "has no tensor conv1.weight");
    expect_complaint(changed([](auto& all) {
                         all.push_back({"extra", R"("dtype":"I8","shape":[1])", "x"});
                     }),
                     "25 tensors, not 24");
    expect_complaint(changed([](auto& all) { all[1].entry = R"("dtype":"I8","shape":[32])"; }),
                     "tensor conv1.bias is not I32");
    expect_complaint(changed([](auto& all) { all[0].entry = R"("dtype":"I8","shape":[256])"; }),
                     "tensor conv1.weight is not I8 with 2");
    expect_complaint(changed([](auto& all) { all[0].entry = R"("dtype":"I8","shape":[16,16])"; }),
                     "conv1 has 16 inputs, not 32");
    expect_complaint(changed([](auto& all) { all[0].bytes[7] = 64; }), "conv1.weight: 64 is not in -63..63");
    expect_complaint(changed([](auto& all) { all[3].bytes[0] = 41; }), "conv1.shift: 41 is not in 1..40");
}

TEST(Weights, metadata_and_manifest) {
    const auto file = [](const std::string& metadata) {
        return tests::safetensors_of(tests::tensors_of(tests::scorer_weights(1)), metadata);
    };
    expect_complaint(file(R"("format":"gannet-scorer","layout":"1","version":"1")"),
                     "layout \"1\", but this gannet reads layout 2");
    expect_complaint(file(R"("format":"gannet-scorer","layout":"2","version":"a\tb")"), "no sound version");
    expect_complaint(file(R"("format":"gannet-scorer","layout":1,"version":"1")"), "object of texts");
    const std::string sound = file(tests::k_scorer_metadata);
    const std::string manifest = tests::manifest_of(sound);
    const auto said = [&](std::string from, const std::string& to) {
        std::string text = manifest;
        return complaint(sound, text.replace(text.find(from), from.size(), to));
    };
    EXPECT_NE(said("test-1", "test-2").find("its manifest says \"test-2\""), std::string::npos);
    EXPECT_NE(said("\"layout\":2", "\"layout\":3").find("manifest: layout \"3\""), std::string::npos);
    EXPECT_EQ(said("\"layout\":2", "\"layout\":\"2\""), "");
    EXPECT_NE(said("sha256", "sha255").find("no text \"sha256\""), std::string::npos);
    EXPECT_NE(said("{", "{\"default\":1,").find("\"default\" is not true or false"), std::string::npos);
    EXPECT_FALSE(parse(sound, manifest).is_default);
    EXPECT_TRUE(parse(sound, "{\"default\":true," + manifest.substr(1)).is_default);
    EXPECT_NE(said("licence", "license").find("no text \"licence\""), std::string::npos);
    EXPECT_NE(said("{", "[").find("the manifest is not JSON"), std::string::npos);
}

TEST(Weights, the_manifest_says_where_the_network_counts) {
    const std::string file = tests::weights_file(tests::scorer_weights(1));
    const std::string manifest = tests::manifest_of(file);
    EXPECT_TRUE(parse(file, manifest).decision.strata.empty());
    const std::string decision =
        R"("decision":{"minimum_presence":-3,"settle":30,"minimum_zygosity_fragments":8,"strata":[)"
        R"({"kind":"indel","depth":[12,22],"context":"hidden copy","temperature":0.5,"prior":0.25,)"
        R"("direction":"reject"}]})";
    const Model model = parse(file, "{" + decision + "," + manifest.substr(1));
    EXPECT_NE(model.manifest_sha256, parse(file, manifest).manifest_sha256);
    EXPECT_EQ(model.decision.minimum_presence, -3 * k_decision_unit);
    EXPECT_EQ(model.decision.settle_phred, 30);
    EXPECT_EQ(model.decision.minimum_zygosity_fragments, 8);
    const Stratum* const found = model.decision.find(true, 21, Context::hidden_copy);
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(found->temperature, k_decision_unit / 2);
    EXPECT_EQ(found->prior, k_decision_unit / 4);
    EXPECT_EQ(found->direction, Direction::reject);
    EXPECT_EQ(model.decision.find(true, 22, Context::hidden_copy), nullptr);
    EXPECT_EQ(model.decision.find(false, 21, Context::hidden_copy), nullptr);
    EXPECT_EQ(model.decision.find(true, 21, Context::unique), nullptr);
}

TEST(Weights, the_shipped_model_is_valid) {
    const std::optional<Model> model = shipped_model();
    if (!model) GTEST_SKIP() << "no model is built in: ml/models/germline.safetensors is not there";
    EXPECT_EQ(model->source, "shipped");
}

}  // namespace
}  // namespace gannet::ml
