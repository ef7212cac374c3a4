// SPDX-License-Identifier: MIT
// Fuzzes the reading of SAM, BAM and CRAM; what is read is walked through, tags too.
#include "data/bam/reader.hpp"
#include "data/bam/writer.hpp"
#include "data/error.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/unit/data/compress.hpp"

#include <cstdio>
#include <filesystem>

namespace gannet::fuzz {

std::vector<std::string> seeds() {
    const std::string sam =
        "@HD\tVN:1.6\tSO:coordinate\n@SQ\tSN:c\tLN:1000\tM5:0\n@SQ\tSN:d\tLN:9\n@RG\tID:l\tSM:s\n"
        "a\t99\tc\t5\t60\t2S4M1D3M\t=\t50\t60\tACGTNACGT\tIIIIIIIII\tRG:Z:l\tNM:i:1\tMD:Z:4^A3\tXB:B:c,1,2\n"
        "a\t147\tc\t50\t60\t4M\t=\t5\t-60\tACGT\t*\nb\t4\t*\t0\t0\t*\t*\t0\t0\tAC\tII\n";
    const tests::TemporaryFolder folder;
    const auto reader = data::bam::Reader::open(folder.write("s.sam", sam));
    data::RecordBatch batch;
    reader->read(batch, 1 << 20);
    std::vector<std::string> all = {sam};
    using Format = data::bam::RecordWriter::Format;
    data::bam::RecordWriter writer(folder.path("s.bam"), Format::bam, reader->header_text(), "", 1, false);
    for (size_t i = 0; i < batch.entries.size(); ++i) writer.write(batch.view(i));
    writer.close();
    all.push_back(tests::read_file(folder.path("s.bam")));
    all.push_back(tests::inflate(all.back()));  // without checksums that a mutation would break
    return all;
}

}  // namespace gannet::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
    using namespace gannet;
    const fuzz::MemoryFile file(bytes, size);
    try {
        const auto reader = data::bam::Reader::open(file.path());
        data::RecordBatch batch;
        uint64_t sum = 0;
        while (reader->read(batch, 1 << 16)) {
            for (size_t i = 0; i < batch.entries.size(); ++i) {
                const data::RecordView view = batch.view(i);
                sum += view.name().size() + static_cast<uint64_t>(view.end_position()) + view.tags().size();
                for (size_t k = 0; k < view.read_length(); ++k) sum += view.base(k) + view.qualities()[k];
                sum += static_cast<uint64_t>(view.integer_tag("NM").value_or(0)) +
                       view.string_tag("MD").value_or("").size();
            }
            batch.clear();
        }
        volatile uint64_t kept = sum;
        (void)kept;
    } catch (const data::Error&) {
    }
    return 0;
}
