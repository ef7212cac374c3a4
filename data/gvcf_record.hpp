// SPDX-License-Identifier: MIT
// Provides one record of a single-sample gVCF: a variant with the likelihoods of one sample, or a reference
// block.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace gannet::data {

/// Positions are 0-based. Values that the record does not have are -1 or empty.
struct GvcfRecord {
    uint32_t contig = 0;  ///< in the reference's order
    int64_t begin = 0;
    int64_t end = 0;                   ///< of REF, or of the block (INFO END)
    std::vector<std::string> alleles;  ///< upper case; [0] is REF; symbolic ones and `*` as written
    int unobserved = -1;               ///< index of <*> or <NON_REF>
    bool is_block = false;             ///< no allele but REF and the one that was not observed
    int32_t quality_centi = -1;        ///< QUAL * 100
    bool pass = true;                  ///< FILTER is PASS or missing
    int ploidy = 2;                    ///< 1 or 2, of GT
    std::array<int, 2> genotype = {-1, -1};
    int32_t phase_set = -1;  ///< PS, of a genotype with `|`
    int32_t genotype_quality = -1;
    int32_t depth = -1;           ///< FORMAT DP
    int32_t minimum_depth = -1;   ///< MIN_DP, of a block
    std::vector<int32_t> depths;  ///< AD, one per allele
    std::vector<int32_t> phred;   ///< PL of the genotypes of `ploidy` copies, in VCF's order
    uint64_t number = 0;          ///< 1-based in the file; 0 after a jump to a region
};

}  // namespace gannet::data
