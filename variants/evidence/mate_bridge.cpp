// SPDX-License-Identifier: MIT
// Provides the stepwise extension of an insertion's end by mates, until it meets the other end.
#include "variants/evidence/mate_bridge.hpp"

#include <algorithm>
#include <array>
#include <bitset>
#include <iterator>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

namespace gannet::variants {

namespace {

using Bases = std::span<const data::Base>;

constexpr int64_t k_reach_bp = alleles_number("bridge_reach_bp");
constexpr size_t k_flank = k_bridge_flank_bp;
// Of the flank that an end grows from: variants beside the insertion must not keep mates from it.
constexpr size_t k_seed_flank = alleles_number("bridge_seed_flank_bp");
constexpr int64_t k_min_mate_overlap_bp = alleles_number("bridge_min_overlap_bp");
constexpr size_t k_short_bp = alleles_number("bridge_short_bp");
constexpr size_t k_min_distinct = alleles_number("bridge_min_distinct");
constexpr uint32_t k_min_votes = alleles_number("bridge_min_votes");
constexpr uint32_t k_fewest_votes = alleles_number("bridge_fewest_votes");
constexpr uint32_t k_vote_percent = alleles_number("bridge_majority_percent");
constexpr std::ptrdiff_t k_word_bp = alleles_number("bridge_word_bp");
constexpr size_t k_max_mates = alleles_number("bridge_max_mates");
constexpr int64_t k_disagreeing_part = alleles_number("consensus_disagreeing_part");
constexpr int64_t k_bases_per_mismatch = alleles_number("clip_bases_per_mismatch");
constexpr int64_t k_rival_overlap_ratio = alleles_number("clip_rival_overlap_ratio");

/// Whether the bases have enough different short sequences for an overlap to tell where it is.
bool is_telling(Bases bases) {
    std::bitset<size_t{1} << (2 * k_short_bp)> seen;
    size_t word = 0;
    size_t known = 0;
    for (const data::Base base : bases) {
        known = base < data::k_base_n ? known + 1 : 0;
        word = (word * data::k_base_n + base % data::k_base_n) % seen.size();
        if (known >= k_short_bp) seen.set(word);
    }
    return seen.count() >= k_min_distinct;
}

/// Where `read` begins relative to `contig`, before its begin perhaps, so that the two overlap with few
/// mismatches, if that is in one place only, but for overlaps of less than half of the bases.
std::optional<int64_t> overlap_of(Bases contig, Bases read, int64_t first) {
    const auto contig_size = static_cast<int64_t>(contig.size());
    const auto read_size = static_cast<int64_t>(read.size());
    int64_t best = 0;
    int64_t longest = 0;
    int64_t second = 0;
    for (int64_t start = contig_size - k_min_mate_overlap_bp; start >= first; --start) {
        const int64_t skip = std::max<int64_t>(0, -start);
        const int64_t begin = std::max<int64_t>(0, start);
        const int64_t size = std::min(contig_size - begin, read_size - skip);
        if (size < k_min_mate_overlap_bp) continue;
        const Bases ours = contig.subspan(static_cast<size_t>(begin), static_cast<size_t>(size));
        const Bases theirs = read.subspan(static_cast<size_t>(skip), static_cast<size_t>(size));
        const int64_t most = size / k_bases_per_mismatch;
        int64_t wrong = 0;
        for (size_t i = 0; i < ours.size() && wrong <= most; ++i) wrong += ours[i] != theirs[i] ? 1 : 0;
        if (wrong > most || !is_telling(ours)) continue;
        second = std::max(second, std::min(longest, size));
        if (size > longest) best = start;
        longest = std::max(longest, size);
    }
    return longest > k_rival_overlap_ratio * second ? std::optional(best) : std::nullopt;
}

std::vector<data::Base> reversed(Bases bases) { return {bases.rbegin(), bases.rend()}; }

/// One end of the insertion, which grows to the right.
class Extension {
  public:
    Extension(Bases from, std::vector<Bases> mates)
        : contig_(from.begin(), from.end()), mates_(std::move(mates)), places_(mates_.size()) {}

    /// Places mates on the contig and takes the bases that they have beyond its end; false if there is none.
    bool grow(size_t max_size, uint32_t min_votes) {
        for (size_t i = 0; i < mates_.size(); ++i) {
            if (!places_[i])
                places_[i] = overlap_of(contig_, mates_[i],
                                        k_min_mate_overlap_bp - static_cast<int64_t>(mates_[i].size()));
        }
        const size_t before = contig_.size();
        while (contig_.size() < max_size) {
            const auto next = next_base(min_votes);
            if (!next) break;
            contig_.push_back(*next);
        }
        return contig_.size() > before;
    }
    Bases contig() const { return contig_; }

  private:
    /// By base: the placed mates that go on with it.
    std::array<std::vector<Bases>, 4> continuations() const {
        std::array<std::vector<Bases>, 4> out;
        const auto at = static_cast<int64_t>(contig_.size());
        for (size_t i = 0; i < mates_.size(); ++i) {
            if (!places_[i] || at < *places_[i]) continue;
            const auto offset = static_cast<size_t>(at - *places_[i]);
            if (offset < mates_[i].size() && mates_[i][offset] < data::k_base_n)
                out[mates_[i][offset]].push_back(mates_[i].subspan(offset));
        }
        return out;
    }

    /// Mates, placed or not yet, that have this base after the last ones of the contig, or before the next
    /// ones of a mate that goes on with it.
    uint32_t mates_with(data::Base base, std::span<const Bases> continuations) const {
        if (continuations.empty()) return 0;
        std::vector<Bases> words;
        for (const Bases next : continuations) {
            if (std::ssize(next) >= k_word_bp) words.push_back(next.first(k_word_bp));
        }
        std::vector<data::Base> last;
        if (std::ssize(contig_) >= k_word_bp) {
            last.assign(contig_.end() - k_word_bp + 1, contig_.end());
            last.push_back(base);
            words.emplace_back(last);
        }
        return static_cast<uint32_t>(std::count_if(mates_.begin(), mates_.end(), [&](Bases mate) {
            return std::any_of(words.begin(), words.end(), [&](Bases word) {
                return std::search(mate.begin(), mate.end(), word.begin(), word.end()) != mate.end();
            });
        }));
    }

    std::optional<data::Base> next_base(uint32_t min_votes) const {
        const auto found = continuations();
        std::array<uint32_t, 4> votes{};
        for (size_t base = 0; base < votes.size(); ++base)
            votes[base] = static_cast<uint32_t>(found[base].size());
        if (const auto clear = majority(votes, min_votes)) return clear;
        // An error where few mates are: what others have too.
        for (size_t base = 0; base < votes.size(); ++base)
            votes[base] = mates_with(static_cast<data::Base>(base), found[base]);
        return majority(votes, k_min_votes);
    }

    static std::optional<data::Base> majority(const std::array<uint32_t, 4>& votes, uint32_t min_votes) {
        const auto most = std::max_element(votes.begin(), votes.end());
        const uint32_t all = std::accumulate(votes.begin(), votes.end(), 0u);
        if (*most < min_votes || *most * 100 < all * k_vote_percent) return std::nullopt;
        return static_cast<data::Base>(most - votes.begin());
    }

    std::vector<data::Base> contig_;
    std::vector<Bases> mates_;
    std::vector<std::optional<int64_t>> places_;
};

/// From the begin of `first` to the end of `second`, which overlap in one way; empty where they do not.
std::vector<data::Base> merged(Bases first, Bases second, int64_t least_start) {
    const auto start = overlap_of(first, second, least_start);
    if (!start) return {};
    const auto before = static_cast<std::ptrdiff_t>(std::max<int64_t>(0, *start));
    std::vector<data::Base> whole(first.begin(), first.begin() + before);
    whole.insert(whole.end(), second.begin() + (before - *start), second.end());
    return whole;
}

/// From the begin of `contig` to the end of `to`, the other end of the insertion, whose flank may have other
/// variants; in a run of one base only the flank shows where the insertion ends.
std::vector<data::Base> closed(Bases contig, Bases to) {
    std::vector<data::Base> whole = merged(contig, to.first(to.size() - k_flank), 0);
    if (whole.empty()) return merged(contig, to, 0);
    whole.insert(whole.end(), to.end() - k_bridge_flank_bp, to.end());
    return whole;
}

/// Between the flanks, takes what most mates have, where the reads at the ends may have erred.
void polish(std::span<const Bases> mates, std::vector<data::Base>& whole) {
    std::vector<std::array<uint32_t, 4>> votes(whole.size());
    for (size_t i = 0; i < whole.size(); ++i) {
        if (whole[i] < data::k_base_n) ++votes[i][whole[i]];
    }
    for (const Bases mate : mates) {
        const auto start = overlap_of(whole, mate, k_min_mate_overlap_bp - std::ssize(mate));
        if (!start) continue;
        for (int64_t i = std::max<int64_t>(0, -*start); i < std::ssize(mate); ++i) {
            const auto base = mate[static_cast<size_t>(i)];
            if (*start + i >= std::ssize(whole)) break;
            if (base < data::k_base_n) ++votes[static_cast<size_t>(*start + i)][base];
        }
    }
    for (size_t i = k_flank; i + k_flank < whole.size(); ++i) {
        const auto most = std::max_element(votes[i].begin(), votes[i].end());
        if (whole[i] >= data::k_base_n || *most > votes[i][whole[i]])
            whole[i] = static_cast<data::Base>(most - votes[i].begin());
    }
}

/// Whether most mates that go on behind the insertion are shifted there, or quite different from the
/// reference: then it is not an insertion alone, and its sequence is not certain.
bool differs_behind(Bases whole, std::span<const Bases> mates) {
    // A run of one base may go on in the flank.
    size_t begin = whole.size() - k_flank;
    while (begin < whole.size() && whole[begin] == whole[begin - 1]) ++begin;
    const Bases flank = whole.subspan(begin);
    const Bases word = whole.subspan(begin - k_word_bp, k_word_bp);
    int64_t seen = 0;
    int64_t other = 0;
    for (const Bases mate : mates) {
        // The last one of those in a run of one base.
        const auto at = std::find_end(mate.begin(), mate.end(), word.begin(), word.end());
        if (mate.end() - at < k_word_bp + k_min_mate_overlap_bp) continue;
        const Bases behind = mate.subspan(static_cast<size_t>(at - mate.begin() + k_word_bp));
        const size_t size = std::min(behind.size(), flank.size());
        int64_t wrong = 0;
        for (size_t i = 0; i < size; ++i) wrong += behind[i] != flank[i] ? 1 : 0;
        ++seen;
        other += wrong * k_disagreeing_part > static_cast<int64_t>(size) ? 1 : 0;
    }
    return other >= static_cast<int64_t>(k_min_votes) && 2 * other > seen;
}

}  // namespace

void remote_mates_beside(const ReadSet& set, int64_t site, std::vector<Bases>& out) {
    out.clear();
    std::vector<std::pair<uint64_t, uint32_t>> anchors;  // hash of the name, index
    for (size_t i = set.first_over(site - k_reach_bp); i < set.reads.size(); ++i) {
        const CallRead& read = set.reads[i];
        if (read.begin >= site + k_reach_bp) break;
        if (read.remote_mate == 0) continue;
        const bool is_beside = read.reverse ? read.end > site && read.end <= site + k_reach_bp
                                            : read.begin < site && read.begin >= site - k_reach_bp;
        if (is_beside) anchors.emplace_back(read.name_hash, static_cast<uint32_t>(i));
    }
    if (anchors.size() > k_max_mates) {
        std::sort(anchors.begin(), anchors.end());
        anchors.resize(k_max_mates);
    }
    for (const auto& [hash, index] : anchors) out.push_back(set.remote_mate(set.reads[index]));
}

std::vector<data::Base> bridge(Bases from, Bases to, std::span<const Bases> mates, size_t max_bp) {
    if (mates.size() < k_min_votes) return {};
    std::vector<std::vector<data::Base>> turned;
    for (const Bases mate : mates) turned.push_back(reversed(mate));
    const std::vector<data::Base> turned_from = reversed(from);
    const std::vector<data::Base> turned_to = reversed(to);
    constexpr size_t k_cut = k_flank - k_seed_flank;
    Extension left(from.subspan(k_cut), {mates.begin(), mates.end()});
    Extension right(Bases(turned_to).subspan(k_cut), {turned.begin(), turned.end()});
    const size_t max_size = max_bp - k_cut;
    std::vector<data::Base> whole;
    for (uint32_t votes = k_min_votes; votes >= k_fewest_votes && whole.empty(); --votes) {
        for (bool grows = true; grows && whole.empty();) {
            grows = left.grow(max_size, votes);
            if (grows) whole = closed(left.contig(), to);
            if (!whole.empty()) {
                whole.insert(whole.begin(), from.begin(), from.begin() + k_cut);
                continue;
            }
            if (!right.grow(max_size, votes)) continue;
            grows = true;
            whole = reversed(closed(right.contig(), turned_from));
            if (!whole.empty()) whole.insert(whole.end(), to.end() - k_cut, to.end());
        }
        if (!whole.empty()) break;
        const std::vector<data::Base> end = reversed(right.contig());
        whole = merged(left.contig(), end, k_min_mate_overlap_bp - static_cast<int64_t>(end.size()));
        if (whole.empty()) continue;
        whole.insert(whole.begin(), from.begin(), from.begin() + k_cut);
        whole.insert(whole.end(), to.end() - k_cut, to.end());
    }
    if (whole.size() > max_bp || whole.size() <= 2 * k_flank + k_word_bp) return {};
    const std::vector<Bases> turned_mates(turned.begin(), turned.end());
    if (differs_behind(whole, mates) || differs_behind(reversed(whole), turned_mates)) return {};
    polish(mates, whole);
    return whole;
}

}  // namespace gannet::variants
