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

/// Prints "gannet: error: MESSAGE" on stderr (clearing a progress line first) and returns the exit code.
int report_failure(std::exception_ptr error) noexcept;

}  // namespace gannet::pipeline
