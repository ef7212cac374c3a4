// SPDX-License-Identifier: MIT
// Provides the variants of persons who share some of the sample's.
#include "data/simulate/other_people.hpp"

#include "data/simulate/random.hpp"

#include <algorithm>

namespace gannet::data::simulate {

Truth make_other_person(const Genome& genome, const Truth& sample, uint64_t seed, uint64_t number) {
    Random start(seed, Stream::other_person, number);
    const Truth others = make_variants(genome, start.next());
    Truth truth;
    for (size_t contig = 0; contig < sample.size(); ++contig) {
        Random random(seed, Stream::other_person, number << 32 | (contig + 1));
        std::vector<TruthSite> sites;
        for (TruthSite site : sample[contig]) {
            for (uint8_t& allele : site.genotype)
                if (random.chance(0.5)) allele = 0;
            sites.push_back(std::move(site));
        }
        for (const TruthSite& site : others[contig])
            if (random.chance(0.5)) sites.push_back(site);
        std::erase_if(sites,
                      [](const TruthSite& site) { return site.genotype[0] == 0 && site.genotype[1] == 0; });
        std::stable_sort(sites.begin(), sites.end(),
                         [](const TruthSite& a, const TruthSite& b) { return a.position < b.position; });
        uint64_t end = 0;
        std::erase_if(sites, [&end](const TruthSite& site) {
            const bool overlaps = site.position < end;
            if (!overlaps) end = site.end();
            return overlaps;
        });
        truth.push_back(std::move(sites));
    }
    return truth;
}

}  // namespace gannet::data::simulate
