// SPDX-License-Identifier: MIT
// Provides which contigs of a reference belong to the primary assembly, and which are alternate or decoys.
#pragma once

#include "data/reference.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gannet::data {

enum class ContigClass : uint8_t {
    primary,    ///< chromosomes, unlocalised (_random) and unplaced (chrUn_) contigs, chrM, chrEBV
    alternate,  ///< another version of a stretch of the primary assembly: ALT contigs, HLA alleles, fix
                ///< patches
    decoy       ///< sequence that only attracts reads of what the primary assembly lacks
};

/// The class that a name has by the conventions of UCSC's hg19 and hg38 and of bwakit's hs38DH: `_alt`,
/// `_fix`, `_hap` with a number, and `HLA-` at the beginning are alternate; `_decoy` and `hs37d5` are decoys;
/// all others are primary.
ContigClass contig_class_of_name(std::string_view name);

/// The classes of a reference's contigs. Default: all primary.
class ContigClasses {
  public:
    ContigClasses() = default;
    /// By the names of the contigs. All are primary where no name is that of a primary contig.
    static ContigClasses by_name(const Reference& reference);
    /// Alternate are the contigs that `path` names: bwa's REF.alt, which is SAM of the ALT contigs against
    /// the primary assembly, of which the first column is used. Decoys are known by their names. Throws
    /// Error(malformed_input) when it cannot be read or a line does not begin with a name, and
    /// Error(reference_mismatch) when no name is that of a contig, or all contigs are named. `unknown`: the
    /// number of names that are no contig's.
    static ContigClasses by_file(const Reference& reference, const std::string& path, uint64_t& unknown);

    ContigClass of(uint32_t contig) const {
        return contig < classes_.size() ? classes_[contig] : ContigClass::primary;
    }
    bool is_alternate(uint32_t contig) const { return of(contig) == ContigClass::alternate; }
    uint64_t count(ContigClass wanted) const;
    bool all_primary() const { return classes_.empty(); }
    /// Makes this contig alternate.
    void set_alternate(const Reference& reference, uint32_t contig);

  private:
    std::vector<ContigClass> classes_;  ///< one per contig; empty: all primary
};

}  // namespace gannet::data
