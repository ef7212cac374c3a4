// SPDX-License-Identifier: MIT
// Provides the groups of linked SNVs and the sums over their fragments.
#include "variants/records/foreign_groups.hpp"

#include "variants/model/sample.hpp"

#include <algorithm>
#include <tuple>

namespace gannet::variants {

namespace {

constexpr int64_t k_group_prior = sample_number("foreign_group_prior_log10") * int64_t{k_log_scale};

}  // namespace

bool ForeignGroups::filter(const CallModel& model, std::span<CalledRecord> records,
                           std::span<const size_t> phased, std::span<const Phaser::Phase> phases) {
    members_.clear();
    if (!model.sample.depth.is_known()) return false;
    for (size_t i = 0; i < phased.size(); ++i) {
        const CalledRecord& record = records[phased[i]];
        const data::Variant& variant = record.variant;
        if (variant.filters != 0 || phases[i].set < 0 || variant.alleles.size() != 2) continue;
        if (variant.alleles[0].size() != 1 || variant.alleles[1].size() != 1) continue;
        const size_t alternate = variant.genotype[1] > 0 ? 1 : 0;
        members_.push_back({phased[i], record.alleles[1 - alternate], record.alleles[alternate],
                            phases[i].set, (alternate == 1) != phases[i].is_swapped});
    }
    // Stable: groups of a set and haplotype in the order of their positions.
    std::stable_sort(members_.begin(), members_.end(), [](const Member& a, const Member& b) {
        return std::tie(a.set, a.is_second) < std::tie(b.set, b.is_second);
    });
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
        for (const Member& member : group)
            records[member.record].variant.filters |= uint32_t{data::k_filter_allele_bias};
    }
    return is_any;
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
