// SPDX-License-Identifier: MIT
// Provides duplicate marking with samtools markdup's default semantics: keys while mates are at hand, one
// decision, a bitmap.
#pragma once

#include "align/sort/sorter.hpp"
#include "data/read_group.hpp"
#include "data/record.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace gannet::align::duplicates {

/// Counts in the terms of Picard's DuplicationMetrics, one a library.
struct LibraryMetrics {
    std::string library;
    uint64_t unpaired_reads_examined = 0;
    uint64_t read_pairs_examined = 0;
    uint64_t secondary_or_supplementary = 0;
    uint64_t unmapped_reads = 0;
    uint64_t unpaired_read_duplicates = 0;
    uint64_t read_pair_duplicates = 0;
};

/// Which templates are duplicates: one bit a template ordinal.
class Decision {
  public:
    bool is_duplicate(uint64_t template_ordinal) const {
        return template_ordinal / 64 < bits_.size() &&
               (bits_[template_ordinal / 64] >> (template_ordinal % 64) & 1);
    }
    std::vector<uint64_t> bits_;
    std::vector<LibraryMetrics> metrics;
};

/// add() is thread-safe; the decision depends on the set of records only.
class Marker {
  public:
    explicit Marker(std::vector<data::ReadGroup> read_groups);
    ~Marker();
    void add(const data::RecordBatch& batch);
    Decision decide();

  private:
    struct State;
    std::unique_ptr<State> state_;
};

/// Sets flag 0x400 in the bytes and entries of a sorted bucket: primary mapped records of duplicate
/// templates, as samtools markdup.
void apply(const Decision& decision, sort::SortedBucket& bucket);

/// The text that Picard's MarkDuplicates writes as METRICS_FILE (MultiQC reads it).
std::string metrics_text(const Decision& decision, const std::string& command_line);

}  // namespace gannet::align::duplicates
