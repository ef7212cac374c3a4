// SPDX-License-Identifier: MIT
// Provides a called variant of a window, until all of the window are known.
#pragma once

#include "data/variant.hpp"
#include "variants/genotype/genotype.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace gannet::variants {

/// A called variant of a window, until all of the window are phased.
struct CalledRecord {
    data::Variant variant;
    int32_t own_copies = 2;            ///< PlaceCopies
    bool is_written = false;           ///< false: outside the targets, called for the phase of others only
    std::array<uint8_t, 2> alleles{};  ///< of a heterozygous genotype, as `seen` names them
    std::vector<FragmentAllele> seen;  ///< by the fragments of a heterozygous genotype
};

/// `seen`: what fragments show of the site, whose alleles are those of SiteEvidence.
CalledRecord called_record(SiteGenotype&& genotype, std::span<const FragmentAllele> seen, bool is_written);

}  // namespace gannet::variants
