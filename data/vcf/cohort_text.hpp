// SPDX-License-Identifier: MIT
// Provides the text of a cohort's VCF: header and records.
#pragma once

#include "data/cohort_record.hpp"
#include "data/reference.hpp"

#include <string>
#include <vector>

namespace gannet::data::vcf {

/// `extra_lines`: "##key=value", in order, before the contigs.
std::string cohort_header(const Reference& reference, const std::vector<std::string>& samples,
                          const std::string& source, const std::vector<std::string>& extra_lines,
                          bool has_families = false);

/// Appends the line of a record, with its newline; FORMAT is GT:DP:AD:GQ:PL (VCF 4.3), and DQ where a sample
/// has it. `samples`: their names.
void append_text(const CohortRecord& record, const Reference& reference,
                 const std::vector<std::string>& samples, std::string& text);

}  // namespace gannet::data::vcf
