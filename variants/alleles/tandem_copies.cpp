// SPDX-License-Identifier: MIT
// Provides the grouping of pairs that point away from each other by the places of both mates.
#include "variants/alleles/tandem_copies.hpp"

#include "data/record.hpp"
#include "variants/model/alleles.hpp"

#include <algorithm>

namespace gannet::variants {

namespace {

// Reads of fragments over one junction are no further apart.
constexpr int64_t k_reach_bp = alleles_number("bridge_reach_bp");
constexpr int32_t k_min_tandem_fragments = alleles_number("tandem_min_fragments");

/// The left mate is on the reverse strand and begins at `begin`, the right one is on the other strand and
/// ends at `end`. `of_left`: the left one is here, and the end is that of its mate by TLEN.
struct OutwardPair {
    int64_t begin = 0, end = 0;
    bool of_left = false;
};

bool is_outward(const CallRead& read) {
    constexpr auto paired = data::k_flag_paired;
    const bool mate_reverse = (read.flags & data::k_flag_mate_reverse) != 0;
    if ((read.flags & paired) == 0 || read.mate_elsewhere || read.reverse == mate_reverse) return false;
    // From one 5' end to the other; an adapter's bases that fit the reference are outside of these.
    return read.reverse ? read.template_length > 0 : read.template_length < 0;
}

OutwardPair outward_pair(const CallRead& read) {
    const int64_t span = read.end - read.begin;
    if (read.reverse) return {read.begin, read.end + read.template_length + span, true};
    return {read.begin + read.template_length - span, read.end, false};
}

/// Pairs of one junction. The outermost of the reads that are here say where it is.
struct Junction {
    explicit Junction(const OutwardPair& pair) : first(pair) {}

    OutwardPair first;
    int32_t lefts = 0, rights = 0;
    TandemCopy of_reads, of_mates;

    int32_t fragments() const { return std::max(lefts, rights); }
    bool has(const OutwardPair& pair) const {
        return pair.begin - first.begin <= k_reach_bp && std::abs(pair.end - first.end) <= k_reach_bp;
    }
    bool shares_place_with(const Junction& other) const {
        return std::abs(other.first.begin - first.begin) <= k_reach_bp ||
               std::abs(other.first.end - first.end) <= k_reach_bp;
    }
    void add(const OutwardPair& pair) {
        if (pair.of_left) {
            of_reads.begin = lefts == 0 ? pair.begin : std::min(of_reads.begin, pair.begin);
            of_mates.end = lefts == 0 ? pair.end : std::max(of_mates.end, pair.end);
            ++lefts;
        } else {
            of_mates.begin = rights == 0 ? pair.begin : std::min(of_mates.begin, pair.begin);
            of_reads.end = rights == 0 ? pair.end : std::max(of_reads.end, pair.end);
            ++rights;
        }
    }
    TandemCopy copy() const {
        return {lefts > 0 ? of_reads.begin : of_mates.begin, rights > 0 ? of_reads.end : of_mates.end,
                fragments()};
    }
};

}  // namespace

void find_tandem_copies(const ReadSet& set, std::vector<TandemCopy>& copies) {
    copies.clear();
    std::vector<OutwardPair> pairs;
    for (const CallRead& read : set.reads) {
        if (is_outward(read)) pairs.push_back(outward_pair(read));
    }
    if (pairs.empty()) return;
    std::sort(pairs.begin(), pairs.end(), [](const OutwardPair& a, const OutwardPair& b) {
        if (a.begin != b.begin) return a.begin < b.begin;
        return a.end != b.end ? a.end < b.end : a.of_left < b.of_left;
    });
    std::vector<Junction> junctions;
    size_t nearest = 0;  // of those that later pairs may be of
    for (const OutwardPair& pair : pairs) {
        while (nearest < junctions.size() && pair.begin - junctions[nearest].first.begin > k_reach_bp)
            ++nearest;
        const auto found = std::find_if(junctions.begin() + static_cast<std::ptrdiff_t>(nearest),
                                        junctions.end(), [&](const Junction& j) { return j.has(pair); });
        Junction& junction = found != junctions.end() ? *found : junctions.emplace_back(pair);
        junction.add(pair);
    }
    std::erase_if(junctions,
                  [](const Junction& junction) { return junction.fragments() < k_min_tandem_fragments; });
    for (const Junction& junction : junctions) {
        const auto shares_place = [&](const Junction& other) {
            return &other != &junction && junction.shares_place_with(other);
        };
        if (std::none_of(junctions.begin(), junctions.end(), shares_place)) copies.push_back(junction.copy());
    }
}

}  // namespace gannet::variants
