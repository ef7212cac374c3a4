// SPDX-License-Identifier: MIT
// Provides what every reader of VCF and BCF checks before its first record.
#pragma once

#include "data/input_stream.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace gannet::data::vcf {

/// The longest line of text VCF that is read: a record of about a million samples.
inline constexpr size_t k_max_line_bytes = size_t{16} << 20;
/// The longest header.
inline constexpr size_t k_max_header_bytes = size_t{64} << 20;

/// VCF or BCF, by content. Throws Error(malformed_input) on anything else, and on BGZF without its end.
InputStream::Variants require_variants(const InputStream& stream);

/// Throws Error(malformed_input) on a header beyond the limit.
void check_header_bytes(const std::string& name, uint64_t bytes);

/// Throws Error(malformed_input).
[[noreturn]] void refuse_header(const std::string& name);

}  // namespace gannet::data::vcf
