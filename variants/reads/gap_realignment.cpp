// SPDX-License-Identifier: MIT
// Provides the search for the best alignment of a read with one gap.
#include "variants/reads/gap_realignment.hpp"

#include "variants/model/reads.hpp"
#include "variants/reads/alignment_walk.hpp"
#include "variants/sequence/repeats.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <immintrin.h>
#include <limits>

namespace gannet::variants {

namespace {

// Of an alignment that is reconsidered: two mismatches of good bases.
constexpr int32_t k_min_cost = reads_number("realign_min_cost");
constexpr int32_t k_min_realignment_gain = reads_number("realign_min_gain");  // Phred
constexpr int64_t k_min_kept_bp = reads_number("realign_min_kept_bp");  // aligned on the side that stays
// On the other side, unless the gap is a change of a tandem repeat.
constexpr int64_t k_min_moved_bp = reads_number("realign_min_moved_bp");
// Per base of the side that is moved: about a mismatch in eight bases.
constexpr int64_t k_max_moved_cost = reads_number("realign_max_moved_cost");
constexpr char k_max_probe_cost = reads_number("realign_max_probe_cost");
constexpr int64_t k_diagonals_at_once = 16;
constexpr int64_t k_any_end = std::numeric_limits<int64_t>::max();
constexpr uint8_t k_min_used_quality = reads_number("realign_min_quality");
// A base that so many other reads of a position have, at least, is a variant.
constexpr int32_t k_min_sharing = reads_number("realign_min_sharing");
constexpr int32_t k_min_sharing_tenths = reads_number("realign_min_sharing_tenths");
// Reads of a position: deep ones have more of the same.
constexpr int32_t k_max_compared = reads_number("realign_max_compared");

constexpr int64_t k_max_insertion_part = reads_number("realign_max_insertion_part");  // of the read
// Of a gap, Phred; and bases of it that cost one more.
constexpr int32_t k_gap_price = reads_number("realign_gap_price");
constexpr int64_t k_gap_bases_per_phred = reads_number("realign_gap_bases_per_phred");
constexpr int32_t k_tandem_price = reads_number("realign_tandem_price");
constexpr int64_t k_tandem_bases_per_phred = reads_number("realign_tandem_bases_per_phred");
constexpr int32_t k_variant_price = reads_number("realign_variant_price");  // of an SNV

/// Of a gap: it costs less where it could be placed at as many positions as it is long, which is where it
/// adds or removes a copy of the sequence beside it.
constexpr int32_t price(int64_t length, bool is_tandem) {
    return is_tandem ? k_tandem_price + static_cast<int32_t>(length / k_tandem_bases_per_phred)
                     : k_gap_price + static_cast<int32_t>(length / k_gap_bases_per_phred);
}

}  // namespace

/// Prepares the read; false if its alignment has no signs of another gap.
bool GapRealigner::load(const ReferenceSlice& slice, const ReadSet& set, const CallRead& read) {
    const auto cigar = set.cigar(read);
    int64_t query = 0;
    int64_t reference = read.begin;
    int32_t cost = 0;
    bool is_first = true;
    left_clip_ = right_clip_ = 0;
    for (size_t i = 0; i < cigar.size(); ++i) {
        const data::CigarOp op = data::cigar_op(cigar[i]);
        const auto length = static_cast<int64_t>(data::cigar_length(cigar[i]));
        const bool takes_query = data::cigar_consumes_query(op);
        const bool takes_reference = data::cigar_consumes_reference(op);
        if (takes_query && takes_reference) {
            if (reference < slice.begin() || reference + length > slice.end()) return false;
            if (is_first) left_diagonal_ = reference - query;
            is_first = false;
            right_diagonal_ = reference - query;
            for_each_mismatch(set, read.bases + static_cast<size_t>(query), slice, reference,
                              reference + length, 0,
                              [&](size_t, data::Base, uint8_t quality) { cost += quality; });
        } else if (op == data::k_cigar_soft_clip) {
            (is_first ? left_clip_ : right_clip_) = length;
        } else if (op == data::k_cigar_insertion || op == data::k_cigar_deletion) {
            cost += price(length, true);
        } else if (takes_query || takes_reference) {
            return false;  // a skipped part of the reference: the read is of RNA
        }
        if (takes_query) query += length;
        if (takes_reference) reference += length;
    }
    if (is_first || (cost < k_min_cost && left_clip_ + right_clip_ == 0)) return false;
    slice_ = &slice;
    bases_ = set.bases.data() + read.bases;
    qualities_ = set.qualities.data() + read.bases;
    length_ = read.length;
    for (int64_t i = 0; i < left_clip_; ++i) cost += mismatch(i, left_diagonal_);
    for (int64_t i = length_ - right_clip_; i < length_; ++i) cost += mismatch(i, right_diagonal_);
    cost_ = cost;
    limit_ = cost - k_min_realignment_gain;
    found_ = false;
    return cost >= k_min_cost;
}

GapRealigner::Probe GapRealigner::probe_of(bool at_end) const {
    Probe probe;
    size_t count = 0;
    for (int64_t i = 0; i < length_ && count < k_probe_bases; ++i) {
        const int64_t offset = at_end ? length_ - 1 - i : i;
        if (qualities_[offset] >= k_min_used_quality && bases_[offset] <= 3) probe.offsets[count++] = offset;
    }
    probe.is_full = count == k_probe_bases;
    return probe;
}

/// Lists the diagonals of the moved end that fit its probe, short gaps before longer ones and deletions
/// before insertions. Sixteen diagonals are compared at a time, and nearly always none of them fits.
void GapRealigner::find_fitting(const Probe& probe, int64_t stays, bool stays_left) {
    const int64_t direction = stays_left ? 1 : -1;  // of the diagonals of deletions
    const int64_t insertions = std::min<int64_t>(k_max_indel_bp, length_ / k_max_insertion_part);
    const int64_t first = stays - (stays_left ? insertions : k_max_indel_bp);
    const int64_t last = stays + (stays_left ? k_max_indel_bp : insertions);
    const auto [lowest, highest] = std::minmax_element(probe.offsets.begin(), probe.offsets.end());
    slice_->copy(first + *lowest, last + *highest + k_diagonals_at_once, probed_);
    diagonals_.clear();
    for (int64_t block = first; block <= last; block += k_diagonals_at_once) {
        __m128i costs = _mm_setzero_si128();
        for (const int64_t offset : probe.offsets) {
            const data::Base* const at = probed_.data() + (block - first) + (offset - *lowest);
            const __m128i expected = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
            const __m128i equal = _mm_cmpeq_epi8(expected, _mm_set1_epi8(static_cast<char>(bases_[offset])));
            const __m128i price = _mm_set1_epi8(static_cast<char>(qualities_[offset]));
            costs = _mm_adds_epu8(costs, _mm_andnot_si128(equal, price));
        }
        const __m128i most = _mm_set1_epi8(k_max_probe_cost);
        auto fits = static_cast<uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_max_epu8(costs, most), most)));
        for (; fits != 0; fits &= fits - 1) {
            const int64_t diagonal = block + std::countr_zero(fits);
            if (diagonal <= last && diagonal != stays) diagonals_.push_back(diagonal);
        }
    }
    const auto rank = [&](int64_t diagonal) {
        const int64_t size = (diagonal - stays) * direction;
        return 2 * std::abs(size) + (size > 0 ? 0 : 1);
    };
    std::sort(diagonals_.begin(), diagonals_.end(), [&](int64_t a, int64_t b) { return rank(a) < rank(b); });
}

/// Of the gap: where it removes or adds one copy of a repeat whose copies differ, bases that an added one has
/// and no other copy are further variants.
int32_t GapRealigner::price_of(const OneGap& gap, bool is_tandem) const {
    const int64_t size = std::abs(gap.right - gap.left);
    const int64_t begin = gap.left + gap.split;
    if (is_tandem) return price(size, true);
    if (gap.inserted() == 0) {
        const int64_t end = begin + size;
        const bool is_copy = begin >= slice_->begin() && end <= slice_->end() &&
                             is_copy_of_neighbour(*slice_, begin, end, slice_->span(begin, end));
        return price(size, is_copy);
    }
    const std::span inserted{bases_ + gap.split, static_cast<size_t>(size)};
    if (!is_copy_of_neighbour(*slice_, begin, begin, inserted)) return price(size, false);
    const auto variants = static_cast<int32_t>(differences_from_copies(*slice_, begin, inserted));
    return std::min(price(size, true) + variants * k_variant_price, price(size, false));
}

/// Takes the cheapest split of [first, last], the leftmost of several, if it is better than what is known.
void GapRealigner::take_best_split(OneGap gap, int64_t first, int64_t last) {
    const int64_t inserted = gap.inserted();
    const int64_t size = std::abs(gap.right - gap.left);
    int32_t lowest = limit_;
    int64_t places = 0;  // with the lowest cost, one after another
    for (int64_t split = first; split <= last; ++split) {
        const int32_t cost =
            prefix_[static_cast<size_t>(split)] + suffix_[static_cast<size_t>(split + inserted)];
        if (cost < lowest) {
            lowest = cost;
            gap.split = split;
            places = 1;
        } else if (places > 0 && cost == lowest && gap.split + places == split) {
            ++places;
        }
    }
    if (places == 0) return;
    gap.price = price_of(gap, places >= size);
    const bool is_tandem = gap.price < price(size, false);
    gap.cost = lowest + gap.price;
    if (gap.cost >= limit_) return;
    const int64_t split_end = gap.split + inserted;
    const int64_t moved = gap.stays_left ? length_ - split_end : gap.split;
    const int32_t moved_cost =
        gap.stays_left ? suffix_[static_cast<size_t>(split_end)] : prefix_[static_cast<size_t>(gap.split)];
    if (moved_cost > moved * k_max_moved_cost || (!is_tandem && moved < k_min_moved_bp)) return;
    limit_ = gap.cost;
    best_ = gap;
    found_ = true;
}

/// The left end stays on its diagonal.
void GapRealigner::move_right_end() {
    const Probe probe = probe_of(true);
    if (!probe.is_full) return;
    find_fitting(probe, left_diagonal_, true);
    if (diagonals_.empty()) return;
    const int64_t first = left_clip_ + k_min_kept_bp;
    int64_t last = first;  // the first split whose left side alone costs too much
    prefix_.resize(static_cast<size_t>(length_ + 1));
    prefix_[0] = 0;
    for (int64_t i = 0; i < length_; ++i) {
        prefix_[static_cast<size_t>(i + 1)] = prefix_[static_cast<size_t>(i)] + mismatch(i, left_diagonal_);
        if (prefix_[static_cast<size_t>(i + 1)] < limit_) last = i + 1;
    }
    suffix_.resize(static_cast<size_t>(length_ + 1));
    for (const int64_t right : diagonals_) {
        const OneGap gap{left_diagonal_, right, 0, 0, true};
        int64_t lowest = length_;
        suffix_[static_cast<size_t>(length_)] = 0;
        while (lowest > first && suffix_[static_cast<size_t>(lowest)] < limit_) {
            suffix_[static_cast<size_t>(lowest - 1)] =
                suffix_[static_cast<size_t>(lowest)] + mismatch(lowest - 1, right);
            --lowest;
        }
        take_best_split(gap, std::max(first, lowest - gap.inserted()),
                        std::min(last, length_ - 1 - gap.inserted()));
    }
}

/// The right end stays on its diagonal.
void GapRealigner::move_left_end() {
    const Probe probe = probe_of(false);
    if (!probe.is_full) return;
    find_fitting(probe, right_diagonal_, false);
    if (diagonals_.empty()) return;
    const int64_t last = length_ - right_clip_ - k_min_kept_bp;  // the last base that may follow the gap
    suffix_.resize(static_cast<size_t>(length_ + 1));
    suffix_[static_cast<size_t>(length_)] = 0;
    int64_t first = last;
    for (int64_t i = length_ - 1; i >= 0; --i) {
        suffix_[static_cast<size_t>(i)] = suffix_[static_cast<size_t>(i + 1)] + mismatch(i, right_diagonal_);
        if (suffix_[static_cast<size_t>(i)] < limit_) first = i;
    }
    prefix_.resize(static_cast<size_t>(length_ + 1));
    prefix_[0] = 0;
    for (const int64_t left : diagonals_) {
        const OneGap gap{left, right_diagonal_, 0, 0, false};
        int64_t highest = 0;
        while (highest < last && prefix_[static_cast<size_t>(highest)] < limit_) {
            prefix_[static_cast<size_t>(highest + 1)] =
                prefix_[static_cast<size_t>(highest)] + mismatch(highest, left);
            ++highest;
        }
        take_best_split(gap, std::max<int64_t>(1, first - gap.inserted()),
                        std::min(highest, last - gap.inserted()));
    }
}

/// Whether reads without a better gap, that begin at `from` or later and end at `to` or before, have the base
/// too.
bool GapRealigner::is_shared(const ReadSet& set, int64_t position, data::Base base, int64_t from,
                             int64_t to) const {
    int32_t with = 0;
    int32_t all = 0;
    for (size_t i = set.first_over(position); i < set.reads.size() && all < k_max_compared; ++i) {
        const CallRead& read = set.reads[i];
        if (read.begin > position) break;
        if (position >= read.end || has_found_[i] != 0 || read.begin < from || read.end > to) continue;
        const int64_t offset = read_offset_at(set, read, position);
        if (offset < 0) continue;
        const size_t at = read.bases + static_cast<size_t>(offset);
        if (set.qualities[at] < k_min_used_quality) continue;
        ++all;
        if (set.bases[at] == base) ++with;
    }
    return with >= k_min_sharing && 10 * with >= k_min_sharing_tenths * all;
}

/// Phred by which a read with some of the mismatches fits variants better than the gap: with it, it is either
/// of the haplotype with the gap, or has errors.
int32_t GapRealigner::against_gap(const ReadSet& set, const CallRead& read,
                                  const GappedHaplotype& with_gap) const {
    int32_t of_gap = 0;
    int32_t of_variants = 0;
    int32_t errors = 0;
    for (int64_t offset = 0; offset < read.length; ++offset) {
        const size_t at = read.bases + static_cast<size_t>(offset);
        const data::Base base = set.bases[at];
        const int64_t position = read.begin + offset;
        if (base > 3 || set.qualities[at] < k_min_used_quality) continue;
        if (base != with_gap.at(position)) of_gap += set.qualities[at];
        if (base == slice_->at(position)) continue;
        const bool is_variant = std::any_of(moved_.begin(), moved_.end(), [&](const Mismatch& each) {
            return each.position == position && each.base == base;
        });
        (is_variant ? errors : of_variants) += set.qualities[at];
    }
    return errors == 0 ? 0 : std::min(errors, of_gap - of_variants);
}

/// Whether reads without a better gap that have some of the mismatches make variants likelier than the gap.
bool GapRealigner::is_refuted(const ReadSet& set, const Found& found) const {
    const auto variants = static_cast<int32_t>(moved_.size());
    const int32_t needed = variants * k_variant_price - found.gap.price;
    const auto [first, last] =
        std::minmax_element(moved_.begin(), moved_.end(),
                            [](const Mismatch& a, const Mismatch& b) { return a.position < b.position; });
    const OneGap& gap = found.gap;
    const auto inserted = std::span(set.bases).subspan(
        set.reads[found.read].bases + static_cast<size_t>(gap.split), static_cast<size_t>(gap.inserted()));
    const GappedHaplotype with_gap{*slice_, inserted, gap.left - gap.right, gap.stays_left, gap.border()};
    int32_t against = 0;
    int32_t compared = 0;
    for (size_t i = set.first_over(first->position); i < set.reads.size() && compared < k_max_compared; ++i) {
        const CallRead& read = set.reads[i];
        if (read.begin > last->position) break;
        if (read.cigar_count != 1 || has_found_[i] != 0) continue;
        against += against_gap(set, read, with_gap);
        ++compared;
    }
    return against > std::max(0, needed);
}

/// Phred of the mismatches, in the part of the read that the gap moves, that are of variants.
int32_t GapRealigner::shared_mismatches(const ReadSet& set, const Found& found) {
    const CallRead& read = set.reads[found.read];
    int32_t shared = 0;
    int32_t all = 0;
    const OneGap& gap = found.gap;
    // Reads that begin, or end, behind the gap and within its length of a base would be on the copy whose
    // bases they have, were it a gap.
    const int64_t border = gap.border();
    const int64_t size = std::abs(gap.right - gap.left);
    const auto is_shared_behind = [&](int64_t position, data::Base base) {
        return gap.stays_left
                   ? is_shared(set, position, base, std::max(border, position - size + 1), k_any_end)
                   : is_shared(set, position, base, 0, std::min(border, position + size));
    };
    moved_.clear();
    for_each_match(set, read, [&](uint32_t query, uint32_t length, int64_t reference) {
        for_each_mismatch(set, read.bases + query, *slice_, reference, reference + length, 0,
                          [&](size_t k, data::Base base, uint8_t quality) {
                              const int64_t offset = query + static_cast<int64_t>(k);
                              const bool is_moved =
                                  gap.stays_left ? offset >= gap.split : offset < gap.split + gap.inserted();
                              if (is_moved)
                                  moved_.push_back({reference + static_cast<int64_t>(k), base, quality});
                          });
    });
    for (const Mismatch& each : moved_) {
        all += each.quality;
        if (is_shared(set, each.position, each.base, 0, k_any_end) ||
            is_shared_behind(each.position, each.base))
            shared += each.quality;
    }
    return shared < all && is_refuted(set, found) ? all : shared;
}

void GapRealigner::replace(ReadSet& set, CallRead& read) const {
    const auto add = [&](data::CigarOp op, int64_t length) {
        if (length > 0) set.cigars.push_back(data::cigar_element(static_cast<uint32_t>(length), op));
    };
    const int64_t left_clip = best_.stays_left ? left_clip_ : 0;
    const int64_t right_clip = best_.stays_left ? 0 : right_clip_;
    const int64_t inserted = best_.inserted();
    const int64_t rest = length_ - best_.split - inserted - right_clip;
    const int64_t deleted = std::max<int64_t>(0, best_.right - best_.left);
    // The clip may have been of a longer insertion than this read shows: assembly still looks there.
    const int64_t placed = best_.stays_left ? right_clip_ : left_clip_;
    if (is_good_clip(
            {best_.stays_left ? qualities_ + length_ - placed : qualities_, static_cast<size_t>(placed)}))
        read.former_clip = best_.stays_left ? read.end : read.begin;
    read.cigar = static_cast<uint32_t>(set.cigars.size());
    add(data::k_cigar_soft_clip, left_clip);
    add(data::k_cigar_match, best_.split - left_clip);
    add(data::k_cigar_insertion, inserted);
    add(data::k_cigar_deletion, deleted);
    add(data::k_cigar_match, rest);
    add(data::k_cigar_soft_clip, right_clip);
    read.cigar_count = static_cast<uint32_t>(set.cigars.size()) - read.cigar;
    read.begin = best_.left + left_clip;
    read.end = read.begin + best_.split - left_clip + deleted + rest;
    set.longest_span = std::max(set.longest_span, read.end - read.begin);
}

void GapRealigner::realign(const ReferenceSlice& slice, ReadSet& set) {
    all_found_.clear();
    has_found_.assign(set.reads.size(), 0);
    for (uint32_t i = 0; i < set.reads.size(); ++i) {
        if (!load(slice, set, set.reads[i])) continue;
        move_right_end();
        move_left_end();
        if (!found_) continue;
        all_found_.push_back({i, cost_ - best_.cost, best_});
        has_found_[i] = 1;
    }
    // Only now, since reads are looked up by where they were aligned.
    std::erase_if(all_found_, [&](const Found& found) {
        return found.gain - shared_mismatches(set, found) < k_min_realignment_gain;
    });
    bool is_sorted = true;
    for (const Found& found : all_found_) {
        CallRead& read = set.reads[found.read];
        load(slice, set, read);  // again: its clips and qualities
        best_ = found.gap;
        const int64_t begin = read.begin;
        replace(set, read);
        is_sorted &= read.begin == begin;
    }
    if (!is_sorted) sort_reads(set);
}

}  // namespace gannet::variants
