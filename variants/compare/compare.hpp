// SPDX-License-Identifier: MIT
// Provides the comparison of a call set with a truth set: haplotype-aware matching, precision, recall and F1.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gannet::variants::compare {

struct Options {
    std::string truth;
    std::string calls;
    std::string reference;
    std::string targets;       ///< BED; empty: everywhere
    std::string sample;        ///< of the calls; empty: the first
    std::string truth_sample;  ///< of the truth; empty: the first
    bool pass_only = true;     ///< count only PASS (or unfiltered) calls; of the truth no others count
    double minimum_quality = 0;
    std::string output;  ///< folder: tp.vcf.gz fp.vcf.gz fn.vcf.gz compare.json; empty: none written
};

/// Counted in atoms: each changed base of an MNP or complex allele is a SNP; an insertion or deletion is an
/// indel. Truth is counted as truth writes it and calls as calls write it, so that found and right may differ
/// a little.
struct Counts {
    uint64_t truth_matched = 0;
    uint64_t truth_missed = 0;
    uint64_t calls_right = 0;
    uint64_t calls_wrong = 0;
    /// Shares of what there is; 0 where there is nothing.
    double precision() const;
    double recall() const;
    double f1() const;
};

struct Result {
    Counts snp;  ///< genotype must match
    Counts indel;
    Counts snp_allele;  ///< allele match alone
    Counts indel_allele;
    uint64_t skipped_alleles = 0;   ///< symbolic, `*`, N or breakends in either file: not compared
    uint64_t repeated_records = 0;  ///< identical to one at the same position of its file: not compared
    /// "calls.vcf.gz holds 3 samples: A, the first, is compared", of each file whose sample nobody chose.
    std::vector<std::string> unchosen_samples;
    /// "calls.vcf.gz: none of its 12 records has a genotype (GT) of A, ...", of each file of which that is
    /// true.
    std::vector<std::string> unknown_genotypes;
};

/// Compares inside the targets: a change counts where its normalised (trimmed, left-aligned) VCF position
/// lies in them, but changes outside may still explain one inside. Alleles that the genotype does not carry
/// do not count. A haploid genotype counts as homozygous: 1 equals 1/1. A file without genotypes counts each
/// ALT as heterozygous. Representation never matters
/// (matcher.hpp); phase is ignored. Throws Error. Deterministic. Cost: both files and the reference in
/// memory; seconds for a genome's calls.
Result run(const Options& options);
/// "2 records are there twice, ...": for a warning.
std::string repeated_text(uint64_t repeated_records);
/// The table for a person, and the same as JSON.
std::string to_table(const Result& result);
std::string to_json(const Result& result, const Options& options);

}  // namespace gannet::variants::compare
