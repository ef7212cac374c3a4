// SPDX-License-Identifier: MIT
// Provides the unit of comparison: records of a VCF taken apart into single-base changes, insertions and
// deletions.
#pragma once

#include "data/reference.hpp"
#include "data/vcf/reader.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace gannet::variants::compare {

/// One record as it stood in the file.
struct Record {
    uint32_t contig = 0;
    int64_t position = 0;
    std::string reference_allele;
    std::string alternate_alleles;  ///< comma-separated, as in the file
    std::array<int, 2> genotype = {-1, -1};
    int ploidy = 2;  ///< alleles of the genotype that the file states
    bool phased = false;
    float quality = -1;
    int32_t depth = -1;  ///< FORMAT DP; -1: not stated
};

/// A change of the reference that cannot be split further: one base for another, bases put in, or bases taken
/// out. It replaces contig bases [begin, end), where the record has it, by `bases`; replaying that form gives
/// the haplotype that the record states. The normalised form (left-aligned) says when two atoms are the same
/// and where they count.
struct Atom {
    uint32_t record = 0;  ///< index into Records::records
    uint32_t contig = 0;
    int64_t begin = 0;
    int64_t end = 0;
    std::string bases;  ///< codes 0-3
    int64_t normal_begin = 0;
    std::string normal_bases;
    uint8_t copies = 1;           ///< haplotypes that carry it: 1 or 2
    bool inside = false;          ///< counts: its VCF position is in the targets
    bool matched = false;         ///< by the diploid genotype
    bool matched_allele = false;  ///< by its presence on any haplotype

    bool is_snp() const { return end - begin == 1 && bases.size() == 1; }
    bool is_insertion() const { return begin == end; }
    /// 0-based position that VCF gives the normalised form: indels are anchored at the base before them.
    int64_t vcf_position() const { return is_snp() || normal_begin == 0 ? normal_begin : normal_begin - 1; }
};

/// All of one file. Atoms are ordered by contig, begin, insertions first, end and bases: the order of replay.
struct CallSet {
    std::string sample;
    size_t samples = 0;            ///< in the file
    std::vector<Record> records;   ///< by contig and position, file order among equals
    uint64_t known_genotypes = 0;  ///< records of these whose genotype names an allele, or that need none
    std::vector<Atom> atoms;
    uint64_t skipped_alleles = 0;   ///< symbolic, `*`, breakends, N: they have no sequence to compare
    uint64_t repeated_records = 0;  ///< with position, alleles and genotype of an earlier one: left out
};

/// What of a file takes part.
struct Selection {
    bool pass_only = false;
    double minimum_quality = 0;
};

/// Takes every selected site apart. Alleles are those of the genotype, a haploid one counts as homozygous; a
/// file without genotypes has each ALT once. The same change in several records becomes one atom, its copies
/// summed up to 2. Cost: linear, with a sort.
class CallSetBuilder {
  public:
    CallSetBuilder(const data::Reference& reference, Selection selection);
    void add(const data::vcf::Site& site);
    CallSet finish();

  private:
    bool is_repeated(const Record& record) const;
    void add_allele(const Record& record, const std::string& allele, uint8_t copies);
    void add_atom(uint32_t contig, int64_t begin, int64_t end, std::string bases, uint8_t copies);

    const data::Reference& reference_;
    Selection selection_;
    CallSet set_;
};

}  // namespace gannet::variants::compare
