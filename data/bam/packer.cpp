// SPDX-License-Identifier: MIT
// Provides the packing of records into BGZF blocks.
#include "data/bam/packer.hpp"

#include <algorithm>
#include <cstring>

namespace gannet::data::bam {

void BlockPacker::pack(std::span<const RecordView> records, PackedRecords& out) {
    out.blocks.clear();
    out.index.clear();
    out.block_begin.assign(1, 0);
    out.records = records.size();
    payload_.clear();
    const auto flush = [this, &out] {
        if (payload_.empty()) return;
        compressor_.append(payload_, out.blocks);
        out.block_begin.push_back(static_cast<uint32_t>(out.blocks.size()));
        // A record that ends with its block ends, for the index, where the next block begins: as a reader
        // sees it.
        if (!out.index.empty() && out.index.back().block + 2 == out.block_begin.size() &&
            out.index.back().block_offset == payload_.size()) {
            out.index.back().block += 1;
            out.index.back().block_offset = 0;
        }
        payload_.clear();
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
