// SPDX-License-Identifier: MIT
// Provides the parts that a sample's and a cohort's VCF have in common, as text (VCF specification 4.2
// and 4.3).
#pragma once

#include "data/reference.hpp"
#include "data/vcf/numbers.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace gannet::data::vcf {

/// ##source, ##reference, `extra_lines` and ##contig.
void append_header_end(std::string& text, const Reference& reference, const std::string& source,
                       const std::vector<std::string>& extra_lines);
/// The line of columns.
void append_column_line(std::string& text, std::span<const std::string> samples);

/// CHROM and POS of a 0-based position, each with the tab after it.
void append_position(std::string& text, const Reference& reference, uint32_t contig, int64_t position);
/// REF, a tab, and the alternates with commas; nothing after the tab where there is none.
void append_alleles(std::string& text, const std::vector<std::string>& alleles);

/// A number, or `.` below 0.
inline void append_known(std::string& text, int64_t value) {
    if (value < 0) {
        text += '.';
    } else {
        append(text, value);
    }
}

/// GT of `ploidy` (1 or 2) copies; below 0: not known.
template <class Copies>
void append_genotype(std::string& text, const Copies& copies, int ploidy, bool phased) {
    for (int copy = 0; copy < ploidy; ++copy) {
        if (copy > 0) text += phased ? '|' : '/';
        append_known(text, copies[static_cast<size_t>(copy)]);
    }
}

}  // namespace gannet::data::vcf
