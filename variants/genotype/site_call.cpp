// SPDX-License-Identifier: MIT
// Provides what follows from the called alleles of a site.
#include "variants/genotype/site_call.hpp"

#include <algorithm>

namespace gannet::variants {

int32_t slips_of_call(const SiteCall& site) {
    int32_t slips = 0;
    if (!site.genotype || site.slips_per_million.empty()) return slips;
    for (const size_t allele : site.genotype->alleles) {
        if (allele == 0 || allele > site.alleles.size()) continue;
        slips = std::max(slips, site.slips_per_million[allele - 1]);
    }
    return slips;
}

}  // namespace gannet::variants
