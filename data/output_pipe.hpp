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
    /// Copies what is in the pipe, also where the writing end is still open: CRAM of htslib 1.16 leaves it so
    /// when it has no memory to end with.
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
    bool wait_for_more() const;
    void copy() noexcept;

    OutputFile& file_;
    int reading_end_ = -1;
    int writing_end_ = -1;
    int ending_ = -1;  ///< an event: of the destructor
    std::atomic<bool> failed_{false};
    std::exception_ptr failure_;  ///< written before failed_
    std::thread thread_;
};

}  // namespace gannet::data
