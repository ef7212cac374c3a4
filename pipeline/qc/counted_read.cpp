// SPDX-License-Identifier: MIT
// Provides what the parts of the counting share of one record.
#include "pipeline/qc/counted_read.hpp"

namespace gannet::pipeline::qc {

using namespace data;

ReadCounter::Read::Read(const RecordView& of, uint16_t flags)
    : record(of),
      flag(flags),
      contig(of.contig()),
      position(of.position()),
      length(of.read_length()),
      tags(ReadTags::of(of)) {
    for (size_t i = 0; i < record.cigar_count(); ++i) {
        const uint32_t element = record.cigar(i);
        const uint32_t bases = cigar_length(element);
        const CigarOp op = cigar_op(element);
        if (bases == 0) continue;
        if (cigar_consumes_reference(op)) span += bases;
        switch (op) {
            case k_cigar_match:
            case k_cigar_equal:
            case k_cigar_diff:
                matched += bases;
                break;
            case k_cigar_insertion:
                inserted += bases;
                ++indels;
                break;
            case k_cigar_deletion:
                ++indels;
                break;
            case k_cigar_soft_clip:
                soft_clipped += bases;
                break;
            case k_cigar_hard_clip:
                hard_clipped += bases;
                break;
            default:
                break;
        }
    }
    if (length == 0) return;
    const uint32_t cut = has(k_flag_reverse) ? length - start_length() : start_length();
    start = base_sums(record.nibbles(), 0, cut);
    rest = base_sums(record.nibbles(), cut, length);
    if (has(k_flag_reverse)) std::swap(start, rest);
}

uint32_t ReadCounter::Read::start_length() const {
    if (length <= 100) return length;
    return length > 1000 ? length / 1000 * 1000 : length / 100 * 100;
}

Orientation ReadCounter::Read::orientation() const {
    const bool reverse = has(k_flag_reverse);
    if (reverse == has(k_flag_mate_reverse)) return k_tandem;
    // 5' ends, 1-based. That of a mate is computed from the template length, without its alignment.
    const int64_t forward_end = 1 + int64_t{reverse ? record.mate_position() : position};
    const int64_t reverse_end = reverse ? position + span : 1 + int64_t{position} + record.template_length();
    return forward_end < reverse_end ? k_fr : k_rf;
}

bool list_blocks(const RecordView& record, Blocks& blocks) {
    uint32_t at = 0;
    for (size_t i = 0; i < record.cigar_count(); ++i) {
        const CigarOp op = cigar_op(record.cigar(i));
        if (!cigar_consumes_reference(op)) continue;
        const uint32_t end = at + cigar_length(record.cigar(i));
        if (cigar_consumes_query(op)) blocks.emplace_back(at, end);
        at = end;
    }
    return record.cigar_count() == 1;
}

bool list_blocks(std::string_view cigar, Blocks& blocks) {
    uint32_t at = 0;
    uint32_t length = 0;
    size_t elements = 0;
    for (const char letter : cigar) {
        if (letter >= '0' && letter <= '9') {
            length = length * 10 + static_cast<uint32_t>(letter - '0');
            continue;
        }
        if (letter == 'M' || letter == '=' || letter == 'X') blocks.emplace_back(at, at + length);
        if (letter == 'M' || letter == '=' || letter == 'X' || letter == 'D' || letter == 'N') at += length;
        length = 0;
        ++elements;
    }
    return elements == 1;
}

}  // namespace gannet::pipeline::qc
