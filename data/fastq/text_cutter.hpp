// SPDX-License-Identifier: MIT
// Provides cutting the text of a FASTQ file into records by its newlines alone, without a look at the text.
#pragma once

#include "data/fastq/text_batch.hpp"
#include "data/read_ahead.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace gannet::data::fastq {

/// Takes four lines for a record (Cock et al. 2010, without line wrapping). The newlines were counted by the
/// threads that made the text, so that a batch costs the search of a few blocks of 4 kB. Whether the records
/// are good shows when they are parsed: up to the first that is not, they are cut as a parser cuts them.
/// Empty lines at the end of the file belong to no record.
class TextCutter {
  public:
    TextCutter(std::unique_ptr<InputStream> stream, TaskRunner* runner, BatchInflater* batches)
        : input_(std::move(stream), runner, batches) {}

    const std::string& name() const { return input_.name(); }
    uint64_t position_bytes() const { return input_.position_bytes(); }  ///< in the file, as stored
    void use_runner(TaskRunner* runner, BatchInflater* batches) { input_.use_runner(runner, batches); }
    uint64_t records() const { return records_; }  ///< cut so far

    struct Size {
        size_t bytes = 0;
        size_t bases = 0;
    };
    /// Of the next record; zero at the end of the file.
    Size next_size();
    /// Appends records to `out`: `most_records` or the rest of the file, but not after the first that reaches
    /// `most_bytes` of text. Returns how many. Throws what is wrong with the file, and that a record is
    /// longer than k_max_fastq_record_bytes.
    size_t cut(size_t most_records, size_t most_bytes, FileText& out);
    /// True at the end of the file.
    bool at_end() { return !fill(); }

  private:
    bool fill();
    void advance();
    void count_lines();
    size_t offset_of_line(size_t n) const;
    size_t lines_before(size_t offset) const;

    ReadAhead input_;
    std::string_view window_;
    size_t kept_ = 0;        ///< bytes of the window that came with the one before
    size_t kept_lines_ = 0;  ///< newlines of these
    size_t at_ = 0;          ///< in the window: what is not cut yet, the begin of a record
    size_t lines_ = 0;       ///< newlines before it in the window
    size_t complete_ = 0;    ///< records from there that are complete
    bool ended_ = false;     ///< the window reaches the end of the file
    uint64_t records_ = 0;
};

}  // namespace gannet::data::fastq
