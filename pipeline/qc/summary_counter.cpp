// SPDX-License-Identifier: MIT
// Provides the counting of what Picard CollectAlignmentSummaryMetrics reports.
#include "pipeline/qc/adapters.hpp"
#include "pipeline/qc/counted_read.hpp"
#include "pipeline/qc/word_counts.hpp"

namespace gannet::pipeline::qc {
namespace {

using namespace data;

constexpr int64_t k_high_quality = 20;  // of mappings and of bases
constexpr int64_t k_longest_insert = 100'000;

/// Soft-clipped bases at the end that was read last.
uint32_t clipped_at_3_prime(const RecordView& record, bool reverse) {
    const size_t elements = record.cigar_count();
    uint32_t bases = 0;
    for (size_t i = 0; i < elements; ++i) {
        const uint32_t element = record.cigar(reverse ? i : elements - 1 - i);
        if (cigar_op(element) == k_cigar_soft_clip)
            bases += cigar_length(element);
        else if (cigar_op(element) != k_cigar_hard_clip)
            return bases;
    }
    return 0;  // all is clipped: neither end
}

/// As Picard numbers the cycle of a base at `offset` of an alignment block (or of an unaligned read).
size_t cycle_of(bool reverse, uint32_t read_length, uint32_t offset) {
    return reverse ? read_length - offset : offset + 1;
}

/// Calls use(letter of the reference, offset in the read, offset in its block of the alignment) for each
/// mismatch of MD (SAM tags: `[0-9]+(([A-Z]|\^[A-Z]+)[0-9]+)*`).
template <class Read, class Use>
void for_each_mismatch(const Read& read, Use use) {
    const std::string_view text = read.tags.mismatches;
    size_t element = 0;     // of the CIGAR: the block that holds `aligned`
    uint32_t in_block = 0;  // bases of the read before it
    uint32_t before = 0;    // aligned bases before it
    uint32_t aligned = 0;   // under M, = and X so far
    const auto go_to_block = [&] {
        for (;; ++element) {
            const uint32_t bases = cigar_length(read.record.cigar(element));
            const CigarOp op = cigar_op(read.record.cigar(element));
            const bool is_block = cigar_consumes_query(op) && cigar_consumes_reference(op);
            if (is_block && aligned < before + bases) return;
            if (cigar_consumes_query(op)) in_block += bases;
            if (is_block) before += bases;
        }
    };
    for (size_t at = 0; at < text.size(); ++at) {
        if (text[at] >= '0' && text[at] <= '9') {
            uint32_t equal = 0;
            for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at)
                equal = equal * 10 + static_cast<uint32_t>(text[at] - '0');
            aligned += equal;
            --at;
        } else if (text[at] == '^') {
            while (at + 1 < text.size() && text[at + 1] >= 'A') ++at;
        } else if (aligned < read.matched) {
            go_to_block();
            const uint32_t offset = aligned - before;
            use(text[at], in_block + offset, offset);
            ++aligned;
        }
    }
}

}  // namespace

void ReadCounter::count_summary(const Read& read, std::optional<uint32_t> good) {
    const Category category = !read.has(k_flag_paired) ? k_unpaired
                              : read.has(k_flag_read1) ? k_first_of_pair
                                                       : k_second_of_pair;
    AlignmentSummary& summary = counts_.summary[category];
    count_summary_read(read, summary);
    if (!read.has(k_flag_unmapped | k_flag_qc_fail)) {
        count_summary_bases(read, summary, good);
        return;
    }
    const bool reverse = read.has(k_flag_reverse);
    if (!read.has_unknown()) return;
    for (uint32_t i = 0; i < read.length; ++i) {
        if (read.record.base(i) == k_base_n) summary.bad_cycles.add(cycle_of(reverse, read.length, i));
    }
}

void ReadCounter::count_summary_read(const Read& read, AlignmentSummary& summary) {
    ++summary.reads;
    if (read.has(k_flag_qc_fail)) return;
    ++summary.passing;
    const bool mapped = !read.has(k_flag_unmapped);
    const bool reverse = read.has(k_flag_reverse);
    const uint8_t quality = read.record.mapping_quality();
    summary.lengths.add(read.length);
    summary.aligned_lengths.add(read.matched + read.inserted);
    if ((!mapped || quality == 0) && begins_with_adapter(read.record, mapped && reverse)) ++summary.adapters;
    summary.hard_clipped += read.hard_clipped;
    if (!mapped) return;
    summary.soft_clipped += read.soft_clipped;
    if (const uint32_t bases = read.soft_clipped == 0 ? 0 : clipped_at_3_prime(read.record, reverse)) {
        summary.clipped_at_3_prime += bases;
        ++summary.reads_clipped_at_3_prime;
    }
    ++summary.aligned;
    if (read.has(k_flag_paired) && !read.has(k_flag_proper_pair)) ++summary.improper;
    if (!reverse) ++summary.forward;
    if (read.has(k_flag_paired) && !read.has(k_flag_mate_unmapped)) {
        ++summary.in_pairs;
        const int64_t mate_quality = read.tags.mate_quality;
        if (mate_quality >= 0 && (mate_quality < k_high_quality || quality < k_high_quality)) return;
        ++summary.judged_pairs;
        const int64_t size = read.record.template_length();
        if (size > k_longest_insert || size < -k_longest_insert || read.contig != read.record.mate_contig() ||
            read.orientation() != k_fr || read.tags.is_split)
            ++summary.chimeras;
    } else if (quality >= k_high_quality) {
        ++summary.judged_pairs;
        summary.chimeras += read.tags.is_split;
    }
}

void ReadCounter::count_summary_bases(const Read& read, AlignmentSummary& summary,
                                      std::optional<uint32_t> good) {
    const bool high_quality = read.record.mapping_quality() >= k_high_quality;
    summary.aligned_bases += read.matched;
    summary.indels += read.indels;
    const uint64_t before = summary.mismatches;
    if (read.tags.differences != 0 && !read.tags.mismatches.empty()) count_summary_mismatches(read, summary);
    summary.hq_mismatches.add(high_quality ? summary.mismatches - before : 0);
    if (!high_quality) return;
    ++summary.hq_reads;
    summary.hq_bases += read.matched;
    if (good) {
        summary.hq_q20_bases += *good;
        return;
    }
    const std::span<const uint8_t> qualities = read.record.qualities();
    uint32_t at = 0;
    for (size_t i = 0; i < read.record.cigar_count(); ++i) {
        const uint32_t element = read.record.cigar(i);
        const uint32_t bases = cigar_length(element);
        const CigarOp op = cigar_op(element);
        if (!cigar_consumes_query(op)) continue;
        if (cigar_consumes_reference(op))
            summary.hq_q20_bases += count_from(qualities.subspan(at, bases), k_high_quality);
        at += bases;
    }
}

/// A base of the reference that no read can equal is a mismatch, but N is equal to N.
void ReadCounter::count_summary_mismatches(const Read& read, AlignmentSummary& summary) {
    const bool reverse = read.has(k_flag_reverse);
    for_each_mismatch(read, [&](char letter, uint32_t in_read, uint32_t in_block) {
        if (letter != 'N' || read.record.base(in_read) != k_base_n) ++summary.mismatches;
        summary.bad_cycles.add(cycle_of(reverse, read.length, in_block));
    });
}

/// Where both the read and the reference have N, which NM counts as a difference and Picard does not.
uint32_t ReadCounter::Read::equal_unknown() const {
    if (tags.differences <= 0 || tags.mismatches.find('N') == std::string_view::npos) return 0;
    uint32_t equal = 0;
    for_each_mismatch(*this, [&](char letter, uint32_t in_read, uint32_t) {
        equal += letter == 'N' && record.base(in_read) == k_base_n;
    });
    return equal;
}

/// The 100 bases from the second one of the alignment on, of a reverse read the last ones. Windows too close
/// to the end of the contig are of 0 %.
void ReadCounter::count_gc_bias(const Read& read) {
    GcBiasCounts& counts = counts_.gc_bias;
    if (!read.has(k_flag_paired) || read.has(k_flag_read1)) ++counts.clusters;
    if (read.has(k_flag_unmapped)) return;
    ++counts.aligned;
    const Contig& contig = reference_.contigs()[static_cast<size_t>(read.contig)];
    const int64_t at = read.has(k_flag_reverse) ? read.position + read.span - int64_t{k_gc_window_bp}
                                                : int64_t{read.position} + 1;
    if (at <= 0) return;
    uint32_t gc = 0;
    if (at + int64_t{k_gc_window_bp} < static_cast<int64_t>(contig.length)) {
        const uint64_t begin = contig.offset + static_cast<uint64_t>(at);
        if (unknown_.count(begin, begin + k_gc_window_bp) > k_max_unknown_in_window) return;
        gc = gc_of_window(reference_, begin);
    }
    ++counts.reads[gc];
    counts.bases[gc] += read.length;
    if (read.tags.differences > 0)
        counts.errors[gc] += static_cast<uint64_t>(read.tags.differences) - read.equal_unknown();
}

}  // namespace gannet::pipeline::qc
