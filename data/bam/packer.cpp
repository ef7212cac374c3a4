// SPDX-License-Identifier: MIT
// Provides the packing of records into BGZF blocks.
#include "data/bam/packer.hpp"

#include <algorithm>
#include <cstring>

namespace gannet::data::bam {

/// Of the record at the payload's end.
void BlockPacker::add_sections(const RecordView& record) {
    using enum bgzf::SectionKind;
    const size_t bytes = record.bytes().size();
    if (bytes > payload_.size()) {  // its beginning is in blocks before, which nothing is known of
        sections_.push_back({static_cast<uint32_t>(payload_.size()), text});
        return;
    }
    const size_t begin = payload_.size() - bytes;
    const auto offset_of = [&](const uint8_t* at) {
        return static_cast<uint32_t>(begin + static_cast<size_t>(at - record.bytes().data()));
    };
    const std::span<const uint8_t> bases_bytes = record.nibbles();
    const std::span<const uint8_t> qualities_bytes = record.qualities();
    sections_.push_back({offset_of(bases_bytes.data()), text});
    sections_.push_back({offset_of(qualities_bytes.data()), bases});
    sections_.push_back({offset_of(qualities_bytes.data() + qualities_bytes.size()), qualities});
    sections_.push_back({static_cast<uint32_t>(payload_.size()), text});
}

void BlockPacker::pack(std::span<const RecordView> records, PackedRecords& out) {
    out.blocks.clear();
    out.index.clear();
    out.block_begin.assign(1, 0);
    out.records = records.size();
    payload_.clear();
    sections_.clear();
    const auto flush = [this, &out] {
        if (payload_.empty()) return;
        compressor_.append(payload_, sections_, out.blocks);
        out.block_begin.push_back(static_cast<uint32_t>(out.blocks.size()));
        // A record that ends with its block ends, for the index, where the next block begins: as a reader
        // sees it.
        if (!out.index.empty() && out.index.back().block + 2 == out.block_begin.size() &&
            out.index.back().block_offset == payload_.size()) {
            out.index.back().block += 1;
            out.index.back().block_offset = 0;
        }
        payload_.clear();
        sections_.clear();
    };
    const auto add = [this, &flush](std::span<const uint8_t> bytes) {
        while (!bytes.empty()) {
            if (payload_.size() == bgzf::k_max_payload_bytes) flush();
            const size_t part = std::min(bytes.size(), bgzf::k_max_payload_bytes - payload_.size());
            payload_.insert(payload_.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(part));
            bytes = bytes.subspan(part);
        }
    };
    for (const RecordView& record : records) {
        const auto size = static_cast<uint32_t>(record.bytes().size());
        if (payload_.size() + size + sizeof size > bgzf::k_max_payload_bytes) flush();
        uint8_t prefix[sizeof size];
        std::memcpy(prefix, &size, sizeof size);
        add(prefix);
        add(record.bytes());
        add_sections(record);
        const bool mapped = !record.has(k_flag_unmapped);
        const int64_t span = mapped ? std::max<int64_t>(1, record.reference_span()) : 1;
        out.index.push_back({record.contig(), record.position(),
                             static_cast<int32_t>(record.position() + span),
                             static_cast<uint32_t>(out.block_begin.size() - 1),
                             static_cast<uint32_t>(payload_.size()), mapped});
    }
    flush();
}

}  // namespace gannet::data::bam
