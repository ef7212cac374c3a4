// SPDX-License-Identifier: MIT
// Provides the rows of the op deflate.
#include "data/bam/packer.hpp"
#include "data/fastq/reader.hpp"
#include "data/read_batch.hpp"
#include "data/record.hpp"
#include "tests/bench/device/rows.hpp"

#include <stdexcept>

namespace gannet::device_bench {

namespace {

using namespace kernels;

/// Blocks of records of the reads, unaligned.
DeflateBatch record_blocks(const Options& options, size_t count) {
    using namespace data;
    DeflateBatch blocks;
    while (blocks.size() < count) {
        const size_t before = blocks.size();
        const auto reader = fastq::LaneReader::open({options.reads.at(0), ""});
        for (ReadBatch batch; blocks.size() < count && reader->read(batch); batch = {}) {
            RecordBatch records;
            for (size_t read = 0; read < batch.reads(); ++read) {
                RecordFields fields;
                fields.name = batch.name(batch.paired ? read / 2 : read);
                fields.bases = batch.read_bases(read);
                fields.qualities = batch.read_qualities(read);
                const RecordAppender appender(records, fields);
            }
            std::vector<RecordView> views;
            for (size_t k = 0; k < records.entries.size(); ++k) views.push_back(records.view(k));
            bam::PackedRecords packed;
            bam::BlockCutter cutter;
            for (cutter.begin(views, packed); blocks.size() < count && cutter.next(blocks.bytes);)
                blocks.end_block();
        }
        if (blocks.size() == before) throw std::invalid_argument(options.reads[0] + " has no reads");
    }
    return blocks;
}

}  // namespace

void deflate_rows(const Options& options, const OpTable& table) {
    using data::bgzf::BlockBytes;
    using data::bgzf::BlockCompressor;
    for (const size_t count : options.jobs) {
        const DeflateBatch blocks = record_blocks(options, count);
        std::vector<DeflateResults> results(options.most_lanes());
        const auto call = [&](Stream& stream, size_t k) {
            if (table.deflate != nullptr) return table.deflate(stream, blocks, results[k]);
            BlockCompressor compressor(1, BlockBytes::on_this_machine);
            results[k].clear();
            for (size_t block = 0; block < blocks.size(); ++block)
                compressor.append(blocks.block(block), results[k].bytes);
        };
        write_rows(options, table, "records_of_file", count,
                   {{"bytes", static_cast<double>(blocks.bytes.size())}}, call);
    }
}

}  // namespace gannet::device_bench
