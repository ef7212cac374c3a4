// SPDX-License-Identifier: MIT
// Provides the batches of one lane in order, numbered over the whole run, with an exact cut after a given
// number of templates.
#pragma once

#include "data/fastq/reader.hpp"
#include "data/read_batch.hpp"

#include <cstdint>
#include <memory>

namespace gannet::pipeline::stages {

/// Numbers of the whole run; each lane continues where the one before it ended.
struct InputNumbers {
    uint64_t next_batch = 0;
    uint64_t next_template = 0;
    uint64_t reads = 0;
    uint64_t bases = 0;
};

/// Moves the templates from `at` on into `tail` (which is cleared first).
void split_batch(data::ReadBatch& batch, size_t at, data::ReadBatch& tail);

/// Serial.
class LaneSource {
  public:
    LaneSource(std::unique_ptr<data::fastq::LaneReader> reader, uint32_t read_group, InputNumbers& numbers);
    /// The next batch, but not past `limit` templates of this lane: a batch that crosses it is cut there, so
    /// that the templates before the limit do not depend on the size of batches. False at the limit or at the
    /// lane's end.
    bool next(data::ReadBatch& batch, uint64_t limit = UINT64_MAX);
    uint64_t templates() const { return templates_; }  ///< returned so far
    uint64_t position_bytes() const { return reader_->position_bytes(); }

  private:
    std::unique_ptr<data::fastq::LaneReader> reader_;
    uint32_t read_group_;
    InputNumbers& numbers_;
    uint64_t templates_ = 0;
    data::ReadBatch rest_;  ///< what a cut left
};

}  // namespace gannet::pipeline::stages
