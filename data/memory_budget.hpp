// SPDX-License-Identifier: MIT
// Provides the limit of what headers and lists of contigs may take, which are kept whole.
#pragma once

#include <cstdint>
#include <string>

namespace gannet::data {

/// What a contig takes: in a reference with its name, checksum and place; in a header of alignments or
/// variants as htslib keeps it (measured with names of few letters: 250, 365 and 530 bytes).
inline constexpr uint64_t k_reference_contig_bytes = 300;
inline constexpr uint64_t k_alignment_contig_bytes = 400;
inline constexpr uint64_t k_variant_line_bytes = 600;
/// Of a header whose lines cannot be counted before it is parsed: times its bytes as text.
inline constexpr uint64_t k_header_growth = 12;

/// What this process may use (--memory); no limit before it is called. Thread-safe.
void set_memory_budget(uint64_t bytes) noexcept;
/// Throws Error(host_memory), "FILE: WHAT needs about N MB, ...", where `bytes` are more than half of the
/// budget.
void require_memory(const std::string& file, const std::string& what, uint64_t bytes);

}  // namespace gannet::data
