// SPDX-License-Identifier: MIT
// Provides reading of VCF/BCF sites with alleles and the genotype of one sample: truth sets and call sets.
#pragma once

#include "data/reference.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace gannet::data::vcf {

struct Site {
    uint32_t contig = 0;                     ///< in the reference's order
    int64_t position = 0;                    ///< 0-based
    std::string id;                          ///< empty when missing
    std::vector<std::string> alleles;        ///< upper case; [0] is REF; symbolic ones kept as written
    std::array<int, 2> genotype = {-1, -1};  ///< of a haploid one: its allele twice
    int ploidy = 2;                          ///< alleles that the file states: 1 or 2
    bool phased = false;
    bool has_genotype = false;  ///< false: the file has none; a record's may be missing: {-1, -1}
    float quality = -1;         ///< -1 when missing
    int32_t depth = -1;         ///< FORMAT DP of the sample; -1 when missing
    bool pass = true;           ///< FILTER is PASS or missing
    uint64_t record = 0;        ///< 1-based in the file
};

/// Sites in file order through htslib. Refuses (malformed_input): what htslib refuses, missing #CHROM line,
/// positions past the contig's end, REF that is not the reference's (reference_mismatch, names the site),
/// non-ACGTN alleles other than symbolic, `*` and breakends. A line of text over 64 MiB is refused.
class Reader {
  public:
    Reader(const std::string& path, const Reference& reference, const std::string& sample = "");
    ~Reader();
    bool read(Site& site);
    const std::vector<std::string>& samples() const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace gannet::data::vcf
