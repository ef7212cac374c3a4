// SPDX-License-Identifier: MIT
// Provides the pile-up evidence of a window, and its candidates by thresholds on it.
#include "variants/evidence/evidence.hpp"

#include "variants/evidence/clip_alleles.hpp"
#include "variants/evidence/explained_reads.hpp"
#include "variants/evidence/repeat_end_alleles.hpp"
#include "variants/model/alleles.hpp"
#include "variants/reads/alignment_walk.hpp"

#include <algorithm>

namespace gannet::variants {

namespace {

constexpr uint32_t k_min_candidate_reads = alleles_number("candidate_min_support");
// Of the reads at the position.
constexpr int64_t k_min_snp_percent = alleles_number("candidate_snp_percent");
constexpr int64_t k_min_indel_percent = alleles_number("candidate_indel_percent");
// An indel may be shifted by so much.
constexpr int64_t k_long_shift_bp = alleles_number("candidate_long_repeat_bp");
// Of a read beyond a repeat that it spans.
constexpr int64_t k_anchor_bp = alleles_number("candidate_anchor_bp");

class Gatherer {
  public:
    Gatherer(const ReadSet& set, const ReferenceSlice& slice, int32_t minimum_base_quality,
             Evidence& evidence)
        : set_(set), slice_(slice), minimum_base_quality_(minimum_base_quality), evidence_(evidence) {}

    void take(uint32_t index) {
        index_ = index;
        read_ = &set_.reads[index];
        walk_alignment(set_, *read_, *this);
        if (read_->former_clip >= 0) count_clip(read_->former_clip);
    }

    // The steps of walk_alignment().
    void match(uint32_t query, uint32_t length, int64_t reference) {
        const int64_t from = std::max(reference, evidence_.begin);
        const int64_t to = std::min(reference + int64_t{length}, evidence_.end);
        if (from >= to) return;
        const auto at = static_cast<size_t>(from - evidence_.begin);
        ++evidence_.depth[at];
        --evidence_.depth[at + static_cast<size_t>(to - from)];
        const size_t first = read_->bases + query + static_cast<size_t>(from - reference);
        for_each_mismatch(set_, first, slice_, from, to, minimum_base_quality_,
                          [&](size_t k, data::Base base, uint8_t) {
                              uint16_t& count = evidence_.mismatches[at + k][base];
                              if (count < 0xffff) ++count;
                          });
    }

    void clip(uint32_t query, uint32_t length, int64_t reference) {
        if (is_good_clip({set_.qualities.data() + read_->bases + query, length})) count_clip(reference);
    }

    void insertion(uint32_t query, uint32_t length, int64_t reference) {
        const data::Base* bases = set_.bases.data() + read_->bases + query;
        if (std::any_of(bases, bases + length, [](data::Base b) { return b > 3; })) return;
        const auto alternate = static_cast<uint32_t>(evidence_.arena.size());
        evidence_.arena.insert(evidence_.arena.end(), bases, bases + length);
        take_indel({reference, 0, alternate, static_cast<int32_t>(length)});
    }

    void deletion(uint32_t, uint32_t length, int64_t reference) {
        take_indel({reference, static_cast<int32_t>(length), 0, 0});
    }

  private:
    void count_clip(int64_t reference) {
        if (reference < evidence_.begin || reference >= evidence_.end) return;
        uint16_t& count = evidence_.clips[static_cast<size_t>(reference - evidence_.begin)];
        if (count < 0xffff) ++count;
    }

    void take_indel(Allele allele) {
        if (normalise_event(slice_, evidence_, allele)) evidence_.indels.push_back({allele, index_});
    }

    const ReadSet& set_;
    const ReferenceSlice& slice_;
    int32_t minimum_base_quality_;
    Evidence& evidence_;
    uint32_t index_ = 0;
    const CallRead* read_ = nullptr;  ///< the current one
};

/// Consecutive equal events.
struct Group {
    size_t first = 0;
    size_t last = 0;
    uint32_t support = 0;
};

/// Reads that reach beyond [begin, end) by k_anchor_bp on both sides.
int64_t count_spanning(const ReadSet& set, int64_t begin, int64_t end) {
    int64_t spanning = 0;
    for (size_t i = set.first_over(begin); i < set.reads.size() && set.reads[i].begin + k_anchor_bp <= begin;
         ++i)
        spanning += set.reads[i].end >= end + k_anchor_bp;
    return spanning;
}

/// `shift_bp`: how far right the allele could be shifted. Only reads that span a repeat show its alleles, so
/// that in a long one few reads do, and others do not speak against them. Where copies differ they speak for
/// them by mismatches.
bool is_enough(const ReadSet& set, const ReferenceSlice& slice, const Evidence& evidence,
               const Allele& allele, int64_t shift_bp, uint32_t support) {
    if (support < k_min_candidate_reads) return false;
    const int64_t depth = std::max(evidence.depth_at(allele.position - 1), evidence.depth_at(allele.end()));
    if (support * 100 >= depth * k_min_indel_percent) return true;
    if (shift_bp >= k_long_shift_bp &&
        support * 100 >= count_spanning(set, allele.position, allele.end() + shift_bp) * k_min_indel_percent)
        return true;
    return (support + count_explained_reads(set, slice, evidence, allele)) * 100 >=
           depth * k_min_indel_percent;
}

/// Indels at one position: those with enough support, and, if there is one and they are in a repeat, also
/// those of one read. Aligners show long alleles of a repeat only in the few reads that extend beyond it.
void add_position(const ReadSet& set, const ReferenceSlice& slice, const Evidence& evidence,
                  const std::vector<Group>& groups, std::vector<Candidate>& candidates) {
    const bool any = std::any_of(groups.begin(), groups.end(), [&](const Group& group) {
        const Allele& allele = evidence.indels[group.first].allele;
        return group.support >= k_min_candidate_reads &&
               is_enough(set, slice, evidence, allele, rightward_shift_bp(slice, allele, evidence.arena),
                         group.support);
    });
    if (!any) return;
    for (const Group& group : groups) {
        const Allele& allele = evidence.indels[group.first].allele;
        const int64_t shift_bp = rightward_shift_bp(slice, allele, evidence.arena);
        const bool is_repeat = shift_bp >= std::max(allele.reference_length, allele.alternate_length);
        if (!is_repeat && !is_enough(set, slice, evidence, allele, shift_bp, group.support)) continue;
        const int64_t end = evidence.end_of_candidate(allele, shift_bp);
        candidates.push_back({allele.position - 1, end, CandidateKind::indel, allele, group.support,
                              static_cast<uint32_t>(group.first), static_cast<uint32_t>(group.last)});
    }
}

void find_indels(const ReadSet& set, const ReferenceSlice& slice, const Evidence& evidence,
                 std::vector<Group>& groups, std::vector<Candidate>& candidates) {
    const auto& events = evidence.indels;
    groups.clear();
    for (size_t first = 0, last = 0; first < events.size(); first = last) {
        last = first + 1;
        while (last < events.size() &&
               compare_alleles(events[first].allele, events[last].allele, evidence.arena) == 0)
            ++last;
        if (!groups.empty() &&
            events[groups.front().first].allele.position != events[first].allele.position) {
            add_position(set, slice, evidence, groups, candidates);
            groups.clear();
        }
        groups.push_back({first, last, count_fragments(set, std::span(events).subspan(first, last - first))});
    }
    add_position(set, slice, evidence, groups, candidates);
}

void find_snps(Evidence& evidence, std::vector<Candidate>& candidates) {
    for (size_t at = 0; at < evidence.mismatches.size(); ++at) {
        uint64_t any;
        static_assert(sizeof any == sizeof evidence.mismatches[at]);
        std::memcpy(&any, evidence.mismatches[at].data(), sizeof any);
        if (any == 0) continue;
        for (data::Base base = 0; base < 4; ++base) {
            const uint32_t support = evidence.mismatches[at][base];
            if (support < k_min_candidate_reads || support * 100 < evidence.depth[at] * k_min_snp_percent)
                continue;
            const int64_t position = evidence.begin + static_cast<int64_t>(at);
            const auto alternate = static_cast<uint32_t>(evidence.arena.size());
            evidence.arena.push_back(base);
            candidates.push_back(
                {position, position + 1, CandidateKind::snp, {position, 1, alternate, 1}, support});
        }
    }
}

void find_clips(const Evidence& evidence, std::vector<Candidate>& candidates) {
    for (const ClipSite& site : evidence.clip_sites) {
        if (!site.is_assembled) continue;
        candidates.push_back({site.position - 1, site.position + 1, CandidateKind::clip, {}, site.support});
    }
}

}  // namespace

uint32_t count_fragments(const ReadSet& set, std::span<const IndelEvent> events) {
    uint32_t fragments = 0;
    for (size_t i = 0; i < events.size(); ++i) {
        const int32_t mate = set.reads[events[i].read].mate;
        const auto earlier = events.first(i);
        const bool is_counted = mate >= 0 && static_cast<uint32_t>(mate) < events[i].read &&
                                std::any_of(earlier.begin(), earlier.end(), [&](const IndelEvent& e) {
                                    return e.read == static_cast<uint32_t>(mate);
                                });
        if (!is_counted) ++fragments;
    }
    return fragments;
}

bool normalise_event(const ReferenceSlice& slice, Evidence& evidence, Allele& allele) {
    if (allele.position <= slice.begin() || allele.end() >= slice.end()) return false;
    if (std::max(allele.reference_length, allele.alternate_length) > k_max_indel_bp) return false;
    left_align(slice, allele, evidence.arena);
    if (allele.position < evidence.begin - k_candidate_overhang_bp || allele.end() > evidence.end)
        return false;
    // The base before and the last one deleted are A, C, G or T: neither past the contig's ends nor N.
    return slice.at(allele.position - 1) <= 3 && slice.at(allele.end() - 1) <= 3;
}

void gather_evidence(const ReadSet& set, const ReferenceSlice& slice, int64_t begin, int64_t end,
                     int32_t minimum_base_quality, Evidence& evidence) {
    const auto size = static_cast<size_t>(end - begin);
    evidence.begin = begin;
    evidence.end = end;
    int64_t spans = 0;
    for (const CallRead& read : set.reads) spans += read.end - read.begin;
    evidence.read_span = set.reads.empty() ? 0 : spans / static_cast<int64_t>(set.reads.size());
    evidence.depth.assign(size + 1, 0);
    evidence.mismatches.assign(size, {});
    evidence.clips.assign(size, 0);
    evidence.indels.clear();
    evidence.arena.clear();
    Gatherer gatherer(set, slice, minimum_base_quality, evidence);
    for (uint32_t i = 0; i < set.reads.size(); ++i) gatherer.take(i);
    for (size_t i = 1; i < size; ++i) evidence.depth[i] += evidence.depth[i - 1];
    find_clip_sites(evidence, evidence.clip_sites);
    add_clip_alleles(set, slice, evidence.clip_sites, evidence);
    std::sort(evidence.indels.begin(), evidence.indels.end(), [&](const IndelEvent& a, const IndelEvent& b) {
        const auto order = compare_alleles(a.allele, b.allele, evidence.arena);
        return order != 0 ? order < 0 : a.read < b.read;
    });
}

void find_candidates(const ReadSet& set, const ReferenceSlice& slice, Evidence& evidence,
                     std::vector<Candidate>& candidates) {
    candidates.clear();
    find_snps(evidence, candidates);
    std::vector<Group> groups;
    find_indels(set, slice, evidence, groups, candidates);
    add_repeat_end_alleles(set, slice, evidence, candidates);
    find_clips(evidence, candidates);
    std::sort(candidates.begin(), candidates.end(), [&](const Candidate& a, const Candidate& b) {
        if (a.begin != b.begin) return a.begin < b.begin;
        if (a.end != b.end) return a.end < b.end;
        if (a.kind != b.kind) return a.kind < b.kind;
        return compare_alleles(a.allele, b.allele, evidence.arena) < 0;
    });
}

}  // namespace gannet::variants
