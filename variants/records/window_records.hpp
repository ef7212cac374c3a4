// SPDX-License-Identifier: MIT
// Provides the records of a window: sorted, each once, and phased.
#pragma once

#include "data/variant.hpp"
#include "variants/genotype/genotype.hpp"
#include "variants/records/phase.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace gannet::variants {

/// A called variant of a window, until all of the window are phased.
struct CalledRecord {
    data::Variant variant;
    bool is_written = false;           ///< false: outside the targets, called for the phase of others only
    std::array<uint8_t, 2> alleles{};  ///< of a heterozygous genotype, as `seen` names them
    std::vector<FragmentAllele> seen;  ///< by the fragments of a heterozygous genotype
};

/// `seen`: what fragments show of the site, whose alleles are those of SiteEvidence.
CalledRecord called_record(SiteGenotype&& genotype, std::span<const FragmentAllele> seen, bool is_written);

/// Sorts records by position and alleles, phases them and appends those that are written to `out`.
class RecordPhaser {
  public:
    void finish(std::vector<CalledRecord>& records, std::vector<data::Variant>& out);

  private:
    void phase(std::span<CalledRecord> records);

    Phaser phaser_;
    std::vector<Phaser::Site> sites_;
    std::vector<Phaser::Phase> phases_;
    std::vector<size_t> phased_;
};

}  // namespace gannet::variants
