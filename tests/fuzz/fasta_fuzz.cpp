// SPDX-License-Identifier: MIT
// Fuzzes the loading of FASTA.
#include "data/error.hpp"
#include "data/fasta/reader.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "tests/unit/data/compress.hpp"

namespace gannet::fuzz {

std::vector<std::string> seeds() {
    const std::string text = ">a comment\nACGTACGTACGTACGTACGTACGTACGTACGTACGT\nNNNNacgtuRY\r\n>b\n\n>c\nT";
    return {text, tests::gzip(text), tests::bgzf(text, 16)};
}

}  // namespace gannet::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
    using namespace gannet;
    const fuzz::MemoryFile file(bytes, size);
    try {
        const auto reference = data::fasta::load(file.path());
        for (uint32_t i = 0; i < reference->contigs().size(); ++i) {
            const uint64_t length = reference->contigs()[i].length;
            for (const char letter : reference->letters(i, 0, length)) {
                if (data::k_is_iupac[static_cast<uint8_t>(letter)] == 0) std::abort();
            }
        }
    } catch (const data::Error&) {
    }
    return 0;
}
