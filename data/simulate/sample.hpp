// SPDX-License-Identifier: MIT
// Provides the sample of a simulation: its variants, random or given, and its haplotypes with
// the mapping of their positions to the reference.
#pragma once

#include "data/reference.hpp"
#include "data/simulate/genome.hpp"

#include <array>
#include <string>
#include <vector>

namespace gannet::data::simulate {

/// One phased truth record. Alleles are letters, [0] is REF; one or two ALT.
struct TruthSite {
    uint64_t position = 0;  ///< 0-based
    std::vector<std::string> alleles;
    std::array<uint8_t, 2> genotype = {0, 0};
    uint32_t ploidy = 2;  ///< 1: only the first of `genotype` is meant
    uint64_t end() const { return position + alleles[0].size(); }
};

/// By contig, ascending, not overlapping.
using Truth = std::vector<std::vector<TruthSite>>;

/// SNVs at 1e-3 per base (clustered, CpG six times as often, transitions to transversions about 2.1), indels
/// at 1.25e-4 (half of them in tandem tracts, lengths geometric, one in 25 of 11 to 50 bp), heterozygous to
/// homozygous 2:1, some sites with two ALT. Indels are left-aligned and parsimonious.
Truth make_variants(const Genome& genome, uint64_t seed);

/// The variants of the first sample of a VCF, as they are written there; unphased heterozygous genotypes get
/// a random phase. What cannot be implanted is counted in `skipped`. Throws what vcf::Reader throws.
Truth read_variants(const std::string& path, const Reference& reference, uint64_t seed, uint64_t& skipped);

/// Leaves the first haplotype of a contig: sites where it has the reference go, and so do alleles that it has
/// not.
void make_haploid(std::vector<TruthSite>& sites);

/// Sequence that the sample has and the reference lacks: it stands before reference base `position`, and
/// resembles the reference from `origin` on, or backwards from there if `backwards`.
struct Insertion {
    uint64_t position = 0;
    uint64_t origin = 0;
    bool backwards = false;
    std::vector<Base> bases;
};

/// One copy of a contig with its variants.
struct Haplotype {
    uint32_t contig = 0;
    uint32_t side = 0;    ///< 0 or 1
    uint32_t weight = 1;  ///< as if there were so many of it
    uint32_t person = 0;  ///< 0: the sample; others: whose reads are among those of the sample
    std::vector<Base> bases;
    std::vector<BaseRun> unknown;
    std::vector<uint32_t> strong;  ///< number of C and G before each multiple of k_strong_step

    static constexpr uint64_t k_strong_step = 64;

    enum class Kind : uint8_t {
        shared,           ///< haplotype and reference advance together
        inserted,         ///< inserted bases all have position `reference`
        hidden,           ///< a copy that the reference lacks of what begins at `reference`
        hidden_backwards  ///< likewise, of its reverse complement: `reference` is the last base
    };
    struct Stretch {
        uint64_t begin = 0;
        uint64_t reference = 0;
        Kind kind = Kind::shared;
    };
    std::vector<Stretch> stretches;

    /// 0-based; of an inserted base: the reference base after the insertion; of a base of a hidden copy:
    /// about the base that it is a copy of.
    uint64_t reference_position(uint64_t position) const;
    bool is_hidden(uint64_t position) const;  ///< in a hidden copy

  private:
    const Stretch& stretch_of(uint64_t position) const;
};

/// `insertions` ascending, none inside a site.
Haplotype make_haplotype(const Sequence& sequence, const std::vector<TruthSite>& sites, uint32_t contig,
                         uint32_t side, const std::vector<Insertion>& insertions = {});

}  // namespace gannet::data::simulate
