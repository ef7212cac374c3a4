// SPDX-License-Identifier: MIT
// Provides the joining of heterozygous sites to blocks.
#include "variants/records/phase.hpp"

#include "variants/model/records.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <utility>

namespace gannet::variants {

namespace {

/// Earlier sites that are looked at for one observation; a fragment over more of them says no more.
constexpr size_t k_max_earlier_sites = records_number("phase_max_earlier_sites");
constexpr uint32_t k_none = std::numeric_limits<uint32_t>::max();

}  // namespace

/// What fragments show of more than one site.
void Phaser::gather(std::span<const Site> sites) {
    observations_.clear();
    for (uint32_t i = 0; i < sites.size(); ++i) {
        const auto [first, second] = sites[i].alleles;
        for (const FragmentAllele& seen : sites[i].seen) {
            if (seen.phred == 0 || (seen.allele != first && seen.allele != second)) continue;
            observations_.push_back({seen.fragment, i, seen.allele == first ? seen.phred : -seen.phred});
        }
    }
    std::sort(observations_.begin(), observations_.end(), [](const Observation& a, const Observation& b) {
        if (a.fragment != b.fragment) return a.fragment < b.fragment;
        return a.site != b.site ? a.site < b.site : a.phred < b.phred;
    });
    size_t kept = 0;
    for (size_t first = 0, last = 0; first < observations_.size(); first = last) {
        while (last < observations_.size() && observations_[last].fragment == observations_[first].fragment)
            ++last;
        if (observations_[last - 1].site == observations_[first].site) continue;
        for (size_t i = first; i < last; ++i) observations_[kept++] = observations_[i];
    }
    observations_.resize(kept);
    by_site_.resize(kept);
    for (uint32_t i = 0; i < kept; ++i) by_site_[i] = i;
    std::sort(by_site_.begin(), by_site_.end(), [this](uint32_t a, uint32_t b) {
        const uint32_t left = observations_[a].site;
        const uint32_t right = observations_[b].site;
        return left != right ? left < right : a < b;
    });
}

/// The block of a site, and whether the site's alleles are in the other order than those of the block's
/// first site.
Phaser::Membership Phaser::find(uint32_t site) {
    Membership at{site, false};
    while (parents_[at.root].root != at.root) {
        at.is_swapped = at.is_swapped != parents_[at.root].is_swapped;
        at.root = parents_[at.root].root;
    }
    parents_[site] = at;
    return at;
}

/// Adds what the fragment of an observation says of the site and the blocks of its earlier sites.
void Phaser::add_votes(std::span<const Site> sites, size_t observation) {
    const Observation& own = observations_[observation];
    haplotypes_.clear();
    uint32_t after = own.site;
    for (size_t i = observation, looked_at = 0; i-- > 0 && looked_at < k_max_earlier_sites; ++looked_at) {
        const Observation& other = observations_[i];
        if (other.fragment != own.fragment ||
            sites[after].position - sites[other.site].position > k_phase_reach_bp)
            break;
        after = other.site;
        if (other.site == own.site) continue;
        const Membership block = find(other.site);
        const int64_t phred = block.is_swapped ? -other.phred : other.phred;
        const auto known = std::find_if(haplotypes_.begin(), haplotypes_.end(),
                                        [&](const auto& h) { return h.first == block.root; });
        if (known == haplotypes_.end())
            haplotypes_.emplace_back(block.root, phred);
        else
            known->second += phred;
    }
    for (const auto& [root, phred] : haplotypes_) {
        const int64_t vote =
            std::min({std::abs(phred), int64_t{std::abs(own.phred)}, int64_t{k_max_fragment_phred}});
        auto known = std::find_if(links_.begin(), links_.end(),
                                  [root = root](const Link& link) { return link.root == root; });
        if (known == links_.end()) known = links_.insert(links_.end(), {root, 0, 0});
        ((phred > 0) == (own.phred > 0) ? known->same : known->swapped) += vote;
    }
}

/// Makes one block of the site and those that it has strong links to, the strongest first.
void Phaser::join(uint32_t site) {
    std::sort(links_.begin(), links_.end(), [](const Link& a, const Link& b) {
        const int64_t left = a.winner() - a.loser();
        const int64_t right = b.winner() - b.loser();
        return left != right ? left > right : a.root < b.root;
    });
    for (const Link& link : links_) {
        if (!link.is_strong()) continue;
        const Membership own = find(site);
        const bool is_swapped = own.is_swapped != (link.swapped > link.same);
        const auto [low, high] = std::minmax(own.root, link.root);
        parents_[high] = {low, is_swapped};
    }
}

/// Names each block by the position of its first site. Those of more than one site choose first.
void Phaser::name_blocks(std::span<const Site> sites, std::vector<Phase>& out) {
    const size_t count = sites.size();
    first_of_position_.resize(count);
    leaders_.assign(count, k_none);
    sizes_.assign(count, 0);
    taken_.assign(count, false);
    for (uint32_t i = 0; i < count; ++i) {
        const bool is_first = i == 0 || sites[i].position != sites[i - 1].position;
        first_of_position_[i] = is_first ? i : first_of_position_[i - 1];
        ++sizes_[find(i).root];
    }
    out.assign(count, {});
    for (const bool alone : {false, true}) {
        for (uint32_t i = 0; i < count; ++i) {
            const Membership block = find(i);
            if ((sizes_[block.root] == 1) != alone) continue;
            uint32_t& leader = leaders_[block.root];
            if (leader == k_none) {
                if (taken_[first_of_position_[i]]) continue;
                taken_[first_of_position_[i]] = true;
                leader = i;
            }
            out[i] = {sites[leader].position, block.is_swapped != find(leader).is_swapped};
        }
    }
}

void Phaser::run(std::span<const Site> sites, std::vector<Phase>& out) {
    gather(sites);
    parents_.resize(sites.size());
    for (uint32_t i = 0; i < sites.size(); ++i) parents_[i] = {i, false};
    for (size_t at = 0; at < by_site_.size();) {
        const uint32_t site = observations_[by_site_[at]].site;
        links_.clear();
        for (; at < by_site_.size() && observations_[by_site_[at]].site == site; ++at)
            add_votes(sites, by_site_[at]);
        join(site);
    }
    name_blocks(sites, out);
}

}  // namespace gannet::variants
