// SPDX-License-Identifier: MIT
// Provides the site of an example: the reference, the caller's statistics, depth, neighbouring candidates, groups of
// reads (docs/scorer.md has the features).
#pragma once

#include "variants/scorer/example_reads.hpp"

#include <cstdint>
#include <span>

namespace gannet::variants {

/// `site` has ml::pileup::k_site_bytes, all of which are written.
void write_summary(const ExampleView& example, std::span<uint8_t> site);

}  // namespace gannet::variants
