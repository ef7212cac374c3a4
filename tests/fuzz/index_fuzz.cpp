// SPDX-License-Identifier: MIT
// Fuzzes the opening of an index of the reference. Where the first byte is not the magic's, the file is
// sealed: its checksums are made what they should be, as a writer at fault would leave them.
#include "align/index/file.hpp"
#include "align/index/index.hpp"
#include "data/error.hpp"
#include "data/fasta/reader.hpp"
#include "data/reference.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "tests/support/temporary_folder.hpp"

#include <xxhash.h>

#include <algorithm>
#include <cstring>

namespace gannet::fuzz {

constexpr char k_sealed = 'S';  ///< in the place of the first letter

std::vector<std::string> seeds() {
    const tests::TemporaryFolder folder;
    const auto reference = data::fasta::load(
        folder.write("r.fa", ">c\nACGTTGCAACGGTACGTTTTGACAACGATTACAGNNACGTACGTA\n>d x\nACGTACGTTGRCA\n"));
    align::build_index(*reference, {15, 8}, folder.path("r.gannet"), {});
    std::string index = tests::read_file(folder.path("r.gannet"));
    std::string sealed = index;
    sealed[0] = k_sealed;
    return {index, sealed};
}

namespace {

void seal(std::string& file) {
    using namespace align;
    IndexHeader header;
    if (file.size() < sizeof header) return;
    std::memcpy(&header, file.data(), sizeof header);
    header.magic[0] = k_index_magic[0];
    const uint64_t checksums = header.section[k_section_checksums].offset;
    if (checksums >= sizeof header && checksums < file.size()) {
        uint64_t at = checksums;
        for (uint64_t begin = sizeof header; begin < checksums && at + 8 <= file.size();
             begin += k_index_block_bytes, at += 8) {
            const uint64_t sum =
                XXH3_64bits(file.data() + begin, std::min(k_index_block_bytes, checksums - begin));
            std::memcpy(file.data() + at, &sum, sizeof sum);
        }
        header.checksums_checksum = XXH3_64bits(file.data() + checksums, file.size() - checksums);
    }
    header.file_size_bytes = file.size();
    header.checksum = XXH3_64bits(&header, offsetof(IndexHeader, checksum));
    std::memcpy(file.data(), &header, sizeof header);
}

}  // namespace
}  // namespace gannet::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
    using namespace gannet;
    std::string content(reinterpret_cast<const char*>(bytes), size);
    if (content.starts_with(fuzz::k_sealed)) fuzz::seal(content);
    const fuzz::MemoryFile file(content);
    try {
        (void)align::Index::is_of_another_version(file.path());
        const auto index = align::Index::open(file.path());
        index->verify();
        const auto& contigs = index->reference()->contigs();
        for (uint32_t i = 0; i < contigs.size(); ++i) {
            (void)index->reference()->letters(i, 0, std::min<uint64_t>(contigs[i].length, 100));
        }
    } catch (const data::Error&) {
    }
    return 0;
}
