// SPDX-License-Identifier: MIT
// Fuzzes the reading of BED.
#include "data/bed/reader.hpp"
#include "data/error.hpp"
#include "data/fasta/reader.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "tests/unit/data/compress.hpp"

namespace gannet::fuzz {

std::vector<std::string> seeds() {
    const std::string text = "track x\nbrowser y\n#y\nc\t1\t5\tname\nc 6 9\r\n\nd\t0\t3\n";
    return {text, tests::gzip(text), tests::bgzf(text, 16), "@SQ\tSN:c\tLN:16\nc\t1\t5\t+\tname\n"};
}

}  // namespace gannet::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
    using namespace gannet;
    static const auto reference =
        data::fasta::load(fuzz::MemoryFile(">c\nACGTACGTACGTNNRN\n>d\nACG\n").path());
    const fuzz::MemoryFile file(bytes, size);
    try {
        const data::RegionSet set = data::bed::load(file.path(), *reference);
        for (const data::Region& region : set.regions()) {
            const uint64_t length = reference->contigs().at(region.contig).length;
            if (region.begin < 0 || region.begin >= region.end || static_cast<uint64_t>(region.end) > length)
                std::abort();
        }
    } catch (const data::Error&) {
    }
    return 0;
}
