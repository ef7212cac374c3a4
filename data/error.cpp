// SPDX-License-Identifier: MIT
// Provides the shapes of complaints about inputs.
#include "data/error.hpp"

#include <cerrno>
#include <cstring>

namespace gannet::data {

void throw_malformed(const std::string& file, uint64_t record, const std::string& cause) {
    throw Error(ErrorKind::malformed_input, file + ": record " + std::to_string(record) + ": " + cause);
}

void throw_malformed(const std::string& file, const std::string& cause) {
    throw Error(ErrorKind::malformed_input, file + ": " + cause);
}

std::string open_files_advice(int error_number) {
    if (error_number != EMFILE && error_number != ENFILE) return "";
    return "; raise the limit of open files (ulimit -n)";
}

void throw_cannot_open(const std::string& file, int error_number) {
    const std::string advice = open_files_advice(error_number);
    throw Error(advice.empty() ? ErrorKind::malformed_input : ErrorKind::host_memory,
                file + ": cannot be opened: " + std::strerror(error_number) + advice);
}

}  // namespace gannet::data
