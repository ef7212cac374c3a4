// SPDX-License-Identifier: MIT
// Provides what follows from the called alleles of a site.
#include "variants/genotype/site_call.hpp"

#include <algorithm>

namespace gannet::variants {

int32_t stutter_of_call(const SiteCall& site) {
    int32_t stutter = 0;
    if (!site.genotype || site.stutter_per_million.empty()) return stutter;
    for (const size_t allele : site.genotype->alleles) {
        if (allele == 0 || allele > site.alleles.size()) continue;
        stutter = std::max(stutter, site.stutter_per_million[allele - 1]);
    }
    return stutter;
}

}  // namespace gannet::variants
