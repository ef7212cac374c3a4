// SPDX-License-Identifier: MIT
// Fuzzes the reading of the scorer's weights; a manifest that fits is made for whatever comes.
#include "data/error.hpp"
#include "ml/weights.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "tests/support/scorer_model.hpp"

namespace gannet::fuzz {

std::vector<std::string> seeds() {
    return {tests::weights_file(tests::scorer_weights(1)),
            tests::safetensors_of({{"w", R"("dtype":"I8","shape":[3])", "abc"}}, R"("format":"pt")")};
}

}  // namespace gannet::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
    using namespace gannet;
    const std::string file(reinterpret_cast<const char*>(bytes), size);
    try {
        ml::parse_model({bytes, size}, tests::manifest_of(file), "fuzz");
    } catch (const data::Error&) {
    }
    return 0;
}
