// SPDX-License-Identifier: MIT
// Provides a driver for developing the aligner: FASTQ to SAM on standard output, without sorting or graphs.
#include "align/aligner.hpp"
#include "data/error.hpp"
#include "data/fasta/reader.hpp"
#include "data/fastq/reader.hpp"
#include "kernels/op_table.hpp"

#include <condition_variable>
#include <cstdio>
#include <filesystem>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace gannet;

void append_tag(std::string& line, const uint8_t*& at) {
    line += '\t';
    line.append(reinterpret_cast<const char*>(at), 2);
    const char type = static_cast<char>(at[2]);
    at += 3;
    const auto number = [&]<class T>(T value) {
        std::memcpy(&value, at, sizeof value);
        at += sizeof value;
        line += ":i:" + std::to_string(value);
    };
    switch (type) {
        case 'c':
            number(int8_t{});
            break;
        case 'C':
            number(uint8_t{});
            break;
        case 's':
            number(int16_t{});
            break;
        case 'S':
            number(uint16_t{});
            break;
        case 'i':
            number(int32_t{});
            break;
        case 'I':
            number(uint32_t{});
            break;
        case 'A':
            line += std::string(":A:") + static_cast<char>(*at++);
            break;
        default: {
            const std::string text(reinterpret_cast<const char*>(at));
            line += std::string(":") + type + ":" + text;
            at += text.size() + 1;
        }
    }
}

void append_sam(std::string& line, const data::RecordView& record, const data::Reference& reference) {
    const auto contig = [&](int32_t index) {
        return index < 0 ? std::string("*") : reference.contigs()[static_cast<size_t>(index)].name;
    };
    line += record.name();
    line += '\t' + std::to_string(record.flag()) + '\t' + contig(record.contig()) + '\t' +
            std::to_string(record.position() + 1) + '\t' + std::to_string(record.mapping_quality()) + '\t';
    for (uint16_t i = 0; i < record.cigar_count(); ++i) {
        line += std::to_string(data::cigar_length(record.cigar(i)));
        line += "MIDNSHP=X"[data::cigar_op(record.cigar(i))];
    }
    if (record.cigar_count() == 0) line += '*';
    line += '\t';
    line += record.mate_contig() >= 0 && record.mate_contig() == record.contig()
                ? "="
                : contig(record.mate_contig());
    line += '\t' + std::to_string(record.mate_position() + 1) + '\t' +
            std::to_string(record.template_length()) + '\t';
    for (uint32_t i = 0; i < record.read_length(); ++i) line += data::k_letter_of_base[record.base(i)];
    if (record.read_length() == 0) line += '*';
    line += '\t';
    for (const uint8_t quality : record.qualities()) line += static_cast<char>(quality + 33);
    if (record.read_length() == 0) line += '*';
    const std::span<const uint8_t> tags = record.tags();
    for (const uint8_t* at = tags.data(); at < tags.data() + tags.size();) append_tag(line, at);
    line += '\n';
}

/// Rounds of a batch up to `last`.
void run_rounds(const align::Aligner& aligner, const kernels::OpTable& ops, kernels::Stream& stream,
                const data::ReadBatch& batch, const align::InsertSizeModel& model, align::Round last,
                align::AlignmentWork& work) {
    for (const align::Round round : align::k_rounds) {
        if (round > last) return;
        aligner.prepare(round, batch, model, work);
        if (aligner.call(round, ops, stream, work)) stream.wait();
    }
}

struct Driver {
    const align::Aligner& aligner;
    kernels::OpTable ops;
    data::fastq::LaneReader& reader;
    align::InsertSizeModel model;
    std::vector<data::ReadBatch> first;  ///< read for the model, still to be aligned
    size_t next_first = 0;
    uint64_t ordinal = 0;
    uint64_t templates = 0;
    std::mutex input;
    std::mutex output;
    std::condition_variable turn;
    uint64_t written = 0;

    bool read(data::ReadBatch& batch) {
        if (!reader.read(batch)) return false;
        batch.ordinal = ordinal++;
        batch.first_template = templates;
        templates += batch.templates();
        return true;
    }
    void estimate() {
        std::vector<int32_t> inserts;
        align::AlignmentWork work;
        const auto stream = ops.make_stream();
        while (templates < align::k_insert_sample_templates) {
            data::ReadBatch batch;
            if (!read(batch)) break;
            run_rounds(aligner, ops, *stream, batch, {}, align::Round::extension, work);
            aligner.sample_insert_sizes(batch, work, inserts);
            first.push_back(std::move(batch));
        }
        model = align::estimate_insert_sizes(std::move(inserts));
        std::fprintf(stderr, "inserts: valid %d mean %d sd %d low %d high %d\n", model.valid, model.mean_bp,
                     model.sd_bp, model.low_bp, model.high_bp);
    }
    void work() {
        align::AlignmentWork work;
        data::RecordBatch records;
        data::ReadBatch batch;
        const auto stream = ops.make_stream();
        std::string text;
        for (;;) {
            {
                const std::lock_guard<std::mutex> lock(input);
                if (next_first < first.size()) {
                    batch = std::move(first[next_first++]);
                } else if (!read(batch)) {
                    return;
                }
            }
            run_rounds(aligner, ops, *stream, batch, model, align::k_rounds.back(), work);
            aligner.build_records(batch, work, 0, batch.templates(), records);
            text.clear();
            for (size_t i = 0; i < records.entries.size(); ++i) {
                append_sam(text, records.view(i), aligner.reference());
            }
            std::unique_lock<std::mutex> lock(output);
            turn.wait(lock, [&] { return written == batch.ordinal; });
            std::fwrite(text.data(), 1, text.size(), stdout);
            ++written;
            turn.notify_all();
        }
    }
};

}  // namespace

int main(int argc, char** argv) try {
    if (argc < 3) {
        std::fprintf(stderr, "usage: align_reads REF.fa R1.fq [R2.fq] [threads]\n");
        return 2;
    }
    const std::string reference_path = argv[1];
    const std::string index_path = align::default_index_path(reference_path);
    const int threads = argc > 4 ? std::atoi(argv[4]) : 2;
    const char* remake = std::getenv("ALIGN_READS_INDEX");
    const std::string path = remake ? remake : index_path;
    if (!std::filesystem::exists(path)) {
        align::build_index(*data::fasta::load(reference_path), {}, path, {.threads = threads});
    }
    const auto index = align::Index::open(path);
    const data::ReadGroup group = data::ReadGroup::parse("@RG\\tID:s\\tSM:sample\\tPL:ILLUMINA");
    const align::Aligner aligner(index, {}, {group});
    std::printf("@HD\tVN:1.6\tSO:unsorted\tGO:query\n");
    for (const data::Contig& contig : aligner.reference().contigs()) {
        std::printf("@SQ\tSN:%s\tLN:%llu\tM5:%s\n", contig.name.c_str(),
                    static_cast<unsigned long long>(contig.length), contig.md5.c_str());
    }
    std::printf("%s\n", group.to_sam().c_str());
    const auto reader =
        data::fastq::LaneReader::open({argv[2], argc > 3 ? std::string(argv[3]) : "", false, 0});
    Driver driver{.aligner = aligner,
                  .ops = kernels::make_op_table(std::nullopt, std::nullopt),
                  .reader = *reader,
                  .model = {},
                  .first = {},
                  .input = {},
                  .output = {},
                  .turn = {}};
    driver.estimate();
    std::vector<std::jthread> pool;
    for (int i = 0; i < threads; ++i) pool.emplace_back([&driver] { driver.work(); });
    pool.clear();
    return 0;
} catch (const data::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return static_cast<int>(error.kind());
}
