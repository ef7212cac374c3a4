// SPDX-License-Identifier: MIT
// Fuzzes the readers of FASTQ: plain, gzip and BGZF by content, single and interleaved.
#include "data/error.hpp"
#include "data/fastq/reader.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "tests/unit/data/compress.hpp"

namespace gannet::fuzz {

std::vector<std::string> seeds() {
    const std::string text =
        "@a/1 "
        "x\nACGTNACGTACGTACGTACGT\n+\nIIIIIIIIIIIIIIIII#@+>\n@a/2\nacgtuRYK\n+a/"
        "2\n!!!!~~~~\n@b\n\n+\n\n@b\nA\n+\n@\n";
    const std::string unaligned =
        "@HD\tVN:1.6\n@RG\tID:l\tSM:s\np\t77\t*\t0\t0\t*\t*\t0\t0\tACGN\tIII#\np\t141\t*\t0\t0\t*\t*"
        "\t0\t0\tGGA\tIJK\n";
    return {text, tests::gzip(text) + tests::gzip(text), tests::bgzf(text, 20), unaligned};
}

}  // namespace gannet::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
    using namespace gannet;
    const fuzz::MemoryFile file(bytes, size);
    for (const bool interleaved : {false, true}) {
        try {
            const auto reader = data::fastq::LaneReader::open({file.path(), "", interleaved, 0}, {64});
            data::ReadBatch batch;
            while (reader->read(batch)) {
                for (size_t i = 0; i < batch.reads(); ++i) {
                    for (const data::Base base : batch.read_bases(i)) {
                        if (base > data::k_base_n) std::abort();
                    }
                    for (const uint8_t quality : batch.read_qualities(i)) {
                        if (quality > 93) std::abort();
                    }
                }
            }
        } catch (const data::Error&) {
        }
    }
    return 0;
}
