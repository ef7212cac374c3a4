// SPDX-License-Identifier: MIT
// Provides an estimate of what a run takes.
#include "pipeline/jobs/run_time.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace gannet::pipeline {

namespace {

// Measured on 2x150 reads at 30x: with 40 base qualities a byte of gzip has 1.3 bases, with four it has about
// 4; a line of text has two bytes per base and its name. From FASTQ to VCF a base took 61 ns on an H200's
// host (AVX-512) and 77 ns on an EPYC (AVX2).
constexpr double k_bases_per_compressed_byte = 2;
constexpr double k_bases_per_plain_byte = 0.42;
constexpr double k_cpu_s_per_base = 80e-9;

}  // namespace

std::optional<double> estimated_cpu_s(const Inputs& inputs, const InputSizes& sizes) {
    const std::vector<std::string> files = inputs.files();
    const bool has_cram = std::any_of(files.begin(), files.end(),
                                      [](const std::string& file) { return file.ends_with(".cram"); });
    if (has_cram || inputs.stored_bytes() == 0) return std::nullopt;
    const double bases = static_cast<double>(sizes.compressed) * k_bases_per_compressed_byte +
                         static_cast<double>(sizes.plain) * k_bases_per_plain_byte;
    return bases * k_cpu_s_per_base;
}

}  // namespace gannet::pipeline
