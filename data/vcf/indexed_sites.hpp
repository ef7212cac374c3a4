// SPDX-License-Identifier: MIT
// Provides the records of an indexed VCF or BCF by region, without reading the rest of it: known variants
// such as dbSNP.
#pragma once

#include "data/reference.hpp"
#include "data/regions.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace gannet::data::vcf {

/// A record as its file has it, but for the position. Valid during the call that gives it.
struct KnownSite {
    int64_t position = 0;  ///< 0-based
    std::string_view id;   ///< "." where it has none
    std::string_view reference;
    std::string_view alternates;  ///< separated by commas
};

/// Memory: that of the index, and a block. One object per thread.
class IndexedSites {
  public:
    /// Throws Error: malformed_input unless `path` is a VCF compressed by bgzip, or a BCF, with its own index
    /// (.csi or .tbi) beside it (index_check.hpp); reference_mismatch where the index has contigs and none of
    /// them is in the reference.
    static std::unique_ptr<IndexedSites> open(const std::string& path, const Reference& reference);
    virtual ~IndexedSites() = default;
    /// The same file for another thread. Thread-safe.
    virtual std::unique_ptr<IndexedSites> another() const = 0;
    /// Gives the records that overlap the region, in the order of the file; none of a contig that the file
    /// does not have. Throws Error(malformed_input) on damaged or unsorted ones.
    virtual void visit(const Region& region, const std::function<void(const KnownSite&)>& take) = 0;
};

}  // namespace gannet::data::vcf
