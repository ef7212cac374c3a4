// SPDX-License-Identifier: MIT
// Provides what is kept of a called site.
#include "variants/records/called_record.hpp"

#include <utility>

namespace gannet::variants {

CalledRecord called_record(SiteGenotype&& genotype, std::span<const FragmentAllele> seen, bool is_written) {
    CalledRecord record;
    record.is_written = is_written;
    const data::Variant& variant = genotype.record;
    const auto [first, second] = variant.genotype;
    if (variant.ploidy == 2 && first != second) {
        for (size_t i = 0; i < record.alleles.size(); ++i)
            record.alleles[i] =
                static_cast<uint8_t>(genotype.alleles[static_cast<size_t>(variant.genotype[i])]);
        record.seen.assign(seen.begin(), seen.end());
    }
    record.variant = std::move(genotype.record);
    return record;
}

}  // namespace gannet::variants
