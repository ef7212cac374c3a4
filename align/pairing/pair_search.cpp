// SPDX-License-Identifier: MIT
// Provides the listing of entries that share long parts of both reads of a pair, and their scoring.
#include "align/pairing/pair_search.hpp"

#include "align/pairing/placement.hpp"
#include "kernels/pairing/pairing_terms.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace gannet::align {
namespace {

using kernels::k_max_listed;
using kernels::k_max_looked_at;
using kernels::k_max_pairs;
using kernels::k_usual_mismatch_reach;
using kernels::pairing_terms::insert_size;

/// Steps in which the length of parts is reduced until there are enough of them.
constexpr uint32_t k_length_step = 4;

constexpr int32_t k_never = std::numeric_limits<int32_t>::min() / 2;

/// A quick test whether any of a list of placements may lie in a range; no means no. One bit for each stretch
/// of placements, modulo the number of bits.
class StretchFilter {
  public:
    explicit StretchFilter(std::span<const uint64_t> placements) {
        for (const uint64_t placement : placements) {
            const uint64_t stretch = placement >> k_stretch_bits;
            bits_[stretch / 64 % bits_.size()] |= uint64_t{1} << stretch % 64;
        }
    }
    bool any(uint64_t first, uint64_t last) const {
        bool marked = false;
        for (uint64_t stretch = first >> k_stretch_bits; stretch <= last >> k_stretch_bits; ++stretch) {
            marked |= (bits_[stretch / 64 % bits_.size()] >> stretch % 64 & 1) != 0;
        }
        return marked;
    }

  private:
    static constexpr unsigned k_stretch_bits = 10;
    std::array<uint64_t, 512> bits_{};
};

bool gapped(const Candidate& candidate) { return candidate.left_gapped || candidate.right_gapped; }

}  // namespace

/// Fills `pieces` with disjoint parts of `length` bases, each a seed and the bases behind it in its canonical
/// direction, in which `chosen` matches the read. False if there are not as many.
bool PairSearch::find_pieces_of(uint32_t length, uint32_t read_index, const Candidate& chosen,
                                std::span<Piece> pieces) const {
    const ReadState& read = omitted_.state().reads[read_index];
    const uint32_t k = omitted_.index().parameters().kmer;
    uint32_t to = 0;
    for (Piece& piece : pieces) {
        // Of the parts that begin behind the last one, that which ends first.
        uint32_t first_end = read.length + 1;
        for (const Syncmer& seed : omitted_.state().syncmers) {
            const uint32_t end = seed.reverse ? seed.position + k : seed.position + length;
            if (end < to + length || end >= first_end) continue;
            const DistinctPart part{static_cast<uint16_t>(end - length), static_cast<uint16_t>(end)};
            if (!omitted_.matches(read_index, chosen, part)) continue;
            first_end = end;
            piece = {part, seed};
        }
        if (first_end > read.length) return false;
        to = first_end;
    }
    return true;
}

/// The same with the longest parts that there are.
bool PairSearch::find_pieces(uint32_t read_index, const Candidate& chosen, std::span<Piece> pieces) const {
    AlignmentWork::State& state = omitted_.state();
    const IndexParameters& parameters = omitted_.index().parameters();
    const ReadState& read = state.reads[read_index];
    omitted_.find_seeds(read_index);
    const uint32_t k = parameters.kmer;
    uint32_t length = std::min(k + k_context_bases, read.length / static_cast<uint32_t>(pieces.size()));
    if (length < k) return false;
    while (!find_pieces_of(length, read_index, chosen, pieces)) {
        if (length == k) return false;
        length = std::max(k, length - k_length_step);
    }
    return true;
}

/// The entries of the piece's k-mer that share all its bases.
std::span<const IndexEntry> PairSearch::sharing(uint32_t read_index, const Piece& piece) const {
    const Index& index = omitted_.index();
    const SeedContext context(omitted_, read_index, piece.seed,
                              piece.part.end - piece.part.begin - index.parameters().kmer);
    // The begin of those that share all bases, and with it where they can end at most: what the first search
    // has seen is not looked at again, as each look is two misses of the cache.
    const std::span<const IndexEntry> run = index.find(piece.seed.hash);
    const IndexEntry* low = run.data();
    const IndexEntry* high = low + run.size();
    const IndexEntry* end = high;
    while (low != high) {
        const IndexEntry* const middle = low + (high - low) / 2;
        const int of_middle = context.order(*middle);
        if (of_middle < 0) {
            low = middle + 1;
        } else {
            high = middle;
            if (of_middle > 0) end = middle;
        }
    }
    return {low, std::partition_point(low, end, [&](IndexEntry entry) { return context.order(entry) == 0; })};
}

/// The entries that share the longest part of `a`, and those that share one of two parts of `b`; none where
/// there are too few parts or too many entries.
std::optional<PairSearch::Shared> PairSearch::look_up(uint32_t read_a, const Candidate& a, uint32_t read_b,
                                                      const Candidate& b) const {
    Shared shared;
    if (!find_pieces(read_a, a, std::span(&shared.longest, 1)) || !find_pieces(read_b, b, shared.pieces))
        return std::nullopt;
    shared.listed = sharing(read_a, shared.longest);
    if (shared.listed.size() > k_max_listed) return std::nullopt;
    for (size_t i = 0; i < shared.pieces.size(); ++i) {
        shared.looked_at[i] = sharing(read_b, shared.pieces[i]);
        if (shared.looked_at[i].size() > k_max_looked_at) return std::nullopt;
    }
    return shared;
}

/// Appends to state.placed_pairs the placements of read `b` that share one of its two parts, each with the
/// placements of read `a` that share the longest part and make a proper pair with it. `turned`: the pairs are
/// listed with that of `b` first. False if there are too many.
bool PairSearch::list_pairs(uint32_t read_a, uint32_t read_b, const Shared& shared, bool turned) const {
    AlignmentWork::State& state = omitted_.state();
    const uint32_t k = omitted_.index().parameters().kmer;
    const ReadState& of_a = state.reads[read_a];
    const ReadState& of_b = state.reads[read_b];
    std::vector<uint64_t>& placements = state.placements;
    placements.clear();
    for (const IndexEntry entry : shared.listed)
        placements.push_back(placement_of(of_a, shared.longest.seed, k, entry));
    std::sort(placements.begin(), placements.end());
    const StretchFilter filter(placements);
    for (size_t i = 0; i < shared.pieces.size(); ++i) {
        for (const IndexEntry entry : shared.looked_at[i]) {
            const uint64_t placement = placement_of(of_b, shared.pieces[i].seed, k, entry);
            const Candidate beside = candidate_at(placement);
            // The insert goes from the begin of the forward read to the end of the reverse one.
            const bool forward = beside.strand == 1;
            const int64_t at = forward ? beside.diagonal + of_b.length : beside.diagonal - of_a.length;
            const auto key = [&](int64_t insert) {
                return placement_key(forward ? 0 : 1, forward ? at - insert : at + insert);
            };
            const uint64_t low = key(forward ? model_.high_bp : model_.low_bp);
            const uint64_t high = key(forward ? model_.low_bp : model_.high_bp);
            if (!filter.any(low, high)) continue;
            for (auto other = std::lower_bound(placements.begin(), placements.end(), low);
                 other != placements.end() && *other <= high; ++other) {
                state.placed_pairs.emplace_back(turned ? placement : *other, turned ? *other : placement);
            }
            if (state.placed_pairs.size() > k_max_pairs) return false;
        }
    }
    return true;
}

/// Scores state.placed_pairs, which are sorted.
std::pair<Rivals, Rivals> PairSearch::score_pairs(uint32_t read_a, const Candidate& a, uint32_t read_b,
                                                  const Candidate& b) const {
    AlignmentWork::State& state = omitted_.state();
    const uint32_t length_a = state.reads[read_a].length;
    const uint32_t length_b = state.reads[read_b].length;
    const kernels::BandedSwScoring& scoring = omitted_.ungapped().scoring();
    const int32_t mismatch_reach =
        k_usual_mismatch_reach * scoring.mismatch_loss() / kernels::k_usual_mismatch_loss;
    const auto total = [&](const Candidate& x, const Candidate& y) {
        const int32_t insert = insert_size(x, length_a, y, length_b);
        if (insert < model_.low_bp || insert > model_.high_bp || insert == 0) return k_never;
        return x.weighed() + y.weighed() - insert_penalty(model_, insert, scoring.match);
    };
    const int32_t best = total(a, b);
    Rivals of_a;
    Rivals of_b;
    std::vector<uint64_t>& near_b = state.placements;
    near_b.clear();
    uint64_t near_a = ~uint64_t{0};  // the last placement of a that was counted
    uint64_t last = ~uint64_t{0};
    Candidate x;
    bool x_fits = false;
    for (const auto& [at_a, at_b] : state.placed_pairs) {
        if (at_a != last) {
            last = at_a;
            x = candidate_at(at_a);
            x_fits = omitted_.ungapped().compare(read_a, x);
        }
        Candidate y = candidate_at(at_b);
        if (!x_fits || !omitted_.ungapped().compare(read_b, y)) continue;
        // What is on ALT contigs does not compete with the primary assembly.
        if (x.alternate != a.alternate || y.alternate != b.alternate) continue;
        const int32_t margin = best - total(x, y);
        const bool near = margin <= mismatch_reach;
        if (at_a != placement_key(a.strand, a.diagonal)) {
            of_a.margin = std::min(of_a.margin, margin);
            of_a.near_equal += near && at_a != near_a;
            if (near) near_a = at_a;
        }
        if (at_b != placement_key(b.strand, b.diagonal)) {
            of_b.margin = std::min(of_b.margin, margin);
            if (near) near_b.push_back(at_b);
        }
    }
    std::sort(near_b.begin(), near_b.end());
    of_b.near_equal = static_cast<uint32_t>(std::unique(near_b.begin(), near_b.end()) - near_b.begin());
    return {of_a, of_b};
}

std::optional<std::pair<Rivals, Rivals>> PairSearch::search(uint32_t read_a, const Candidate& a,
                                                            uint32_t read_b, const Candidate& b) const {
    if (gapped(a) || gapped(b)) return std::nullopt;
    auto& pairs = omitted_.state().placed_pairs;
    pairs.clear();
    // Too many entries for one of the two lists make the other one useless.
    const std::optional<Shared> one = look_up(read_a, a, read_b, b);
    if (!one) return std::nullopt;
    const std::optional<Shared> other = look_up(read_b, b, read_a, a);
    if (!other || !list_pairs(read_a, read_b, *one, false) || !list_pairs(read_b, read_a, *other, true))
        return std::nullopt;
    std::sort(pairs.begin(), pairs.end());
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    return score_pairs(read_a, a, read_b, b);
}

}  // namespace gannet::align
