// SPDX-License-Identifier: MIT
// Provides the groups of linked SNVs with their indels, and the sums over their fragments.
#include "variants/records/foreign_groups.hpp"

#include "variants/model/sample.hpp"

#include <algorithm>
#include <cstdlib>
#include <tuple>

namespace gannet::variants {

namespace {

constexpr int64_t k_group_prior = sample_number("foreign_group_prior_log10") * int64_t{k_log_scale};

}  // namespace

/// The heterozygous sites that may be of groups; SNVs so that those of a group follow one another.
void ForeignGroups::gather(std::span<const CalledRecord> records, std::span<const size_t> phased,
                           std::span<const Phaser::Phase> phases) {
    members_.clear();
    indels_.clear();
    filtered_.clear();
    for (size_t i = 0; i < phased.size(); ++i) {
        const CalledRecord& record = records[phased[i]];
        const data::Variant& variant = record.variant;
        if (record.own_copies > 2 || phases[i].set < 0 || variant.alleles.size() != 2) continue;
        const bool is_snv = variant.alleles[0].size() == 1 && variant.alleles[1].size() == 1;
        const bool is_biased = (variant.filters & uint32_t{data::k_filter_allele_bias}) != 0;
        if (variant.filters != 0 && !(is_snv && is_biased)) continue;
        const size_t alternate = variant.genotype[1] > 0 ? 1 : 0;
        (!is_snv                ? indels_
         : variant.filters != 0 ? filtered_
                                : members_)
            .push_back({phased[i], record.alleles[1 - alternate], record.alleles[alternate], phases[i].set,
                        (alternate == 1) != phases[i].is_swapped});
    }
    // Stable: groups of a set and haplotype in the order of their positions.
    std::stable_sort(members_.begin(), members_.end(), [](const Member& a, const Member& b) {
        return std::tie(a.set, a.is_second) < std::tie(b.set, b.is_second);
    });
}

bool ForeignGroups::filter(const CallModel& model, std::span<CalledRecord> records,
                           std::span<const size_t> phased, std::span<const Phaser::Phase> phases) {
    if (!model.sample.depth.is_known()) return false;
    gather(records, phased, phases);
    const auto position_of = [&](const Member& m) { return records[m.record].variant.position; };
    bool is_any = false;
    for (size_t first = 0, last = 0; first < members_.size(); first = last) {
        const Member& of = members_[first];
        for (last = first + 1; last < members_.size(); ++last) {
            const Member& next = members_[last];
            if (next.set != of.set || next.is_second != of.is_second ||
                position_of(next) - position_of(members_[last - 1]) > model.sample.read_bp)
                break;
        }
        const auto group = std::span<const Member>(members_).subspan(first, last - first);
        if (group.size() < 2 || k_group_prior + foreign_odds(model, records, group) <= 0) continue;
        is_any = true;
        set_filter(model.sample.read_bp, group, records);
    }
    return filter_beside_filtered(model, records) || is_any;
}

/// Indels of the same fragments as SNVs that were filtered each by itself, and so have no phase.
bool ForeignGroups::filter_beside_filtered(const CallModel& model, std::span<CalledRecord> records) {
    bool is_any = false;
    for (size_t first = 0; const Member& indel : indels_) {
        const int64_t position = records[indel.record].variant.position;
        const auto distance = [&](size_t i) {
            return records[filtered_[i].record].variant.position - position;
        };
        while (first < filtered_.size() && distance(first) < -model.sample.read_bp) ++first;
        companions_.clear();
        for (size_t i = first; i < filtered_.size() && distance(i) <= model.sample.read_bp; ++i) {
            if (is_of_same_fragments(records, indel, filtered_[i])) companions_.push_back(filtered_[i]);
        }
        if (companions_.empty()) continue;
        const auto passes_beside = [&](const Member& snv) {
            return snv.set == indel.set && snv.is_second == indel.is_second &&
                   records[snv.record].variant.filters == 0 &&
                   std::abs(records[snv.record].variant.position - position) <= model.sample.read_bp;
        };
        if (std::count_if(members_.begin(), members_.end(), passes_beside) >= std::ssize(companions_))
            continue;
        // The filter of each is the prior.
        companions_.push_back(indel);
        if (foreign_odds(model, records, companions_) <= 0) continue;
        records[indel.record].variant.filters |= uint32_t{data::k_filter_allele_bias};
        is_any = true;
    }
    return is_any;
}

/// Whether the fragments that cover both and have either alternate allele have both, as sure as the alleles
/// of a block are of one haplotype. Those with both reference alleles say nothing of that.
bool ForeignGroups::is_of_same_fragments(std::span<const CalledRecord> records, const Member& indel,
                                         const Member& snv) {
    votes_.clear();
    for (const Member* member : {&indel, &snv}) {
        for (const FragmentAllele& seen : records[member->record].seen) {
            if (seen.phred == 0 || (seen.allele != member->reference && seen.allele != member->alternate))
                continue;
            const int32_t phred = std::min(int32_t{seen.phred}, k_max_fragment_phred);
            votes_.emplace_back(seen.fragment, seen.allele == member->alternate ? phred : -phred);
        }
    }
    std::sort(votes_.begin(), votes_.end());
    int64_t both = 0;
    int64_t one = 0;
    for (size_t i = 1; i < votes_.size(); ++i) {
        const auto [fragment, low] = votes_[i - 1];
        const auto [other, high] = votes_[i];
        if (fragment != other || high < 0) continue;
        (low > 0 ? both : one) += std::min(std::abs(low), high);
    }
    return both - one >= k_min_phase_phred && one * k_min_phase_ratio <= both;
}

/// Of the SNVs of a group, and of the indels on its haplotype.
void ForeignGroups::set_filter(int64_t read_bp, std::span<const Member> group,
                               std::span<CalledRecord> records) const {
    const auto add_to = [&](const Member& member) {
        records[member.record].variant.filters |= uint32_t{data::k_filter_allele_bias};
    };
    for (const Member& member : group) add_to(member);
    const int64_t begin = records[group.front().record].variant.position - read_bp;
    const int64_t end = records[group.back().record].variant.position + read_bp;
    for (const Member& indel : indels_) {
        const int64_t position = records[indel.record].variant.position;
        if (indel.set == group.front().set && indel.is_second == group.front().is_second &&
            position >= begin && position <= end)
            add_to(indel);
    }
}

/// Without a prior.
int64_t ForeignGroups::foreign_odds(const CallModel& model, std::span<const CalledRecord> records,
                                    std::span<const Member> group) {
    votes_.clear();
    PlaceDepth depth;
    for (const Member& member : group) {
        const CalledRecord& record = records[member.record];
        const PlaceDepth here =
            model.sample.depth.at(model.reference, record.variant.contig, record.variant.position);
        depth.mean_x256 += here.mean_x256;
        depth.size = here.size;
        for (const FragmentAllele& seen : record.seen) {
            if (seen.phred == 0 || (seen.allele != member.reference && seen.allele != member.alternate))
                continue;
            votes_.emplace_back(seen.fragment,
                                seen.allele == member.alternate ? seen.phred : -int32_t{seen.phred});
        }
    }
    depth.mean_x256 /= static_cast<int64_t>(group.size());
    std::sort(votes_.begin(), votes_.end());
    GroupFragments fragments;
    fragments.sites = static_cast<int32_t>(group.size());
    fragments.of_sites = static_cast<int64_t>(votes_.size());
    for (size_t first = 0, last = 0; first < votes_.size(); first = last) {
        int32_t sum = 0;
        for (; last < votes_.size() && votes_[last].first == votes_[first].first; ++last)
            sum += votes_[last].second;
        if (sum > 0) ++fragments.alternate;
        if (sum < 0) ++fragments.reference;
    }
    return foreign_group_odds(depth, fragments);
}

}  // namespace gannet::variants
