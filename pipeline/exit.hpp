// SPDX-License-Identifier: MIT
// Provides the mapping from whatever ended a run to an exit code and one line for a person
// (docs/exit-codes.md).
#pragma once

#include <exception>
#include <string>

namespace gannet::pipeline {

struct Failure {
    int exit_code = 1;
    std::string message;  ///< one line, but for names with a newline, which log_error() shows as \n
};

/// Never throws; an exception of an unknown type is a fault of gannet's own (exit code 1).
Failure describe(std::exception_ptr error) noexcept;

/// Ends the process at once when all has been done: outputs are closed, locks and temporary folders are gone.
/// What is left is memory, threads and contexts of devices, which the system takes back by itself, and sooner
/// than their owners would give it. Standard output and stderr are flushed. Where a sanitizer looks for what
/// is left, it returns.
void end_process_at_once() noexcept;

/// Prints "gannet: error: MESSAGE" on stderr (clearing a progress line first) and returns the exit code.
int report_failure(std::exception_ptr error) noexcept;

}  // namespace gannet::pipeline
