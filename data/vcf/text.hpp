// SPDX-License-Identifier: MIT
// Provides the text of a VCF's header and records for the writer.
#pragma once

#include "data/reference.hpp"
#include "data/reference_block.hpp"
#include "data/variant.hpp"
#include "data/vcf/writer.hpp"

#include <cstdint>
#include <string>

namespace gannet::data::vcf {

inline constexpr int k_compression_level = 6;  ///< of VCF in BGZF blocks

std::string header_text(const Reference& reference, const HeaderFacts& facts);
/// The IDs of the filters, as the header has them, with `separator` between them.
std::string filter_names(uint32_t filters, const char* separator);
/// Appends what to_text returns. As a record of a gVCF it has the allele of the dialect last, with the
/// likelihoods of `unobserved_likelihoods`; its AD are the informative reads of none of the other alleles.
void append_text(const Variant& variant, const Reference& reference, std::string& text,
                 GvcfDialect dialect = GvcfDialect::none);
/// Appends a block as a record without newline; `dialect` is not none.
void append_text(const ReferenceBlock& block, const Reference& reference, std::string& text,
                 GvcfDialect dialect);

}  // namespace gannet::data::vcf
