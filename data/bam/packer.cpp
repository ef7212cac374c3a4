// SPDX-License-Identifier: MIT
// Provides the packing of records into BGZF blocks.
#include "data/bam/packer.hpp"

#include "data/prefetch.hpp"

#include <algorithm>
#include <cstring>

namespace gannet::data::bam {
namespace {

/// A record's length, which BAM has before it.
constexpr size_t k_prefix_bytes = sizeof(uint32_t);

/// Records so far ahead are on their way to the caches.
constexpr size_t k_records_ahead = 4;

size_t stored_bytes(const RecordView& record) { return k_prefix_bytes + record.bytes().size(); }

PackedRecords::IndexEntry index_entry(const RecordView& record, uint32_t block, size_t block_offset) {
    const bool mapped = !record.has(k_flag_unmapped);
    const int64_t span = mapped ? std::max<int64_t>(1, record.reference_span()) : 1;
    return {record.contig(),
            record.position(),
            static_cast<int32_t>(record.position() + span),
            block,
            static_cast<uint32_t>(block_offset),
            mapped};
}

}  // namespace

void BlockCutter::begin(std::span<const RecordView> records, PackedRecords& out) {
    records_ = records;
    out_ = &out;
    record_ = in_record_ = block_ = 0;
    out.blocks.clear();
    out.index.clear();
    out.block_begin.assign(1, 0);
    out.records = records.size();
}

/// Bytes [in_record_, in_record_ + size) of what is stored of the record.
void BlockCutter::add_part(const RecordView& record, size_t size, std::vector<uint8_t>& payload) const {
    size_t begin = in_record_;
    const size_t end = begin + size;
    if (begin < k_prefix_bytes) {
        const auto length = static_cast<uint32_t>(record.bytes().size());
        uint8_t prefix[k_prefix_bytes];
        std::memcpy(prefix, &length, k_prefix_bytes);
        const size_t prefix_end = std::min(end, k_prefix_bytes);
        payload.insert(payload.end(), prefix + begin, prefix + prefix_end);
        if (end <= k_prefix_bytes) return;
        begin = k_prefix_bytes;
    }
    const uint8_t* const bytes = record.bytes().data();
    payload.insert(payload.end(), bytes + (begin - k_prefix_bytes), bytes + (end - k_prefix_bytes));
}

bool BlockCutter::next(std::vector<uint8_t>& payload) {
    if (record_ == records_.size()) return false;
    const size_t block_begin = payload.size();
    for (; record_ < records_.size(); ++record_, in_record_ = 0) {
        if (record_ + k_records_ahead < records_.size())
            prefetch(records_[record_ + k_records_ahead].bytes());
        const RecordView& record = records_[record_];
        const size_t used = payload.size() - block_begin;
        const size_t left = stored_bytes(record) - in_record_;
        if (in_record_ == 0 && used > 0 && used + left > bgzf::k_max_payload_bytes) break;
        const size_t part = std::min(left, bgzf::k_max_payload_bytes - used);
        add_part(record, part, payload);
        if (part < left) {
            in_record_ += part;
            break;
        }
        out_->index.push_back(index_entry(record, block_, used + part));
    }
    // A record that ends with its block ends, for the index, where the next block begins: as a reader sees
    // it.
    if (in_record_ == 0) {
        out_->index.back().block += 1;
        out_->index.back().block_offset = 0;
    }
    ++block_;
    return true;
}

void BlockPacker::pack(std::span<const RecordView> records, PackedRecords& out) {
    cutter_.begin(records, out);
    for (payload_.clear(); cutter_.next(payload_); payload_.clear()) {
        compressor_.append(payload_, out.blocks);
        out.block_begin.push_back(static_cast<uint32_t>(out.blocks.size()));
    }
}

}  // namespace gannet::data::bam
