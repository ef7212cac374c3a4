// SPDX-License-Identifier: MIT
// Provides the placement on the reference of what clipped reads show together.
#include "variants/evidence/clip_alleles.hpp"

#include "variants/evidence/clip_consensus.hpp"
#include "variants/evidence/mate_bridge.hpp"
#include "variants/model/alleles.hpp"
#include "variants/model/reads.hpp"
#include "variants/reads/alignment_walk.hpp"
#include "variants/sequence/repeats.hpp"

#include <algorithm>
#include <limits>
#include <optional>

namespace gannet::variants {

namespace {

constexpr int64_t k_min_clip_percent = alleles_number("clip_min_percent");
// Clips that no allele explains are assembled.
constexpr int64_t k_min_assembled_percent = alleles_number("clip_assembled_percent");

// Of a consensus that shows an allele without the other side.
constexpr int64_t k_min_one_sided_bp = alleles_number("clip_one_sided_bp");
// Of the consensus of both ends of an insertion.
constexpr int64_t k_min_overlap_bp = alleles_number("clip_min_overlap_bp");
// At most between the two ends of an insertion.
constexpr int64_t k_end_distance_bp = alleles_number("clip_end_distance_bp");
// Pairs of the ends of an insertion at one place, of which what is between them is looked for.
constexpr size_t k_max_bridge_tries = alleles_number("bridge_max_tries");
// At a clipped end, to look for interruptions of it.
constexpr int64_t k_min_repeat_bp = alleles_number("clip_min_repeat_bp");
constexpr int64_t k_max_repeat_bp = alleles_number("clip_max_repeat_bp");  // of which they are looked for
// That are tried at a clipped end.
constexpr int64_t k_max_interruptions = alleles_number("clip_max_interruptions");
// Another variant nearby, or an error of the consensus.
constexpr int64_t k_bases_per_mismatch = alleles_number("clip_bases_per_mismatch");
// Of a consensus that goes on elsewhere in the reference: a mismatch costs as much as so many matches,
constexpr int64_t k_clip_mismatch = alleles_number("clip_mismatch");
// it is looked at no further where so much is lost, and must be this much better than anywhere else.
constexpr int64_t k_max_drop = alleles_number("clip_max_drop");
constexpr int64_t k_min_margin = alleles_number("clip_min_margin");
// Kinds of reads at one place, whose clips disagree.
// Phred: two mismatches of good bases, by which a read shows the other side.
constexpr int64_t k_min_shown_gain = reads_number("realign_min_cost");
constexpr size_t k_max_groups = alleles_number("clip_max_groups");
constexpr int64_t k_rival_overlap_ratio = alleles_number("clip_rival_overlap_ratio");

int64_t allowed_mismatches(int64_t length) { return length / k_bases_per_mismatch; }

/// Where `joined` begins relative to `right` so that both overlap by k_min_overlap_bp or more with the fewest
/// mismatches, if that is in one place only and no other overlap that fits is twice as long: up to before the
/// end of the first `left_bp` bases of `joined`. Overlaps that are a tandem repeat throughout do not count,
/// since they fit at any copy of it.
std::optional<int64_t> best_overlap(std::span<const data::Base> right, std::span<const data::Base> joined,
                                    int64_t left_bp) {
    const auto right_size = static_cast<int64_t>(right.size());
    const auto joined_size = static_cast<int64_t>(joined.size());
    std::optional<int64_t> best;
    int64_t best_wrong = std::numeric_limits<int64_t>::max();
    int64_t best_size = 0;
    int64_t longest = 0;
    for (int64_t start = right_size - k_min_overlap_bp; start > -left_bp; --start) {
        const int64_t skip = std::max<int64_t>(0, -start);
        const int64_t begin = std::max<int64_t>(0, start);
        const int64_t size = std::min(right_size - begin, joined_size - skip);
        if (size < k_min_overlap_bp) continue;
        const auto of_right = right.subspan(static_cast<size_t>(begin), static_cast<size_t>(size));
        const auto of_joined = joined.subspan(static_cast<size_t>(skip), static_cast<size_t>(size));
        const int64_t most = allowed_mismatches(size);
        int64_t wrong = 0;
        for (size_t i = 0; i < of_right.size() && wrong <= most; ++i)
            wrong += of_right[i] != of_joined[i] ? 1 : 0;
        if (wrong > most || data::is_tandem_repeat(of_right)) continue;
        longest = std::max(longest, size);
        if (wrong > best_wrong) continue;
        best = wrong < best_wrong ? std::optional(start) : std::nullopt;
        best_wrong = wrong;
        best_size = size;
    }
    return k_rival_overlap_ratio * best_size > longest ? best : std::nullopt;
}

class ClipAlleles {
  public:
    ClipAlleles(const ReadSet& set, const ReferenceSlice& slice, Evidence& evidence)
        : set_(set), slice_(slice), evidence_(evidence) {}

    void add(std::span<const ClipSite> sites) {
        for (const ClipSite& site : sites) {
            take_site(Side::right, site.position, rights_);
            take_site(Side::left, site.position, lefts_);
        }
        for (const Consensus& right : rights_) place(right, Side::right);
        for (const Consensus& left : lefts_) place(left, Side::left);
        for (const Consensus& right : rights_) {
            for (const Consensus& left : lefts_) {
                if (!right.is_confirmed && !left.is_confirmed) continue;
                if (std::abs(left.position - right.position) <= k_end_distance_bp) join(right, left);
            }
        }
        for (const Consensus& left : lefts_) join_interruptions(left, Side::left);
        for (const Consensus& right : rights_) join_interruptions(right, Side::right);
        if (!set_.remote_mates.empty()) bridge_gaps();
        for (Proposal& proposal : proposals_) {
            if (!proposal.is_whole()) look_at_other_side(proposal);
        }
        keep();
    }

  private:
    static constexpr uint8_t k_both = uint8_t(Side::left) | uint8_t(Side::right);
    /// Where a haplotype leaves the reference, and where it continues.
    struct Jump {
        int64_t from = 0, to = 0;
    };
    /// What a consensus, or two, show.
    struct Proposal {
        Allele allele;
        uint8_t sides = 0;  // that show it; both, if one shows it from end to end
        std::vector<uint32_t> reads;
        Jump jump;  // as the first consensus shows it; of one that shows both sides not needed
        bool is_whole() const { return sides == k_both; }
    };

    void take_site(Side side, int64_t position, std::vector<Consensus>& out) {
        clipped_reads(set_, side, position, reads_);
        if (reads_.empty()) return;
        Consensus consensus = consensus_of(set_, side, position, reads_);
        const bool ends_in_doubt = consensus.ends_in_doubt;
        take(std::move(consensus), out);
        // Of both haplotypes, or of one whose run of a base differs from read to read: each by itself.
        for (size_t group = 0; ends_in_doubt && group < k_max_groups; ++group) {
            const int64_t begin = take_agreeing_reads(set_, side, position, reads_, group_);
            if (group_.size() < k_min_clip_reads) continue;
            take(consensus_of(set_, side, begin, group_), out);
        }
    }

    void take(Consensus&& consensus, std::vector<Consensus>& out) {
        if (consensus.size() >= k_min_consensus_bp && !consensus.reads.empty())
            out.push_back(std::move(consensus));
    }

    /// A deletion or a tandem duplication: the consensus continues elsewhere in the reference. Where a single
    /// read has its first bases, reads of the other side must show it too.
    void place(const Consensus& clip, Side side) {
        const int64_t own = own_score(clip, side);
        int64_t best_shift = 0;
        int64_t best = 0, second = 0;
        for (int64_t shift = -k_max_indel_bp; shift <= k_max_indel_bp; ++shift) {
            if (shift == 0) continue;
            const int64_t score = score_at(clip, side, shift);
            second = std::max(second, std::min(score, best));
            if (score <= best) continue;
            best = score;
            best_shift = shift;
        }
        if (best < k_min_consensus_bp || best - std::max(second, own) < k_min_margin) return;
        // The haplotype leaves the reference at `from` and continues at `to`.
        const int64_t lead = lead_of(clip, side, best_shift);
        const int64_t at = side == Side::right ? clip.position + lead : clip.position - lead;
        const int64_t from = side == Side::right ? at : at + best_shift;
        const int64_t to = side == Side::right ? at + best_shift : at;
        if (to > from) {
            if (is_insertion(from, to)) return;
            const bool is_enough = clip.is_confirmed && best >= k_min_one_sided_bp;
            propose({from, static_cast<int32_t>(to - from), 0, 0}, is_enough ? k_both : uint8_t(side),
                    clip.reads, {from, to});
        } else {
            const auto copy = slice_.span(to, from);
            // The second copy continues after the first: a clip that ends before shows only one end.
            const bool is_whole = clip.is_confirmed && best >= from - to + k_min_overlap_bp;
            propose({from, 0, store(copy), static_cast<int32_t>(copy.size())},
                    is_whole ? k_both : uint8_t(side), clip.reads, {from, to});
        }
    }

    /// Whether at an end of what would be deleted reads of the other side are clipped too: an element was
    /// inserted there, and one like it is at the other end.
    bool is_insertion(int64_t from, int64_t to) const {
        const auto has_at = [](const std::vector<Consensus>& clips, int64_t position, int64_t expected) {
            return std::any_of(clips.begin(), clips.end(), [&](const Consensus& clip) {
                return clip.is_confirmed && std::abs(clip.position - position) <= k_end_distance_bp &&
                       std::abs(clip.position - expected) > k_clip_spread;
            });
        };
        return has_at(lefts_, from, to) || has_at(rights_, to, from);
    }

    /// Reads that come from the side without clips may go on with mismatches, or have clips that are too
    /// short or at different places: both ends of what is deleted or repeated are alike, as those of two Alus
    /// are.
    void look_at_other_side(Proposal& proposal) {
        const bool from_left = (proposal.sides & uint8_t(Side::right)) == 0;
        const auto [from, to] = proposal.jump;
        const int64_t border = from_left ? from : to;
        const int64_t shift = from_left ? to - from : from - to;
        group_.clear();
        for (size_t i = set_.first_over(border - 1); i < set_.reads.size() && set_.reads[i].begin <= border;
             ++i) {
            const CallRead& read = set_.reads[i];
            if (has_gap(set_.cigar(read)) || border < read.begin || border > read.end) continue;
            const int64_t own = from_left ? border - read.begin : read.end - border;
            if (own >= k_min_consensus_bp && gain_beyond(read, border, from_left, shift) >= k_min_shown_gain)
                group_.push_back(static_cast<uint32_t>(i));
        }
        if (group_.size() < k_min_clip_reads) return;
        proposal.sides = k_both;
        proposal.reads.insert(proposal.reads.end(), group_.begin(), group_.end());
    }

    /// Phred by which the read's bases beyond the border fit the reference `shift` bases further better than
    /// at their own place, clipped ones as if the alignment went on.
    int64_t gain_beyond(const CallRead& read, int64_t border, bool from_left, int64_t shift) const {
        int64_t gain = 0;
        for (int64_t position = from_left ? border : border - 1;; position += from_left ? 1 : -1) {
            const auto at = offset_beyond(set_, read, Side::left, position);
            if (!at) return gain;
            const data::Base base = set_.bases[*at];
            const bool fits = base == slice_.at(position);
            const bool would_fit = base == slice_.at(position + shift);
            if (fits != would_fit) gain += would_fit ? set_.qualities[*at] : -int64_t{set_.qualities[*at]};
        }
    }

    /// The column of the consensus, away from the site, at its own place and `shift` bases further.
    struct Column {
        bool fits = false, fits_here = false;
    };
    Column column_at(const Consensus& clip, Side side, int64_t shift, int64_t i) const {
        const bool is_right = side == Side::right;
        const data::Base base = clip.bases[static_cast<size_t>(is_right ? i : clip.size() - 1 - i)];
        const int64_t position = is_right ? clip.position + i : clip.position - 1 - i;
        return {base == slice_.at(position + shift), base == slice_.at(position)};
    }

    /// How far behind the site the consensus leaves the reference: its reads' clips are up to k_clip_spread
    /// apart.
    int64_t lead_of(const Consensus& clip, Side side, int64_t shift) const {
        int64_t lead = 0;
        for (int64_t i = 0; i < std::min(k_clip_spread, clip.size()); ++i) {
            const Column column = column_at(clip, side, shift, i);
            if (!column.fits_here) break;
            if (!column.fits) lead = i + 1;
        }
        return lead;
    }

    /// How well the consensus continues `shift` bases from its own place: the best score of its first bases
    /// behind the lead.
    int64_t score_at(const Consensus& clip, Side side, int64_t shift) const {
        int64_t score = 0, best = 0;
        for (int64_t i = lead_of(clip, side, shift); i < clip.size() && score > best - k_max_drop; ++i) {
            score += column_at(clip, side, shift, i).fits ? 1 : -k_clip_mismatch;
            best = std::max(best, score);
        }
        return best;
    }

    /// The best score of any of its bases where the reads' alignments would go on.
    int64_t own_score(const Consensus& clip, Side side) const {
        const int64_t begin = side == Side::right ? clip.position : clip.position - clip.size();
        int64_t score = 0, best = 0;
        for (int64_t i = 0; i < clip.size(); ++i) {
            const bool fits = slice_.at(begin + i) == clip.bases[static_cast<size_t>(i)];
            score = std::max<int64_t>(0, score + (fits ? 1 : -k_clip_mismatch));
            best = std::max(best, score);
        }
        return best;
    }

    /// An insertion into a tandem repeat, of more copies with an interruption among them: reads that come to
    /// it from the side where the reference goes on end among copies that the reference has too, so that they
    /// have no clip, and the interruption looks like an SNV.
    void join_interruptions(const Consensus& clip, Side side) {
        const bool is_left = side == Side::left;
        const int64_t repeat = repeat_beside_bp(
            slice_, clip.position, is_left ? Direction::rightward : Direction::leftward, k_max_repeat_bp);
        if (repeat < k_min_repeat_bp) return;
        int64_t tried = 0;
        for (int64_t i = 0; i < repeat && tried < k_max_interruptions; ++i) {
            const int64_t at = is_left ? clip.position + i : clip.position - 1 - i;
            if (at < evidence_.begin || at >= evidence_.end) break;
            const auto& counts = evidence_.mismatches[static_cast<size_t>(at - evidence_.begin)];
            for (data::Base base = 0; base < counts.size(); ++base) {
                if (counts[base] < k_min_clip_reads ||
                    counts[base] * 100 < evidence_.depth_at(at) * k_min_clip_percent)
                    continue;
                ungapped_reads_with(set_, at, base, clip.position, reads_);
                if (reads_.size() < k_min_clip_reads) continue;
                ++tried;
                join_interrupted(clip, side);
            }
        }
    }

    /// `reads_` have the interruption.
    void join_interrupted(const Consensus& clip, Side side) {
        const bool is_left = side == Side::left;
        const Consensus interrupted =
            consensus_of(set_, is_left ? Side::right : Side::left, clip.position, reads_);
        if ((!clip.is_confirmed && !interrupted.is_confirmed) || interrupted.reads.empty()) return;
        if (is_left)
            join(interrupted, clip);
        else
            join(clip, interrupted);
    }

    /// An insertion of other sequence: its begin is at the clips of reads to the left of it, its end at those
    /// of reads to the right.
    void join(const Consensus& right, const Consensus& left) {
        // The right part of the haplotype: the end of the insertion, then the reference.
        joined_.assign(left.bases.begin(), left.bases.end());
        for (int64_t i = 0; i < right.size(); ++i) joined_.push_back(slice_.at(left.position + i));
        const auto overlap = best_overlap(right.bases, joined_, left.size());
        if (!overlap) return;
        const int64_t best_start = *overlap;
        // Bases between the reference before right.position and that from left.position on: of the sequence
        // that more reads show, where both have it.
        std::vector<data::Base> inserted;
        for (int64_t i = 0; i < best_start + left.size(); ++i) {
            const auto r = static_cast<size_t>(i);
            const auto l = static_cast<size_t>(i - best_start);
            const bool has_left = i >= best_start;
            const bool is_right = i < right.size() && (!has_left || right.weights[r] >= left.weights[l]);
            inserted.push_back(is_right ? right.bases[r] : left.bases[l]);
        }
        propose_replacement(right.position, left.position, inserted, right.reads, left.reads);
    }

    /// An insertion whose middle only mates of reads beside it show: of the ends that no allele explains,
    /// those of most reads first.
    void bridge_gaps() {
        std::vector<std::pair<const Consensus*, const Consensus*>> pairs;
        for (const Consensus& right : rights_) {
            if (!right.is_confirmed || is_explained(right)) continue;
            for (const Consensus& left : lefts_) {
                if (std::abs(left.position - right.position) > k_end_distance_bp) continue;
                if (left.is_confirmed && !is_explained(left)) pairs.emplace_back(&right, &left);
            }
        }
        std::stable_sort(pairs.begin(), pairs.end(), [](const auto& a, const auto& b) {
            return a.first->reads.size() + a.second->reads.size() >
                   b.first->reads.size() + b.second->reads.size();
        });
        std::vector<int64_t> tried;
        for (const auto& [right, left] : pairs) {
            const auto here = std::count_if(tried.begin(), tried.end(), [&](int64_t position) {
                return std::abs(position - right->position) <= k_end_distance_bp;
            });
            if (static_cast<size_t>(here) >= k_max_bridge_tries || is_explained(*right) ||
                is_explained(*left))
                continue;
            tried.push_back(right->position);
            bridge_gap(*right, *left);
        }
    }

    /// Whether a proposed allele has most of its reads.
    bool is_explained(const Consensus& clip) const {
        return std::any_of(proposals_.begin(), proposals_.end(), [&](const Proposal& known) {
            if (!known.is_whole()) return false;
            const auto common = std::count_if(clip.reads.begin(), clip.reads.end(), [&](uint32_t read) {
                return std::find(known.reads.begin(), known.reads.end(), read) != known.reads.end();
            });
            return 2 * static_cast<size_t>(common) > clip.reads.size();
        });
    }

    void bridge_gap(const Consensus& right, const Consensus& left) {
        remote_mates_beside(set_, right.position, mates_);
        std::vector<data::Base> from;
        for (int64_t i = -k_bridge_flank_bp; i < 0; ++i) from.push_back(slice_.at(right.position + i));
        from.insert(from.end(), right.bases.begin(), right.bases.end());
        joined_.assign(left.bases.begin(), left.bases.end());
        for (int64_t i = 0; i < k_bridge_flank_bp; ++i) joined_.push_back(slice_.at(left.position + i));
        const auto whole = bridge(from, joined_, mates_, k_max_indel_bp + 2 * k_bridge_flank_bp);
        if (static_cast<int64_t>(whole.size()) <= 2 * k_bridge_flank_bp) return;
        std::vector<data::Base> inserted(whole.begin() + k_bridge_flank_bp, whole.end() - k_bridge_flank_bp);
        propose_replacement(right.position, left.position, inserted, right.reads, left.reads);
    }

    /// The reference [begin, end) is replaced; with begin after end, the bases between them are there twice.
    void propose_replacement(int64_t begin, int64_t end, std::vector<data::Base>& bases,
                             const std::vector<uint32_t>& right_reads,
                             const std::vector<uint32_t>& left_reads) {
        for (int64_t at = end; at < begin; ++at) bases.push_back(slice_.at(at));
        end = std::max(begin, end);
        size_t first = 0;
        size_t last = bases.size();
        while (first < last && begin < end && slice_.at(begin) == bases[first]) ++begin, ++first;
        while (first < last && begin < end && slice_.at(end - 1) == bases[last - 1]) --end, --last;
        if (begin < end || first == last) return;  // not an insertion alone
        const std::span<const data::Base> inserted{bases.data() + first, last - first};
        const Allele allele{begin, 0, store(inserted), static_cast<int32_t>(inserted.size())};
        std::vector<uint32_t> reads = right_reads;
        reads.insert(reads.end(), left_reads.begin(), left_reads.end());
        propose(allele, k_both, reads, {});
    }

    uint32_t store(std::span<const data::Base> bases) {
        const auto at = static_cast<uint32_t>(evidence_.arena.size());
        evidence_.arena.insert(evidence_.arena.end(), bases.begin(), bases.end());
        return at;
    }

    /// The allele's bases may be rotated where they are stored: an allele is proposed once.
    void propose(Allele allele, uint8_t sides, const std::vector<uint32_t>& reads, const Jump& jump) {
        if (!normalise_event(slice_, evidence_, allele)) return;
        for (Proposal& known : proposals_) {
            if (compare_alleles(known.allele, allele, evidence_.arena) != 0) continue;
            known.sides |= sides;
            known.reads.insert(known.reads.end(), reads.begin(), reads.end());
            return;
        }
        proposals_.push_back({allele, sides, reads, jump});
    }

    void keep() {
        for (Proposal& proposal : proposals_) {
            if (!proposal.is_whole()) continue;
            std::sort(proposal.reads.begin(), proposal.reads.end());
            proposal.reads.erase(std::unique(proposal.reads.begin(), proposal.reads.end()),
                                 proposal.reads.end());
            for (const uint32_t read : proposal.reads) evidence_.indels.push_back({proposal.allele, read});
        }
    }

    const ReadSet& set_;
    const ReferenceSlice& slice_;
    Evidence& evidence_;
    std::vector<Consensus> rights_;
    std::vector<Consensus> lefts_;
    std::vector<Proposal> proposals_;
    std::vector<uint32_t> reads_;
    std::vector<uint32_t> group_;
    std::vector<data::Base> joined_;
    std::vector<std::span<const data::Base>> mates_;
};

}  // namespace

void find_clip_sites(const Evidence& evidence, std::vector<ClipSite>& sites) {
    sites.clear();
    const auto size = static_cast<int64_t>(evidence.clips.size());
    for (int64_t at = 0; at < size; ++at) {
        if (evidence.clips[static_cast<size_t>(at)] == 0) continue;
        uint32_t support = 0;
        for (int64_t i = std::max<int64_t>(0, at - k_clip_spread); i < std::min(size, at + k_clip_spread + 1);
             ++i) {
            support += evidence.clips[static_cast<size_t>(i)];
        }
        const int64_t position = evidence.begin + at;
        const int64_t depth = std::max(evidence.depth_at(position - 1), evidence.depth_at(position));
        if (support <= k_min_clip_reads || support * 100 < depth * k_min_clip_percent) continue;
        sites.push_back({position, support, support * 100 >= depth * k_min_assembled_percent});
    }
}

void add_clip_alleles(const ReadSet& set, const ReferenceSlice& slice, std::span<const ClipSite> sites,
                      Evidence& evidence) {
    if (!sites.empty()) ClipAlleles(set, slice, evidence).add(sites);
}

}  // namespace gannet::variants
