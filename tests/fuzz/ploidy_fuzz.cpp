// SPDX-License-Identifier: MIT
// Fuzzes the reading of the file of --ploidy.
#include "data/error.hpp"
#include "data/fasta/reader.hpp"
#include "pipeline/jobs/ploidy.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace gannet::fuzz {

std::vector<std::string> seeds() {
    return {"# BED\nchrX\t0\t9\t1\nchrY 2 5 0\r\n",
            "X 1 60000 M 1\nchrX 3 9 M 1\nchrY 1 5 F 0\n* * * M 2\n* * * F 2\n"};
}

}  // namespace gannet::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
    using namespace gannet;
    static const auto reference =
        data::fasta::load(fuzz::MemoryFile(">chrX\nACGTACGTACGTNNRN\n>chrY\nACGTACG\n").path());
    const fuzz::MemoryFile file(bytes, size);
    for (const char* sex : {"", "male", "female"}) {
        try {
            const pipeline::PloidyFile read = pipeline::read_ploidy_file(file.path(), sex, *reference);
            for (const pipeline::PloidyRule& rule : read.rules) {
                const uint64_t length = reference->contigs().at(rule.region.contig).length;
                if (rule.ploidy > 2 || rule.region.begin < 0 || rule.region.begin > rule.region.end ||
                    static_cast<uint64_t>(rule.region.end) > length)
                    std::abort();
            }
        } catch (const data::Error&) {
        }
    }
    return 0;
}
