// SPDX-License-Identifier: MIT
// Provides simulated data with known truth: a genome with realistic repeats, a diploid sample, Illumina-like
// read pairs.
#pragma once

#include <cstdint>
#include <string>

namespace gannet::data::simulate {

struct Options {
    double size_mb = 0;     ///< genome to make; 0 when `reference` is given
    std::string reference;  ///< FASTA to use instead
    std::string variants;   ///< VCF to implant instead of random variants
    double coverage = 30;
    uint64_t seed = 1;
    uint32_t read_length = 150;
    double fragment_mean = 400;
    double fragment_sd = 90;
    double duplicate_share = 0.06;
    std::string
        output;  ///< folder: ref.fa truth.vcf.gz confident.bed reads_1.fq.gz reads_2.fq.gz simulate.json
    int threads = 1;
};

struct Summary {
    uint64_t reference_bp = 0;
    uint64_t pairs = 0;
    uint64_t snvs = 0;
    uint64_t indels = 0;
};

/// Deterministic in options and seed, whatever the threads. Throws Error.
Summary run(const Options& options);

}  // namespace gannet::data::simulate
