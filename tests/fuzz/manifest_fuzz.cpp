// SPDX-License-Identifier: MIT
// Fuzzes the manifest of a model, beside sound weights; the word SHA256 in it stands for their checksum.
#include "data/error.hpp"
#include "data/sha256.hpp"
#include "ml/weights.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "tests/support/scorer_model.hpp"

namespace gannet::fuzz {

std::vector<std::string> seeds() {
    return {
        R"({"version":"t","layout":2,"licence":"MIT","sha256":"SHA256","default":true,)"
        R"("channels":{"conv1":8,"conv2":16,"read":24,"site1":32,"site2":16},"decision":{"minimum_presence":-3.5,)"
        R"("settle":40,"minimum_zygosity_fragments":10,"strata":[{"kind":"SNP","depth":[0,12],"context":"unique",)"
        R"("temperature":1.0,"prior":0.5,"direction":"both"},{"kind":"indel","depth":[12,1000000],)"
        R"("context":"hidden copy","temperature":1e1,"prior":-1.5,"direction":"rescue"}]}})"};
}

}  // namespace gannet::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
    using namespace gannet;
    static const std::string weights = tests::weights_file(tests::scorer_weights(1));
    static const std::span<const uint8_t> raw(reinterpret_cast<const uint8_t*>(weights.data()),
                                              weights.size());
    static const std::string checksum = data::sha256(raw);
    std::string manifest(reinterpret_cast<const char*>(bytes), size);
    const std::string_view place = "SHA256";
    if (const size_t at = manifest.find(place); at != std::string::npos)
        manifest.replace(at, place.size(), checksum);
    try {
        ml::parse_model(raw, manifest, "fuzz");
    } catch (const data::Error&) {
    }
    return 0;
}
