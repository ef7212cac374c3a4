// SPDX-License-Identifier: MIT
// Provides an output for libraries that do not survive a failed write: they write to a pipe that never fails.
#pragma once

#include "data/output_file.hpp"

#include <atomic>
#include <thread>

namespace gannet::data {

/// A pipe whose content a thread copies to an OutputFile. After a write that fails, the rest is read and
/// dropped, so that the library on the other side always ends in order. (CRAM of htslib 1.16 ends in endless
/// recursion when its last block cannot be written.)
class OutputPipe {
  public:
    /// Throws Error(output_failed). `file` must outlive this object.
    explicit OutputPipe(OutputFile& file);
    /// Waits for the end of the pipe: its writing end must be closed by then.
    ~OutputPipe();
    OutputPipe(const OutputPipe&) = delete;
    OutputPipe& operator=(const OutputPipe&) = delete;

    /// The writing end, for the library to keep and close.
    int take_writing_end();
    /// Throws what a write threw.
    void check() const;
    /// Waits until all is copied, once the writing end was closed; then check().
    void finish();

  private:
    void copy() noexcept;

    OutputFile& file_;
    int reading_end_ = -1;
    int writing_end_ = -1;
    std::atomic<bool> failed_{false};
    std::exception_ptr failure_;  ///< written before failed_
    std::thread thread_;
};

}  // namespace gannet::data
