// SPDX-License-Identifier: MIT
// Provides the ploidy of a sample on a reference: mitochondria, sex chromosomes by --sex and --par, and
// --ploidy.
#pragma once

#include "data/reference.hpp"
#include "data/regions.hpp"
#include "pipeline/jobs/headers.hpp"
#include "pipeline/jobs/options.hpp"
#include "variants/sample/ploidy.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gannet::pipeline {

/// Copies of a region, and why.
struct PloidyRule {
    data::Region region;
    uint8_t ploidy = 2;
    std::string reason;
};

struct SamplePloidy {
    variants::PloidyMap map;
    /// For headers: "2; chrX 1 (male); chrX:10001-2781479 2 (PAR of GRCh38); ...". Later parts replace
    /// earlier ones; positions are 1-based, inclusive.
    std::string text;
};

/// X and Y by their names: chrX, X, chrY, Y.
struct SexChromosomes {
    std::optional<uint32_t> x, y;
};
SexChromosomes sex_chromosomes(const data::Reference& reference);

/// An assembly whose pseudoautosomal regions are known: GRCh38 and GRCh37 (hg38, hg19, b37, hs37d5).
struct KnownAssembly {
    const char* name = "";
    std::vector<data::Region> x_regions, y_regions;  ///< pseudoautosomal; their `contig` is 0
    bool has_known_md5 = false;                      ///< the bases of X are those of the assembly
};
/// By the lengths of X and of Y (where the reference has both), which no two assemblies share. The MD5 of X
/// is compared too: masked copies have another, with the same coordinates.
std::optional<KnownAssembly> known_assembly(const data::Contig* x, const data::Contig* y);

/// Whether the reference is such an assembly with X and Y, and at least half of Y's pseudoautosomal regions
/// are bases: reads of them have two equal places.
bool has_unmasked_par(const data::Reference& reference);

/// Mitochondria are haploid: contigs named chrM, M, chrMT or MT of 16,569 (rCRS) or 16,571 bp (UCSC hg19).
bool is_human_mitochondrion(const data::Contig& contig);

/// Rules of a file of --ploidy, in its order. Columns are separated by tabs or blanks, # lines are skipped:
///   CONTIG BEGIN END PLOIDY      BED (0-based, half-open)
///   CONTIG FROM TO SEX PLOIDY    as for bcftools call --ploidy-file (1-based, inclusive; M or F; "* * * M 2"
///   is
///                                the ploidy elsewhere). Rows of the other sex, and of contigs that the
///                                reference lacks, are passed over.
/// Throws Error(usage): a ploidy other than 0, 1 and 2, sexes without --sex; Error(malformed_input): anything
/// else that is wrong, with the line; Error(reference_mismatch): a contig of a BED that the reference lacks.
struct PloidyFile {
    std::optional<uint8_t> elsewhere;  ///< of its default row
    std::vector<PloidyRule> rules;
    bool by_sex = false;  ///< in bcftools' form: it decides on X and Y by itself
};
PloidyFile read_ploidy_file(const std::string& path, const std::string& sex,
                            const data::Reference& reference);

/// Adds the options to the command that headers state.
void describe_ploidy(CommandText& command, const PloidyOptions& options);

/// The ploidy that the options, which do not contradict each other, give the reference. Logs what is unusual.
/// Throws Error(usage) on --sex male where neither --par nor a known assembly gives the pseudoautosomal
/// regions; what reading the files throws.
SamplePloidy sample_ploidy(const PloidyOptions& options, const data::Reference& reference);

}  // namespace gannet::pipeline
