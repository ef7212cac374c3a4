// SPDX-License-Identifier: MIT
// Provides the grouping of hits into diagonals, their comparison, and the clusters that become candidates.
#include "align/chain.hpp"

#include "align/packed.hpp"
#include "align/seed.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <tuple>

namespace gannet::align {
namespace {

void sort_keys(std::vector<uint64_t>& keys) {
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

}  // namespace

void sort_by_score(std::span<Candidate> candidates) {
    std::sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
        return std::tie(a.alternate, b.score, a.strand, a.diagonal, a.query_begin) <
               std::tie(b.alternate, a.score, b.strand, b.diagonal, b.query_begin);
    });
}

namespace {

/// Of two alignments that are shifted against each other, in a tandem repeat, by at least so many bases and
/// differ in score by less than so many mismatches, either may be right. Heuristics: smaller shifts do not
/// matter to what uses the alignments, and 3 mismatches are a mapping quality of 60.
constexpr int64_t k_min_tandem_shift_bp = 25;
constexpr int32_t k_max_tandem_loss = 3 * k_mismatch_loss;

bool shifted(const Candidate& a, const Candidate& b) {
    // Diagonals of the first and of the last aligned base: an indel changes one of them, a shift both.
    const int64_t at_begin = a.target_begin - a.query_begin - (b.target_begin - b.query_begin);
    const int64_t at_end = a.target_end - a.query_end - (b.target_end - b.query_end);
    return std::min(std::abs(at_begin), std::abs(at_end)) >= k_min_tandem_shift_bp &&
           std::abs(a.score - b.score) < k_max_tandem_loss;
}

/// Two alignments of the same bases to the same stretch of the reference, or one found twice: the worse one
/// is of no use.
bool same_stretch(const Candidate& a, const Candidate& b) {
    const int64_t target = std::min(a.target_end, b.target_end) - std::max(a.target_begin, b.target_begin);
    const int64_t query =
        std::min<int64_t>(a.query_end, b.query_end) - std::max<int64_t>(a.query_begin, b.query_begin);
    const Candidate& worse = a.score < b.score ? a : b;
    return !shifted(a, b) && 2 * target > worse.target_end - worse.target_begin &&
           2 * query > int64_t{worse.query_end} - worse.query_begin;
}

int64_t diagonal_of(const Diagonal& diagonal) {
    return static_cast<int64_t>(diagonal.key & ((uint64_t{1} << 47) - 1)) - k_diagonal_bias;
}

uint8_t strand_of(const Diagonal& diagonal) { return static_cast<uint8_t>(diagonal.key >> 47); }

}  // namespace

size_t drop_redundant(std::span<Candidate> candidates, int64_t band) {
    if (candidates.size() < 2) return candidates.size();
    std::sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
        return std::tie(a.strand, a.diagonal, b.score) < std::tie(b.strand, b.diagonal, a.score);
    });
    constexpr int32_t k_dropped = std::numeric_limits<int32_t>::min();
    for (size_t i = 0; i < candidates.size(); ++i) {
        Candidate& one = candidates[i];
        for (size_t j = i + 1; j < candidates.size() && one.score != k_dropped; ++j) {
            Candidate& other = candidates[j];
            if (other.strand != one.strand || other.diagonal - one.diagonal > band) break;
            if (other.score == k_dropped || !same_stretch(one, other)) continue;
            (other.score > one.score ? one : other).score = k_dropped;
        }
    }
    const auto end = std::remove_if(candidates.begin(), candidates.end(),
                                    [](const Candidate& candidate) { return candidate.score == k_dropped; });
    const auto kept = static_cast<size_t>(end - candidates.begin());
    sort_by_score(candidates.first(kept));
    return kept;
}

void Chainer::prefetch(const Diagonal& diagonal, uint32_t read_length) const {
    const uint64_t* words = packed_.data() + (std::max<int64_t>(diagonal_of(diagonal), 0) >> 5);
    __builtin_prefetch(words);
    __builtin_prefetch(words + (read_length >> 5));
}

/// Keeps the k_max_diagonals best of state.diagonals from `first` on, and beside them as many on ALT contigs,
/// which must not drive out any other.
void Chainer::drop_diagonals(uint32_t read, size_t first) {
    std::vector<Diagonal>& diagonals = state_.diagonals;
    // Which of equally covered diagonals are kept must not depend on their position: order them by a hash.
    const auto better = [](const Diagonal& a, const Diagonal& b) {
        if (a.seeds != b.seeds) return a.seeds > b.seeds;
        const auto x = static_cast<uint64_t>(2 * diagonal_of(a) + strand_of(a));
        const auto y = static_cast<uint64_t>(2 * diagonal_of(b) + strand_of(b));
        return mix64(x) < mix64(y);
    };
    const auto keep_best = [&](auto begin, auto end) {
        if (end - begin <= static_cast<ptrdiff_t>(k_max_diagonals)) return end;
        std::nth_element(begin, begin + k_max_diagonals, end, better);
        return begin + k_max_diagonals;
    };
    const auto begin = diagonals.begin() + static_cast<ptrdiff_t>(first);
    auto alternate = diagonals.end();
    if (!tables_.alternates.empty()) {
        const int64_t middle = state_.reads[read].length / 2;
        alternate = std::partition(begin, diagonals.end(), [&](const Diagonal& diagonal) {
            return !tables_.alternates.contains(diagonal_of(diagonal) + middle);
        });
    }
    const auto primary_end = keep_best(begin, alternate);
    const auto alternate_end = keep_best(alternate, diagonals.end());
    ReadState& state = state_.reads[read];
    const auto note_dropped = [&state](auto from, auto to) {
        if (from != to) state.crowded = true;
        for (; from != to; ++from) state.dropped_bp = std::max(state.dropped_bp, from->seeds);
    };
    note_dropped(primary_end, alternate);
    if (alternate == begin) note_dropped(alternate_end, diagonals.end());
    diagonals.erase(std::move(alternate, alternate_end, primary_end), diagonals.end());
}

/// Keeps the k_max_candidates best of sorted candidates, and beside them as many on ALT contigs.
void Chainer::drop_candidates(uint32_t read) {
    std::vector<Candidate>& groups = state_.merged;
    const size_t primary = primary_candidates(groups);
    const size_t kept = std::min(primary, k_max_candidates);
    const size_t alternate = std::min(groups.size() - primary, k_max_candidates);
    if (kept < primary || (primary == 0 && alternate < groups.size())) {
        state_.reads[read].crowded = true;
        state_.reads[read].dropped_score = groups[k_max_candidates].score;
    }
    const auto at = [&groups](size_t index) { return groups.begin() + static_cast<ptrdiff_t>(index); };
    groups.erase(std::move(at(primary), at(primary + alternate), at(kept)), groups.end());
}

void Chainer::add_diagonals(uint32_t read) {
    std::vector<Diagonal>& diagonals = state_.diagonals;
    const size_t first = diagonals.size();
    sort_keys(state_.hits);
    uint64_t last_key = ~uint64_t{0};
    uint32_t covered_to = 0;
    for (const uint64_t hit : state_.hits) {
        const auto position = static_cast<uint32_t>(hit & 0xffff);
        if (hit >> 16 != last_key) {
            last_key = hit >> 16;
            covered_to = 0;
            diagonals.push_back({last_key, 0});
        }
        diagonals.back().seeds += position + kmer_ - std::max(position, covered_to);
        covered_to = position + kmer_;
    }
    if (diagonals.size() - first > k_max_diagonals) drop_diagonals(read, first);
    for (size_t i = first; i < diagonals.size(); ++i) prefetch(diagonals[i], state_.reads[read].length);
}

/// Appends the candidate of a diagonal to state.merged; false if it is none.
bool Chainer::compare(uint32_t read, const Diagonal& diagonal, int32_t floor) {
    Candidate& fresh = state_.merged.emplace_back();
    fresh.strand = strand_of(diagonal);
    fresh.diagonal = diagonal_of(diagonal);
    fresh.seeds = diagonal.seeds;
    if (ungapped_.compare(batch_, read, fresh, floor)) return true;
    state_.merged.pop_back();
    return false;
}

/// A hopeless candidate can change neither what is chosen nor its mapping quality where `best` matches the
/// complete read and needs no extension: only its score counts, as that of the best other alignment. Those
/// near `best` are left to drop_redundant.
bool Chainer::may_be_hopeless(const Candidate& best, const Diagonal& other) const {
    const bool near =
        strand_of(other) == best.strand && std::abs(diagonal_of(other) - best.diagonal) <= parameters_.band;
    return !near && other.seeds * 2 < best.seeds;
}

/// Fills state.merged with the diagonals that match anything. The best covered one comes first (of equals
/// that with the lowest key): in most reads of a repeat it settles all others. Of these, those with several
/// seeds come before the many that have one and rarely score more; in which order changes no result, since a
/// floor leaves out only what cannot raise it. Returns how many are hopeless.
size_t Chainer::compare_diagonals(uint32_t read_index, std::span<const Diagonal> diagonals) {
    ReadState& read = state_.reads[read_index];
    std::vector<Candidate>& groups = state_.merged;
    groups.clear();
    // The key decides between equals, because the best of many diagonals (drop_diagonals) have no order.
    const auto best =
        std::max_element(diagonals.begin(), diagonals.end(), [](const Diagonal& a, const Diagonal& b) {
            return a.seeds != b.seeds ? a.seeds < b.seeds : a.key > b.key;
        });
    if (best == diagonals.end()) return 0;
    bool settled = false;
    if (compare(read_index, *best, 0)) {
        const Candidate& first = groups.front();
        settled = first.query_begin == 0 && first.query_end == read.length && !first.left_gapped &&
                  !first.right_gapped && !first.alternate;
    }
    if (diagonals.size() == 1) return 0;
    size_t hopeless = 0;
    for (const bool several : {true, false}) {
        for (const Diagonal& diagonal : diagonals) {
            if (&diagonal == &*best || (diagonal.seeds > kmer_) != several) continue;
            if (!settled || !may_be_hopeless(groups.front(), diagonal)) {
                compare(read_index, diagonal, 0);
                continue;
            }
            if (compare(read_index, diagonal, read.hopeless_score)) {
                const Candidate& other = groups.back();
                if (other.alternate || other.score >= groups.front().score - k_hopeless_below) continue;
                read.hopeless_score = std::max(read.hopeless_score, other.score);
                groups.pop_back();
            }
            ++hopeless;
        }
    }
    return hopeless;
}

void Chainer::add_candidates(uint32_t read_index, std::span<const Diagonal> diagonals) {
    ReadState& read = state_.reads[read_index];
    read.candidate_begin = static_cast<uint32_t>(state_.candidates.size());
    const size_t hopeless = compare_diagonals(read_index, diagonals);
    std::vector<Candidate>& groups = state_.merged;
    if (groups.size() > 1) {
        groups.resize(drop_redundant(groups, parameters_.band));
        if (primary_candidates(groups) + hopeless > k_max_candidates) read.crowded = true;
        if (groups.size() > k_max_candidates) drop_candidates(read_index);
    }
    state_.candidates.insert(state_.candidates.end(), groups.begin(), groups.end());
    read.candidate_end = static_cast<uint32_t>(state_.candidates.size());
}

}  // namespace gannet::align
