// SPDX-License-Identifier: MIT
// Provides the grouping of candidates into active regions.
#include "variants/alleles/active_regions.hpp"

#include "variants/alleles/likelihoods.hpp"
#include "variants/model/alleles.hpp"

#include <algorithm>
#include <limits>

namespace gannet::variants {

namespace {

constexpr int64_t k_snp_margin_bp = alleles_number("region_snp_margin_bp");
constexpr int64_t k_indel_margin_bp = alleles_number("region_indel_margin_bp");
// An indel further back decides nothing, so that windows agree.
constexpr int64_t k_joined_indels_bp = alleles_number("region_indel_reach_bp");
constexpr int64_t k_cut_grid_bp = alleles_number("region_cut_grid_bp");
// A group is cut only where it extends this far to both sides.
constexpr int64_t k_uncut_reach_bp = alleles_number("region_uncut_reach_bp");
constexpr uint32_t k_max_simple_snps = alleles_number("region_max_simple_snps");
// Gaps are known by their leftmost position.
constexpr int64_t k_gap_shift_bp = alleles_number("region_gap_shift_bp");
// Reads with a gap instead of an SNV decide between one copy of it and two where most others have it.
constexpr int64_t k_min_common_tenths = alleles_number("region_min_common_tenths");

int64_t margin(const Candidate& candidate) {
    return candidate.kind == CandidateKind::snp ? k_snp_margin_bp : k_indel_margin_bp;
}

/// Candidates that belong together: margins overlap, or the reads of one indel are compared over the place of
/// another, which its haplotypes would not have.
class Group {
  public:
    explicit Group(const ReferenceSlice& slice) : slice_(slice) {}
    void take(const Candidate& candidate) {
        begin_ = std::min(begin_, candidate.begin - margin(candidate));
        end_ = std::max(end_, candidate.end + margin(candidate));
        last_end_ = std::max(last_end_, candidate.end);
        if (candidate.kind == CandidateKind::indel) indel_end_ = std::max(indel_end_, candidate.end);
    }
    bool is_near(const Candidate& candidate) const {
        if (candidate.begin - margin(candidate) < end_) return true;
        return last_end_ - k_joined_indels_bp <= indel_end_ && candidate.kind == CandidateKind::indel &&
               (candidate.begin < segment_end(slice_, last_end_) ||
                segment_begin(slice_, candidate.begin) < last_end_);
    }
    /// No candidate that begins there or beyond is near.
    int64_t furthest() const { return end_ + k_max_tract_bp + k_segment_pad_bp; }
    int64_t begin() const { return begin_; }
    int64_t end() const { return end_; }

  private:
    const ReferenceSlice& slice_;
    int64_t begin_ = std::numeric_limits<int64_t>::max();  // with margins
    int64_t end_ = std::numeric_limits<int64_t>::min();
    int64_t last_end_ = std::numeric_limits<int64_t>::min();
    int64_t indel_end_ = std::numeric_limits<int64_t>::min();
};

ActiveRegion make_region(std::span<const Candidate> candidates, size_t first, size_t last) {
    ActiveRegion region{candidates[first].begin,
                        candidates[first].end,
                        static_cast<uint32_t>(first),
                        static_cast<uint32_t>(last),
                        true,
                        false};
    for (size_t i = first; i < last; ++i) {
        region.end = std::max(region.end, candidates[i].end);
        if (candidates[i].kind != CandidateKind::snp) region.is_simple = false;
        if (candidates[i].kind == CandidateKind::clip) region.is_clipped = true;
    }
    const bool is_dense = last - first > k_max_simple_snps;
    if (is_dense) region.is_simple = false;
    region.needs_assembly = is_dense || region.is_clipped;
    return region;
}

/// Cuts the group [first, last), which covers [begin, end), at the grid lines well inside it.
void add_group(std::span<const Candidate> candidates, size_t first, size_t last, int64_t begin, int64_t end,
               std::vector<ActiveRegion>& regions) {
    int64_t line = (begin + k_uncut_reach_bp + k_cut_grid_bp - 1) / k_cut_grid_bp * k_cut_grid_bp;
    for (; line + k_uncut_reach_bp <= end; line += k_cut_grid_bp) {
        const auto is_deleted = [line](const Candidate& candidate) {
            return candidate.allele.position < line && line < candidate.allele.end();
        };
        if (std::any_of(candidates.begin() + first, candidates.begin() + last, is_deleted)) continue;
        size_t split = first;
        while (split < last && candidates[split].begin < line) ++split;
        if (split > first) regions.push_back(make_region(candidates, first, split));
        first = split;
    }
    if (first < last) regions.push_back(make_region(candidates, first, last));
}

/// Whether the read covers an SNV that most reads have, and has another base there, or none.
bool lacks_snv(const ReadSet& set, const CallRead& read, std::span<const Candidate> snvs,
               const Evidence& evidence) {
    return std::any_of(snvs.begin(), snvs.end(), [&](const Candidate& snv) {
        if (snv.begin < read.begin || snv.begin >= read.end) return false;
        if (k_min_common_tenths * evidence.depth_at(snv.begin) > 10 * int64_t{snv.support}) return false;
        const int64_t offset = read_offset_at(set, read, snv.begin);
        return offset < 0 ||
               set.bases[read.bases + static_cast<size_t>(offset)] != evidence.arena[snv.allele.alternate];
    });
}

/// Whether a read without an SNV of the region has a gap that can be placed beside it.
bool has_gap_for_snv(const ReadSet& set, const ReferenceSlice& slice, const Evidence& evidence,
                     std::span<const Candidate> candidates, const ActiveRegion& region) {
    const auto snvs = candidates.subspan(region.first, region.last - region.first);
    const auto is_before = [](const IndelEvent& event, int64_t position) {
        return event.allele.position < position;
    };
    auto event = std::lower_bound(evidence.indels.begin(), evidence.indels.end(),
                                  region.begin - k_indel_margin_bp - k_gap_shift_bp, is_before);
    for (; event != evidence.indels.end() && event->allele.position <= region.end + k_indel_margin_bp;
         ++event) {
        const int64_t shift_bp = rightward_shift_bp(slice, event->allele, evidence.arena);
        if (event->allele.end() + shift_bp + k_indel_margin_bp < region.begin) continue;
        if (lacks_snv(set, set.reads[event->read], snvs, evidence)) return true;
    }
    return false;
}

}  // namespace

void find_active_regions(const ReadSet& set, const ReferenceSlice& slice, const Evidence& evidence,
                         std::span<const Candidate> candidates, std::vector<ActiveRegion>& regions) {
    regions.clear();
    for (size_t first = 0, last = 0; first < candidates.size(); first = last) {
        Group group(slice);
        group.take(candidates[first]);
        last = first + 1;
        // Candidates are in the order of their begins, so one that is too far away may stand before one that
        // is not.
        for (size_t i = last; i < candidates.size() && candidates[i].begin < group.furthest(); ++i) {
            if (!group.is_near(candidates[i])) continue;
            for (; last <= i; ++last) group.take(candidates[last]);
        }
        add_group(candidates, first, last, group.begin(), group.end(), regions);
    }
    for (ActiveRegion& region : regions)
        region.is_simple = region.is_simple && !has_gap_for_snv(set, slice, evidence, candidates, region);
}

}  // namespace gannet::variants
