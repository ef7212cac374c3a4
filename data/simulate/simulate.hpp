// SPDX-License-Identifier: MIT
// Provides simulated data with known truth: a genome with realistic repeats, a sample, diploid but for the
// contigs that are said to be haploid, Illumina-like read pairs.
#pragma once

#include "data/simulate/library.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace gannet::data::simulate {

struct Options {
    double size_mb = 0;     ///< size of the genome to be made, 0.02 to 4000 Mb; 0 when `reference` is given
    bool human = false;     ///< the genome to be made is like the human one, of a male (make_human_genome)
    std::string reference;  ///< FASTA to use instead
    std::string variants;   ///< VCF whose first sample is implanted instead of random variants
    std::vector<std::string> haploid;  ///< contigs of which the sample has one copy, at half the depth
    double coverage = 30;        ///< mean depth over known bases of the other contigs, 0 (no reads) to 10000
    uint64_t seed = 1;           ///< the outputs depend on the seed and the other options only
    uint32_t read_length = 150;  ///< 36 to 500 bp
    double fragment_mean = 400;  ///< bp, normal, cut to 40 bp and to 4 standard deviations
    double fragment_sd = 90;     ///< bp
    Library library;             ///< the faults of the reads and of the reference, and the duplicates
    std::string output;          ///< folder, created if missing
    bool has_made_reference = false;  ///< its ref.fa is of an earlier simulation, and stays: for the report
    int threads = 1;
};

struct Summary {
    uint64_t reference_bp = 0;
    uint64_t known_bp = 0;  ///< not N
    uint64_t pairs = 0;
    uint64_t duplicate_pairs = 0;
    uint64_t snvs = 0;
    uint64_t indels = 0;         ///< sites with an insertion or deletion, and other replacements
    uint64_t multi_allelic = 0;  ///< sites with two ALT alleles, counted above as well
    uint64_t heterozygous = 0;
    uint64_t homozygous = 0;
    uint64_t haploid = 0;           ///< on haploid contigs
    uint64_t skipped_variants = 0;  ///< of a given VCF: no genotype, homozygous reference, symbolic,
                                    ///< overlapping, not ACGT, or in a paralogue that was taken out
    uint64_t substitution_errors = 0;
    uint64_t indel_errors = 0;
    uint64_t adapter_pairs = 0;  ///< pairs whose fragment is shorter than a read
    uint64_t contaminant_pairs = 0;
    uint64_t hopped_pairs = 0;
    uint64_t foldback_pairs = 0;
    uint64_t chimera_pairs = 0;       ///< of two distant places
    uint64_t slipped_pairs = 0;       ///< with a tandem repeat whose length changed before sequencing
    uint64_t pcr_substitutions = 0;   ///< in fragments, as often as these are sequenced
    uint64_t oxidised_bases = 0;      ///< likewise
    uint64_t deaminated_bases = 0;    ///< likewise
    uint64_t systematic_errors = 0;   ///< at error-prone places
    uint64_t hidden_places = 0;       ///< with copies that the reference lacks
    uint64_t hidden_bp = 0;           ///< of those copies, both haplotypes together
    uint64_t missing_paralogues = 0;  ///< taken out of the reference
    uint64_t missing_bp = 0;
};

/// Writes into the folder `output`:
///   ref.fa ref.fa.fai       only when the genome is made (else the given FASTA is the reference)
///   ref.fa.alt strata.bed   only with `human`: alternate contigs as bwa reads them; repeats, satellites,
///                           duplications, overlapping as they lie
///   truth.vcf.gz (.tbi, or .csi where a contig passes 2^29 bp)   phased, left-aligned, sample `sample`
///   confident.bed           known sequence, except 500 bp beside N runs and ends of contigs
///   contaminant.vcf.gz            variants of the contaminating person, where there is one
///   hidden_copies.bed             originals of the copies that the reference lacks, where there are any
///   missing_paralogues.bed        what was taken out of the reference, where that was asked for (ref.fa is
///   then
///                                 written with --reference too)
///   library.json                  the library, all fields
///   reads_1.fq.gz reads_2.fq.gz   BGZF, mate 1 and mate 2, pairs in random order over the genome
///   simulate.json           options and counts; written last
/// A read's name is its origin: sim.<serial>.<contig number from 1>.<leftmost 1-based reference position of
/// mate 1>.<of mate 2>.<h><s><d>, as docs/simulate.md
/// explains. The model is described in docs/simulate.md. Deterministic in options and seed for any
/// number of threads. Files appear under their names when they are complete. Throws Error: usage (an option
/// out of range, a reference too short for a fragment), what reading the inputs throws, output_failed.
/// Memory: 4 bytes per reference base, 2 more for each other person, 1 more with missing paralogues. Cost,
/// one core: about 12 us per pair, half of it for compression; up to 30 us with stutter and other faults of
/// fragments.
Summary run(const Options& options);

}  // namespace gannet::data::simulate
