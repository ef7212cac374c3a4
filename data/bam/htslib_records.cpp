// SPDX-License-Identifier: MIT
// Provides the conversions between htslib's records and headers and ours.
#include "data/bam/htslib_records.hpp"

#include "data/error.hpp"

#include <htslib/sam.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string_view>

namespace gannet::data::bam {
namespace {

template <class T>
void append(std::vector<uint8_t>& bytes, T value) {
    const auto* raw = reinterpret_cast<const uint8_t*>(&value);
    bytes.insert(bytes.end(), raw, raw + sizeof value);
}

}  // namespace

void to_htslib(RecordView view, bam1_t& record) {
    bam1_core_t& core = record.core;
    const size_t name_size = view.name_size();
    const size_t padding = (4 - name_size % 4) % 4;  // htslib aligns what follows the name
    const std::span<const uint8_t> rest = view.bytes().subspan(32 + name_size);
    const size_t size = name_size + padding + rest.size();
    if (size > record.m_data) {
        auto* wider = static_cast<uint8_t*>(std::realloc(record.data, size));
        if (wider == nullptr) throw std::bad_alloc();
        record.data = wider;
        record.m_data = static_cast<uint32_t>(size);
    }
    record.l_data = static_cast<int>(size);
    std::memcpy(record.data, view.bytes().data() + 32, name_size);
    std::memset(record.data + name_size, 0, padding);
    std::memcpy(record.data + name_size + padding, rest.data(), rest.size());
    core.pos = view.position();
    core.tid = view.contig();
    core.bin = bam_bin(view.position(), view.position() + std::max<int64_t>(1, view.reference_span()));
    core.qual = view.mapping_quality();
    core.l_extranul = static_cast<uint8_t>(padding);
    core.flag = view.flag();
    core.l_qname = static_cast<uint16_t>(name_size + padding);
    core.n_cigar = view.cigar_count();
    core.l_qseq = static_cast<int32_t>(view.read_length());
    core.mtid = view.mate_contig();
    core.mpos = view.mate_position();
    core.isize = view.template_length();
}

void expand_long_cigar(bam1_t& record) {
    bam1_core_t& core = record.core;
    const uint32_t* const placeholder = bam_get_cigar(&record);
    if (core.n_cigar != 2 || bam_cigar_op(placeholder[0]) != BAM_CSOFT_CLIP ||
        bam_cigar_op(placeholder[1]) != BAM_CREF_SKIP)
        return;
    uint8_t* const tag = bam_aux_get(&record, "CG");
    if (tag == nullptr || tag[0] != 'B' || tag[1] != 'I') return;
    std::vector<uint32_t> cigar(bam_auxB_len(tag));
    for (uint32_t i = 0; i < cigar.size(); ++i) cigar[i] = static_cast<uint32_t>(bam_auxB2i(tag, i));
    bam_aux_del(&record, tag);
    const size_t begin = core.l_qname;
    const size_t behind = begin + 2 * sizeof(uint32_t);
    const size_t rest_bytes = static_cast<size_t>(record.l_data) - behind;
    const size_t cigar_bytes = cigar.size() * sizeof(uint32_t);
    const size_t size = begin + cigar_bytes + rest_bytes;
    if (size > record.m_data) {
        auto* wider = static_cast<uint8_t*>(std::realloc(record.data, size));
        if (wider == nullptr) throw std::bad_alloc();
        record.data = wider;
        record.m_data = static_cast<uint32_t>(size);
    }
    std::memmove(record.data + begin + cigar_bytes, record.data + behind, rest_bytes);
    std::memcpy(record.data + begin, cigar.data(), cigar_bytes);
    record.l_data = static_cast<int>(size);
    core.n_cigar = static_cast<uint32_t>(cigar.size());
}

void append_from_htslib(const bam1_t& record, int32_t contig, int32_t mate_contig, uint64_t ordinal,
                        RecordBatch& batch) {
    const bam1_core_t& core = record.core;
    std::vector<uint8_t>& bytes = batch.bytes;
    const uint64_t offset = bytes.size();
    const uint32_t* cigar = bam_get_cigar(&record);
    const bool long_cigar = core.n_cigar > 0xffff;
    const auto name_size = static_cast<size_t>(core.l_qname - core.l_extranul);
    std::array<uint8_t, 32> fixed;
    uint8_t* at = fixed.data();
    const auto put = [&at](auto value) {
        std::memcpy(at, &value, sizeof value);
        at += sizeof value;
    };
    put(contig);
    put(static_cast<int32_t>(core.pos));
    put(static_cast<uint8_t>(name_size));
    put(core.qual);
    put(core.bin);
    put(static_cast<uint16_t>(long_cigar ? 2 : core.n_cigar));
    put(core.flag);
    put(core.l_qseq);
    put(mate_contig);
    put(static_cast<int32_t>(core.mpos));
    put(static_cast<int32_t>(core.isize));
    bytes.insert(bytes.end(), fixed.begin(), at);
    bytes.insert(bytes.end(), record.data, record.data + name_size);
    const uint8_t* rest = record.data + core.l_qname;
    const uint8_t* const end = record.data + record.l_data;
    if (long_cigar) {
        append(bytes, cigar_element(static_cast<uint32_t>(core.l_qseq), k_cigar_soft_clip));
        append(bytes,
               cigar_element(static_cast<uint32_t>(bam_cigar2rlen(static_cast<int>(core.n_cigar), cigar)),
                             k_cigar_skip));
        rest += 4 * size_t{core.n_cigar};
    }
    bytes.insert(bytes.end(), rest, end);
    if (long_cigar) {
        bytes.insert(bytes.end(), {'C', 'G', 'B', 'I'});
        append(bytes, core.n_cigar);
        const auto* raw = reinterpret_cast<const uint8_t*>(cigar);
        bytes.insert(bytes.end(), raw, raw + 4 * size_t{core.n_cigar});
    }
    batch.entries.push_back({offset, ordinal, static_cast<uint32_t>(bytes.size() - offset), contig,
                             static_cast<int32_t>(core.pos), core.flag});
}

namespace {

/// Of a read group, what ReadGroup has no member for. Not PG: its program is not in another header.
std::string other_fields(sam_hdr_t* header, const char* id) {
    kstring_t line = {0, 0, nullptr};
    std::string extra;
    if (sam_hdr_find_line_id(header, "RG", "ID", id, &line) == 0) {
        std::string_view rest(line.s, line.l);
        rest.remove_prefix(std::min(rest.find('\t'), rest.size()));  // @RG
        while (!rest.empty()) {
            rest.remove_prefix(1);
            const std::string_view field = rest.substr(0, rest.find('\t'));
            rest.remove_prefix(field.size());
            constexpr std::array<std::string_view, 6> k_known{"ID:", "SM:", "LB:", "PL:", "PU:", "PG:"};
            if (std::find(k_known.begin(), k_known.end(), field.substr(0, 3)) != k_known.end()) continue;
            extra += (extra.empty() ? "" : "\t") + std::string(field);
        }
    }
    std::free(line.s);
    return extra;
}

}  // namespace

std::vector<ReadGroup> read_groups_of(sam_hdr_t* header, const std::string& file) {
    std::vector<ReadGroup> groups;
    const int count = sam_hdr_count_lines(header, "RG");
    kstring_t value = {0, 0, nullptr};
    for (int i = 0; i < count; ++i) {
        const char* id = sam_hdr_line_name(header, "RG", i);
        if (id == nullptr) {
            std::free(value.s);
            throw_malformed(file, "its header has a read group without ID");
        }
        const auto get = [&](const char* tag) {
            const bool found = sam_hdr_find_tag_id(header, "RG", "ID", id, tag, &value) == 0;
            return found ? std::string(value.s, value.l) : std::string();
        };
        groups.push_back({id, get("SM"), get("LB"), get("PL"), get("PU"), other_fields(header, id)});
    }
    std::free(value.s);
    return groups;
}

}  // namespace gannet::data::bam
