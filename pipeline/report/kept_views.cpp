// SPDX-License-Identifier: MIT
// Provides the choice of the views that are kept.
#include "pipeline/report/kept_views.hpp"

#include <algorithm>

namespace gannet::pipeline::report {

std::array<std::optional<ViewKeeper::Offer>, 2> ViewKeeper::offers(const data::Variant& record,
                                                                   bool was_asked) {
    std::array<std::optional<Offer>, 2> out;
    const bool passes = (record.filters & ~uint32_t{data::k_filter_not_applied}) == 0;
    if (!passes || record.alleles.size() < 2) return out;
    const auto quality = static_cast<uint64_t>(std::max(0, record.genotype_quality));
    if (record.genotype_quality < k_usual_quality)
        out[0] = {&doubtful_, quality};
    else
        out[0] = {&usual_,
                  usual_key(reference_.contigs()[record.contig].name, std::to_string(record.position + 1))};
    if (was_asked) out[1] = {&scored_, quality};
    return out;
}

bool ViewKeeper::wants(const data::Variant& record, bool was_asked) {
    for (const std::optional<Offer>& offer : offers(record, was_asked)) {
        if (!offer) continue;
        const uint64_t last = offer->group->last_key.load(std::memory_order_relaxed);
        if (offer->key < last) return true;
        if (offer->key > last) continue;
        const std::lock_guard lock(mutex_);
        const auto& chosen = offer->group->chosen;
        if (chosen.size() < offer->group->most ||
            Rank{offer->key, record.contig, record.position, record.alleles} < chosen.back().first)
            return true;
    }
    return false;
}

void ViewKeeper::take(const data::Variant& record, variants::SiteView&& view) {
    const bool was_asked = view.asked == variants::Asked::yes;
    const auto shared = std::make_shared<const variants::SiteView>(std::move(view));
    const std::lock_guard lock(mutex_);
    for (const std::optional<Offer>& offer : offers(record, was_asked)) {
        if (!offer) continue;
        Group& group = *offer->group;
        Rank rank{offer->key, record.contig, record.position, record.alleles};
        const auto at =
            std::upper_bound(group.chosen.begin(), group.chosen.end(), rank,
                             [](const Rank& value, const auto& one) { return value < one.first; });
        group.chosen.insert(at, {std::move(rank), shared});
        if (group.chosen.size() > group.most) group.chosen.pop_back();
        if (group.chosen.size() == group.most)
            group.last_key.store(group.chosen.back().first.key, std::memory_order_relaxed);
    }
}

std::vector<KeptView> ViewKeeper::views() const {
    const std::lock_guard lock(mutex_);
    std::vector<std::pair<Rank, const variants::SiteView*>> all;
    for (const Group* group : {&doubtful_, &usual_, &scored_}) {
        for (const auto& [rank, view] : group->chosen) {
            all.emplace_back(rank, view.get());
            all.back().first.key = 0;
        }
    }
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<KeptView> views;
    for (size_t i = 0; i < all.size(); ++i) {
        if (i > 0 && all[i].second == all[i - 1].second) continue;
        views.push_back({reference_.contigs()[all[i].first.contig].name, *all[i].second});
    }
    return views;
}

}  // namespace gannet::pipeline::report
