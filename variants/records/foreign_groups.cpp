// SPDX-License-Identifier: MIT
// Provides the groups of linked SNVs with their indels, and the sums over their fragments.
#include "variants/records/foreign_groups.hpp"

#include "variants/model/sample.hpp"

#include <algorithm>
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
    for (size_t i = 0; i < phased.size(); ++i) {
        const CalledRecord& record = records[phased[i]];
        const data::Variant& variant = record.variant;
        if (variant.filters != 0 || record.own_copies > 2 || phases[i].set < 0 || variant.alleles.size() != 2)
            continue;
        const bool is_snv = variant.alleles[0].size() == 1 && variant.alleles[1].size() == 1;
        const size_t alternate = variant.genotype[1] > 0 ? 1 : 0;
        (is_snv ? members_ : indels_)
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
        if (group.size() < 2 || !is_foreign(model, records, group)) continue;
        is_any = true;
        set_filter(model.sample.read_bp, group, records);
    }
    return is_any;
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

bool ForeignGroups::is_foreign(const CallModel& model, std::span<const CalledRecord> records,
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
    return k_group_prior + foreign_group_odds(depth, fragments) > 0;
}

}  // namespace gannet::variants
