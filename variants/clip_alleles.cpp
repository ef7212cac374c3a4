// SPDX-License-Identifier: MIT
// Provides the consensus of clipped reads and its placement on the reference.
#include "variants/clip_alleles.hpp"

#include "variants/alignment_walk.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

namespace gannet::variants {

namespace {

constexpr int64_t k_clip_spread = 3;  // clips of one breakpoint differ by so much
constexpr uint32_t k_min_support = 2;
constexpr int64_t k_min_clip_percent = 5;
constexpr int64_t k_min_assembled_percent = 12;  // clips that no allele explains are assembled

constexpr uint8_t k_min_quality = 10;  // of a base that votes
constexpr int64_t k_min_consensus_bp = 12;
constexpr int64_t k_min_one_sided_bp = 30;  // of a consensus that shows an allele without the other side
constexpr int64_t k_min_overlap_bp = 12;    // of the consensus of both ends of an insertion
constexpr int64_t k_end_distance_bp = 20;   // at most between the two ends of an insertion
constexpr int64_t k_interruption_bp =
    100;  // at most from the end of an insertion to an interruption of its repeat
constexpr int64_t k_max_repeat_unit_bp = 6;   // an overlap that is such a repeat throughout shows nothing
constexpr uint32_t k_majority_percent = 75;   // of the summed base qualities, for the base of a column
constexpr int64_t k_doubt_reach_bp = 10;      // a consensus ends where within so many columns
constexpr int64_t k_max_doubtful = 3;         // so many have no such majority
constexpr int64_t k_bases_per_mismatch = 25;  // another variant nearby, or an error of the consensus

int64_t allowed_mismatches(int64_t length) { return length / k_bases_per_mismatch; }

/// The sequence that the clipped reads of one site continue with, beyond `position` in their direction.
struct Consensus {
    int64_t position = 0;
    std::vector<data::Base> bases;  // left to right
    std::vector<uint32_t> weights;  // of each base: base qualities for it
    std::vector<uint32_t> reads;    // whose clips agree with it
    bool is_confirmed = true;       // two reads or more have each of its first bases
    int64_t size() const { return static_cast<int64_t>(bases.size()); }
};

enum class Side : uint8_t { left = 1, right = 2 };  // of the reads' aligned part that the clip is at

/// Bases of the read's soft clip on `side`.
int64_t clip_of(const ReadSet& set, const CallRead& read, Side side) {
    const auto cigar = set.cigar(read);
    if (cigar.size() < 2) return 0;
    const bool at_left = side == Side::left;
    // Hard clips stand outside of soft clips, and have no bases.
    size_t element = at_left ? 0 : cigar.size() - 1;
    if (data::cigar_op(cigar[element]) == data::k_cigar_hard_clip) element = at_left ? 1 : element - 1;
    if (data::cigar_op(cigar[element]) != data::k_cigar_soft_clip) return 0;
    return static_cast<int64_t>(data::cigar_length(cigar[element]));
}

/// The read base that would be aligned to `position` if the alignment went on without gaps beyond its end.
std::optional<size_t> offset_beyond(const ReadSet& set, const CallRead& read, Side side, int64_t position) {
    const int64_t clip = clip_of(set, read, side);
    const int64_t offset = side == Side::left
                               ? clip + position - read.begin
                               : static_cast<int64_t>(read.length) - clip + position - read.end;
    if (offset < 0 || offset >= static_cast<int64_t>(read.length)) return std::nullopt;
    return read.bases + static_cast<size_t>(offset);
}

/// Reads with a clip on `side` that begins within the spread of the site.
void clipped_reads(const ReadSet& set, Side side, int64_t site, std::vector<uint32_t>& out) {
    out.clear();
    for (size_t i = set.first_over(site - k_clip_spread - 1); i < set.reads.size(); ++i) {
        const CallRead& read = set.reads[i];
        if (read.begin > site + k_clip_spread) break;
        const int64_t end = side == Side::left ? read.begin : read.end;
        if (end < site - k_clip_spread || end > site + k_clip_spread) continue;
        if (clip_of(set, read, side) > 0) out.push_back(static_cast<uint32_t>(i));
    }
}

/// The reference position, gaps ignored, of the base `i` columns beyond the site.
int64_t column(Side side, int64_t site, int64_t i) { return side == Side::left ? site - 1 - i : site + i; }

/// Keeps the reads whose clips agree with the consensus but for one base in eight.
void keep_agreeing_reads(const ReadSet& set, Side side, const std::vector<uint32_t>& reads, Consensus& out) {
    for (const uint32_t index : reads) {
        int64_t seen = 0;
        int64_t wrong = 0;
        for (int64_t i = 0; i < out.size(); ++i) {
            const auto at = offset_beyond(set, set.reads[index], side, column(side, out.position, i));
            if (!at || set.qualities[*at] < k_min_quality) continue;
            ++seen;
            wrong += set.bases[*at] != out.bases[static_cast<size_t>(i)] ? 1 : 0;
        }
        if (seen > 0 && wrong * 8 <= seen) out.reads.push_back(index);
    }
}

/// Column by column away from the site, as long as the reads agree.
Consensus consensus_of(const ReadSet& set, Side side, int64_t site, const std::vector<uint32_t>& reads) {
    Consensus out{site, {}, {}, {}, true};
    std::vector<int64_t> doubtful;  // columns
    for (int64_t i = 0;; ++i) {
        std::array<uint32_t, 4> weights{};
        uint32_t all = 0;
        uint32_t count = 0;
        for (const uint32_t index : reads) {
            const auto at = offset_beyond(set, set.reads[index], side, column(side, site, i));
            if (!at || set.bases[*at] > 3 || set.qualities[*at] < k_min_quality) continue;
            weights[set.bases[*at]] += set.qualities[*at];
            all += set.qualities[*at];
            ++count;
        }
        if (count == 0) break;
        // The first bases need more than one read, unless the other end of an insertion agrees with them; the
        // others are checked by what they are compared with.
        if (count < k_min_support && i < k_min_consensus_bp) out.is_confirmed = false;
        const auto most = std::max_element(weights.begin(), weights.end());
        if (*most * 100 < all * k_majority_percent) doubtful.push_back(i);
        const auto doubts = static_cast<int64_t>(doubtful.size());
        if (doubts >= k_max_doubtful &&
            doubtful[static_cast<size_t>(doubts - k_max_doubtful)] > i - k_doubt_reach_bp) {
            const auto kept = static_cast<size_t>(doubtful[static_cast<size_t>(doubts - k_max_doubtful)]);
            out.bases.resize(kept);
            out.weights.resize(kept);
            break;
        }
        out.bases.push_back(static_cast<data::Base>(most - weights.begin()));
        out.weights.push_back(*most);
    }
    keep_agreeing_reads(set, side, reads, out);
    if (side == Side::left) {
        std::reverse(out.bases.begin(), out.bases.end());
        std::reverse(out.weights.begin(), out.weights.end());
    }
    return out;
}

/// Mismatches of `bases` with the reference from `begin` on; stops counting above `most`.
int64_t mismatches_at(const ReferenceSlice& slice, int64_t begin, std::span<const data::Base> bases,
                      int64_t most) {
    if (begin < slice.begin() || begin + static_cast<int64_t>(bases.size()) > slice.end()) return most + 1;
    const auto expected = slice.span(begin, begin + static_cast<int64_t>(bases.size()));
    int64_t wrong = 0;
    for (size_t i = 0; i < bases.size() && wrong <= most; ++i) wrong += bases[i] != expected[i] ? 1 : 0;
    return wrong;
}

/// Whether the bases are a tandem repeat throughout.
bool is_repeat(std::span<const data::Base> bases) {
    for (size_t period = 1; period <= k_max_repeat_unit_bp; ++period) {
        if (std::equal(bases.begin() + static_cast<std::ptrdiff_t>(period), bases.end(), bases.begin()))
            return true;
    }
    return false;
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
        for (const Consensus& right : rights_) {
            if (right.is_confirmed) place(right, Side::right);
        }
        for (const Consensus& left : lefts_) {
            if (left.is_confirmed) place(left, Side::left);
        }
        for (const Consensus& right : rights_) {
            for (const Consensus& left : lefts_) {
                if (!right.is_confirmed && !left.is_confirmed) continue;
                if (std::abs(left.position - right.position) <= k_end_distance_bp) join(right, left);
            }
        }
        for (const Consensus& left : lefts_) join_interruptions(left, Side::left);
        for (const Consensus& right : rights_) join_interruptions(right, Side::right);
        keep();
    }

  private:
    /// What a consensus, or two, show.
    struct Proposal {
        Allele allele;
        uint8_t sides = 0;  // that show it; both, if one shows it from end to end
        std::vector<uint32_t> reads;
    };

    void take_site(Side side, int64_t position, std::vector<Consensus>& out) {
        clipped_reads(set_, side, position, reads_);
        if (reads_.empty()) return;
        Consensus consensus = consensus_of(set_, side, position, reads_);
        if (consensus.size() >= k_min_consensus_bp && !consensus.reads.empty())
            out.push_back(std::move(consensus));
    }

    /// A deletion or a tandem duplication: the consensus continues elsewhere in the reference.
    void place(const Consensus& clip, Side side) {
        const int64_t most = allowed_mismatches(clip.size());
        // Where the consensus begins if it continues at its own position.
        const int64_t own = side == Side::right ? clip.position : clip.position - clip.size();
        if (mismatches_at(slice_, own, clip.bases, most) <= most) return;
        int64_t best = most + 1;
        int64_t best_shift = 0;
        bool is_unique = true;
        for (int64_t shift = -k_max_indel_bp; shift <= k_max_indel_bp; ++shift) {
            const int64_t wrong = mismatches_at(slice_, own + shift, clip.bases, best);
            if (wrong > most || wrong > best) continue;
            is_unique = wrong < best;
            best = wrong;
            best_shift = shift;
        }
        if (best > most || !is_unique) return;
        // The haplotype leaves the reference at `from` and continues at `to`.
        const int64_t from = side == Side::right ? clip.position : clip.position + best_shift;
        const int64_t to = side == Side::right ? clip.position + best_shift : clip.position;
        if (to > from) {
            const bool is_enough = clip.size() >= k_min_one_sided_bp;
            propose({from, static_cast<int32_t>(to - from), 0, 0}, is_enough ? 3 : uint8_t(side), clip.reads);
        } else {
            const auto copy = slice_.span(to, from);
            // The second copy continues after the first: a clip that ends before shows only one end.
            const bool is_whole = clip.size() >= from - to + k_min_overlap_bp;
            propose({from, 0, store(copy), static_cast<int32_t>(copy.size())}, is_whole ? 3 : uint8_t(side),
                    clip.reads);
        }
    }

    /// An insertion into a tandem repeat, of more copies with an interruption among them: reads that come to
    /// it from the side where the reference goes on end among copies that the reference has too, so that they
    /// have no clip, and the interruption looks like an SNV.
    void join_interruptions(const Consensus& clip, Side side) {
        const bool is_left = side == Side::left;
        const int64_t first = is_left ? clip.position : clip.position - k_interruption_bp;
        for (int64_t at = std::max(first, evidence_.begin);
             at < std::min(first + k_interruption_bp, evidence_.end); ++at) {
            const auto& counts = evidence_.mismatches[static_cast<size_t>(at - evidence_.begin)];
            for (data::Base base = 0; base < counts.size(); ++base) {
                if (counts[base] < k_min_support ||
                    counts[base] * 100 < evidence_.depth_at(at) * k_min_clip_percent)
                    continue;
                reads_with(at, base, clip.position, reads_);
                if (reads_.size() < k_min_support) continue;
                const Side other = is_left ? Side::right : Side::left;
                const Consensus interrupted = consensus_of(set_, other, clip.position, reads_);
                if (is_left)
                    join(interrupted, clip);
                else
                    join(clip, interrupted);
            }
        }
    }

    /// Reads aligned without a gap from `border` to `position` that have this base there.
    void reads_with(int64_t position, data::Base base, int64_t border, std::vector<uint32_t>& out) const {
        out.clear();
        const int64_t begin = std::min(position, border - 1);
        const int64_t end = std::max(position + 1, border + 1);
        for (size_t i = set_.first_over(begin); i < set_.reads.size(); ++i) {
            const CallRead& read = set_.reads[i];
            if (read.begin > begin) break;
            if (read.end < end || has_gap(set_.cigar(read))) continue;
            const auto offset = offset_beyond(set_, read, Side::left, position);
            if (offset && set_.bases[*offset] == base && set_.qualities[*offset] >= k_min_quality)
                out.push_back(static_cast<uint32_t>(i));
        }
    }

    /// An insertion of other sequence: its begin is at the clips of reads to the left of it, its end at those
    /// of reads to the right.
    void join(const Consensus& right, const Consensus& left) {
        // The right part of the haplotype: the end of the insertion, then the reference.
        joined_.assign(left.bases.begin(), left.bases.end());
        for (int64_t i = 0; i < right.size(); ++i) joined_.push_back(slice_.at(left.position + i));
        int64_t best_wrong = std::numeric_limits<int64_t>::max();
        int64_t best_start = 0;
        uint32_t best_fits = 0;
        // `start`: of joined_ relative to the begin of the insertion.
        for (int64_t start = right.size() - k_min_overlap_bp; start > -left.size(); --start) {
            const int64_t skip = std::max<int64_t>(0, -start);
            const int64_t begin = std::max<int64_t>(0, start);
            const int64_t overlap =
                std::min(right.size() - begin, static_cast<int64_t>(joined_.size()) - skip);
            if (overlap < k_min_overlap_bp) continue;
            int64_t wrong = 0;
            const int64_t most = allowed_mismatches(overlap);
            for (int64_t i = 0; i < overlap && wrong <= most; ++i) {
                wrong += right.bases[static_cast<size_t>(begin + i)] != joined_[static_cast<size_t>(skip + i)]
                             ? 1
                             : 0;
            }
            if (wrong > std::min(most, best_wrong)) continue;
            if (is_repeat(
                    std::span(right.bases).subspan(static_cast<size_t>(begin), static_cast<size_t>(overlap))))
                continue;
            best_fits = wrong == best_wrong ? best_fits + 1 : 1;
            best_wrong = wrong;
            best_start = start;
        }
        if (best_fits != 1) return;
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
        propose(allele, 3, reads);
    }

    uint32_t store(std::span<const data::Base> bases) {
        const auto at = static_cast<uint32_t>(evidence_.arena.size());
        evidence_.arena.insert(evidence_.arena.end(), bases.begin(), bases.end());
        return at;
    }

    /// The allele's bases may be rotated where they are stored: an allele is proposed once.
    void propose(Allele allele, uint8_t sides, const std::vector<uint32_t>& reads) {
        if (!normalise_event(slice_, evidence_, allele)) return;
        for (Proposal& known : proposals_) {
            if (compare_alleles(known.allele, allele, evidence_.arena) != 0) continue;
            known.sides |= sides;
            known.reads.insert(known.reads.end(), reads.begin(), reads.end());
            return;
        }
        proposals_.push_back({allele, sides, reads});
    }

    void keep() {
        for (Proposal& proposal : proposals_) {
            if (proposal.sides != (uint8_t(Side::left) | uint8_t(Side::right))) continue;
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
    std::vector<data::Base> joined_;
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
        if (support <= k_min_support || support * 100 < depth * k_min_clip_percent) continue;
        sites.push_back({position, support, support * 100 >= depth * k_min_assembled_percent});
    }
}

void add_clip_alleles(const ReadSet& set, const ReferenceSlice& slice, std::span<const ClipSite> sites,
                      Evidence& evidence) {
    if (!sites.empty()) ClipAlleles(set, slice, evidence).add(sites);
}

}  // namespace gannet::variants
