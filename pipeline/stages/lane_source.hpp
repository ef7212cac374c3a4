// SPDX-License-Identifier: MIT
// Provides the lanes of a run one after the other, and the batches of one lane in order, numbered over the
// whole run, with an exact cut after a given number of templates.
#pragma once

#include "data/fastq/reader.hpp"
#include "data/read_batch.hpp"

#include <cstdint>
#include <exception>
#include <memory>
#include <vector>

namespace gannet::pipeline::stages {

/// Numbers of the whole run; each lane continues where the one before it ended.
struct InputNumbers {
    uint64_t next_batch = 0;
    uint64_t next_template = 0;
    uint64_t reads = 0;
};

/// The readers of the lanes in order. While a lane is read, the next one is already open and its first text
/// is read ahead and inflated, so that the change of lanes does not wait for the disk. What cannot be opened
/// is reported when it is that lane's turn. Only regular files are opened early: opening a named pipe waits
/// for its writer, which may write the lanes one by one. Serial.
class LaneReaders {
  public:
    /// `lanes`, `runner` and `batches` (may be null) must outlive the readers.
    LaneReaders(const std::vector<data::fastq::Lane>& lanes, data::fastq::BatchPolicy policy,
                data::TaskRunner* runner, data::BatchInflater* batches = nullptr)
        : lanes_(lanes), policy_(policy), runner_(runner), batches_(batches) {}
    /// The reader of the next lane, of which there must be one. Throws what LaneReader::open throws.
    std::unique_ptr<data::fastq::LaneReader> next();

  private:
    void open_early(const data::fastq::Lane& lane);

    const std::vector<data::fastq::Lane>& lanes_;
    data::fastq::BatchPolicy policy_;
    data::TaskRunner* runner_;
    data::BatchInflater* batches_;
    size_t next_ = 0;
    std::unique_ptr<data::fastq::LaneReader> opened_;
    std::exception_ptr fault_;
};

/// Serial.
class LaneSource {
  public:
    LaneSource(std::unique_ptr<data::fastq::LaneReader> reader, uint32_t read_group, InputNumbers& numbers);
    /// The next batch as LaneReader::cut gives it, but not past `limit` templates of this lane: so the
    /// templates before the limit do not depend on the size of batches. False at the limit or at the lane's
    /// end.
    bool next(data::fastq::TextBatch& text, data::ReadBatch& batch, uint64_t limit = UINT64_MAX);
    /// The reads of a text. Thread-safe.
    void parse(const data::fastq::TextBatch& text, data::ReadBatch& batch) const {
        reader_->parse(text, batch);
    }
    uint64_t templates() const { return templates_; }  ///< returned so far
    uint64_t position_bytes() const { return reader_->position_bytes(); }

  private:
    std::unique_ptr<data::fastq::LaneReader> reader_;
    uint32_t read_group_;
    InputNumbers& numbers_;
    uint64_t templates_ = 0;
};

}  // namespace gannet::pipeline::stages
