// SPDX-License-Identifier: MIT
// Provides the search for the adapters that FastQC counts. Internal to qc/.
#pragma once

#include "data/record.hpp"
#include "pipeline/qc/counts.hpp"

#include <array>
#include <bitset>
#include <cstdint>
#include <string_view>

namespace gannet::pipeline::qc {

struct FastqcAdapter {
    const char* name;
    std::string_view bases;
};
inline constexpr size_t k_adapter_bases = 12;
/// FastQC 0.11.9, adapter_list.txt.
inline constexpr std::array<FastqcAdapter, k_fastqc_adapters> k_adapter_list{
    {{"Illumina Universal Adapter", "AGATCGGAAGAG"},
     {"Illumina Small RNA 3' Adapter", "TGGAATTCTCGG"},
     {"Illumina Small RNA 5' Adapter", "GATCGTCGGACT"},
     {"Nextera Transposase Sequence", "CTGTCTCTTATA"},
     {"SOLID Small RNA Adapter", "CGCCTTGGCCGT"}}};

/// Exact occurrences in packed bases. A part of eight bases is looked up at every fourth base, where each
/// occurrence has one: about 40 ns for 150 bases.
class AdapterSearch {
  public:
    AdapterSearch();
    /// Adds the cycle, from 0 on, at which each adapter is read first.
    void count(const data::RecordView& record, bool reverse,
               std::array<Histogram, k_fastqc_adapters>& cycles) const;

  private:
    static constexpr size_t k_step = 4;
    /// Of one strand: adapters as records have them, and their parts by offset.
    struct Strand {
        std::array<std::array<uint8_t, k_adapter_bases>, k_fastqc_adapters> nibbles{};
        std::array<std::array<uint32_t, k_step>, k_fastqc_adapters> parts{};
        std::bitset<1 << 16> filter;  ///< of the hashes of all parts
    };
    std::array<Strand, k_strands> strands_;
};

}  // namespace gannet::pipeline::qc
