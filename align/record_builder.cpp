// SPDX-License-Identifier: MIT
// Provides the writing of records: fields, flags and tags of a template's alignments.
#include "align/record_builder.hpp"

#include "align/ungapped.hpp"
#include "data/base_arrays.hpp"

#include <algorithm>
#include <charconv>

namespace gannet::align {

namespace {

void append_digits(uint32_t value, std::string& text) {
    char digits[12];
    const auto [end, error] = std::to_chars(digits, digits + sizeof digits, value);
    static_cast<void>(error);
    text.append(digits, static_cast<size_t>(end - digits));
}

}  // namespace

void RecordBuilder::append_number(uint32_t value) { append_digits(value, md_); }

std::string_view RecordBuilder::cigar_text(const Alignment& alignment, std::string& out) const {
    const size_t before = out.size();
    for (uint32_t i = alignment.cigar_begin; i < alignment.cigar_end; ++i) {
        append_digits(data::cigar_length(cigar_[i]), out);
        out += "MIDNSHP=X"[data::cigar_op(cigar_[i])];
    }
    return std::string_view(out).substr(before);
}

/// SA of one record: the read's other alignments, the primary first (SAM tags specification).
void RecordBuilder::append_split_tag(data::RecordAppender& record, const Alignment& own, Range all) {
    if (all.end - all.begin < 2) return;
    split_.clear();
    for (uint32_t i = all.begin; i < all.end; ++i) {
        const Alignment& other = alignments_[i];
        if (&other == &own) continue;
        split_ += reference_.contigs()[other.contig].name + "," + std::to_string(other.position + 1) + "," +
                  (other.strand ? "-" : "+") + ",";
        cigar_text(other, split_);
        split_ +=
            "," + std::to_string(other.chosen.mapping_quality) + "," + std::to_string(other.mismatches) + ";";
    }
    record.tag("SA", split_);
}

/// R2 of one record: the mate as it was sequenced, where only this alignment tells where it is from, as of
/// reads within an insertion of a repeat.
void RecordBuilder::append_mate_sequence_tag(data::RecordAppender& record, uint32_t read,
                                             const Alignment& own, const Alignment& mate) {
    if (&own != &alignments_[own_range_.begin] || work_.state->ranges[read].proper ||
        own.chosen.mapping_quality < k_min_anchor_mapping_quality ||
        mate.chosen.mapping_quality >= k_min_anchor_mapping_quality)
        return;
    record.tag("R2", data::to_letters(batch_.read_bases(read ^ 1)));
}

/// XA of one record, as bwa mem writes it: contig, strand with 1-based position, CIGAR, NM of each other hit.
void RecordBuilder::append_other_hits_tag(data::RecordAppender& record, uint32_t read, const Alignment& own) {
    if (own.chosen.other_begin == own.chosen.other_end) return;
    split_.clear();
    const size_t cigar_end = cigar_.size();
    const size_t md_end = md_.size();
    for (uint32_t i = own.chosen.other_begin; i < own.chosen.other_end; ++i) {
        const Alignment hit = build_alignment(read, work_.state->other_hits[i]);
        split_ += reference_.contigs()[hit.contig].name + (hit.strand ? ",-" : ",+") +
                  std::to_string(hit.position + 1) + ",";
        cigar_text(hit, split_);
        split_ += "," + std::to_string(hit.mismatches) + ";";
        cigar_.resize(cigar_end);
        md_.resize(md_end);
    }
    record.tag("XA", split_);
}

void RecordBuilder::append_alignment_tags(data::RecordAppender& record, uint32_t read, const Alignment& own,
                                          Range all) {
    append_split_tag(record, own, all);
    if (const int32_t alternate = own.chosen.alternate_score; alternate > 0) {
        // Three decimals, as bwa mem writes it.
        const int32_t thousandths = (2000 * own.score + alternate) / (2 * alternate);
        record.tag_float("pa", static_cast<float>(thousandths) / 1000.0f);
    }
    append_other_hits_tag(record, read, own);
}

void RecordBuilder::append_record(size_t template_index, uint32_t read, const Alignment* own, Range all,
                                  Range mates, uint32_t index) {
    const Alignment* mate = mates.mapped() ? &alignments_[mates.begin] : nullptr;
    data::RecordFields fields;
    fields.name = batch_.name(template_index);
    fields.ordinal = (batch_.first_template + template_index) * 256 + index;
    fields.flag = 0;
    if (batch_.read_failed_filter(read)) fields.flag |= data::k_flag_qc_fail;
    const std::span<const data::Base> bases = batch_.read_bases(read);
    const std::span<const uint8_t> qualities = batch_.read_qualities(read);
    const uint8_t strand = own ? own->strand : 0;
    fields.bases = bases;
    fields.qualities = qualities;
    if (strand) {
        orient(bases, strand, query_);
        qualities_.resize(qualities.size());
        data::reverse_bytes(qualities, qualities_);
        fields.bases = query_;
        fields.qualities = qualities_;
    }
    if (own) {
        fields.contig = static_cast<int32_t>(own->contig);
        fields.position = static_cast<int32_t>(own->position);
        fields.mapping_quality = own->chosen.mapping_quality;
        record_cigar_.assign(cigar_.begin() + own->cigar_begin, cigar_.begin() + own->cigar_end);
        if (own->strand) fields.flag |= data::k_flag_reverse;
        if (own->chosen.supplementary) {
            fields.flag |=
                parameters_.split_is_secondary ? data::k_flag_secondary : data::k_flag_supplementary;
            if (parameters_.hard_clip) clip_hard(fields);
        }
        fields.cigar = record_cigar_;
    } else {
        fields.flag |= data::k_flag_unmapped;
        if (mate) {
            fields.contig = static_cast<int32_t>(mate->contig);
            fields.position = static_cast<int32_t>(mate->position);
        }
    }
    if (batch_.paired) {
        fields.flag |= data::k_flag_paired | (read % 2 ? data::k_flag_read2 : data::k_flag_read1);
        add_mate_fields(fields, own, mate, read);
    }
    data::RecordAppender record(out_, fields);
    if (own) {
        record.tag("NM", int64_t{own->mismatches});
        record.tag("MD", std::string_view(md_).substr(own->md_begin, own->md_end - own->md_begin));
        record.tag("AS", int64_t{own->score});
        record.tag("XS", int64_t{own->chosen.sub_score});
    }
    if (mate) {
        text_.clear();
        record.tag("MC", cigar_text(*mate, text_));
        record.tag("MQ", int64_t{mate->chosen.mapping_quality});
        if (own) append_mate_sequence_tag(record, read, *own, *mate);
    }
    if (own) append_alignment_tags(record, read, *own, all);
    if (!read_group_.empty()) record.tag("RG", read_group_);
    record.append_tags(batch_.read_tags(read));
}

/// Position and flags of the mate, and TLEN: from this read's 5' end to the mate's, as bwa has it and Picard
/// takes it. Where adapters are clipped, the leftmost and rightmost bases would tell of pairs that point away
/// from each other.
void RecordBuilder::add_mate_fields(data::RecordFields& fields, const Alignment* own, const Alignment* mate,
                                    uint32_t read) const {
    if (work_.state->ranges[read].proper && own && mate) fields.flag |= data::k_flag_proper_pair;
    if (mate) {
        fields.mate_contig = static_cast<int32_t>(mate->contig);
        fields.mate_position = static_cast<int32_t>(mate->position);
        if (mate->strand) fields.flag |= data::k_flag_mate_reverse;
    } else {
        fields.flag |= data::k_flag_mate_unmapped;
        // An unmapped mate gets the position of this read's primary alignment.
        if (own) {
            const Alignment& primary = alignments_[own_range_.begin];
            fields.mate_contig = static_cast<int32_t>(primary.contig);
            fields.mate_position = static_cast<int32_t>(primary.position);
        }
    }
    if (own && mate && own->contig == mate->contig) {
        const auto five_prime_end = [](const Alignment& a) { return a.strand ? a.end - 1 : a.position; };
        const int64_t distance = five_prime_end(*mate) - five_prime_end(*own);
        const int64_t both_ends = distance > 0 ? 1 : distance < 0 ? -1 : 0;
        fields.template_length = static_cast<int32_t>(distance + both_ends);
    }
}

/// Turns the soft clips of the current record into hard ones and drops their bases.
void RecordBuilder::clip_hard(data::RecordFields& fields) {
    const auto harden = [](uint32_t& element) {
        const bool soft = data::cigar_op(element) == data::k_cigar_soft_clip;
        const uint32_t length = soft ? data::cigar_length(element) : 0;
        if (soft) element = data::cigar_element(length, data::k_cigar_hard_clip);
        return length;
    };
    const uint32_t left = harden(record_cigar_.front());
    const uint32_t right = harden(record_cigar_.back());
    const size_t kept = fields.bases.size() - left - right;
    fields.bases = fields.bases.subspan(left, kept);
    fields.qualities = fields.qualities.subspan(left, kept);
}

void RecordBuilder::build(size_t template_index) {
    alignments_.clear();
    cigar_.clear();
    md_.clear();
    const uint32_t reads = batch_.paired ? 2 : 1;
    const auto first = static_cast<uint32_t>(template_index * reads);
    Range ranges[2];
    for (uint32_t i = 0; i < reads; ++i) {
        const ChosenRange& chosen = work_.state->ranges[first + i];
        ranges[i].begin = static_cast<uint32_t>(alignments_.size());
        for (uint32_t j = chosen.begin; j < chosen.end; ++j) {
            alignments_.push_back(build_alignment(first + i, work_.state->chosen[j]));
            alignments_.back().chosen = work_.state->chosen[j];
        }
        ranges[i].end = static_cast<uint32_t>(alignments_.size());
    }
    uint32_t index = 0;
    for (uint32_t i = 0; i < reads; ++i) {
        const Range mates = reads == 2 ? ranges[1 - i] : Range{};
        own_range_ = ranges[i];
        if (!ranges[i].mapped()) append_record(template_index, first + i, nullptr, ranges[i], mates, index++);
        for (uint32_t j = ranges[i].begin; j < ranges[i].end; ++j) {
            append_record(template_index, first + i, &alignments_[j], ranges[i], mates, index++);
        }
    }
}

}  // namespace gannet::align
