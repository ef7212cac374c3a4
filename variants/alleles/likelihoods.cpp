// SPDX-License-Identifier: MIT
// Provides the trimming of reads to a region, and their jobs.
#include "variants/alleles/likelihoods.hpp"

#include "variants/model/alleles.hpp"
#include "variants/sequence/repeats.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace gannet::variants {

namespace {

static_assert(kernels::k_pair_hmm_scale == k_log_scale);

// Of a haplotype beyond the segments of reads; in addition, the difference in length between haplotypes.
constexpr int64_t k_haplotype_pad_bp = alleles_number("segment_haplotype_pad_bp");
// Of that difference; the slice of the window has so much more.
constexpr int64_t k_max_slack_bp = alleles_number("segment_max_slack_bp");
// Of clipped bases, beyond which they are other sequence: one in so many differs from the reference.
constexpr int64_t k_clip_part_wrong = alleles_number("segment_clip_part_wrong");
constexpr int64_t k_min_segment_bp = alleles_number("segment_min_bp");
// Lower base qualities are raised to it: the base would be evidence for others.
constexpr uint8_t k_min_quality = alleles_number("segment_min_quality");

/// The bases of a read that the jobs of a region use: [first, last).
struct Segment {
    int64_t first = 0;
    int64_t last = 0;
};

/// Whether the alignment could go on through the clipped bases [first, last), of which the first would be at
/// `position`.
bool may_go_on(const ReadSet& set, const CallRead& read, const ReferenceSlice& slice, int64_t first,
               int64_t last, int64_t position) {
    const std::span<const data::Base> bases{set.bases.data() + read.bases + first,
                                            static_cast<size_t>(last - first)};
    const int64_t most = (last - first) / k_clip_part_wrong;
    return differences_at(slice, position, bases, most) <= most;
}

/// Bases aligned within [begin, end), and clipped ones that would be there without the clip. Where haplotypes
/// are equally long (`slack` is 0), not if the clipped bases are other sequence: a read that fits no
/// haplotype beyond the breakpoint of a long variant still has its aligned bases.
Segment cut(const ReadSet& set, const CallRead& read, const ReferenceSlice& slice, int64_t begin, int64_t end,
            int64_t slack) {
    int64_t reference = read.begin;
    int64_t query = 0;
    int64_t first = -1;
    int64_t last = -1;
    const auto cigar = set.cigar(read);
    for (size_t i = 0; i < cigar.size(); ++i) {
        const data::CigarOp op = data::cigar_op(cigar[i]);
        const auto length = static_cast<int64_t>(data::cigar_length(cigar[i]));
        if (op == data::k_cigar_soft_clip) {
            if (last < 0 && i < 2 && reference > begin) {  // clipped at the left
                first = query + std::max<int64_t>(0, length - (reference - begin) - slack);
                if (slack == 0 &&
                    !may_go_on(set, read, slice, first, query + length, reference - (query + length - first)))
                    first = query + length;
            } else if (i > 0 && reference < end && last == query) {
                last = query + std::min(length, end - reference + slack);
                if (slack == 0 && !may_go_on(set, read, slice, query, last, reference)) last = query;
            }
        } else if (data::cigar_consumes_reference(op) && data::cigar_consumes_query(op)) {
            const int64_t from = std::max(reference, begin);
            const int64_t to = std::min(reference + length, end);
            if (from < to) {
                if (first < 0) first = query + from - reference;
                last = query + to - reference;
            }
        } else if (op == data::k_cigar_insertion && reference > begin && reference < end) {
            last = query + length;
        }
        if (data::cigar_consumes_query(op)) query += length;
        if (data::cigar_consumes_reference(op)) reference += length;
    }
    if (last < 0) return {0, 0};
    return {first, last};
}

/// Where a read would begin and end if its clipped bases were aligned.
std::pair<int64_t, int64_t> unclipped(const ReadSet& set, const CallRead& read) {
    const auto clip = [](uint32_t element) {
        return data::cigar_op(element) == data::k_cigar_soft_clip
                   ? static_cast<int64_t>(data::cigar_length(element))
                   : 0;
    };
    const auto cigar = set.cigar(read);
    int64_t left = 0;
    int64_t right = 0;
    for (size_t i = 0; i < std::min<size_t>(2, cigar.size()); ++i) {  // a hard clip may be outside
        left += clip(cigar[i]);
        right += clip(cigar[cigar.size() - 1 - i]);
    }
    return {read.begin - left, read.end + right};
}

}  // namespace

int64_t segment_begin(const ReferenceSlice& slice, int64_t begin) {
    return begin - repeat_reach_bp(slice, begin, Direction::leftward, k_max_tract_bp) - k_segment_pad_bp;
}

int64_t segment_end(const ReferenceSlice& slice, int64_t end) {
    return end + repeat_reach_bp(slice, end - 1, Direction::rightward, k_max_tract_bp) + k_segment_pad_bp;
}

void add_jobs(const ReadSet& set, const ReferenceSlice& slice, const std::vector<data::Base>& arena,
              const SegmentSpan& span, std::span<const uint32_t> region_reads, const GapQualityTable& gaps,
              RegionHaplotypes& haplotypes, kernels::PairHmmBatch& batch, std::vector<LikelihoodRow>& rows,
              JobScratch& scratch) {
    const auto [begin, end] = span;
    const int64_t slack = std::min<int64_t>(haplotypes.longest_change, k_max_slack_bp);
    const int64_t pad = k_haplotype_pad_bp + slack;
    const auto first_haplotype =
        static_cast<uint32_t>(batch.haplotype_offset.empty() ? 0 : batch.haplotype_offset.size() - 1);
    size_t kept = 0;
    for (const AlleleSet carried : haplotypes.haplotypes) {
        write_haplotype(slice, begin - pad, end + pad, haplotypes.alleles, carried, arena, scratch.haplotype);
        bool is_new = true;
        for (size_t h = 0; h < kept && is_new; ++h) {
            const auto from = batch.haplotype_bases.begin() + batch.haplotype_offset[first_haplotype + h];
            const auto to = batch.haplotype_bases.begin() + batch.haplotype_offset[first_haplotype + h + 1];
            is_new = !std::equal(from, to, scratch.haplotype.begin(), scratch.haplotype.end());
        }
        if (!is_new) continue;
        batch.add_haplotype(scratch.haplotype);
        haplotypes.haplotypes[kept++] = carried;
    }
    haplotypes.haplotypes.resize(kept);
    if (kept < 2) return;
    for (const uint32_t index : region_reads) {
        const CallRead& read = set.reads[index];
        const Segment segment = cut(set, read, slice, begin, end, slack);
        if (segment.last - segment.first < k_min_segment_bp) continue;
        const auto length = static_cast<size_t>(segment.last - segment.first);
        if (length > kernels::k_pair_hmm_max_read) continue;
        const size_t at = read.bases + static_cast<size_t>(segment.first);
        scratch.qualities.assign(set.qualities.data() + at, set.qualities.data() + at + length);
        for (uint8_t& quality : scratch.qualities) quality = std::max(quality, k_min_quality);
        const std::span<const data::Base> bases{set.bases.data() + at, length};
        scratch.repeats.find(bases);
        gap_qualities(gaps, scratch.repeats, 0, length, scratch.gap_qualities);
        const uint32_t job = batch.add_read(bases, scratch.qualities, scratch.gap_qualities);
        for (uint32_t h = 0; h < kept; ++h) batch.add_pair(job, first_haplotype + h);
        const uint64_t fragment = read.mate >= 0 ? std::min(index, static_cast<uint32_t>(read.mate)) : index;
        const auto [unclipped_begin, unclipped_end] = unclipped(set, read);
        rows.push_back({fragment, read.mapping_quality, read.reverse, index, read.name_hash, unclipped_begin,
                        unclipped_end});
    }
}

}  // namespace gannet::variants
