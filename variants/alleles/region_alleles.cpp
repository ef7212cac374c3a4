// SPDX-License-Identifier: MIT
// Provides the choice of a region's reads, and its assembly.
#include "variants/alleles/region_alleles.hpp"

#include "variants/model/alleles.hpp"
#include "variants/model/genotype.hpp"
#include "variants/sequence/repeats.hpp"

#include <algorithm>

namespace gannet::variants {

namespace {

// A region also uses reads that end this near to it.
constexpr int64_t k_read_margin_bp = alleles_number("region_read_margin_bp");

// An assembled allele moves left by no more than about the length of a read: reads that begin and end in the
// same repeat show no allele.
constexpr int64_t k_assembled_shift_bp = alleles_number("region_assembled_shift_bp");

// Of regions with a long insertion or deletion.
constexpr int64_t k_long_indel_bp = genotype_number("long_indel_bp");
constexpr int64_t k_long_indel_reach_bp = alleles_number("region_long_indel_reach_bp");

/// Whether the record of the allele begins in a region of the window other than `region`.
bool is_of_another_region(const WindowAlleles& window, const ActiveRegion& region, const Allele& allele) {
    const int64_t position = allele.record_position();
    return std::any_of(window.regions.begin(), window.regions.end(), [&](const ActiveRegion& other) {
        return other.first != region.first && other.begin <= position && position < other.end;
    });
}

/// Whether another region lies between this one and the allele. Reads of the other region show its alleles;
/// this one has none of them on its haplotypes, so that reads would fit none over both.
bool is_behind_another_region(const WindowAlleles& window, const ActiveRegion& region, const Allele& allele) {
    const int64_t position = allele.record_position();
    return std::any_of(window.regions.begin(), window.regions.end(), [&](const ActiveRegion& other) {
        return (other.begin >= region.end && other.end <= position) ||
               (other.end <= region.begin && allele.end() <= other.begin);
    });
}

/// The span of a region's segments, up to the regions before and behind it.
SegmentSpan between_neighbours(const WindowAlleles& window, const ActiveRegion& region, SegmentSpan span) {
    for (const ActiveRegion& other : window.regions) {
        if (other.end <= region.begin) span.begin = std::max(span.begin, other.end);
        if (other.begin >= region.end) span.end = std::min(span.end, other.begin);
    }
    return span;
}

/// What segments cover. Where an allele is one copy of a repeat of long copies that differ, they go a copy
/// further, as far as no other region is there: within a copy a segment fits the next one as well. Likewise
/// where an allele is long: both ends of what is deleted may be alike, and a segment that is a read's last
/// bases fits either end. Where no allele changes the length, they end before the next region: its SNVs would
/// be mismatches to all haplotypes, as of a read from somewhere else.
SegmentSpan segment_span(const WindowAlleles& window, const ActiveRegion& region,
                         std::span<const Allele> alleles) {
    SegmentSpan span{segment_begin(window.slice, region.begin), segment_end(window.slice, region.end)};
    const bool has_indels =
        std::any_of(alleles.begin(), alleles.end(), [](const Allele& allele) { return allele.is_indel(); });
    if (!has_indels) return between_neighbours(window, region, span);
    int64_t further_bp = 0;
    for (const Allele& allele : alleles) {
        const auto bases = allele.reference_length > 0 ? window.slice.span(allele.position, allele.end())
                                                       : bases_of(allele, window.evidence.arena);
        if (!allele.is_indel()) continue;
        const auto size = static_cast<int64_t>(bases.size());
        if (is_copy_of_neighbour(window.slice, allele.position, allele.end(), bases))
            further_bp = std::max(further_bp, size);
        else if (size >= k_long_indel_bp)
            further_bp = std::max(further_bp, std::min(size, k_long_indel_reach_bp));
    }
    if (further_bp == 0) return span;
    const SegmentSpan further = between_neighbours(
        window, region,
        {region.begin - further_bp - k_segment_pad_bp, region.end + further_bp + k_segment_pad_bp});
    return {std::min(span.begin, further.begin), std::max(span.end, further.end)};
}

/// Where no alignments end, they show where the alleles of the neighbourhood are: others are misassembled, or
/// stand for an allele of another region.
bool is_beyond(const ActiveRegion& region, const Allele& allele) {
    return !region.is_clipped && (allele.record_position() < region.begin || allele.end() > region.end);
}

}  // namespace

int64_t allele_reach_bp(const ActiveRegion& region) {
    return region.is_clipped ? k_assembly_flank_bp + k_assembled_shift_bp : k_realign_flank_bp;
}

/// Reads over [begin, end).
void RegionBuilder::choose_reads(const ReadSet& set, int64_t begin, int64_t end, size_t maximum) {
    reads_.clear();
    for (size_t i = set.first_over(begin); i < set.reads.size() && set.reads[i].begin < end; ++i) {
        if (set.reads[i].end > begin) reads_.push_back(static_cast<uint32_t>(i));
    }
    if (reads_.size() <= maximum) return;
    const auto is_before = [&](uint32_t a, uint32_t b) {
        const uint64_t left = set.reads[a].name_hash;
        const uint64_t right = set.reads[b].name_hash;
        return left != right ? left < right : a < b;
    };
    std::nth_element(reads_.begin(), reads_.begin() + static_cast<std::ptrdiff_t>(maximum), reads_.end(),
                     is_before);
    reads_.resize(maximum);
    std::sort(reads_.begin(), reads_.end());
}

/// Finds the alleles of assembled haplotypes and extends the region over them.
void RegionBuilder::assemble(WindowAlleles& w, size_t maximum_depth, ActiveRegion& region) {
    const int64_t begin = region.begin - k_assembly_flank_bp;
    const int64_t end = region.end + k_assembly_flank_bp;
    choose_reads(w.reads, begin, end, maximum_depth);
    if (!assembler_.assemble(w.reads, reads_, begin, w.slice.span(begin, end), assembled_bases_,
                             assembled_offsets_))
        return;
    int64_t extended_begin = region.begin;
    int64_t extended_end = region.end;
    for (size_t h = 0; h + 1 < assembled_offsets_.size(); ++h) {
        const size_t first = assembled_.size();
        const std::span<const data::Base> bases{assembled_bases_.data() + assembled_offsets_[h],
                                                assembled_offsets_[h + 1] - assembled_offsets_[h]};
        aligner_.differences(w.slice, begin, end, bases, w.evidence.arena, assembled_);
        const auto foreign =
            std::remove_if(assembled_.begin() + static_cast<std::ptrdiff_t>(first), assembled_.end(),
                           [&](const Allele& allele) {
                               return allele.position < w.evidence.begin - k_candidate_overhang_bp ||
                                      is_beyond(region, allele) || is_of_another_region(w, region, allele) ||
                                      is_behind_another_region(w, region, allele);
                           });
        assembled_.erase(foreign, assembled_.end());
        if (assembled_.size() == first) continue;
        assembled_sizes_.push_back(static_cast<uint32_t>(assembled_.size() - first));
        for (size_t i = first; i < assembled_.size(); ++i) {
            const Allele& allele = assembled_[i];
            const int64_t shift_bp =
                allele.is_indel() ? rightward_shift_bp(w.slice, allele, w.evidence.arena) : 0;
            extended_begin = std::min(extended_begin, allele.record_position());
            extended_end = std::max(extended_end, w.evidence.end_of_candidate(allele, shift_bp));
        }
    }
    region.begin = extended_begin;
    region.end = extended_end;
}

std::optional<RegionAlleles> RegionBuilder::build(WindowAlleles& window, ActiveRegion region,
                                                  std::span<const Candidate> candidates,
                                                  const GapQualityTable& gaps, int32_t maximum_depth,
                                                  kernels::PairHmmBatch& jobs) {
    const auto maximum = static_cast<size_t>(maximum_depth);
    assembled_.clear();
    assembled_sizes_.clear();
    if (region.needs_assembly) assemble(window, maximum, region);
    choose_reads(window.reads, region.begin - k_read_margin_bp, region.end + k_read_margin_bp, maximum);
    RegionAlleles out;
    haplotypes_.build(
        {window.reads, window.slice, window.evidence, candidates, reads_, assembled_, assembled_sizes_},
        region, out.haplotypes);
    out.begin = region.begin;
    out.end = region.end;
    out.first_pair = jobs.pairs();
    add_jobs(window.reads, window.slice, window.evidence.arena,
             segment_span(window, region, out.haplotypes.alleles), reads_, gaps, out.haplotypes, jobs,
             out.rows, jobs_);
    if (out.rows.empty()) return std::nullopt;
    return out;
}

}  // namespace gannet::variants
