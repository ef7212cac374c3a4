// SPDX-License-Identifier: MIT
// Provides the IDs of called variants that a file of known ones has (--dbsnp), or that were given with forced
// alleles.
#pragma once

#include "data/reference.hpp"
#include "data/variant.hpp"
#include "data/vcf/indexed_sites.hpp"
#include "variants/alleles/forced_alleles.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace gannet::variants {

/// Looks variants up by allele: a record of the file is one of theirs where one of its alternate alleles,
/// trimmed and left-aligned (Tan, Abecasis and Kang 2015), is one of the variant's. A record whose indel can
/// be shifted further than k_max_shift_bp to the left is not found.
class KnownIds {
  public:
    static constexpr int64_t k_max_shift_bp = 256;

    KnownIds(std::unique_ptr<data::vcf::IndexedSites> sites,
             std::shared_ptr<const data::Reference> reference);
    /// Appends to the ID of each variant those of its alleles, in the order of alleles and file, each once.
    /// `variants`: in genome order. Thread-safe. Cost: reading the file where the variants are; variants that
    /// are near each other share it. Throws what IndexedSites::visit throws.
    void annotate(std::span<data::Variant> variants);
    /// Records passed over so far since their REF is not the reference's.
    uint64_t foreign_records() const { return foreign_.load(); }

  private:
    std::unique_ptr<data::vcf::IndexedSites> take();
    void give_back(std::unique_ptr<data::vcf::IndexedSites> sites);
    void annotate_near(data::vcf::IndexedSites& sites, std::span<data::Variant> variants);

    std::shared_ptr<const data::Reference> reference_;
    std::unique_ptr<const data::vcf::IndexedSites> first_;
    std::mutex mutex_;
    std::vector<std::unique_ptr<data::vcf::IndexedSites>> idle_;
    std::atomic<uint64_t> foreign_{0};
};

/// Appends the IDs of forced alleles.
void add_given_ids(const ForcedAlleles& given, std::span<data::Variant> variants);

}  // namespace gannet::variants
