// SPDX-License-Identifier: MIT
// Provides alleles that are genotyped whether or not the reads show them (--alleles).
#pragma once

#include "data/reference.hpp"
#include "data/regions.hpp"
#include "data/variant.hpp"
#include "variants/model/alleles.hpp"
#include "variants/sample/ploidy.hpp"
#include "variants/sequence/allele.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gannet::variants {

/// SNVs, insertions and deletions in normal form, by contig. An MNP or another replacement is the changes
/// that it consists of. Filled by add() and finish(), then immutable. Memory: 24 bytes and the alternate
/// bases per allele.
class GivenAlleles {
  public:
    enum class Outcome {
        added,
        symbolic,   ///< symbolic, `*` or a breakend
        too_long,   ///< inserts or deletes more than k_max_indel_bp
        undefined,  ///< has N, is beside N or the begin of the contig, or is the reference
    };

    explicit GivenAlleles(std::shared_ptr<const data::Reference> reference);
    /// An allele as a VCF states it, upper case, REF as the reference has it; `position` is 0-based.
    Outcome add(uint32_t contig, int64_t position, std::string_view reference, std::string_view alternate);
    /// Sorts the alleles and removes duplicates.
    void finish();

    size_t size() const;
    /// Those whose records are in [begin, end), sorted by record position; SNVs before indels.
    std::span<const Allele> within(uint32_t contig, int64_t begin, int64_t end) const;
    const std::vector<data::Base>& arena() const { return arena_; }
    const data::Reference& reference() const { return *reference_; }

  private:
    Outcome add_changes(uint32_t contig, int64_t position, std::string_view reference,
                        std::string_view alternate);
    Outcome add_snvs(uint32_t contig, int64_t position, std::string_view reference,
                     std::string_view alternate);
    Outcome add_indel(uint32_t contig, Allele allele);
    uint32_t store(std::string_view letters);

    std::shared_ptr<const data::Reference> reference_;
    std::vector<std::vector<Allele>> contigs_;
    std::vector<data::Base> arena_;
    ReferenceSlice slice_;
    HaplotypeAligner aligner_;
    std::vector<Allele> changes_;
};

/// The first alleles of `alleles` that share a record: of one position, all SNVs or all indels, at most
/// k_max_given_alleles.
inline constexpr size_t k_max_given_alleles = alleles_number("forced_max_alleles");
std::span<const Allele> first_site(std::span<const Allele> alleles);

/// Whether an alternate allele of the record is this one.
bool has_allele(const data::Variant& variant, const Allele& allele, const std::vector<data::Base>& arena);

/// Sets position, REF and ALT of the record of alleles of one site; REF spans the longest deletion.
void write_alleles(const data::Reference& reference, uint32_t contig, std::span<const Allele> alleles,
                   const std::vector<data::Base>& arena, data::Variant& variant);

/// Completes a stream of records by the given alleles that it lacks: those without any usable read. Their
/// genotype is missing, their depth 0.
class MissingAlleles {
  public:
    /// `targets` empty: everywhere. Where the sample has no copies nothing is added.
    MissingAlleles(std::shared_ptr<const GivenAlleles> given, data::RegionSet targets, PloidyMap ploidy)
        : given_(std::move(given)), targets_(std::move(targets)), ploidy_(std::move(ploidy)) {}
    /// Appends to `out` the records, which follow those of earlier calls in genome order, and what is missing
    /// before them.
    void add(std::span<const data::Variant> variants, std::vector<data::Variant>& out);
    /// What is missing after the last record.
    void finish(std::vector<data::Variant>& out);

  private:
    void add_until(uint32_t contig, int64_t position, std::vector<data::Variant>& out);
    void add_missing(std::span<const Allele> alleles, std::span<const data::Variant> beside,
                     std::vector<data::Variant>& out) const;

    std::shared_ptr<const GivenAlleles> given_;
    data::RegionSet targets_;
    PloidyMap ploidy_;
    uint32_t contig_ = 0;   // given alleles of earlier contigs, and on this one those
    int64_t position_ = 0;  // of records before this position, are done
};

}  // namespace gannet::variants
