// SPDX-License-Identifier: MIT
// Provides the device schedule of the op pairing: a warp takes 32 templates. Each lane does its own where
// both reads have few candidates within reach, which is the rule; the others are done one after another by
// the warp, whose lanes take candidates of the first read, then of the second.
//
// Phases and the Warp are those of kernels/warp.hpp. A phase reads what earlier ones wrote.
#pragma once

#include "kernels/pairing/pairing_warps.hpp"

namespace gannet::kernels::pairing {

constexpr bool fits_lane(const ReadChoice& choice) { return choice.within_reach <= k_lane_candidates; }

template <class Totals>
constexpr void place_pair(const PairingArrays& arrays, uint32_t index, const ReadChoice& a,
                          const ReadChoice& b, bool proper, const Totals& totals) {
    const ChosenPair pair = chosen_pair(arrays.given, a, b, proper, 2 * index, totals);
    arrays.placed[2 * index] = placed(arrays.given, pair.a, pair.proper, pair.needs_search);
    arrays.placed[2 * index + 1] = placed(arrays.given, pair.b, pair.proper, pair.needs_search);
}

/// A lane's template of one read, or of two. False, and nothing is done, where it does not fit a lane.
constexpr bool place_by_lane(const PairingArrays& arrays, WarpShared& shared, uint32_t lane, uint32_t index) {
    const Given& given = arrays.given;
    const LaneTotals totals{shared.totals, lane};
    const TieBreak ties = tie_break(given.batch, index);
    if (!given.reads.paired) {
        ReadChoice choice = choice_of(given.parameters, given.batch, index);
        if (!fits_lane(choice)) return false;
        choose_alone(choice, 0, totals, ties);
        arrays.placed[index] = placed(given, chosen_read(given, choice, 0, index, totals), false, false);
        return true;
    }
    ReadChoice a = choice_of(given.parameters, given.batch, 2 * index);
    ReadChoice b = choice_of(given.parameters, given.batch, 2 * index + 1);
    if (!fits_lane(a) || !fits_lane(b)) return false;
    choose_alone(a, 0, totals, ties);
    choose_alone(b, 1, totals, ties);
    const bool proper = a.any() && b.any() && choose_pair(given.parameters, a, b, totals, ties);
    place_pair(arrays, index, a, b, proper, totals);
    return true;
}

/// The better of two pairs of which each is the best of its lane's.
constexpr bool is_better(const BestPair& found, const BestPair& than, const ReadChoice& a,
                         const ReadChoice& b, const TieBreak& ties) {
    if (!found.proper || !than.proper) return found.proper;
    if (found.total != than.total) return found.total > than.total;
    const uint64_t own = ties.pair_hash(a.all[found.a], b.all[found.b]);
    const uint64_t other = ties.pair_hash(a.all[than.a], b.all[than.b]);
    if (own != other) return own > other;
    return found.a != than.a ? found.a < than.a : found.b < than.b;
}

/// Totals of all candidates of the two reads in shared.a and shared.b, and the best pair of each lane's
/// candidates of the first.
template <class Warp>
constexpr void total_by_warp(const Warp& warp, const PairingParameters& parameters, const TieBreak& ties,
                             WarpShared& shared) {
    const int32_t unpaired = parameters.unpaired_penalty * k_score_unit;
    const WarpTotals totals{shared.totals};
    warp.each([&](uint32_t lane) {
        const ReadChoice& a = shared.a;
        const ReadChoice& b = shared.b;
        const int32_t best_b = b.chosen().weighed();
        BestPair best{a.chosen().weighed() + best_b - unpaired, false, a.best, b.best};
        for (uint32_t i = lane; i < a.within_reach; i += k_warp_lanes) {
            int32_t highest = a.all[i].weighed() + best_b - unpaired;
            for (uint32_t j = 0; j < b.within_reach; ++j) {
                const int32_t total = pair_total(parameters, a.all[i], a.length, b.all[j], b.length);
                if (total == k_never) continue;
                highest = std::max(highest, total);
                consider(best, total, i, j, a.all, b.all, ties);
            }
            totals.at(0, i) = highest;
        }
        shared.best[lane] = best;
    });
    warp.each([&](uint32_t lane) {
        const ReadChoice& a = shared.a;
        const ReadChoice& b = shared.b;
        const int32_t best_a = a.chosen().weighed();
        for (uint32_t j = lane; j < b.within_reach; j += k_warp_lanes) {
            int32_t highest = b.all[j].weighed() + best_a - unpaired;
            for (uint32_t i = 0; i < a.within_reach; ++i) {
                highest = std::max(highest, pair_total(parameters, a.all[i], a.length, b.all[j], b.length));
            }
            totals.at(1, j) = highest;
        }
    });
}

template <class Warp>
constexpr void place_by_warp(const Warp& warp, const PairingArrays& arrays, WarpShared& shared,
                             uint32_t index) {
    const Given& given = arrays.given;
    const WarpTotals totals{shared.totals};
    const TieBreak ties = tie_break(given.batch, index);
    if (!given.reads.paired) {
        warp.each([&](uint32_t lane) {
            if (lane == 0)
                arrays.placed[index] = placed(given, choose_single(given, index, totals), false, false);
        });
        return;
    }
    warp.each([&](uint32_t lane) {
        if (lane > 1) return;
        ReadChoice choice = choice_of(given.parameters, given.batch, 2 * index + lane);
        choose_alone(choice, lane, totals, ties);
        (lane == 0 ? shared.a : shared.b) = choice;
    });
    const bool both = shared.a.any() && shared.b.any();
    if (both) total_by_warp(warp, given.parameters, ties, shared);
    warp.each([&](uint32_t lane) {
        if (lane != 0) return;
        ReadChoice a = shared.a;
        ReadChoice b = shared.b;
        bool proper = false;
        if (both) {
            BestPair best = shared.best[0];
            for (uint32_t other = 1; other < k_warp_lanes; ++other) {
                if (is_better(shared.best[other], best, a, b, ties)) best = shared.best[other];
            }
            proper = best.proper;
            a.best = best.a;
            b.best = best.b;
        }
        place_pair(arrays, index, a, b, proper, totals);
    });
}

/// Templates [first, first + 32), as far as there are so many.
template <class Warp>
constexpr void place_templates(const Warp& warp, const PairingArrays& arrays, WarpShared& shared,
                               uint32_t first) {
    uint32_t left = warp.ballot([&](uint32_t lane) {
        const uint32_t index = first + lane;
        return index < arrays.templates() && !place_by_lane(arrays, shared, lane, index);
    });
    for (uint32_t lane = 0; left != 0; ++lane, left >>= 1) {
        if ((left & 1) != 0) place_by_warp(warp, arrays, shared, first + lane);
    }
}

}  // namespace gannet::kernels::pairing
