// SPDX-License-Identifier: MIT
// Provides the coordinate sort: records are scattered to coordinate buckets as they come, and each bucket is
// sorted when it is read.
#pragma once

#include "data/record.hpp"
#include "data/reference.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace gannet::align::sort {

struct SorterOptions {
    uint64_t memory_bytes = 1ull << 30;  ///< what may be held before buckets spill to files
    std::string
        temporary_directory;  ///< spill files are made in a folder of their own below it, removed at the end
    int spill_level = 1;
};

/// Records of one bucket in output order: contig, position, then ordinal; unmapped without a place last.
struct SortedBucket {
    size_t index = 0;
    std::vector<uint8_t> bytes;
    std::vector<data::RecordEntry> entries;  ///< sorted; offsets into bytes
};

/// Total key (contig, position, ordinal), so the order of add() calls never shows. add() is thread-safe;
/// finish_input() ends it; then load() may be called from several threads for distinct buckets, once each.
/// Throws Error(disk_space), Error(output_failed).
class Sorter {
  public:
    Sorter(const data::Reference& reference, SorterOptions options);
    ~Sorter();
    void add(const data::RecordBatch& batch);
    void finish_input();
    size_t buckets() const;
    SortedBucket load(size_t bucket);
    uint64_t records() const;
    uint64_t spilled_bytes() const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace gannet::align::sort
