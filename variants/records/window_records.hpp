// SPDX-License-Identifier: MIT
// Provides the records of a window: sorted, each once, and phased.
#pragma once

#include "data/variant.hpp"
#include "variants/records/called_record.hpp"
#include "variants/records/foreign_groups.hpp"
#include "variants/records/phase.hpp"
#include "variants/records/record.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace gannet::variants {

/// Sorts records by position and alleles, phases them, filters foreign groups and appends those that are
/// written to `out`.
class RecordPhaser {
  public:
    void finish(const CallModel& model, std::vector<CalledRecord>& records, std::vector<data::Variant>& out);

  private:
    void phase(const CallModel& model, std::span<CalledRecord> records);
    void find_phases(std::span<const CalledRecord> records);

    Phaser phaser_;
    ForeignGroups foreign_groups_;
    std::vector<Phaser::Site> sites_;
    std::vector<Phaser::Phase> phases_;
    std::vector<size_t> phased_;
};

}  // namespace gannet::variants
