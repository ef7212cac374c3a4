// SPDX-License-Identifier: MIT
// Provides the records of a template from its chosen alignments: CIGAR, flags, mate fields, tags.
#pragma once

#include "align/parameters.hpp"
#include "align/work_state.hpp"
#include "data/read_batch.hpp"
#include "data/record.hpp"
#include "data/reference.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace gannet::align {

/// Builds records; keeps its scratch from template to template.
class RecordBuilder {
  public:
    RecordBuilder(const data::ReadBatch& batch, const data::Reference& reference,
                  const AlignerParameters& parameters, std::string_view read_group, const AlignmentWork& work,
                  data::RecordBatch& out)
        : batch_(batch),
          reference_(reference),
          parameters_(parameters),
          read_group_(read_group),
          work_(work),
          out_(out) {}

    /// Appends the records of a template: each read's primary (or unmapped record), then its supplementaries.
    void build(size_t template_index);

  private:
    /// An alignment in the terms of a record.
    struct Alignment {
        uint32_t contig = 0;
        int64_t position = 0;
        int64_t end = 0;
        uint32_t cigar_begin = 0;  ///< in cigar_
        uint32_t cigar_end = 0;
        uint32_t md_begin = 0;  ///< in md_
        uint32_t md_end = 0;
        uint32_t mismatches = 0;  ///< NM
        int32_t score = 0;
        uint8_t strand = 0;
        Chosen chosen;  ///< what was chosen of it; of other hits nothing
    };
    /// A read's alignments in alignments_.
    struct Range {
        uint32_t begin = 0;
        uint32_t end = 0;
        bool mapped() const { return begin != end; }
    };

    Alignment build_alignment(uint32_t read, const Traced& traced);
    void make_cigar(const Candidate& candidate, const Traced& traced);
    bool is_exact(const Candidate& candidate) const;
    void push_cigar(uint32_t length, data::CigarOp op);
    void shift_gaps_left(std::span<const uint8_t> query, std::span<const uint8_t> target);
    void compare(Alignment& alignment, std::span<const uint8_t> query, std::span<const uint8_t> target);
    void append_number(uint32_t value);
    void append_record(size_t template_index, uint32_t read, const Alignment* own, Range reads_alignments,
                       Range mates, uint32_t index);
    void add_mate_fields(data::RecordFields& fields, const Alignment* own, const Alignment* mate,
                         uint32_t read) const;
    void clip_hard(data::RecordFields& fields);
    void append_alignment_tags(data::RecordAppender& record, uint32_t read, const Alignment& own, Range all);
    void append_split_tag(data::RecordAppender& record, const Alignment& own, Range all);
    void append_mate_sequence_tag(data::RecordAppender& record, uint32_t read, const Alignment& own,
                                  const Alignment& mate);
    void append_other_hits_tag(data::RecordAppender& record, uint32_t read, const Alignment& own);
    std::string_view cigar_text(const Alignment& alignment, std::string& out) const;

    const data::ReadBatch& batch_;
    const data::Reference& reference_;
    const AlignerParameters& parameters_;
    std::string_view read_group_;
    const AlignmentWork& work_;
    data::RecordBatch& out_;

    std::vector<Alignment> alignments_;
    std::vector<uint32_t> cigar_;
    size_t cigar_start_ = 0;  ///< where the aligned part of the current CIGAR begins
    Range own_range_;         ///< alignments of the current read
    std::string md_;
    std::vector<uint8_t> query_;
    std::vector<uint8_t> target_;
    std::vector<uint8_t> qualities_;
    std::vector<uint32_t> record_cigar_;
    std::string text_;
    std::string split_;
};

}  // namespace gannet::align
