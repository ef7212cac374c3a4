// SPDX-License-Identifier: MIT
// Provides the ploidy of a sample by position.
#include "variants/sample/ploidy.hpp"

#include <algorithm>

namespace gannet::variants {

namespace {

uint8_t ploidy_in(std::span<const PloidyMap::Stretch> stretches, int64_t position) {
    const auto after =
        std::upper_bound(stretches.begin(), stretches.end(), position,
                         [](int64_t at, const PloidyMap::Stretch& stretch) { return at < stretch.begin; });
    return after == stretches.begin() ? PloidyMap::Stretch().ploidy : std::prev(after)->ploidy;
}

}  // namespace

void PloidyMap::set(const data::Region& region, uint8_t ploidy) {
    if (region.begin >= region.end) return;
    if (contigs_.size() <= region.contig) contigs_.resize(region.contig + 1);
    std::vector<Stretch>& stretches = contigs_[region.contig];
    std::vector<Stretch> changed;
    const auto add = [&changed](const Stretch& stretch) {
        if (changed.empty() || changed.back().ploidy != stretch.ploidy) changed.push_back(stretch);
    };
    add({0, region.begin > 0 ? ploidy_in(stretches, 0) : ploidy});
    for (const Stretch& stretch : stretches) {
        if (stretch.begin < region.begin) add(stretch);
    }
    add({region.begin, ploidy});
    add({region.end, ploidy_in(stretches, region.end)});
    for (const Stretch& stretch : stretches) {
        if (stretch.begin > region.end) add(stretch);
    }
    stretches = std::move(changed);
}

uint8_t PloidyMap::at(uint32_t contig, int64_t position) const {
    return ploidy_in(stretches(contig), position);
}

std::span<const PloidyMap::Stretch> PloidyMap::stretches(uint32_t contig) const {
    if (contig >= contigs_.size()) return {};
    return contigs_[contig];
}

}  // namespace gannet::variants
