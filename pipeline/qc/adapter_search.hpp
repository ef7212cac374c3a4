// SPDX-License-Identifier: MIT
// Provides the search for the adapters that FastQC counts. Internal to qc/.
#pragma once

#include "data/record.hpp"
#include "kernels/backend.hpp"
#include "pipeline/qc/adapter_filter.hpp"
#include "pipeline/qc/counts.hpp"
#include "pipeline/qc/simd_choice.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

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

/// Exact occurrences in packed bases. Of every byte of the read, and the three behind it, both halves are
/// looked up in tables of those that the adapters have there, a vector at a time; what passes is compared.
class AdapterSearch {
  public:
    /// Level `none` compares at every base.
    explicit AdapterSearch(kernels::SimdLevel level = chosen_simd_level());
    /// Adds the cycle, from 0 on, at which each adapter is read first.
    void count(const data::RecordView& record, bool reverse,
               std::array<Histogram, k_fastqc_adapters>& cycles);

  private:
    using Found = std::array<size_t, k_fastqc_adapters>;  ///< the first cycles
    using Nibbles = std::array<std::array<uint8_t, k_adapter_bases>, k_fastqc_adapters>;
    using FindPlaces = size_t (*)(const uint8_t*, size_t, const AdapterFilter&, uint32_t*);
    /// Of one strand: adapters as records have them.
    struct Strand {
        Nibbles nibbles{};
        AdapterFilter filter;
    };
    static AdapterFilter filter_of(const Nibbles& adapters);
    bool look(std::span<const uint8_t> packed, size_t length, size_t begin, bool reverse, Found& found) const;

    FindPlaces find_ = nullptr;
    size_t lane_ = 0;  ///< bytes of a vector of find_
    std::array<Strand, k_strands> strands_;
    std::vector<uint32_t> places_;
};

}  // namespace gannet::pipeline::qc
