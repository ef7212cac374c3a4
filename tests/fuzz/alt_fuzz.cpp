// SPDX-License-Identifier: MIT
// Fuzzes the reading of bwa's list of ALT contigs.
#include "data/contig_classes.hpp"
#include "data/error.hpp"
#include "data/fasta/reader.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "tests/unit/data/compress.hpp"

namespace gannet::fuzz {

std::vector<std::string> seeds() {
    const std::string text =
        "@HD\tVN:1.6\nchr1_a_alt\t0\tchr1\t1\t60\t4M\t*\t0\t0\t*\t*\nHLA-A*01:01\t4\nother\n\n";
    return {text, tests::gzip(text), tests::bgzf(text, 16)};
}

}  // namespace gannet::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
    using namespace gannet;
    static const auto reference = data::fasta::load(
        fuzz::MemoryFile(">chr1\nACGT\n>chr1_a_alt\nACGT\n>HLA-A*01:01\nACG\n>x_decoy\nACG\n").path());
    const fuzz::MemoryFile file(bytes, size);
    try {
        uint64_t unknown = 0;
        const auto classes = data::ContigClasses::by_file(*reference, file.path(), unknown);
        const uint64_t alternate = classes.count(data::ContigClass::alternate);
        if (alternate == 0 || alternate >= reference->contigs().size()) std::abort();
    } catch (const data::Error&) {
    }
    return 0;
}
