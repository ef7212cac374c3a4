// SPDX-License-Identifier: MIT
// Provides the making of one alignment: CIGAR from anchor and tracebacks, gaps leftmost, NM and MD.
#include "align/record_builder.hpp"
#include "align/ungapped.hpp"
#include "data/base_arrays.hpp"

#include <algorithm>

namespace gannet::align {

using data::CigarOp;

void RecordBuilder::push_cigar(uint32_t length, CigarOp op) {
    if (length == 0) return;
    if (cigar_.size() > cigar_start_ && data::cigar_op(cigar_.back()) == op) {
        cigar_.back() += data::cigar_element(length, CigarOp{});
    } else {
        cigar_.push_back(data::cigar_element(length, op));
    }
}

/// The aligned part: left side (from the anchor outwards, so backwards), anchor, right side.
void RecordBuilder::make_cigar(const Candidate& candidate, const Traced& traced) {
    const kernels::BandedSwResults& results = work_.results;
    const auto elements = [&](uint32_t job) {
        return std::span(results.cigar)
            .subspan(results.cigar_offset[job], results.cigar_offset[job + 1] - results.cigar_offset[job]);
    };
    if (traced.left_job != k_none) {
        const auto left = elements(traced.left_job);
        for (size_t i = left.size(); i-- > 0;)
            push_cigar(data::cigar_length(left[i]), data::cigar_op(left[i]));
    } else {
        push_cigar(candidate.anchor_begin - candidate.query_begin, data::k_cigar_match);
    }
    push_cigar(candidate.anchor_end - candidate.anchor_begin, data::k_cigar_match);
    if (traced.right_job != k_none) {
        for (const uint32_t element : elements(traced.right_job)) {
            push_cigar(data::cigar_length(element), data::cigar_op(element));
        }
    } else {
        push_cigar(candidate.query_end - candidate.anchor_end, data::k_cigar_match);
    }
}

/// Moves each gap to the left through the matches before it as far as the alignment stays equivalent:
/// banded_sw puts gaps leftmost within a side, this moves them on through the anchor. At least one matched
/// base stays before a gap.
void RecordBuilder::shift_gaps_left(std::span<const uint8_t> query, std::span<const uint8_t> target) {
    uint32_t q = 0;
    uint32_t t = 0;
    for (size_t i = cigar_start_; i < cigar_.size(); ++i) {
        const CigarOp op = data::cigar_op(cigar_[i]);
        const uint32_t length = data::cigar_length(cigar_[i]);
        const bool inner = i > cigar_start_ && i + 1 < cigar_.size() && op != data::k_cigar_match &&
                           data::cigar_op(cigar_[i - 1]) == data::k_cigar_match &&
                           data::cigar_op(cigar_[i + 1]) == data::k_cigar_match;
        if (inner) {
            const std::span<const uint8_t> bases = op == data::k_cigar_deletion ? target : query;
            const uint32_t at = op == data::k_cigar_deletion ? t : q;
            const uint32_t room = data::cigar_length(cigar_[i - 1]) - 1;
            uint32_t shift = 0;
            while (shift < room && bases[at - 1 - shift] == bases[at + length - 1 - shift]) ++shift;
            cigar_[i - 1] -= data::cigar_element(shift, CigarOp{});
            cigar_[i + 1] += data::cigar_element(shift, CigarOp{});
            q -= shift;
            t -= shift;
        }
        if (op != data::k_cigar_deletion) q += length;
        if (op != data::k_cigar_insertion) t += length;
    }
}

/// NM and MD as `samtools calmd` computes them: an N on either side is a mismatch.
void RecordBuilder::compare(Alignment& alignment, std::span<const uint8_t> query,
                            std::span<const uint8_t> target) {
    const auto letter = [&](uint32_t at) {
        if (target[at] < 4) return data::k_letter_of_base[target[at]];
        const auto position = static_cast<uint64_t>(alignment.position) + at;
        return reference_.letters(alignment.contig, position, position + 1).front();
    };
    alignment.md_begin = static_cast<uint32_t>(md_.size());
    uint32_t q = 0;
    uint32_t t = 0;
    uint32_t run = 0;
    for (size_t i = cigar_start_; i < cigar_.size(); ++i) {
        const uint32_t length = data::cigar_length(cigar_[i]);
        const CigarOp op = data::cigar_op(cigar_[i]);
        if (op == data::k_cigar_match) {
            for (const uint32_t end = q + length; q < end; ++q, ++t) {
                const auto matches =
                    static_cast<uint32_t>(data::first_mismatch(query.data() + q, target.data() + t, end - q));
                run += matches;
                q += matches;
                t += matches;
                if (q == end) break;
                append_number(run);
                md_ += letter(t);
                run = 0;
                ++alignment.mismatches;
            }
        } else if (op == data::k_cigar_insertion) {
            q += length;
            alignment.mismatches += length;
        } else {
            append_number(run);
            run = 0;
            md_ += '^';
            for (uint32_t j = 0; j < length; ++j) md_ += letter(t++);
            alignment.mismatches += length;
        }
    }
    append_number(run);
    alignment.md_end = static_cast<uint32_t>(md_.size());
}

/// Whether all bases match: the score of bases without a gap is that of as many matches. So it is of four
/// reads in five, which need not be compared with the reference again.
bool RecordBuilder::is_exact(const Candidate& candidate) const {
    const uint32_t aligned = candidate.query_end - candidate.query_begin;
    return cigar_.size() == cigar_start_ + 1 &&
           cigar_.back() == data::cigar_element(aligned, data::k_cigar_match) &&
           candidate.score == static_cast<int32_t>(aligned) * parameters_.scoring.match;
}

RecordBuilder::Alignment RecordBuilder::build_alignment(uint32_t read, const Traced& traced) {
    const Candidate& candidate = work_.state->candidates[traced.candidate];
    const uint32_t length = work_.state->reads[read].length;
    Alignment alignment;
    alignment.contig = candidate.contig;
    const auto offset = static_cast<int64_t>(reference_.contigs()[candidate.contig].offset);
    alignment.position = candidate.target_begin - offset;
    alignment.end = candidate.target_end - offset;
    alignment.score = candidate.score;
    alignment.strand = candidate.strand;
    alignment.cigar_begin = static_cast<uint32_t>(cigar_.size());
    if (candidate.query_begin > 0) {
        cigar_.push_back(data::cigar_element(candidate.query_begin, data::k_cigar_soft_clip));
    }
    cigar_start_ = cigar_.size();
    make_cigar(candidate, traced);
    if (is_exact(candidate)) {
        alignment.md_begin = static_cast<uint32_t>(md_.size());
        append_number(candidate.query_end - candidate.query_begin);
        alignment.md_end = static_cast<uint32_t>(md_.size());
    } else {
        orient(batch_.read_bases(read), candidate.strand, query_);
        const auto query = std::span<const uint8_t>(query_).subspan(
            candidate.query_begin, candidate.query_end - candidate.query_begin);
        target_.resize(static_cast<size_t>(candidate.target_end - candidate.target_begin));
        reference_.genome_bases(candidate.target_begin, target_);
        if (cigar_.size() > cigar_start_ + 1) shift_gaps_left(query, target_);
        compare(alignment, query, target_);
    }
    if (candidate.query_end < length) {
        cigar_.push_back(data::cigar_element(length - candidate.query_end, data::k_cigar_soft_clip));
    }
    alignment.cigar_end = static_cast<uint32_t>(cigar_.size());
    return alignment;
}

}  // namespace gannet::align
