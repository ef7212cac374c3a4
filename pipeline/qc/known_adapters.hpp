// SPDX-License-Identifier: MIT
// Provides Illumina's published adapters. Internal to qc/.
#pragma once

#include <array>
#include <string_view>

namespace gannet::pipeline::qc {

struct KnownAdapter {
    std::string_view name;
    std::string_view bases;
};

/// Those that Picard has by default.
inline constexpr std::array<KnownAdapter, 4> k_known_adapters{
    {{"Illumina Single End PCR Primer 1", "AATGATACGGCGACCACCGAGATCTACACTCTTTCCCTACACGACGCTCTTCCGATCT"},
     {"Illumina Single End Adapter 1", "AGATCGGAAGAGCTCGTATGCCGTCTTCTGCTTG"},
     {"Illumina Paired End PCR Primer 2", "AGATCGGAAGAGCGGTTCAGCAGGAATGCCGAGACCGATCTCGTATGCCGTCTTCTGCTTG"},
     {"TruSeq Adapter", "AGATCGGAAGAGCACACGTCTGAACTCCAGTCACNNNNNNNNATCTCGTATGCCGTCTTCTGCTTG"}}};

}  // namespace gannet::pipeline::qc
