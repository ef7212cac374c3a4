// SPDX-License-Identifier: MIT
// Provides the consensus of reads beyond a position of the reference.
#include "variants/evidence/clip_consensus.hpp"

#include "variants/model/alleles.hpp"
#include "variants/reads/alignment_walk.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace gannet::variants {

namespace {

constexpr uint8_t k_min_voting_quality = alleles_number("consensus_min_quality");  // of a base that votes
// Of the summed base qualities, for the base of a column.
constexpr uint32_t k_majority_percent = alleles_number("consensus_majority_percent");
// A consensus ends where within so many columns.
constexpr int64_t k_doubt_reach_bp = alleles_number("consensus_doubt_reach_bp");
constexpr int64_t k_max_doubtful = alleles_number("consensus_max_doubtful");  // so many have no such majority
constexpr int64_t k_disagreeing_part = alleles_number("consensus_disagreeing_part");

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

/// The reference position, gaps ignored, of the base `i` columns beyond the site.
int64_t column(Side side, int64_t site, int64_t i) { return side == Side::left ? site - 1 - i : site + i; }

/// Keeps the reads whose clips agree with the consensus but for one base in eight.
void keep_agreeing_reads(const ReadSet& set, Side side, const std::vector<uint32_t>& reads, Consensus& out) {
    for (const uint32_t index : reads) {
        int64_t seen = 0;
        int64_t wrong = 0;
        for (int64_t i = 0; i < out.size(); ++i) {
            const auto at = offset_beyond(set, set.reads[index], side, column(side, out.position, i));
            if (!at || set.qualities[*at] < k_min_voting_quality) continue;
            ++seen;
            wrong += set.bases[*at] != out.bases[static_cast<size_t>(i)] ? 1 : 0;
        }
        if (seen > 0 && wrong * k_disagreeing_part <= seen) out.reads.push_back(index);
    }
}

}  // namespace

std::optional<size_t> offset_beyond(const ReadSet& set, const CallRead& read, Side side, int64_t position) {
    const int64_t clip = clip_of(set, read, side);
    const int64_t offset = side == Side::left
                               ? clip + position - read.begin
                               : static_cast<int64_t>(read.length) - clip + position - read.end;
    if (offset < 0 || offset >= static_cast<int64_t>(read.length)) return std::nullopt;
    return read.bases + static_cast<size_t>(offset);
}

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

void ungapped_reads_with(const ReadSet& set, int64_t position, data::Base base, int64_t border,
                         std::vector<uint32_t>& out) {
    out.clear();
    const int64_t begin = std::min(position, border - 1);
    const int64_t end = std::max(position + 1, border + 1);
    for (size_t i = set.first_over(begin); i < set.reads.size(); ++i) {
        const CallRead& read = set.reads[i];
        if (read.begin > begin) break;
        if (read.end < end || has_gap(set.cigar(read))) continue;
        const auto offset = offset_beyond(set, read, Side::left, position);
        if (offset && set.bases[*offset] == base && set.qualities[*offset] >= k_min_voting_quality)
            out.push_back(static_cast<uint32_t>(i));
    }
}

int64_t take_agreeing_reads(const ReadSet& set, Side side, int64_t site, std::vector<uint32_t>& reads,
                            std::vector<uint32_t>& out) {
    out.clear();
    if (reads.empty()) return site;
    const uint32_t longest = *std::max_element(reads.begin(), reads.end(), [&](uint32_t a, uint32_t b) {
        return clip_of(set, set.reads[a], side) < clip_of(set, set.reads[b], side);
    });
    Consensus agreeing = consensus_of(set, side, site, {longest});
    agreeing.reads.clear();
    keep_agreeing_reads(set, side, reads, agreeing);
    out = std::move(agreeing.reads);
    std::erase_if(reads, [&](uint32_t read) { return std::binary_search(out.begin(), out.end(), read); });
    return side == Side::left ? set.reads[longest].begin : set.reads[longest].end;
}

Consensus consensus_of(const ReadSet& set, Side side, int64_t site, const std::vector<uint32_t>& reads) {
    Consensus out{site, {}, {}, {}, true};
    std::vector<int64_t> doubtful;  // columns
    for (int64_t i = 0;; ++i) {
        std::array<uint32_t, 4> weights{};
        uint32_t all = 0;
        uint32_t count = 0;
        for (const uint32_t index : reads) {
            const auto at = offset_beyond(set, set.reads[index], side, column(side, site, i));
            if (!at || set.bases[*at] > 3 || set.qualities[*at] < k_min_voting_quality) continue;
            weights[set.bases[*at]] += set.qualities[*at];
            all += set.qualities[*at];
            ++count;
        }
        if (count == 0) break;
        // The first bases need more than one read, unless the other end of an insertion agrees with them; the
        // others are checked by what they are compared with.
        if (count < k_min_clip_reads && i < k_min_consensus_bp) out.is_confirmed = false;
        const auto most = std::max_element(weights.begin(), weights.end());
        if (*most * 100 < all * k_majority_percent) doubtful.push_back(i);
        const auto doubts = static_cast<int64_t>(doubtful.size());
        if (doubts >= k_max_doubtful &&
            doubtful[static_cast<size_t>(doubts - k_max_doubtful)] > i - k_doubt_reach_bp) {
            const auto kept = static_cast<size_t>(doubtful[static_cast<size_t>(doubts - k_max_doubtful)]);
            out.ends_in_doubt = true;
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

}  // namespace gannet::variants
