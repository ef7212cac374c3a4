// SPDX-License-Identifier: MIT
// Provides the text of a VCF's header and records for the writer.
#pragma once

#include "data/reference.hpp"
#include "data/variant.hpp"
#include "data/vcf/writer.hpp"

#include <string>

namespace gannet::data::vcf {

std::string header_text(const Reference& reference, const HeaderFacts& facts);
/// Appends what to_text returns.
void append_text(const Variant& variant, const Reference& reference, std::string& text);

}  // namespace gannet::data::vcf
