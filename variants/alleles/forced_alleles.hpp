// SPDX-License-Identifier: MIT
// Provides alleles that are genotyped whether or not the reads show them (--alleles).
#pragma once

#include "data/reference.hpp"
#include "variants/model/alleles.hpp"
#include "variants/sequence/allele.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gannet::variants {

/// SNVs, insertions and deletions in normal form, by contig. An MNP or another replacement is the changes
/// that it consists of. Filled by add() and finish(), then immutable. Memory: 24 bytes and the alternate
/// bases per allele, and 32 bytes and the ID where it has one.
class ForcedAlleles {
  public:
    enum class Outcome {
        added,
        symbolic,   ///< symbolic, `*` or a breakend
        too_long,   ///< inserts or deletes more than k_max_indel_bp
        undefined,  ///< has N, is beside N or the begin of the contig, or is the reference
    };

    /// An allele with the ID that it was given with.
    struct Name {
        Allele allele;
        uint32_t text = 0;  ///< offset and length in the texts of all
        uint32_t text_size = 0;
    };

    explicit ForcedAlleles(std::shared_ptr<const data::Reference> reference);
    /// An allele as a VCF states it, upper case, REF as the reference has it; `position` is 0-based. An ID is
    /// kept unless the allele is several changes.
    Outcome add(uint32_t contig, int64_t position, std::string_view reference, std::string_view alternate,
                std::string_view id = {});
    /// Sorts the alleles and removes duplicates.
    void finish();

    size_t size() const;
    /// Those whose records are in [begin, end), sorted by record position; SNVs before indels.
    std::span<const Allele> within(uint32_t contig, int64_t begin, int64_t end) const;
    /// Those of a record's position that have an ID, sorted.
    std::span<const Name> names_at(uint32_t contig, int64_t position) const;
    std::string_view text_of(const Name& name) const {
        return std::string_view(texts_).substr(name.text, name.text_size);
    }
    const std::vector<data::Base>& arena() const { return arena_; }
    const data::Reference& reference() const { return *reference_; }

  private:
    Outcome add_allele(uint32_t contig, int64_t position, std::string_view reference,
                       std::string_view alternate);
    Outcome add_changes(uint32_t contig, int64_t position, std::string_view reference,
                        std::string_view alternate);
    Outcome add_snvs(uint32_t contig, int64_t position, std::string_view reference,
                     std::string_view alternate);
    Outcome add_indel(uint32_t contig, Allele allele);
    uint32_t store(std::string_view letters);

    std::shared_ptr<const data::Reference> reference_;
    std::vector<std::vector<Allele>> contigs_;
    std::vector<std::vector<Name>> names_;  // by contig
    std::string texts_;
    std::vector<data::Base> arena_;
    ReferenceSlice slice_;
    HaplotypeAligner aligner_;
    std::vector<Allele> changes_;
};

/// The first alleles of `alleles` that share a record: of one position, all SNVs or all indels, at most
/// k_max_forced_alleles.
inline constexpr size_t k_max_forced_alleles = alleles_number("forced_max_alleles");
std::span<const Allele> first_site(std::span<const Allele> alleles);

}  // namespace gannet::variants
