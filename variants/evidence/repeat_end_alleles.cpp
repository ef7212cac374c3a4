// SPDX-License-Identifier: MIT
// Provides the search for shifts of one side of an SNV that the repeat beside it allows.
#include "variants/evidence/repeat_end_alleles.hpp"

#include "variants/model/alleles.hpp"
#include "variants/sequence/repeats.hpp"

#include <algorithm>

namespace gannet::variants {

namespace {

constexpr int64_t k_max_shift_bp = alleles_number("repeat_end_max_shift_bp");
constexpr int64_t k_min_repeat_bp = alleles_number("repeat_end_min_repeat_bp");  // on the shifted side
constexpr int64_t k_max_repeat_bp = alleles_number("repeat_end_max_repeat_bp");

/// One side of the SNV at `position` moved by `shift`: the SNV's base and what follows on that side.
struct Shift {
    int64_t position = 0;
    int64_t shift = 0;
    bool is_right = false;
    int64_t repeat_bp = 0;  ///< bases beyond the SNV that both diagonals explain
};

/// Length 0: the shift does not explain the SNV.
int64_t repeat_bp_of(const ReferenceSlice& slice, const Shift& shift, data::Base alternate) {
    if (slice.at(shift.position + shift.shift) != alternate) return 0;
    return shared_with_shift_bp(slice, shift.position, shift.shift,
                                shift.is_right ? Direction::rightward : Direction::leftward, k_max_repeat_bp);
}

/// Whether every read with the SNV's base ends within the repeat.
bool explains_all(const ReadSet& set, const Shift& shift, data::Base alternate) {
    for (size_t i = set.first_over(shift.position); i < set.reads.size(); ++i) {
        const CallRead& read = set.reads[i];
        if (read.begin > shift.position) break;
        const int64_t offset = read_offset_at(set, read, shift.position);
        if (offset < 0 || set.bases[read.bases + static_cast<size_t>(offset)] != alternate) continue;
        const int64_t reach = shift.is_right ? read.end - 1 - shift.position : shift.position - read.begin;
        if (reach > shift.repeat_bp) return false;
    }
    return true;
}

/// Between the side that stays and the one that moves.
Allele indel_of(const ReferenceSlice& slice, const Shift& shift, std::vector<data::Base>& arena) {
    const int64_t size = std::abs(shift.shift);
    const int64_t border = shift.is_right ? shift.position : shift.position + 1;
    const bool is_deletion = (shift.shift > 0) == shift.is_right;
    if (is_deletion) return {shift.is_right ? border : border - size, static_cast<int32_t>(size), 0, 0};
    const auto alternate = static_cast<uint32_t>(arena.size());
    const int64_t first = shift.is_right ? border - size : border;
    for (int64_t i = 0; i < size; ++i) arena.push_back(slice.at(first + i));
    return {border, 0, alternate, static_cast<int32_t>(size)};
}

bool is_known(const std::vector<Candidate>& candidates, const Allele& indel, const Evidence& evidence) {
    return std::any_of(candidates.begin(), candidates.end(), [&](const Candidate& other) {
        return other.kind == CandidateKind::indel &&
               compare_alleles(other.allele, indel, evidence.arena) == 0;
    });
}

/// The candidate of an indel, with the events that aligned reads have of it, if any.
Candidate candidate_of(const ReferenceSlice& slice, const Evidence& evidence, const Allele& indel,
                       uint32_t support) {
    const auto events = std::equal_range(evidence.indels.begin(), evidence.indels.end(), IndelEvent{indel, 0},
                                         [&](const IndelEvent& a, const IndelEvent& b) {
                                             return compare_alleles(a.allele, b.allele, evidence.arena) < 0;
                                         });
    return {indel.position - 1,
            evidence.end_of_candidate(indel, rightward_shift_bp(slice, indel, evidence.arena)),
            CandidateKind::indel,
            indel,
            support,
            static_cast<uint32_t>(events.first - evidence.indels.begin()),
            static_cast<uint32_t>(events.second - evidence.indels.begin())};
}

}  // namespace

void add_repeat_end_alleles(const ReadSet& set, const ReferenceSlice& slice, Evidence& evidence,
                            std::vector<Candidate>& candidates) {
    const auto add = [&](const Candidate& snv, int64_t size, bool is_right) {
        const data::Base alternate = evidence.arena[snv.allele.alternate];
        Shift shift{snv.begin, size, is_right, 0};
        shift.repeat_bp = repeat_bp_of(slice, shift, alternate);
        if (shift.repeat_bp < k_min_repeat_bp || !explains_all(set, shift, alternate)) return;
        Allele indel = indel_of(slice, shift, evidence.arena);
        if (!normalise_event(slice, evidence, indel) || is_known(candidates, indel, evidence)) return;
        candidates.push_back(candidate_of(slice, evidence, indel, snv.support));
    };
    const size_t count = candidates.size();
    for (size_t i = 0; i < count; ++i) {
        if (candidates[i].kind != CandidateKind::snp) continue;
        const Candidate snv = candidates[i];
        for (int64_t size = -k_max_shift_bp; size <= k_max_shift_bp; ++size) {
            if (size == 0) continue;
            add(snv, size, false);
            add(snv, size, true);
        }
    }
}

}  // namespace gannet::variants
