// SPDX-License-Identifier: MIT
// Provides the confidence in the reference's bases from the pile-up of a window.
#include "variants/records/reference_confidence.hpp"

#include "variants/alleles/likelihoods.hpp"
#include "variants/model/records.hpp"
#include "variants/reads/alignment_walk.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <span>

namespace gannet::variants {

namespace {

/// A read shows the length of what follows a position if it is aligned this far to both sides of it.
constexpr int64_t k_left_flank_bp = records_number("reference_left_flank_bp");
constexpr int64_t k_right_flank_bp = records_number("reference_right_flank_bp");
// Beyond the window that repeats are followed.
constexpr int64_t k_repeat_margin_bp = records_number("reference_repeat_margin_bp");
constexpr int64_t k_clip_spread_bp = records_number("reference_clip_spread_bp");
constexpr int64_t k_clip_phred = records_number("reference_clip_phred");

/// A fragment of the reference against a heterozygous site: log10 of 1 / (1/2).
constexpr int64_t k_half_odds = -k_log_half;
constexpr int64_t per_phred(int64_t phred) { return -int64_t{log_of_phred(phred)}; }

LogProbability log_mixed(uint32_t quality) {
    return log_add<LogProbability>(k_log_correct[quality], log_wrong(quality)) + k_log_half;
}

// The odds of a base that matches: 32 bits of "one copy" below 32 bits of "all copies" / 16. No window has
// more than 84,000 reads (k_max_reads_per_depth_bin), so that neither sum can overflow.
constexpr int k_all_shift = 4;
constexpr size_t k_qualities = k_quality_cap + 1;
std::array<uint64_t, k_qualities> make_match_table() {
    std::array<uint64_t, k_qualities> table{};
    for (uint32_t q = 0; q < k_qualities; ++q) {
        const auto some = static_cast<uint64_t>(std::max<int64_t>(0, k_log_correct[q] - log_mixed(q)));
        const auto all = static_cast<uint64_t>(std::max<int64_t>(0, k_log_correct[q] - log_wrong(q)));
        table[q] = all >> k_all_shift << 32 | some;
    }
    return table;
}
const auto k_match_odds = make_match_table();

constexpr uint16_t k_not_seen = 0;
constexpr uint16_t seen(data::Base base, uint8_t quality) {
    return static_cast<uint16_t>(quality << 8 | base);
}
constexpr data::Base base_of(uint16_t observation) { return static_cast<data::Base>(observation & 0xff); }
constexpr uint8_t quality_of(uint16_t observation) { return static_cast<uint8_t>(observation >> 8); }

/// Calls take(k) for each quality below the minimum (at most 128); eight at a time, as there are few.
template <class Function>
void for_each_below(std::span<const uint8_t> qualities, uint8_t minimum, Function&& take) {
    constexpr uint64_t k_each = 0x0101010101010101u;
    size_t i = 0;
    for (; i + 8 <= qualities.size(); i += 8) {
        uint64_t eight;
        std::memcpy(&eight, qualities.data() + i, 8);
        if (((eight - k_each * minimum) & ~eight & k_each * 0x80) == 0) continue;
        for (size_t k = i; k < i + 8; ++k) {
            if (qualities[k] < minimum) take(k);
        }
    }
    for (; i < qualities.size(); ++i) {
        if (qualities[i] < minimum) take(i);
    }
}

uint16_t phred_of(int64_t odds) {
    const int64_t phred = (odds * 10 + k_log_scale / 2) / k_log_scale;
    return static_cast<uint16_t>(std::clamp<int64_t>(phred, 0, std::numeric_limits<uint16_t>::max()));
}

}  // namespace

void ReferenceConfidence::clear(const data::Region& window) {
    begin = window.begin;
    end = window.end;
    depth.clear();
    likelihoods.clear();
}

void ReferenceConfidence::lower_to(const ReferenceConfidence& other) {
    for (size_t i = 0; i < likelihoods.size(); ++i) {
        for (size_t k = 0; k < likelihoods[i].size(); ++k)
            likelihoods[i][k] = std::min(likelihoods[i][k], other.likelihoods[i][k]);
    }
}

void ReferenceConfidenceBuilder::Odds::lower_to(const Odds& other) {
    some = std::min(some, other.some);
    all = std::min(all, other.all);
}

void ReferenceConfidenceBuilder::start(const ReadSet& set, const ReferenceSlice& slice,
                                       const data::Region& window, int32_t minimum_base_quality) {
    set_ = &set;
    slice_ = &slice;
    begin_ = window.begin;
    end_ = window.end;
    minimum_base_quality_ = minimum_base_quality;
    const auto size = static_cast<size_t>(end_ - begin_);
    matches_.assign(size, 0);
    depth_.assign(size, 0);
    covering_.assign(size + 1, 0);
    odds_cap_ = k_no_cap;
    spanning_.assign(size + 1, 0);
    indels_.resize(size);
    has_indel_.assign(size, 0);
    mismatches_.clear();
}

/// All bases count as matching at first: nearly all of them do.
void ReferenceConfidenceBuilder::add_matches(std::span<const uint8_t> qualities, uint8_t cap,
                                             uint64_t* matches) {
    if (cap != odds_cap_) {
        odds_cap_ = cap;
        for (size_t q = 0; q < odds_.size(); ++q) {
            const bool counts = static_cast<int32_t>(q) >= minimum_base_quality_;
            odds_[q] = counts ? k_match_odds[std::min<size_t>(q, cap)] : 0;
        }
    }
    size_t k = 0;
    for (; k + 4 <= qualities.size(); k += 4) {
        matches[k] += odds_[qualities[k]];
        matches[k + 1] += odds_[qualities[k + 1]];
        matches[k + 2] += odds_[qualities[k + 2]];
        matches[k + 3] += odds_[qualities[k + 3]];
    }
    for (; k < qualities.size(); ++k) matches[k] += odds_[qualities[k]];
}

void ReferenceConfidenceBuilder::match(uint32_t query, uint32_t length, int64_t reference) {
    const int64_t from = std::max(reference, begin_);
    const int64_t to = std::min(reference + int64_t{length}, end_);
    if (from >= to) return;
    const size_t first = read_->bases + query + static_cast<size_t>(from - reference);
    const auto at = static_cast<size_t>(from - begin_);
    const auto count = static_cast<size_t>(to - from);
    const data::Base* const bases = set_->bases.data() + first;
    const uint8_t* const qualities = set_->qualities.data() + first;
    const data::Base* const expected = slice_->span(from, to).data();
    uint64_t* const matches = matches_.data() + at;
    int32_t* const depth = depth_.data() + at;
    const auto minimum = static_cast<uint8_t>(minimum_base_quality_);
    const uint8_t cap = std::min(read_->mapping_quality, k_quality_cap);
    add_matches({qualities, count}, cap, matches);
    ++covering_[at];
    --covering_[at + count];
    for_each_below({qualities, count}, minimum, [&](size_t k) { --depth[k]; });
    for_each_difference(bases, expected, count, [&](size_t k) {
        if (expected[k] > 3 || qualities[k] < minimum) return;
        const uint8_t quality = std::min(qualities[k], cap);
        matches[k] -= k_match_odds[quality];
        if (bases[k] > 3)
            --depth[k];
        else
            mismatches_.push_back({static_cast<uint32_t>(at + k), bases[k], quality, 1});
    });
}

/// The bases of sufficient quality (N too) of a read at each position of [from, to).
void ReferenceConfidenceBuilder::project(const CallRead& read, int64_t from, int64_t to,
                                         std::vector<uint16_t>& out) const {
    out.assign(static_cast<size_t>(to - from), k_not_seen);
    const uint8_t cap = std::min(read.mapping_quality, k_quality_cap);
    for_each_match(*set_, read, [&](uint32_t query, uint32_t length, int64_t reference) {
        const int64_t end = std::min(reference + int64_t{length}, to);
        for (int64_t p = std::max(reference, from); p < end; ++p) {
            const size_t at = read.bases + query + static_cast<size_t>(p - reference);
            if (set_->qualities[at] < static_cast<uint8_t>(minimum_base_quality_)) continue;
            out[static_cast<size_t>(p - from)] = seen(set_->bases[at], std::min(set_->qualities[at], cap));
        }
    });
}

void ReferenceConfidenceBuilder::drop(size_t offset, data::Base base, uint8_t quality) {
    const data::Base expected = slice_->at(begin_ + static_cast<int64_t>(offset));
    if (expected > 3 || base > 3) return;
    --depth_[offset];
    if (base == expected)
        matches_[offset] -= k_match_odds[quality];
    else
        mismatches_.push_back({static_cast<uint32_t>(offset), base, quality, -1});
}

/// Where mates overlap the better base counts once, and neither where they disagree or one is N: as in
/// pile_up().
void ReferenceConfidenceBuilder::drop_second_mates(const CallRead& read, const CallRead& mate) {
    const int64_t from = std::max({read.begin, mate.begin, begin_});
    const int64_t to = std::min({read.end, mate.end, end_});
    if (from >= to) return;
    project(read, from, to, projected_[0]);
    project(mate, from, to, projected_[1]);
    for (size_t k = 0; k < projected_[0].size(); ++k) {
        const uint16_t a = projected_[0][k];
        const uint16_t b = projected_[1][k];
        if (a == k_not_seen || b == k_not_seen) continue;
        const size_t offset = static_cast<size_t>(from - begin_) + k;
        const bool differ = base_of(a) != base_of(b);
        if (differ || quality_of(a) < quality_of(b)) drop(offset, base_of(a), quality_of(a));
        if (differ || quality_of(a) >= quality_of(b)) drop(offset, base_of(b), quality_of(b));
    }
}

/// Repeats whose left end is in the window: an indel inside a repeat has its record there.
void ReferenceConfidenceBuilder::load_repeat_edges() {
    find_repeat_edges(*slice_, begin_, end_, k_right_flank_bp, k_repeat_margin_bp, edges_);
    longest_reach_ = 0;
    for (const RepeatEdge& edge : edges_)
        longest_reach_ = std::max(longest_reach_, edge.needed_end - edge.position);
}

/// Adds a fragment that is aligned to [begin, end) at the positions after which it shows every indel.
void ReferenceConfidenceBuilder::count_spanning(int64_t begin, int64_t end, int32_t sign) {
    const int64_t from = std::max(begin + k_left_flank_bp, begin_);
    const int64_t to = std::min(end - k_right_flank_bp, end_);
    if (from >= to) return;
    spanning_[static_cast<size_t>(from - begin_)] += sign;
    spanning_[static_cast<size_t>(to - begin_)] -= sign;
    auto edge = std::lower_bound(edges_.begin(), edges_.end(), to,
                                 [](const RepeatEdge& e, int64_t position) { return e.position < position; });
    while (edge != edges_.begin()) {
        --edge;
        if (edge->position < from || edge->position + longest_reach_ <= end) break;
        if (edge->needed_end <= end) continue;
        const auto at = static_cast<size_t>(edge->position - begin_);
        spanning_[at] -= sign;
        spanning_[at + 1] += sign;
    }
}

/// Of the base after each position.
void ReferenceConfidenceBuilder::find_gap_qualities(const GapQualityTable& gaps) {
    const int64_t first = begin_ + 1 - slice_->begin();
    gap_qualities(gaps, slice_->repeats(), static_cast<size_t>(first),
                  static_cast<size_t>(first + end_ - begin_), gap_qualities_);
}

/// The least favourable of the indels that reads show, at the position of each one's record.
void ReferenceConfidenceBuilder::add_indels(const Evidence& evidence) {
    const auto& events = evidence.indels;
    for (size_t first = 0, last = 0; first < events.size(); first = last) {
        while (last < events.size() &&
               compare_alleles(events[first].allele, events[last].allele, evidence.arena) == 0)
            ++last;
        const int64_t fragments = count_fragments(*set_, std::span(events).subspan(first, last - first));
        const int64_t position = events[first].allele.record_position();
        if (position < begin_ || position >= end_) continue;
        const auto at = static_cast<size_t>(position - begin_);
        const int64_t spanning = std::max<int64_t>(spanning_[at], fragments);
        const int64_t gap = per_phred(gap_qualities_[at]);
        const Odds odds = {spanning * k_half_odds - fragments * gap, (spanning - 2 * fragments) * gap};
        if (has_indel_[at] == 0) indels_[at] = odds;
        has_indel_[at] = 1;
        indels_[at].lower_to(odds);
    }
}

/// Of each position, the soft clips within k_clip_spread_bp of it.
void ReferenceConfidenceBuilder::count_clips(const Evidence& evidence) {
    clips_.assign(static_cast<size_t>(end_ - begin_), 0);
    const auto& clips = evidence.clips;
    for (auto clip = clips.begin(); clip != clips.end(); ++clip) {
        if (*clip == 0) continue;
        const int64_t position = evidence.begin + (clip - clips.begin());
        const int64_t last = std::min(position + k_clip_spread_bp, end_ - 1);
        for (int64_t p = std::max(position - k_clip_spread_bp, begin_); p <= last; ++p)
            clips_[static_cast<size_t>(p - begin_)] += *clip;
    }
}

/// `mismatch`: the first mismatch at or after the offset; left at the first one after it.
ReferenceConfidenceBuilder::Odds ReferenceConfidenceBuilder::odds_of_bases(size_t offset,
                                                                           size_t& mismatch) const {
    const Odds matching = {static_cast<int64_t>(matches_[offset] & 0xffffffff),
                           static_cast<int64_t>(matches_[offset] >> 32 << k_all_shift)};
    if (mismatch == mismatches_.size() || mismatches_[mismatch].offset != offset) return matching;
    std::array<Odds, 4> odds;
    odds.fill(matching);
    for (; mismatch < mismatches_.size() && mismatches_[mismatch].offset == offset; ++mismatch) {
        const Mismatch& m = mismatches_[mismatch];
        odds[m.base].some += m.sign * (int64_t{log_wrong(m.quality)} - log_mixed(m.quality));
        odds[m.base].all += m.sign * (int64_t{log_wrong(m.quality)} - k_log_correct[m.quality]);
    }
    Odds lowest = odds[0];
    for (const Odds& other : odds) lowest.lower_to(other);
    return lowest;
}

ReferenceConfidenceBuilder::Odds ReferenceConfidenceBuilder::odds_of_gaps(size_t offset) const {
    const int64_t spanning = spanning_[offset];
    Odds odds = {spanning * k_half_odds, spanning * per_phred(gap_qualities_[offset])};
    if (has_indel_[offset] != 0) odds.lower_to(indels_[offset]);
    const int64_t clips = clips_[offset];
    if (clips == 0) return odds;
    odds.lower_to({(spanning + clips) * k_half_odds - clips * per_phred(k_clip_phred),
                   (spanning - clips) * per_phred(k_clip_phred)});
    return odds;
}

void ReferenceConfidenceBuilder::build(const ReadSet& set, const ReferenceSlice& slice,
                                       const Evidence& evidence, const data::Region& window,
                                       int32_t minimum_base_quality, const GapQualityTable& gaps,
                                       ReferenceConfidence& out) {
    out.clear(window);
    if (set.reads.empty()) return;
    start(set, slice, window, minimum_base_quality);
    load_repeat_edges();
    find_gap_qualities(gaps);
    for (size_t i = 0; i < set.reads.size(); ++i) {
        read_ = &set.reads[i];
        if (read_->end <= begin_ || read_->begin >= end_) continue;
        for_each_match(set, *read_, [this](uint32_t query, uint32_t length, int64_t reference) {
            match(query, length, reference);
        });
        count_spanning(read_->begin, read_->end, 1);
        if (read_->mate < 0 || static_cast<size_t>(read_->mate) < i) continue;
        const CallRead& mate = set.reads[static_cast<size_t>(read_->mate)];
        drop_second_mates(*read_, mate);
        count_spanning(std::max(read_->begin, mate.begin), std::min(read_->end, mate.end), -1);
    }
    for (size_t i = 1; i < spanning_.size(); ++i) {
        spanning_[i] += spanning_[i - 1];
        covering_[i] += covering_[i - 1];
    }
    add_indels(evidence);
    count_clips(evidence);
    std::sort(mismatches_.begin(), mismatches_.end(),
              [](const Mismatch& a, const Mismatch& b) { return a.offset < b.offset; });
    const auto size = static_cast<size_t>(end_ - begin_);
    out.depth.resize(size);
    out.likelihoods.assign(size, {0, 0});
    size_t mismatch = 0;
    for (size_t i = 0; i < size; ++i) {
        out.depth[i] = static_cast<uint16_t>(
            std::clamp<int32_t>(covering_[i] + depth_[i], 0, std::numeric_limits<uint16_t>::max()));
        Odds odds = odds_of_bases(i, mismatch);
        if (slice.at(begin_ + static_cast<int64_t>(i)) > 3) continue;
        odds.lower_to(odds_of_gaps(i));
        out.likelihoods[i] = {phred_of(odds.some), phred_of(odds.all)};
    }
}

}  // namespace gannet::variants
