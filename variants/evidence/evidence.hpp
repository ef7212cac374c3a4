// SPDX-License-Identifier: MIT
// Provides the differences of the reads of a window from the reference, per position, and the candidate
// variants that follow from them.
#pragma once

#include "variants/model/alleles.hpp"
#include "variants/reads/read_set.hpp"
#include "variants/sequence/allele.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace gannet::variants {

/// A position where an allele may begin or end: 3 reads or more are clipped there.
struct ClipSite {
    int64_t position = 0;  ///< of the reference base after the end of the reads' alignments, or their first
    uint32_t support = 0;  ///< reads
    bool is_assembled = false;  ///< so many of the reads are that the position makes an active region
};

/// The insertion or deletion of one read, left-aligned: as the read's alignment has it, or as the clip of the
/// read shows it together with those of others (clip_alleles.hpp).
struct IndelEvent {
    Allele allele;
    uint32_t read = 0;
};

/// Fragments among equal events, which are sorted by read: mates count once.
uint32_t count_fragments(const ReadSet& set, std::span<const IndelEvent> events);

/// Candidates may extend this far beyond the evidence on either side; the slice of a window reaches further.
inline constexpr int64_t k_candidate_overhang_bp = alleles_number("candidate_overhang_bp");

/// Counts over [begin, end); each depends only on the reads that overlap the position.
struct Evidence {
    int64_t begin = 0;
    int64_t end = 0;
    int64_t read_span = 0;       ///< mean length of the reads on the reference, bp; 0: no reads
    std::vector<int32_t> depth;  ///< aligned bases
    std::vector<std::array<uint16_t, 4>> mismatches;  ///< by base, of at least the minimum base quality
    std::vector<uint16_t> clips;       ///< reads with a soft clip of good bases that begins or ends here
    std::vector<ClipSite> clip_sites;  ///< by position
    std::vector<IndelEvent> indels;    ///< sorted by allele, then read
    std::vector<data::Base> arena;     ///< alternate bases of all alleles of the window

    /// The end of the candidate of an allele that could be shifted right by `shift_bp` bases.
    int64_t end_of_candidate(const Allele& allele, int64_t shift_bp) const {
        return std::min(allele.end() + shift_bp + 1, end + k_candidate_overhang_bp);
    }
    int32_t depth_at(int64_t position) const {
        return position < begin || position >= end ? 0 : depth[static_cast<size_t>(position - begin)];
    }
};

/// Fills `evidence` for [begin, end). Linear in the bases of the reads.
void gather_evidence(const ReadSet& set, const ReferenceSlice& slice, int64_t begin, int64_t end,
                     int32_t minimum_base_quality, Evidence& evidence);

/// Moves the indel of a read to its leftmost position. False if the window cannot use it: it is longer than
/// k_max_indel_bp, is then outside of the evidence, or is at N or an end of the contig.
bool normalise_event(const ReferenceSlice& slice, Evidence& evidence, Allele& allele);

enum class CandidateKind : uint8_t { snp, indel, clip };

/// A possible variant. [begin, end) is where it may be placed: for an indel in a repeat, the repeat.
struct Candidate {
    int64_t begin = 0;
    int64_t end = 0;
    CandidateKind kind = CandidateKind::snp;
    Allele allele;             ///< of SNVs and indels
    uint32_t support = 0;      ///< fragments
    uint32_t first_event = 0;  ///< of an indel: its events in Evidence::indels
    uint32_t last_event = 0;
};

/// Candidates sorted by begin, with those of repeat_end_alleles.hpp. Appends alternate bases to the
/// evidence's arena.
void find_candidates(const ReadSet& set, const ReferenceSlice& slice, Evidence& evidence,
                     std::vector<Candidate>& candidates);

}  // namespace gannet::variants
