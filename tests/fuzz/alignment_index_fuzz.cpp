// SPDX-License-Identifier: MIT
// Fuzzes the index of a BAM or CRAM, whose own bytes are sound: the records of a region are those that
// reading all of the file gives, or the index is refused.
#include "data/bam/reader.hpp"
#include "data/bam/writer.hpp"
#include "data/error.hpp"
#include "data/fasta/reader.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "tests/support/temporary_folder.hpp"

#include <array>
#include <iterator>
#include <string_view>

namespace gannet::fuzz {
namespace {

constexpr int64_t k_contig_bp = 60'000;
constexpr std::array<data::Region, 5> k_regions{{{0, 0, k_contig_bp},
                                                 {0, 20'000, 20'100},
                                                 {0, 40'000, 41'000},
                                                 {1, 0, k_contig_bp},
                                                 {1, 59'000, 60'000}}};

/// A sorted file of two contigs with its index, and what its regions hold.
struct Sample {
    tests::TemporaryFolder folder;
    std::string bam = folder.path("s.bam"), cram = folder.path("s.cram"), reference;
    std::array<std::vector<std::string>, k_regions.size()> expected;
};

std::vector<std::string> names_in(const std::string& path, const std::string& reference,
                                  const data::Region& region, bool by_index) {
    const auto reader = data::bam::Reader::open(path, reference);
    if (by_index) {
        if (!reader->has_index()) std::abort();
        reader->seek(region);
    }
    std::vector<std::string> names;
    data::RecordBatch batch;
    while (reader->read(batch, 1 << 16)) {
        for (size_t i = 0; i < batch.entries.size(); ++i) {
            const data::RecordView view = batch.view(i);
            if (view.contig() == static_cast<int32_t>(region.contig) && view.position() < region.end &&
                view.end_position() > region.begin)
                names.emplace_back(view.name());
        }
        batch.clear();
    }
    return names;
}

const Sample& sample() {
    static const Sample* const made = [] {
        auto* const s = new Sample;
        std::string text = "@HD\tVN:1.6\tSO:coordinate\n", bases;
        for (int64_t i = 0; i < k_contig_bp; ++i) bases += "ACGT"[(i * i / 7 + i / 3) % 4];
        s->reference = s->folder.write("r.fa", ">c\n" + bases + "\n>d\n" + bases + "\n");
        for (const char* name : {"c", "d"})
            text += std::string("@SQ\tSN:") + name + "\tLN:" + std::to_string(k_contig_bp) + "\n";
        for (const char* name : {"c", "d"}) {
            for (int64_t at = 0; at + 60 < k_contig_bp; at += 97) {
                text += std::string(name) + std::to_string(at) + "\t0\t" + name + "\t" +
                        std::to_string(at + 1) + "\t60\t50M\t*\t0\t0\t" +
                        bases.substr(static_cast<size_t>(at), 50) + "\t" + std::string(50, 'I') + "\n";
            }
        }
        text += "u\t4\t*\t0\t0\t*\t*\t0\t0\tAC\tII\n";
        const auto reader = data::bam::Reader::open(s->folder.write("s.sam", text));
        using Format = data::bam::RecordWriter::Format;
        for (const auto& [path, format] :
             {std::pair(s->bam, Format::bam), std::pair(s->cram, Format::cram)}) {
            data::bam::RecordWriter writer(path, format, reader->header_text(), s->reference, 1, true);
            reader->rewind();
            data::RecordBatch batch;
            while (reader->read(batch, 1 << 20)) {
                for (size_t i = 0; i < batch.entries.size(); ++i) writer.write(batch.view(i));
                batch.clear();
            }
            writer.close();
        }
        for (size_t i = 0; i < k_regions.size(); ++i)
            s->expected[i] = names_in(s->bam, "", k_regions[i], false);
        return s;
    }();
    return *made;
}

}  // namespace

std::vector<std::string> seeds() {
    std::vector<std::string> all;
    for (const auto& path : {sample().bam, sample().cram}) {
        for (const char* ending : {".bai", ".csi", ".crai"}) {
            if (std::string found = tests::read_file(path + ending); !found.empty())
                all.push_back(std::move(found));
        }
    }
    return all;
}

}  // namespace gannet::fuzz

/// Lines of numbers, as text or gzip, are a .crai; all else a .bai or .csi.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
    using namespace gannet;
    const fuzz::Sample& sample = fuzz::sample();
    const std::string index(reinterpret_cast<const char*>(bytes), size);
    const bool cram = !index.starts_with("BAI") && !index.starts_with("CSI");
    const std::string& path = cram ? sample.cram : sample.bam;
    for (const char* ending : {".bai", ".csi", ".crai"}) unlink((path + ending).c_str());
    sample.folder.write(std::string(cram ? "s.cram" : "s.bam") + (cram                       ? ".crai"
                                                                  : index.starts_with("CSI") ? ".csi"
                                                                                             : ".bai"),
                        index);
    for (size_t i = 0; i < fuzz::k_regions.size(); ++i) {
        try {
            if (fuzz::names_in(path, sample.reference, fuzz::k_regions[i], true) != sample.expected[i])
                std::abort();
        } catch (const data::Error&) {
        }
    }
    return 0;
}
