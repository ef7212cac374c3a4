// SPDX-License-Identifier: MIT
// Provides what the scorer saw and said of a site, as a part of a page.
#pragma once

#include "variants/scorer/site_view.hpp"

#include <cstdint>
#include <span>
#include <string>

namespace gannet::pipeline::report {

/// An example by the channels that are drawn: what a reader needs to judge a call. The bytes are those of
/// ml::k_row_channels and ml::k_row_features.
std::string example_svg(const variants::AlleleView& allele, const std::string& title);
/// The same as text: a line per read.
std::string example_text(const variants::AlleleView& allele);

/// Reads of a pool (ml::k_pool_allele and so on).
struct PoolCounts {
    size_t reads = 0, forward = 0;
    double mapping_quality = 0;  ///< mean
    double match_quality = 0;    ///< mean base quality of what equals the reference, in the columns
    double mismatches = 0;       ///< mean number of other bases, in the columns
};
PoolCounts pool_counts(std::span<const uint8_t> rows, uint8_t pool);

/// `genotype`: "GT 0/1, GQ 12" of the record, as its FORMAT has it. `title`: of the site.
std::string scorer_view_html(const variants::SiteView& view, const std::string& genotype,
                             const std::string& title);

}  // namespace gannet::pipeline::report
