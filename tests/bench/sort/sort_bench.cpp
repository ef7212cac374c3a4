// SPDX-License-Identifier: MIT
// Measures sort and duplicate marking on a name-grouped SAM/BAM, step by step in CPU seconds, and can write
// the result as BAM.
//
//   sort_bench IN.bam [--memory BYTES] [--tmp DIR] [--level N] [-t N] [-o OUT.bam]
//   [--metrics FILE]
//
// Reading IN.bam is not part of what is measured. OUT.bam is for comparison with samtools
// (tests/cli/check_duplicates).
#include "align/duplicates/duplicates.hpp"
#include "align/sort/sorter.hpp"
#include "data/bam/packer.hpp"
#include "data/bam/writer.hpp"
#include "data/error.hpp"
#include "data/threads.hpp"

#include <htslib/sam.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <string>

namespace {

using namespace gannet;

struct Options {
    std::string input, output, metrics, temporary = "/tmp";
    uint64_t memory_bytes = uint64_t{1} << 30;
    int level = 1;
    unsigned threads = 1;
};

struct Input {
    std::vector<data::Contig> contigs;
    std::string header_text;
    std::vector<data::ReadGroup> read_groups;
    std::vector<data::RecordBatch> batches;
    uint64_t bytes = 0;
    uint64_t records = 0;
};

double cpu_seconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

void append_record(data::RecordBatch& batch, const bam1_t& record, uint64_t ordinal) {
    const bam1_core_t& core = record.core;
    const auto put = [&batch]<class T>(T value) {
        const auto* raw = reinterpret_cast<const uint8_t*>(&value);
        batch.bytes.insert(batch.bytes.end(), raw, raw + sizeof value);
    };
    const uint64_t offset = batch.bytes.size();
    const auto name_size = static_cast<uint8_t>(core.l_qname - core.l_extranul);
    put(core.tid);
    put(static_cast<int32_t>(core.pos));
    put(name_size);
    put(core.qual);
    put(core.bin);
    put(static_cast<uint16_t>(core.n_cigar));
    put(core.flag);
    put(core.l_qseq);
    put(core.mtid);
    put(static_cast<int32_t>(core.mpos));
    put(static_cast<int32_t>(core.isize));
    batch.bytes.insert(batch.bytes.end(), record.data, record.data + name_size);
    batch.bytes.insert(batch.bytes.end(), record.data + core.l_qname, record.data + record.l_data);
    batch.entries.push_back({offset, ordinal, static_cast<uint32_t>(batch.bytes.size() - offset), core.tid,
                             static_cast<int32_t>(core.pos), core.flag});
}

Input read_input(const std::string& path) {
    Input input;
    samFile* file = sam_open(path.c_str(), "r");
    if (file == nullptr) throw data::Error(data::ErrorKind::usage, path + ": cannot be opened");
    sam_hdr_t* header = sam_hdr_read(file);
    uint64_t offset = 64;
    for (int i = 0; i < sam_hdr_nref(header); ++i) {
        data::Contig contig;
        contig.name = sam_hdr_tid2name(header, i);
        contig.length = static_cast<uint64_t>(sam_hdr_tid2len(header, i));
        contig.offset = offset;
        offset = (offset + contig.length + 64 + 63) / 64 * 64;
        input.contigs.push_back(contig);
    }
    input.header_text.assign(sam_hdr_str(header), sam_hdr_length(header));
    data::ReadGroup group;
    kstring_t library = KS_INITIALIZE;
    if (sam_hdr_find_tag_pos(header, "RG", 0, "LB", &library) == 0)
        group.library.assign(library.s, library.l);
    ks_free(&library);
    input.read_groups.push_back(group);
    bam1_t* record = bam_init1();
    std::string name;
    uint64_t ordinal = 0;
    data::RecordBatch batch;
    while (sam_read1(file, header, record) >= 0) {
        if (name != bam_get_qname(record)) {
            ordinal = ((ordinal >> 8) + 1) << 8;
            name = bam_get_qname(record);
            if (batch.entries.size() >= 2000) {
                input.batches.push_back(std::move(batch));
                batch = {};
            }
        }
        append_record(batch, *record, ordinal++);
        ++input.records;
    }
    input.batches.push_back(std::move(batch));
    for (const data::RecordBatch& b : input.batches) input.bytes += b.bytes.size();
    bam_destroy1(record);
    sam_hdr_destroy(header);
    sam_close(file);
    return input;
}

Options parse(int argc, char** argv) {
    Options options;
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        const auto value = [&] { return std::string(i + 1 < argc ? argv[++i] : ""); };
        if (word == "--memory")
            options.memory_bytes = std::stoull(value());
        else if (word == "--tmp")
            options.temporary = value();
        else if (word == "--level")
            options.level = std::stoi(value());
        else if (word == "-t")
            options.threads = static_cast<unsigned>(std::stoul(value()));
        else if (word == "-o")
            options.output = value();
        else if (word == "--metrics")
            options.metrics = value();
        else
            options.input = word;
    }
    return options;
}

int run(const Options& options) {
    const Input input = read_input(options.input);
    uint64_t genome_bp = 0;
    for (const data::Contig& contig : input.contigs) genome_bp += contig.length;
    const uint64_t packed_bp =
        input.contigs.empty() ? 64 : input.contigs.back().offset + input.contigs.back().length;
    static const uint64_t nothing = 0;
    // Bases are never looked at, so the reference may claim any number of words.
    const data::Reference reference("none", input.contigs, {&nothing, packed_bp / 32 + 4}, {}, nullptr);

    align::sort::Sorter sorter(reference, {options.memory_bytes, options.temporary});
    align::duplicates::Marker marker(input.read_groups, {options.memory_bytes, options.temporary});
    const double begin = cpu_seconds();
    data::for_each_index(options.threads, input.batches.size(),
                         [&](size_t i) { sorter.add(input.batches[i]); });
    sorter.finish_input();
    const double scattered = cpu_seconds();
    data::for_each_index(options.threads, input.batches.size(),
                         [&](size_t i) { marker.add(input.batches[i]); });
    const double keyed = cpu_seconds();
    const align::duplicates::Decision decision = marker.decide(options.threads);
    const double decided = cpu_seconds();

    std::unique_ptr<data::bam::IndexedBamWriter> writer;
    if (!options.output.empty()) {
        writer =
            std::make_unique<data::bam::IndexedBamWriter>(options.output, input.header_text, options.level);
    }
    data::bam::BlockPacker packer(options.level);
    data::bam::PackedRecords packed;
    std::vector<data::RecordView> views;
    double load = 0, mark = 0, pack = 0, write = 0;
    double last = cpu_seconds();
    const auto lap = [&last](double& into) {
        const double now = cpu_seconds();
        into += now - last;
        last = now;
    };
    for (size_t i = 0; i < sorter.buckets(); ++i) {
        align::sort::SortedBucket bucket = sorter.load(i);
        lap(load);
        align::duplicates::apply(decision, bucket);
        lap(mark);
        if (!writer) continue;
        views.clear();
        for (const data::RecordEntry& entry : bucket.entries) {
            views.emplace_back(std::span(bucket.bytes).subspan(entry.offset, entry.size_bytes));
        }
        packer.pack(views, packed);
        lap(pack);
        writer->write(packed);
        lap(write);
    }
    if (writer) writer->close();
    lap(write);
    if (!options.metrics.empty())
        std::ofstream(options.metrics) << metrics_text(decision, "sort_bench " + options.input);

    const double megabases = static_cast<double>(genome_bp) / 1e6;
    std::printf("records %llu, %.1f MB, spilled %.1f + %.1f MB; CPU s (per Mb of reference): ",
                static_cast<unsigned long long>(input.records), static_cast<double>(input.bytes) / 1e6,
                static_cast<double>(sorter.spilled_bytes()) / 1e6,
                static_cast<double>(marker.spilled_bytes()) / 1e6);
    const auto show = [megabases](const char* what, double seconds) {
        std::printf("%s %.3f (%.4f)  ", what, seconds, seconds / megabases);
    };
    show("scatter", scattered - begin);
    show("keys", keyed - scattered);
    show("decide", decided - keyed);
    show("load", load);
    show("apply", mark);
    show("pack", pack);
    show("write", write);
    show("sum", last - begin);
    std::printf("\n");
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return run(parse(argc, argv));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "sort_bench: %s\n", error.what());
        return 1;
    }
}
