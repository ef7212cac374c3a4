// SPDX-License-Identifier: MIT
// Provides the grouping of alleles by the fragments that carry them, and the choice of the extra copies.
#include "variants/alleles/hidden_copies.hpp"

#include "variants/model/alleles.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <numeric>

namespace gannet::variants {

namespace {

// Sites: a fragment rarely covers more of one copy.
constexpr size_t k_pair_reach = alleles_number("hidden_pair_reach");
constexpr uint32_t k_min_together = alleles_number("hidden_min_together");  // fragments with both alleles
// Fragments with one or both.
constexpr uint32_t k_min_informative = alleles_number("hidden_min_informative");
// Of these, one in so many may have one of the alleles only: an error.
constexpr uint32_t k_min_per_error = alleles_number("hidden_min_per_error");
constexpr uint32_t k_min_per_error_of_group = alleles_number("hidden_min_per_error_of_group");
constexpr size_t k_min_group = alleles_number("hidden_min_group");
constexpr int64_t k_min_alleles_per_mb = alleles_number("hidden_min_alleles_per_mb");
// On either side: a group is not denser than its fragments show.
constexpr int64_t k_group_margin_bp = alleles_number("hidden_group_margin_bp");
// Of what the number of copies leaves for the extra ones.
constexpr int64_t k_max_share_percent = alleles_number("hidden_max_share_percent");
constexpr int32_t k_refinements = alleles_number("hidden_refinements");
constexpr int64_t k_per_mille = 1000;
constexpr int64_t k_no_odds = std::numeric_limits<int64_t>::max() / 2;

}  // namespace

void HiddenCopies::find(const ReadSet& set, const CopyNumber& copy_number,
                        std::span<const AlleleFraction> alleles, int32_t usual_copies,
                        int32_t dispersion_size, int32_t minimum_base_quality) {
    extra_reads_.clear();
    sites_.clear();
    sites_beside_.clear();
    minimum_base_quality_ = minimum_base_quality;
    for (const AlleleFraction& allele : alleles)
        (copy_number.at(allele.position) > usual_copies ? sites_ : sites_beside_).push_back(allele);
    if (sites_.size() < k_min_group) return;
    number_fragments(set);
    observe_sites(set);
    count_pairs();
    link();
    collect_groups();
    for (int32_t round = 0; round < k_refinements; ++round) {
        for (Group& group : groups_) refine(group);
        merge_groups();
    }
    for (Group& group : groups_) measure(group);
    choose(set, copy_number, usual_copies, dispersion_size);
    for (uint32_t read = 0; read < set.reads.size(); ++read) {
        if (is_extra_[fragment_of_[read]] != 0) extra_reads_.push_back(read);
    }
}

/// Mates have the same name, whether they overlap or not.
void HiddenCopies::number_fragments(const ReadSet& set) {
    order_.resize(set.reads.size());
    std::iota(order_.begin(), order_.end(), 0u);
    std::sort(order_.begin(), order_.end(), [&](uint32_t a, uint32_t b) {
        const uint64_t left = set.reads[a].name_hash;
        const uint64_t right = set.reads[b].name_hash;
        return left != right ? left < right : a < b;
    });
    fragment_of_.resize(set.reads.size());
    fragments_ = 0;
    for (size_t i = 0; i < order_.size(); ++i) {
        if (i > 0 && set.reads[order_[i]].name_hash != set.reads[order_[i - 1]].name_hash) ++fragments_;
        fragment_of_[order_[i]] = fragments_;
    }
    ++fragments_;
}

/// What fragments have at the site, by fragment. Mates that agree are one observation, mates that disagree
/// none.
void HiddenCopies::observe(const ReadSet& set, const AlleleFraction& site, FragmentAlleles& out) const {
    out.clear();
    for (size_t i = set.first_over(site.position);
         i < set.reads.size() && set.reads[i].begin <= site.position; ++i) {
        const CallRead& read = set.reads[i];
        if (read.end <= site.position) continue;
        const int64_t offset = read_offset_at(set, read, site.position);
        if (offset < 0) continue;
        const size_t at = read.bases + static_cast<size_t>(offset);
        if (set.qualities[at] < minimum_base_quality_ || set.bases[at] > 3) continue;
        out.emplace_back(fragment_of_[i], set.bases[at] == site.base);
    }
    std::sort(out.begin(), out.end());
    size_t kept = 0;
    for (size_t i = 0; i < out.size();) {
        size_t next = i + 1;
        while (next < out.size() && out[next].first == out[i].first) ++next;
        if (out[i].second == out[next - 1].second) out[kept++] = out[i];
        i = next;
    }
    out.resize(kept);
}

void HiddenCopies::observe_sites(const ReadSet& set) {
    observations_.clear();
    if (site_observations_.size() < sites_.size()) site_observations_.resize(sites_.size());
    for (uint32_t s = 0; s < sites_.size(); ++s) {
        observe(set, sites_[s], site_observations_[s]);
        for (const auto& [fragment, has_allele] : site_observations_[s])
            observations_.push_back({fragment, s, has_allele});
    }
    std::sort(observations_.begin(), observations_.end(), [](const Observation& a, const Observation& b) {
        return a.fragment != b.fragment ? a.fragment < b.fragment : a.site < b.site;
    });
}

void HiddenCopies::count_pairs() {
    pairs_.assign(sites_.size() * k_pair_reach, PairCounts{});
    for (size_t i = 0; i < observations_.size(); ++i) {
        const Observation& a = observations_[i];
        for (size_t k = i + 1; k < observations_.size() && observations_[k].fragment == a.fragment; ++k) {
            const Observation& b = observations_[k];
            const uint32_t apart = b.site - a.site;
            if (apart > k_pair_reach) break;
            uint16_t& count = pairs_[a.site * k_pair_reach + apart - 1]
                                    [(a.has_allele ? 2u : 0u) + (b.has_allele ? 1u : 0u)];
            if (count < 0xffff) ++count;
        }
    }
}

uint32_t HiddenCopies::root_of(uint32_t site) {
    while (parent_[site] != site) site = parent_[site] = parent_[parent_[site]];
    return site;
}

/// Joins sites whose alleles the same fragments have.
void HiddenCopies::link() {
    parent_.resize(sites_.size());
    std::iota(parent_.begin(), parent_.end(), 0u);
    for (uint32_t a = 0; a < sites_.size(); ++a) {
        for (uint32_t b = a + 1; b < sites_.size() && b - a <= k_pair_reach; ++b) {
            const PairCounts& n = pairs_[a * k_pair_reach + (b - a) - 1];
            const uint32_t together = n[3];
            const uint32_t apart = uint32_t{n[1]} + n[2];
            if (together < k_min_together || together + apart < k_min_informative) continue;
            if (apart * k_min_per_error > together + apart) continue;
            parent_[std::max(root_of(a), root_of(b))] = std::min(root_of(a), root_of(b));
        }
    }
}

void HiddenCopies::collect_groups() {
    groups_.clear();
    std::vector<int32_t> group_of(sites_.size(), -1);
    for (uint32_t s = 0; s < sites_.size(); ++s) {
        const uint32_t root = root_of(s);
        if (group_of[root] < 0) {
            group_of[root] = static_cast<int32_t>(groups_.size());
            groups_.emplace_back();
        }
        groups_[static_cast<size_t>(group_of[root])].sites.push_back(s);
    }
    std::erase_if(groups_, [](const Group& group) { return group.sites.size() < k_min_group; });
}

/// Of each fragment: alleles of the group that it has, less those that it has not.
void HiddenCopies::vote(const Group& group) {
    votes_.assign(fragments_, 0);
    for (const uint32_t s : group.sites) {
        for (const auto& [fragment, has_allele] : site_observations_[s])
            votes_[fragment] += has_allele ? 1 : -1;
    }
}

/// Whether the fragments with the allele are those of the group, by the votes of its other sites.
bool HiddenCopies::agrees(const FragmentAlleles& site, bool is_member) const {
    std::array<uint32_t, 4> n{};  // outside without, outside with, inside without, inside with the allele
    for (const auto& [fragment, has_allele] : site) {
        const int32_t others = votes_[fragment] - (is_member ? (has_allele ? 1 : -1) : 0);
        if (others != 0) ++n[(others > 0 ? 2u : 0u) + (has_allele ? 1u : 0u)];
    }
    const uint32_t together = n[3];
    const uint32_t apart = n[1] + n[2];
    return together >= k_min_together && together + apart >= k_min_informative &&
           apart * k_min_per_error_of_group <= together + apart;
}

/// Takes sites that agree with the fragments of the group into it, and others out of it.
void HiddenCopies::refine(Group& group) {
    if (group.sites.empty()) return;
    vote(group);
    const size_t first = group.sites.front() > k_pair_reach ? group.sites.front() - k_pair_reach : 0;
    const size_t last = std::min(sites_.size(), group.sites.back() + k_pair_reach + 1);
    std::vector<uint32_t> kept;
    size_t member = 0;
    for (size_t s = first; s < last; ++s) {
        const bool is_member = member < group.sites.size() && group.sites[member] == s;
        if (is_member) ++member;
        if (agrees(site_observations_[s], is_member)) kept.push_back(static_cast<uint32_t>(s));
    }
    group.sites = std::move(kept);
}

/// Groups that share a site become one.
void HiddenCopies::merge_groups() {
    std::iota(parent_.begin(), parent_.end(), 0u);
    for (const Group& group : groups_) {
        for (const uint32_t s : group.sites)
            parent_[std::max(root_of(s), root_of(group.sites.front()))] =
                std::min(root_of(s), root_of(group.sites.front()));
    }
    std::vector<uint8_t> is_grouped(sites_.size(), 0);
    for (const Group& group : groups_) {
        for (const uint32_t s : group.sites) is_grouped[s] = 1;
    }
    collect_groups();
    for (Group& group : groups_) std::erase_if(group.sites, [&](uint32_t s) { return is_grouped[s] == 0; });
}

void HiddenCopies::measure(Group& group) const {
    if (group.sites.size() < k_min_group) return;
    group.begin = sites_[group.sites.front()].position - k_group_margin_bp;
    group.end = sites_[group.sites.back()].position + k_group_margin_bp;
    group.alleles_per_mb = static_cast<int64_t>(group.sites.size()) * 1'000'000 / (group.end - group.begin);
    int64_t share = 0;
    for (const uint32_t s : group.sites)
        share += 1000 * int64_t{sites_[s].support} / std::max(1, sites_[s].depth);
    group.share_permille = share / static_cast<int64_t>(group.sites.size());
}

/// Counts the fragments of the group, by the votes of all its sites.
GroupFragments HiddenCopies::fragments_of(const Group& group) {
    vote(group);
    GroupFragments fragments;
    fragments.sites = static_cast<int32_t>(group.sites.size());
    seen_.clear();
    for (const uint32_t s : group.sites) {
        for (const auto& [fragment, has_allele] : site_observations_[s]) seen_.push_back(fragment);
    }
    fragments.of_sites = static_cast<int64_t>(seen_.size());
    std::sort(seen_.begin(), seen_.end());
    seen_.erase(std::unique(seen_.begin(), seen_.end()), seen_.end());
    for (const uint32_t fragment : seen_) {
        if (votes_[fragment] > 0) ++fragments.alternate;
        if (votes_[fragment] < 0) ++fragments.reference;
    }
    return fragments;
}

/// The odds that the group is foreign by the sites of [first, last), in this order, that agree with its
/// fragments, which then take part in the vote; k_no_odds if there is none. Fragments that the group itself
/// has are not counted again. Call it after fragments_of().
template <class Iterator>
int64_t HiddenCopies::odds_beside(const ReadSet& set, Iterator first, Iterator last,
                                  const CopyNumber& copy_number, int32_t dispersion_size) {
    GroupFragments fragments;
    int64_t begin = std::numeric_limits<int64_t>::max();
    int64_t end = 0;
    beside_.clear();
    for (size_t others = 0; first != last && others < k_pair_reach; ++first, ++others) {
        observe(set, *first, at_site_);
        if (!agrees(at_site_, false)) continue;
        others = 0;
        begin = std::min(begin, first->position);
        end = std::max(end, first->position + 1);
        ++fragments.sites;
        fragments.of_sites += static_cast<int64_t>(at_site_.size());
        for (const auto& [fragment, has_allele] : at_site_) {
            votes_[fragment] += has_allele ? 1 : -1;
            if (!std::binary_search(seen_.begin(), seen_.end(), fragment)) beside_.push_back(fragment);
        }
    }
    if (fragments.sites == 0) return k_no_odds;
    std::sort(beside_.begin(), beside_.end());
    beside_.erase(std::unique(beside_.begin(), beside_.end()), beside_.end());
    for (const uint32_t fragment : beside_) {
        if (votes_[fragment] > 0) ++fragments.alternate;
        if (votes_[fragment] < 0) ++fragments.reference;
    }
    return foreign_group_odds({copy_number.diploid_depth_x256(begin, end), dispersion_size}, fragments);
}

/// By the depth at its sites, more probably one of the sample's two haplotypes. No prior: the number of
/// copies says that there is a foreign one, but not which it is. A haplotype goes on at both ends of the
/// foreign reads and has half of the depth there; a copy may share the alleles of one at one end.
bool HiddenCopies::is_own(const ReadSet& set, const Group& group, const CopyNumber& copy_number,
                          int32_t dispersion_size) {
    const PlaceDepth depth{copy_number.diploid_depth_x256(group.begin, group.end), dispersion_size};
    if (depth.mean_x256 == 0) return false;
    const GroupFragments fragments = fragments_of(group);
    if (foreign_group_odds(depth, fragments) < 0) return true;
    const auto beyond = [&](int64_t position) {
        return std::partition_point(sites_beside_.begin(), sites_beside_.end(),
                                    [=](const AlleleFraction& site) { return site.position < position; });
    };
    const auto left = std::make_reverse_iterator(beyond(sites_[group.sites.front()].position));
    const auto right = beyond(sites_[group.sites.back()].position);
    const int64_t before = odds_beside(set, left, sites_beside_.rend(), copy_number, dispersion_size);
    if (before >= 0) return false;
    const int64_t after = odds_beside(set, right, sites_beside_.end(), copy_number, dispersion_size);
    return std::max(before, after) + std::max<int64_t>(0, one_of_three_odds(depth, fragments)) < 0;
}

/// The densest groups first, as long as the sample's own copies are left.
void HiddenCopies::choose(const ReadSet& set, const CopyNumber& copy_number, int32_t usual_copies,
                          int32_t dispersion_size) {
    is_extra_.assign(fragments_, 0);
    std::erase_if(groups_, [](const Group& group) {
        return group.sites.size() < k_min_group || group.alleles_per_mb < k_min_alleles_per_mb;
    });
    std::stable_sort(groups_.begin(), groups_.end(),
                     [](const Group& a, const Group& b) { return a.alleles_per_mb > b.alleles_per_mb; });
    std::vector<const Group*> chosen;
    for (const Group& group : groups_) {
        const int32_t copies = copy_number.at((group.begin + group.end) / 2);
        int64_t share = group.share_permille;
        for (const Group* other : chosen) {
            if (other->begin < group.end && group.begin < other->end) share += other->share_permille;
        }
        if (share * copies * 100 > k_per_mille * (copies - usual_copies) * k_max_share_percent) continue;
        if (usual_copies >= 2 && is_own(set, group, copy_number, dispersion_size)) continue;
        chosen.push_back(&group);
        vote(group);
        for (uint32_t f = 0; f < fragments_; ++f) {
            if (votes_[f] > 0) is_extra_[f] = 1;
        }
    }
}

}  // namespace gannet::variants
