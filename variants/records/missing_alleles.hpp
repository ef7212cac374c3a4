// SPDX-License-Identifier: MIT
// Provides the records of forced alleles that no usable read covers.
#pragma once

#include "data/regions.hpp"
#include "data/variant.hpp"
#include "variants/alleles/forced_alleles.hpp"
#include "variants/sample/ploidy.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace gannet::variants {

/// Whether an alternate allele of the record is this one.
bool has_allele(const data::Variant& variant, const Allele& allele, const std::vector<data::Base>& arena);

/// Completes a stream of records by the forced alleles that it lacks: those without any usable read. Their
/// genotype is missing, their depth 0.
class MissingAlleles {
  public:
    /// `targets` empty: everywhere. Where the sample has no copies nothing is added.
    MissingAlleles(std::shared_ptr<const ForcedAlleles> forced, data::RegionSet targets, PloidyMap ploidy)
        : forced_(std::move(forced)), targets_(std::move(targets)), ploidy_(std::move(ploidy)) {}
    /// Appends to `out` the records, which follow those of earlier calls in genome order, and what is missing
    /// before them.
    void add(std::span<const data::Variant> variants, std::vector<data::Variant>& out);
    /// What is missing after the last record.
    void finish(std::vector<data::Variant>& out);

  private:
    void add_until(uint32_t contig, int64_t position, std::vector<data::Variant>& out);
    void add_missing(std::span<const Allele> alleles, std::span<const data::Variant> beside,
                     std::vector<data::Variant>& out) const;

    std::shared_ptr<const ForcedAlleles> forced_;
    data::RegionSet targets_;
    PloidyMap ploidy_;
    uint32_t contig_ = 0;   // forced alleles of earlier contigs, and on this one those
    int64_t position_ = 0;  // of records before this position, are done
};

}  // namespace gannet::variants
