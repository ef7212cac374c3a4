// SPDX-License-Identifier: MIT
// Provides the grouping of hits into diagonals, their comparison, and the clusters that become candidates.
#include "kernels/candidates/candidates_words.hpp"

#include "kernels/candidates/candidates_order.hpp"
#include "kernels/genome/fetch.hpp"

#include <algorithm>
#include <limits>

namespace gannet::kernels::candidates {
namespace {

void sort_keys(std::span<uint64_t> keys) {
    constexpr size_t k_few = 32;
    if (keys.size() > k_few) {
        std::sort(keys.begin(), keys.end());
        return;
    }
    for (size_t i = 1; i < keys.size(); ++i) {
        const uint64_t key = keys[i];
        size_t j = i;
        for (; j > 0 && keys[j - 1] > key; --j) keys[j] = keys[j - 1];
        keys[j] = key;
    }
}

/// Asks for the genome's bases under a read.
void fetch_bases(const GenomeView& genome, const Diagonal& diagonal, uint32_t read_length) {
    const auto first = static_cast<uint64_t>(std::max<int64_t>(diagonal_of(diagonal.key), 0)) >> 5;
    fetch(genome.packed + std::min(first, genome.words - 1));
    fetch(genome.packed + std::min(first + (read_length >> 5), genome.words - 1));
}

}  // namespace

void choose_extensions(std::span<Candidate> candidates, int32_t mismatch_loss) {
    const size_t primary = primary_candidates(candidates);
    for (const std::span<Candidate> part : {candidates.first(primary), candidates.subspan(primary)}) {
        size_t extended = 0;
        for (Candidate& candidate : part) {
            if (!is_gapped(candidate)) continue;
            if (extended == k_max_extended ||
                is_pruned(candidate, part.front().score, part.front().seeds, mismatch_loss)) {
                candidate.left_gapped = candidate.right_gapped = false;
            } else {
                ++extended;
            }
        }
    }
}

/// Keeps the k_max_diagonals best of `diagonals` from `first` on, and beside them as many on ALT contigs,
/// which must not drive out any other.
void CandidateFinder::drop_diagonals(uint32_t read_length, size_t first, std::vector<Diagonal>& diagonals,
                                     CandidatesLeftOut& left_out) const {
    const auto keep_best = [&](auto begin, auto end) {
        if (end - begin <= static_cast<ptrdiff_t>(k_max_diagonals)) return end;
        std::nth_element(begin, begin + k_max_diagonals, end, covers_more);
        return begin + k_max_diagonals;
    };
    const auto begin = diagonals.begin() + static_cast<ptrdiff_t>(first);
    auto alternate = diagonals.end();
    if (genome_.alternate_count != 0) {
        const int64_t middle = read_length / 2;
        alternate = std::partition(begin, diagonals.end(), [&](const Diagonal& diagonal) {
            return !genome_.is_alternate(diagonal_of(diagonal.key) + middle);
        });
    }
    const auto primary_end = keep_best(begin, alternate);
    const auto alternate_end = keep_best(alternate, diagonals.end());
    const auto note_dropped = [&left_out](auto from, auto to) {
        if (from != to) left_out.truncated = 1;
        for (; from != to; ++from) left_out.dropped_bp = std::max(left_out.dropped_bp, from->seeds);
    };
    note_dropped(primary_end, alternate);
    if (alternate == begin) note_dropped(alternate_end, diagonals.end());
    diagonals.erase(std::move(alternate, alternate_end, primary_end), diagonals.end());
}

/// Keeps the k_max_candidates best of sorted candidates, and beside them as many on ALT contigs.
void CandidateFinder::drop_candidates(CandidatesLeftOut& left_out) const {
    std::vector<Candidate>& groups = scratch_.merged;
    const size_t primary = primary_candidates(groups);
    const size_t kept = std::min<size_t>(primary, k_max_candidates);
    const size_t alternate = std::min<size_t>(groups.size() - primary, k_max_candidates);
    if (kept < primary || (primary == 0 && alternate < groups.size())) {
        left_out.truncated = 1;
        left_out.dropped_score = groups[k_max_candidates].score;
    }
    const auto at = [&groups](size_t index) { return groups.begin() + static_cast<ptrdiff_t>(index); };
    groups.erase(std::move(at(primary), at(primary + alternate), at(kept)), groups.end());
}

void CandidateFinder::add_diagonals(std::span<uint64_t> hits, uint32_t read_length,
                                    std::vector<Diagonal>& diagonals, CandidatesLeftOut& left_out) const {
    const size_t first = diagonals.size();
    sort_keys(hits);
    uint64_t last_key = ~uint64_t{0};
    uint32_t covered_to = 0;
    for (const uint64_t hit : hits) {
        const uint32_t position = position_of_hit(hit);
        if (hit >> 16 != last_key) {
            last_key = hit >> 16;
            covered_to = 0;
            diagonals.push_back({last_key, 0});
        }
        diagonals.back().seeds += position + parameters_.kmer - std::max(position, covered_to);
        covered_to = position + parameters_.kmer;
    }
    if (diagonals.size() - first > k_max_diagonals) drop_diagonals(read_length, first, diagonals, left_out);
    for (size_t i = first; i < diagonals.size(); ++i) fetch_bases(genome_, diagonals[i], read_length);
}

/// Appends the candidate of a diagonal to scratch_.merged; false if it is none.
bool CandidateFinder::compare(const SingleRead& read, const Diagonal& diagonal) const {
    Candidate& fresh = scratch_.merged.emplace_back();
    fresh.strand = strand_of(diagonal.key);
    fresh.diagonal = diagonal_of(diagonal.key);
    fresh.seeds = diagonal.seeds;
    if (candidates::compare(genome_, parameters_, read, scratch_.mismatches, fresh)) return true;
    scratch_.merged.pop_back();
    return false;
}

/// Whether a limit to the score of a diagonal is known: not on ALT contigs, nor where there are ambiguous
/// bases.
bool CandidateFinder::has_limit(const SingleRead& read, const Diagonal& diagonal) const {
    const int64_t at = diagonal_of(diagonal.key);
    return is_plain(genome_, read, at) && !genome_.is_alternate(middle_of(genome_, at, read.length));
}

/// Sets the scores of scratch_.limits, in a fraction of the time that the scores themselves take.
void CandidateFinder::find_limits(const SingleRead& read) const {
    const BandedSwScoring& scoring = parameters_.scoring;
    if (!ScoreLimits::fits(read.length, scoring.match, scoring.mismatch)) return;
    ScoreLimits& lanes = scratch_.score_limits;
    const std::span<Limit> limits = scratch_.limits;
    Limit* of_lane[ScoreLimits::k_lanes];
    uint32_t used = 0;
    lanes.begin(read.length);
    for (size_t i = 0; i < limits.size(); ++i) {
        if (has_limit(read, limits[i].diagonal)) {
            const uint64_t* const own = read.words(strand_of(limits[i].diagonal.key));
            const auto at = static_cast<uint64_t>(diagonal_of(limits[i].diagonal.key));
            for (uint32_t base = 0; base < read.length; base += 32) {
                const uint64_t bits = mismatch_bits(own[base / 32], word_at(genome_.packed, at + base));
                lanes.set_word(
                    used, base / 32,
                    read.length - base < 32 ? bits | k_low_bits << 2 * (read.length - base) : bits);
            }
            of_lane[used++] = &limits[i];
        }
        if (used == 0 || (used < ScoreLimits::k_lanes && i + 1 < limits.size())) continue;
        const auto found = lanes.find(scoring.match, scoring.mismatch);
        for (uint32_t lane = 0; lane < used; ++lane) of_lane[lane]->score = found[lane];
        used = 0;
    }
}

/// Whether a diagonal that may be pruned is: without a match, or with a score below `enough`, which
/// left_out.pruned_score then takes into account. If not, its candidate is appended to scratch_.merged.
bool CandidateFinder::is_pruned(const SingleRead& read, const Diagonal& diagonal, int32_t enough,
                                CandidatesLeftOut& left_out) const {
    Candidate candidate;
    candidate.strand = strand_of(diagonal.key);
    candidate.diagonal = diagonal_of(diagonal.key);
    candidate.seeds = diagonal.seeds;
    Comparison comparison;
    if (!score_diagonal(genome_, parameters_, read, scratch_.mismatches, candidate, comparison)) return true;
    if (!candidate.alternate && candidate.score < enough) {
        left_out.pruned_score = std::max(left_out.pruned_score, candidate.score);
        return true;
    }
    complete_candidate(genome_, parameters_, read, scratch_.mismatches, comparison, candidate);
    scratch_.merged.push_back(candidate);
    return false;
}

/// Compares scratch_.limits and returns how many are pruned. The one with the highest limit comes first:
/// its score is above the limits of most others, which then need none. In which order changes no result,
/// since what is left out cannot raise pruned_score.
size_t CandidateFinder::compare_limited(const SingleRead& read, CandidatesLeftOut& left_out) const {
    std::vector<Limit>& limits = scratch_.limits;
    if (limits.empty()) return 0;
    find_limits(read);
    std::iter_swap(limits.begin(),
                   std::max_element(limits.begin(), limits.end(),
                                    [](const Limit& a, const Limit& b) { return a.score < b.score; }));
    const int32_t enough = scratch_.merged.front().score - parameters_.pruned_below();
    size_t pruned = 0;
    for (const Limit& limit : limits) {
        if (limit.score <= left_out.pruned_score || is_pruned(read, limit.diagonal, enough, left_out))
            ++pruned;
    }
    return pruned;
}

/// Fills scratch_.merged with the diagonals that match anything, but for the pruned ones. The best covered
/// one comes first (of equals that with the lowest key): in most reads of a repeat it settles all others.
/// Returns how many are pruned.
size_t CandidateFinder::compare_diagonals(const SingleRead& read, std::span<const Diagonal> diagonals,
                                          CandidatesLeftOut& left_out) const {
    std::vector<Candidate>& groups = scratch_.merged;
    groups.clear();
    // The key decides between equals, because the best of many diagonals (drop_diagonals) have no order.
    const auto best =
        std::max_element(diagonals.begin(), diagonals.end(), [](const Diagonal& a, const Diagonal& b) {
            return a.seeds != b.seeds ? a.seeds < b.seeds : a.key > b.key;
        });
    if (best == diagonals.end()) return 0;
    const bool settled = compare(read, *best) && settles(groups.front(), read.length);
    if (diagonals.size() == 1) return 0;
    scratch_.limits.clear();
    for (const Diagonal& diagonal : diagonals) {
        if (&diagonal == &*best) continue;
        if (settled && may_be_pruned(best->key, best->seeds, diagonal, parameters_.band)) {
            scratch_.limits.push_back({std::numeric_limits<int32_t>::max(), diagonal});
        } else {
            compare(read, diagonal);
        }
    }
    return compare_limited(read, left_out);
}

void CandidateFinder::add_candidates(const SingleRead& read, std::span<const Diagonal> diagonals,
                                     std::vector<Candidate>& candidates, CandidatesLeftOut& left_out) const {
    const size_t pruned = compare_diagonals(read, diagonals, left_out);
    std::vector<Candidate>& groups = scratch_.merged;
    if (groups.size() > 1) {
        groups.resize(drop_redundant(groups, parameters_.band, parameters_.scoring.mismatch_loss()));
        if (primary_candidates(groups) + pruned > k_max_candidates) left_out.truncated = 1;
        if (groups.size() > k_max_candidates) drop_candidates(left_out);
    }
    candidates.insert(candidates.end(), groups.begin(), groups.end());
}

}  // namespace gannet::kernels::candidates
