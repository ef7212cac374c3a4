// SPDX-License-Identifier: MIT
// Provides the one exception type of gannet: a message for a person, and the exit code it leads to.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace gannet::data {

/// What went wrong, by what a user can do about it. The values are the program's exit codes
/// (docs/exit-codes.md).
enum class ErrorKind : int {
    internal = 1,            ///< a fault of gannet's own
    usage = 2,               ///< options or arguments
    malformed_input = 3,     ///< an input file is damaged or not what it should be
    reference_mismatch = 4,  ///< reference, contig or index do not fit each other
    device_unfit = 5,        ///< device missing or unfit
    device_memory = 6,
    host_memory = 7,
    output_failed = 8,  ///< an output could not be written or verified
    disk_space = 9      ///< disk or temporary space
};

/// Thrown for anything that ends the run. `what()` is one line: file, record (1-based, where there is one),
/// cause, and what to do. No trailing full stop or newline.
class Error : public std::runtime_error {
  public:
    Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
    ErrorKind kind() const { return kind_; }

  private:
    ErrorKind kind_;
};

/// "FILE: record N: cause", the shape that every complaint about an input has.
[[noreturn]] void throw_malformed(const std::string& file, uint64_t record, const std::string& cause);
/// "FILE: cause", where no record is at fault.
[[noreturn]] void throw_malformed(const std::string& file, const std::string& cause);
/// "FILE: cannot be opened: " and what errno says: malformed_input, or host_memory where it is this process
/// or this machine that has too many files open.
[[noreturn]] void throw_cannot_open(const std::string& file, int error_number);
/// What helps where too many files are open ("; raise the limit of open files (ulimit -n)"); empty for any
/// other errno.
std::string open_files_advice(int error_number);

}  // namespace gannet::data
